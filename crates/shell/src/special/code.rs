//! Judges of interpreters: where their code comes from.
//!
//! Owns the arguments of interpreters. Never looks into the code: that is [`super::inline`].

use super::super::expand::{Feed, Field};
use super::super::grammar::Kind;
use super::super::programs;
use super::super::walk::Walker;
use super::{Case, inline};

/// Interpreters: inline code is looked into as the value of its option, files are scripts, modules are tools.
pub(super) fn interpreter(w: &mut Walker<'_>, case: &Case<'_>) {
    let (words, args) = (case.words(), case.args);
    if let Some(opt) = args.opt(&["-m"]).filter(|_| is_python(case.name)) {
        // The name of a module may stand in the same word.
        let joined = opt.value.iter().filter(|_| opt.value_at.is_none()).cloned();
        let behind = words.get(opt.value_at.unwrap_or(opt.at + 1)..).unwrap_or(&[]);
        return module(w, case, &joined.chain(behind.iter().cloned()).collect::<Vec<_>>());
    }
    let given = args.opts.iter().filter(|opt| opt.kind == Some(Kind::Code));
    let codes: Vec<&str> =
        given.filter_map(|opt| opt.value.as_ref()).map(|code| code.text.as_str()).collect();
    if codes.is_empty() {
        return script_of(w, case, words, args.places.first().copied().unwrap_or(words.len()));
    }
    let rest = args.places.first().and_then(|at| words.get(*at..)).unwrap_or(&[]);
    let has = |words: &[&str]| codes.iter().any(|code| words.iter().any(|word| code.contains(word)));
    let harmless =
        rest.is_empty() && args.opts.len() == 1 && codes.iter().all(|code| inline::only_prints(code));
    w.lower_to(if harmless { "read" } else { "code" }, case.span);
    let starts = || codes.iter().any(|code| inline::starts_programs(code));
    if !rest.is_empty() && starts() && has(&["argv", "ARGV", "$@", "process.args"]) {
        let _ = w.dispatch_outside(rest, case.span, Feed::Inherit);
    }
    // Over every line of its input: what it is done to stands nowhere.
    if args.has(&["-n", "-p"])
        && has(&["unlink", "system(", "system ", "exec(", "exec "])
        && !is_python(case.name)
    {
        w.hit("unsafe-code", case.span);
    }
    let Some(in_place) = args.opts.iter().find(|opt| opt.kind == Some(Kind::May) && opt.name == "-i") else {
        return;
    };
    w.hit("write", in_place.span);
    // A filter that prints nothing empties what it edits.
    let empties = args.has(&["-n"]) && !has(&["print", "puts", "say", "p "]);
    for field in rest {
        w.judge_write(field, "write");
        if (field.many || field.unknown()) && empties {
            w.hit("delete-tree", field.span);
        }
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
    if let Some(Feed::Text(code)) = &file.feed {
        inline::look(w, &Field::plain(code, file.span));
    }
    // Only the grammar is checked: nothing of it runs.
    if matches!(case.name, "ruby" | "node") && case.args.has(&["-c", "--check"]) && case.args.opts.len() == 1
    {
        w.judge_read(file);
        return;
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

/// Code on standard input.
fn fed(w: &mut Walker<'_>, case: &Case<'_>) {
    match case.feed {
        Feed::Inherit => w.hit("code", case.span),
        Feed::Text(code) => inline::look(w, &Field::plain(code, case.span)),
        Feed::File(name) => w.run_file(&Field::plain(name, case.span), case.span),
        Feed::Fetched => w.hit("fetch-run", case.span),
        Feed::Lines { .. } | Feed::Other => w.hit("computed-code", case.span),
    }
}

/// `python -m module`: the tools among the modules are judged as themselves.
fn module(w: &mut Walker<'_>, case: &Case<'_>, rest: &[Field]) {
    let Some(module) = rest.first() else { return };
    match module.text.as_str() {
        "json.tool" => {
            w.lower_to_read();
            if let Some(out) =
                rest.iter().skip(1).filter(|f| f.text == "-" || !f.text.starts_with('-')).nth(1)
            {
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
            if let Some(field) = rest.iter().find(|f| f.text.starts_with("--generate")) {
                w.hit("write-hidden", field.span);
            }
        }
        "http.server" | "SimpleHTTPServer" => {
            let open = |f: &Field| f.text.ends_with("0.0.0.0") || f.text.ends_with("::");
            w.hit(if rest.iter().any(open) { "listen" } else { "script" }, case.span);
        }
        "timeit" => {
            for code in rest.iter().skip(1).filter(|f| !f.text.is_empty()) {
                inline::look(w, code);
            }
        }
        "code" => fed(w, case),
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
