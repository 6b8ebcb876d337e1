//! Judges of interpreters: where their code comes from.
//!
//! Owns the arguments of interpreters. Never looks into the code: that is [`super::inline`].

use super::super::expand::{Feed, Field};
use super::super::knowledge::list;
use super::super::programs;
use super::super::walk::Walker;
use super::{Case, inline};

/// Interpreters: inline code is looked into, files are scripts, modules are tools.
pub(super) fn interpreter(w: &mut Walker<'_>, case: &Case<'_>) {
    let words = case.words();
    let python = is_python(case.name);
    if let [option, code] = words
        && is_code_option(case.name, &option.text)
        && inline::only_prints(&code.text)
    {
        w.lower_to_read();
        return;
    }
    let in_place = words.iter().find(|f| edits_in_place(case.name, &f.text));
    let mut at = 0;
    let mut coded = false;
    while let Some(word) = words.get(at) {
        let text = word.text.as_str();
        let next = words.get(at + 1);
        if !text.starts_with('-') || text == "-" || text == "--" {
            break;
        }
        if python && text == "-m" {
            module(w, case, words.get(at + 1..).unwrap_or(&[]));
            return;
        }
        at += 1;
        if is_code_option(case.name, text) {
            if let Some(code) = next {
                inline::look(w, code);
            }
            coded = true;
            at += 1;
            if python {
                break;
            }
        } else if let Some(code) = joined_code(case.name, text) {
            inline::look(w, &word.with(code));
            coded = true;
        } else if list("interpreters take").contains(&text) || text == "-l" && case.name == "osascript" {
            if let Some(value) = next {
                w.judge_read(value);
            }
            at += 1;
        }
        if text.starts_with("-javaagent") || text.starts_with("-agentpath") || text.starts_with("-agentlib") {
            w.hit("hidden-run", word.span);
        }
    }
    if !coded {
        script_of(w, case, words, at);
        return;
    }
    let (given, rest) = words.split_at(at.min(words.len()));
    beyond(w, case, given, rest);
    for field in rest {
        w.judge_read(field);
        if let Some(option) = in_place {
            w.hit("write", option.span);
            w.judge_write(field, "write");
        }
    }
}

/// Arguments of inline code: a command that the code starts, or files that it empties.
fn beyond(w: &mut Walker<'_>, case: &Case<'_>, given: &[Field], rest: &[Field]) {
    let has = |words: &[&str]| given.iter().any(|f| words.iter().any(|word| f.text.contains(word)));
    let starts = given.iter().any(|f| inline::starts_programs(&f.text));
    if !rest.is_empty() && starts && has(&["argv", "ARGV", "$@", "process.args"]) {
        let _ = w.dispatch_outside(rest, case.span, Feed::Inherit);
    }
    let in_place = given.iter().any(|f| edits_in_place(case.name, &f.text));
    let loops = given.iter().any(|f| f.text.starts_with('-') && f.text.len() < 6 && f.text.contains('n'));
    if let Some(field) = rest.iter().find(|f| f.many)
        && in_place
        && loops
        && !has(&["print", "puts", "say", "p "])
    {
        w.hit("delete-tree", field.span);
    }
}

/// The script an interpreter is given, or what stands for it.
fn script_of(w: &mut Walker<'_>, case: &Case<'_>, words: &[Field], at: usize) {
    let Some(file) = words.get(at) else { return fed(w, case) };
    let rest = words.get(at + 1..).unwrap_or(&[]);
    if matches!(file.text.as_str(), "-" | "/dev/stdin") {
        return fed(w, case);
    }
    if file.text == "eval"
        && let Some(code) = rest.iter().find(|f| !f.text.starts_with('-'))
    {
        return inline::look(w, code);
    }
    w.run_file(file, case.span);
    if file.text.contains("://") {
        w.hit("fetch-run", file.span);
    }
    // Scripts that many projects have are described like programs.
    let base = file.text.rsplit('/').next().unwrap_or("");
    if let Some(program) = programs::find(base).filter(|_| matches!(base, "setup.py" | "manage.py")) {
        let _ = w.by_table(program, base, words.get(at..).unwrap_or(&[]), case.span, Feed::Inherit);
    }
    for field in rest {
        w.judge_read(field);
    }
}

