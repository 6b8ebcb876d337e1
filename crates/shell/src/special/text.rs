//! Judges of programs with a small language inside: `sed`, `jq`.
//!
//! Owns the reading of those languages as far as writes and starts of programs go.

use super::super::expand::{Field, UNKNOWN};
use super::super::knowledge::list;
use super::super::path::is_secret_variable;
use super::super::secrets::names_secret;
use super::super::walk::Walker;
use super::Case;

/// The modules that a program of jq takes in, looked for in each folder that it names: they are data, or code.
fn modules(w: &mut Walker<'_>, case: &Case<'_>) {
    if let Some(opt) = case.args.opt(&["-f", "--from-file"]).filter(|_| case.name != "yq") {
        w.hit("script", opt.span);
    }
    let named = ["-L", "--library-path"];
    let given = case.args.opts.iter().filter(|o| named.contains(&o.name.as_str()));
    let mut folders: Vec<String> = given.filter_map(|o| o.value.as_ref()).map(|f| f.text.clone()).collect();
    for program in &case.args.operands {
        let words = ["import", "include", "search:", "load", "load_str", "strload"];
        let behind = |text: &str, word: &str| -> Vec<String> {
            let rests = text.split(word).skip(1);
            rests
                .map(|rest| rest.trim_start_matches(|c: char| c.is_whitespace() || c == '('))
                .filter_map(|rest| Some(rest.strip_prefix('"')?.split('"').next()?.to_owned()))
                .collect()
        };
        let [import, include, search, loaded @ ..] = words.map(|word| behind(&program.text, word));
        for file in loaded.concat() {
            w.judge_read(&program.with(&file));
        }
        folders.extend(search);
        for name in import.iter().chain(&include) {
            let last = name.rsplit('/').next().unwrap_or(name);
            let all = folders.iter().map(String::as_str).chain(["."]);
            let paths = all.flat_map(|folder| {
                [
                    format!("{folder}/{name}.json"),
                    format!("{folder}/{name}/{last}.json"),
                    format!("{folder}/{name}"),
                ]
            });
            for path in paths.collect::<Vec<_>>() {
                w.judge_read(&program.with(path.trim_start_matches("./")));
            }
        }
    }
}

/// `jq`: `$ENV` and `env` show the environment; `yq` can too.
pub(super) fn jq(w: &mut Walker<'_>, case: &Case<'_>) {
    let clustered = |f: &Field| {
        let letters = f.text.strip_prefix('-').filter(|c| !c.starts_with('-') && c.len() > 1).unwrap_or("");
        // Behind one of these stands a format.
        let (own, format) = letters.split_once(['o', 'p']).unwrap_or((letters, ""));
        let format = format.trim_start_matches('=');
        let known = format.len() < 2
            || matches!(format, "props" | "shell" | "base64")
            || list("names of formats").contains(&format);
        own.contains(['i', 's']) || !known && format.contains(['i', 's'])
    };
    if let Some(field) = case.words().iter().find(|f| case.name == "yq" && clustered(f)) {
        w.hit("write-hidden", field.span);
    }
    if case.name != "jq" && case.args.has(&["-i", "--inplace", "--in-place"]) {
        let eval = |text: &str| matches!(text, "e" | "eval" | "ea" | "eval-all");
        let files = case.args.operands.iter().skip_while(|f| eval(&f.text)).skip(1);
        for file in files {
            w.judge_write(file, "write");
        }
    }
    modules(w, case);
    // Of `yq` a sub-command may stand in front.
    let eval = |f: &&Field| case.name == "yq" && matches!(f.text.as_str(), "e" | "eval" | "ea" | "eval-all");
    let Some(filter) = case.args.operands.iter().find(|f| !eval(f)) else { return };
    // Of `yq` a lone operand is the file.
    if case.name == "yq" && case.args.operands.len() == 1 && names_secret(&filter.text) {
        w.hit("secret", filter.span);
    }
    let texts: Vec<&str> = case.args.operands.iter().map(|f| f.text.as_str()).collect();
    let text = if case.args.has(&["--arg", "--argjson", "--slurpfile", "--rawfile"]) {
        texts.join(" ")
    } else {
        filter.text.clone()
    };
    let words: Vec<&str> =
        text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '$'))).collect();
    let shows = words.iter().any(|word| matches!(*word, "env" | "$ENV" | "$__prog_args"))
        || words.iter().any(|word| {
            word.strip_prefix("$ENV.").or_else(|| word.strip_prefix("env.")).is_some_and(is_secret_variable)
        });
    if shows {
        w.hit("environment", filter.span);
    }
}

/// `mlr`: `ENV` holds the environment, and one of its variables behind its name alone.
pub(super) fn miller(w: &mut Walker<'_>, case: &Case<'_>) {
    for code in case.args.operands.iter().chain(case.args.opts.iter().filter_map(|opt| opt.value.as_ref())) {
        let text = code.text.as_str();
        let letter = |c: char| c.is_alphanumeric() || "_$@".contains(c);
        let shown = text.match_indices("ENV").any(|(at, name)| {
            let (head, rest) = (text.get(..at).unwrap_or(""), text.get(at + name.len()..).unwrap_or(""));
            let index = rest.trim_start().strip_prefix('[').and_then(|rest| rest.split_once(']'));
            let literal = index.and_then(|(index, _)| index.trim().strip_prefix('"')?.strip_suffix('"'));
            !head.ends_with(letter)
                && !rest.starts_with(letter)
                && literal.is_none_or(|name| name.contains('"') || is_secret_variable(name))
        });
        // A name alone is one of a column.
        if shown && text.contains(['=', '(', '{', '[']) {
            w.hit("environment", code.span);
        }
    }
}

/// `sed`: in-place edits, `w` and `e`.
pub(super) fn sed(w: &mut Walker<'_>, case: &Case<'_>) {
    // On some systems `-l` has no value: what is no number is then the script.
    let number = |f: &Field| f.text.chars().all(|c| c.is_ascii_digit());
    let given = case.args.opts.iter().filter_map(|opt| {
        let length = opt.is("-l") || opt.is("--line-length");
        let code = opt.is("-e") || opt.is("--expression");
        opt.value.clone().filter(|value| code || length && !number(value))
    });
    let mut scripts: Vec<Field> = given.collect();
    let mut files: Vec<&Field> = case.args.operands.iter().collect();
    let in_place = case.args.opt(&["-i", "-I", "--in-place"]).map(|opt| opt.span);
    let from_file = case.args.has(&["-f", "--file"]);
    if scripts.is_empty() && !from_file && !files.is_empty() {
        scripts.push(files.remove(0).clone());
    }
    if from_file {
        w.hit("script", case.span);
    }
    for script in &scripts {
        sed_script(w, script);
    }
    if let [first, _, ..] = scripts.as_slice() {
        // A text may go on from one to the next.
        let texts: Vec<&str> = scripts.iter().map(|script| script.text.as_str()).collect();
        sed_script(w, &first.with(&texts.join("\n")));
    }
    let silent = case.args.has(&["-n", "--quiet", "--silent"]);
    let empties = scripts
        .iter()
        .any(|script| empties(&script.text) || silent && !script.text.contains(['p', 'P', 'w']));
    let copies = case.args.opts.iter().filter(|o| matches!(o.name.as_str(), "-i" | "--in-place"));
    for copy in copies.filter_map(|o| o.value.clone()).filter(|v| v.text.contains('/')) {
        w.judge_write(&copy, "write-hidden");
    }
    for file in files {
        if in_place.is_some() {
            w.judge_write(file, "write");
            if scripts.iter().any(|script| puts_commands(w, &script.text)) {
                w.derived.push(file.text.clone());
            }
            if empties && (file.many || file.unknown()) {
                w.hit("delete-tree", file.span);
            }
        }
        w.judge_read(file);
    }
    if let Some(span) = in_place {
        w.hit("write", span);
    }
}

/// Whether a script deletes every line.
fn puts_commands(w: &mut Walker<'_>, script: &str) -> bool {
    let parts = script.split(['/', '"', '\'', '(', ')', '|', '#', '\\', '\n']).map(str::trim);
    let added = script.split_once(['a', 'i', 'c']).map(|(_, text)| text.trim_start_matches('\\').trim());
    parts.chain(added).take(32).any(|part| part.contains(' ') && w.is_high(part))
}

fn empties(script: &str) -> bool {
    matches!(
        script.trim_matches([' ', ';', '{', '}']),
        "d" | "1,$d" | "1,$ d" | "c" | "Q" | "q" | "1Q" | "/./d" | "//d" | "/^/d" | "/$/d" | "s/.*//"
    )
}

/// Most characters of a program that are read.
pub(super) const MOST_CODE: usize = 16_384;

/// Reads a sed script, in each way in which one of the programs of that name does.
fn sed_script(w: &mut Walker<'_>, field: &Field) {
    let chars: Vec<char> = field.text.chars().collect();
    if chars.len() > MOST_CODE {
        w.hit("computed-code", field.span);
        return;
    }
    sed_commands(w, field, &chars, false);
    let blank = |c: &char| matches!(c, ' ' | '\t' | '\r');
    let trailing = |line: &[char]| {
        let kept = line.iter().rposition(|c| !blank(c)).map_or(0, |last| last + 1);
        kept < line.len() && line.get(..kept).is_some_and(|kept| kept.ends_with(&['\\']))
    };
    if chars.split(|c| *c == '\n').any(trailing) {
        sed_commands(w, field, &chars, true);
    }
}