fn is_python(name: &str) -> bool {
    name.starts_with("py") || matches!(name, "ipython" | "jython" | "micropython" | "hy" | "xonsh" | "sage")
}

fn is_code_option(name: &str, text: &str) -> bool {
    let short = text.starts_with('-') && !text.starts_with("--");
    match name {
        n if is_python(n) => short && text.ends_with('c') && text.len() <= 4,
        "php" => matches!(text, "-r" | "-B" | "-R" | "-E" | "--run"),
        "node" | "nodejs" | "bun" | "deno" | "tsx" | "ts-node" | "electron" => {
            matches!(text, "-e" | "-p" | "-pe" | "--eval" | "--print" | "-ep")
        }
        "perl" | "ruby" | "jruby" | "raku" => short && text.ends_with(['e', 'E']),
        "guile" | "gjs" | "expect" => matches!(text, "-c"),
        "swipl" | "prolog" => matches!(text, "-g" | "-t"),
        "matlab" => matches!(text, "-batch" | "-r"),
        _ => matches!(text, "-e" | "-E" | "--eval" | "--eval-string" | "-c" | "-eval" | "--execute"),
    }
}

/// Code in the same word as its option.
fn joined_code<'a>(name: &str, text: &'a str) -> Option<&'a str> {
    let long = ["--eval=", "--print=", "--execute="].iter().find_map(|option| text.strip_prefix(option));
    let short = if is_python(name) {
        text.strip_prefix("-c")
    } else if matches!(name, "java" | "ghc" | "ocaml") || text == "-encoding" {
        None
    } else {
        text.strip_prefix("-e").or_else(|| text.strip_prefix("-r").filter(|_| name == "php"))
    };
    long.or_else(|| short.filter(|code| code.len() > 1))
}

/// `perl -i`, `ruby -i`, alone or in a cluster before the letter that takes the rest.
fn edits_in_place(name: &str, text: &str) -> bool {
    let Some(letters) = text.strip_prefix('-').filter(|_| matches!(name, "perl" | "ruby" | "raku")) else {
        return false;
    };
    letters
        .chars()
        .take_while(|c| !matches!(c, 'e' | 'E' | 'I' | 'M' | 'm' | 'r' | 'x' | '-'))
        .any(|c| c == 'i')
}

/// Code on standard input.
fn fed(w: &mut Walker<'_>, case: &Case<'_>) {
    match case.feed {
        Feed::Inherit => w.hit("code", case.span),
        Feed::Text(code) => inline::look(w, &Field::plain(code, case.span)),
        Feed::File(name) => w.run_file(&Field::plain(name, case.span), case.span),
        Feed::Fetched => w.hit("fetch-run", case.span),
        Feed::Other => w.hit("computed-code", case.span),
    }
}

/// `python -m module`: the tools among the modules are judged as themselves.
fn module(w: &mut Walker<'_>, case: &Case<'_>, rest: &[Field]) {
    let Some(module) = rest.first() else { return };
    match module.text.as_str() {
        "json.tool" => {
            w.lower_to_read();
            if let Some(out) = rest.iter().skip(1).filter(|f| !f.text.starts_with('-')).nth(1) {
                w.judge_write(out, "write-hidden");
            }
            for field in rest.iter().skip(1) {
                w.judge_read(field);
            }
        }
        "site" | "platform" | "sysconfig" | "calendar" | "this" | "keyword" | "tokenize" | "ast" | "dis" => {
            w.lower_to_read();
            for field in rest.iter().skip(1) {
                w.judge_read(field);
            }
        }
        "smtpd" | "smtplib" | "ftplib" | "telnetlib" => w.hit("send", case.span),
        // The tool is judged as itself.
        name if super::super::command::is_known(name) => {
            w.lower_to_read();
            let _ = w.dispatch_outside(rest, case.span, case.feed.clone());
        }
        _ => {
            for field in rest {
                w.judge_read(field);
            }
        }
    }
}