/// Reads a sed script one command at a time; where it is `loose`, blanks may stand behind the backslash that begins a text.
fn sed_commands(w: &mut Walker<'_>, field: &Field, chars: &[char], loose: bool) {
    let mut at = 0;
    while let Some(&c) = chars.get(at) {
        match c {
            ' ' | '\t' | '\n' | ';' | '{' | '}' | '!' | ',' | '$' | '+' | '~' | '0'..='9' => at += 1,
            '/' => at = skip_pattern(chars, at + 1, '/'),
            '\\' => {
                let mark = chars.get(at + 1).copied().unwrap_or('/');
                at = skip_pattern(chars, at + 2, mark);
            }
            's' | 'y' => {
                let mark = chars.get(at + 1).copied().unwrap_or('/');
                let pattern = if c == 's' { skip_pattern } else { skip_to };
                at = skip_to(chars, pattern(chars, at + 2, mark), mark);
                while let Some(&flag) = chars.get(at).filter(|f| f.is_ascii_alphanumeric()) {
                    at += 1;
                    if flag == 'e' && c == 's' {
                        w.hit("hidden-run", field.span);
                    }
                    if flag == 'w' && c == 's' {
                        at = sed_file(w, field, chars, at);
                    }
                }
            }
            'e' => {
                w.hit("hidden-run", field.span);
                at = line_end(chars, at);
            }
            'w' | 'W' => at = sed_file(w, field, chars, at + 1),
            'r' | 'R' => {
                let end = line_end(chars, at);
                let name: String = chars.get(at + 1..end).unwrap_or(&[]).iter().collect();
                w.judge_read(&field.with(name.trim()));
                at = end;
            }
            'a' | 'i' | 'c' => at = text_end(chars, at + 1, loose),
            '#' => at = line_end(chars, at),
            // Some end a label only with its line: what others read behind it is worse than nothing.
            'b' | 't' | 'T' | ':' => at = label_end(chars, at + 1),
            UNKNOWN => {
                let whole = chars.len() == 1;
                w.hit(if whole { "computed-code" } else { "computed-input" }, field.span);
                return;
            }
            _ => at += 1,
        }
    }
}

fn sed_file(w: &mut Walker<'_>, field: &Field, chars: &[char], at: usize) -> usize {
    let end = line_end(chars, at);
    let name: String = chars.get(at..end).unwrap_or(&[]).iter().collect();
    w.judge_write(&field.with(name.trim()), "write-hidden");
    end
}

pub(super) fn line_end(chars: &[char], at: usize) -> usize {
    chars.iter().skip(at).position(|c| *c == '\n').map_or(chars.len(), |n| at + n)
}

/// Where the text of `a`, `i` or `c` ends: with the first line behind which no backslash holds the newline.
fn text_end(chars: &[char], at: usize, loose: bool) -> usize {
    let mut end = line_end(chars, at);
    let first = chars.get(at..end).unwrap_or(&[]);
    let begun = first.contains(&'\\') && first.iter().all(|c| *c == '\\' || c.is_whitespace());
    if loose && begun {
        end = line_end(chars, end + 1);
    }
    let held = |end: usize| {
        let line = chars.get(at..end).unwrap_or(&[]);
        line.iter().rev().take_while(|c| **c == '\\').count() % 2 == 1
    };
    while end < chars.len() && held(end) {
        end = line_end(chars, end + 1);
    }
    end
}

/// Behind a label and the blanks before it.
fn label_end(chars: &[char], at: usize) -> usize {
    let blanks = chars.iter().skip(at).take_while(|c| matches!(c, ' ' | '\t')).count();
    let ends = |c: &char| matches!(c, ';' | '}') || c.is_whitespace();
    chars.iter().skip(at + blanks).position(ends).map_or(chars.len(), |n| at + blanks + n)
}

fn skip_to(chars: &[char], at: usize, mark: char) -> usize {
    skip(chars, at, mark, false)
}

/// Behind a pattern: what stands in brackets does not end it.
fn skip_pattern(chars: &[char], at: usize, mark: char) -> usize {
    skip(chars, at, mark, true)
}

fn skip(chars: &[char], mut at: usize, mark: char, brackets: bool) -> usize {
    while let Some(&c) = chars.get(at) {
        if c == mark {
            return at + 1;
        }
        at = match c {
            '\\' => at + 2,
            '[' if brackets => bracket_end(chars, at).unwrap_or(at + 1),
            _ => at + 1,
        };
    }
    chars.len()
}

/// Behind a bracket expression, where it ends at all: the first `]` may be one of its characters, and classes have their own.
pub(super) fn bracket_end(chars: &[char], open: usize) -> Option<usize> {
    let mut at = open + 1 + usize::from(chars.get(open + 1) == Some(&'^'));
    at += usize::from(chars.get(at) == Some(&']'));
    loop {
        match (chars.get(at)?, chars.get(at + 1)) {
            (']', _) => return Some(at + 1),
            ('\n', _) => return None,
            ('[', Some(&class)) if matches!(class, ':' | '.' | '=') => {
                let rest = chars.get(at + 2..)?;
                let end = rest.windows(2).position(|pair| pair == [class, ']']);
                at += end.map_or(1, |end| end + 4);
            }
            _ => at += 1,
        }
    }
}
