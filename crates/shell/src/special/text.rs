//! Judges of programs with a small language inside: `sed`, `awk`, `jq`.
//!
//! Owns the reading of those languages as far as writes and starts of programs go.

use super::super::carried::is_homely;
use super::super::expand::{Field, UNKNOWN};
use super::super::knowledge::list;
use super::super::path::leads_out;
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
        let words = ["import", "include", "search:", "load(", "load_str(", "strload("];
        let behind = |text: &str, word: &str| -> Vec<String> {
            let rests = text.split(word).skip(1);
            rests
                .filter_map(|rest| Some(rest.trim_start().strip_prefix('"')?.split('"').next()?.to_owned()))
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
    let Some(filter) = case.args.operands.first() else { return };
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
            word.strip_prefix("$ENV.")
                .or_else(|| word.strip_prefix("env."))
                .is_some_and(super::super::path::is_secret_variable)
        });
    if shows {
        w.hit("environment", filter.span);
    }
}

/// `sed`: in-place edits, `w` and `e`.
pub(super) fn sed(w: &mut Walker<'_>, case: &Case<'_>) {
    let given = case.args.opts.iter().filter(|o| matches!(o.name.as_str(), "-e" | "--expression"));
    let mut scripts: Vec<Field> = given.filter_map(|opt| opt.value.clone()).collect();
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

/// Reads a sed script one command at a time.
fn sed_script(w: &mut Walker<'_>, field: &Field) {
    let chars: Vec<char> = field.text.chars().take(16_384).collect();
    let mut at = 0;
    while let Some(&c) = chars.get(at) {
        match c {
            ' ' | '\t' | '\n' | ';' | '{' | '}' | '!' | ',' | '$' | '+' | '~' | '0'..='9' => at += 1,
            '/' => at = skip_pattern(&chars, at + 1, '/'),
            '\\' => {
                let mark = chars.get(at + 1).copied().unwrap_or('/');
                at = skip_pattern(&chars, at + 2, mark);
            }
            's' | 'y' => {
                let mark = chars.get(at + 1).copied().unwrap_or('/');
                let pattern = if c == 's' { skip_pattern } else { skip_to };
                at = skip_to(&chars, pattern(&chars, at + 2, mark), mark);
                while let Some(&flag) = chars.get(at).filter(|f| f.is_ascii_alphanumeric()) {
                    at += 1;
                    if flag == 'e' && c == 's' {
                        w.hit("hidden-run", field.span);
                    }
                    if flag == 'w' && c == 's' {
                        at = sed_file(w, field, &chars, at);
                    }
                }
            }
            'e' => {
                w.hit("hidden-run", field.span);
                at = line_end(&chars, at);
            }
            'w' | 'W' => at = sed_file(w, field, &chars, at + 1),
            'r' | 'R' => {
                let end = line_end(&chars, at);
                let name: String = chars.get(at + 1..end).unwrap_or(&[]).iter().collect();
                if names_secret(name.trim()) {
                    w.hit("secret", field.span);
                }
                at = end;
            }
            'a' | 'i' | 'c' | '#' => at = line_end(&chars, at),
            // Some end a label only with its line: what others read behind it is worse than nothing.
            'b' | 't' | 'T' | ':' => at = label_end(&chars, at + 1),
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

fn line_end(chars: &[char], at: usize) -> usize {
    chars.iter().skip(at).position(|c| *c == '\n').map_or(chars.len(), |n| at + n)
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
fn bracket_end(chars: &[char], open: usize) -> Option<usize> {
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

/// `awk`: writes, pipes and `system`.
pub(super) fn awk(w: &mut Walker<'_>, case: &Case<'_>) {
    let (mut given, mut in_place) = (false, false);
    let set = case.args.opts.iter().filter(|o| matches!(o.name.as_str(), "-v" | "--assign"));
    let set = set.filter_map(|o| o.value.as_ref()).chain(&case.args.operands);
    let values: Vec<String> =
        set.filter_map(|f| f.text.split_once('=')).map(|(_, value)| value.to_owned()).collect();
    for opt in &case.args.opts {
        match (opt.name.as_str(), &opt.value) {
            ("-f" | "--file" | "-E" | "--exec", _) => {
                w.hit("script", opt.span);
                given = true;
            }
            ("-e" | "--source", Some(code)) => {
                awk_code(w, code, &values);
                given = true;
            }
            // The older form of a long option.
            ("-W", Some(value)) => {
                let name = value.text.split('=').next().unwrap_or("");
                let plain = list("plain words of awk").iter().any(|word| word.starts_with(name));
                if !plain {
                    w.hit("script", opt.span);
                    given = true;
                }
            }
            ("-i" | "--include" | "-l" | "--load", Some(value)) => {
                in_place |= value.text == "inplace";
                w.hit(if value.text == "inplace" { "write" } else { "hidden-run" }, opt.span);
            }
            _ => {}
        }
    }
    if let Some(code) = case.args.operands.first().filter(|_| !given) {
        awk_code(w, code, &values);
    }
    for file in case.args.operands.iter().skip(usize::from(!given)).filter(|_| in_place) {
        w.judge_write(file, "write");
    }
}

/// A program as its code, without strings and patterns, and its string literals.
fn awk_parts(program: &str) -> (String, Vec<String>) {
    let text: String = program.chars().take(16_384).collect();
    let mut code = String::new();
    let mut strings: Vec<String> = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' => {
                let mut literal = String::new();
                while let Some(c) = chars.next() {
                    match c {
                        '\\' => literal.extend(chars.next()),
                        '"' => break,
                        c => literal.push(c),
                    }
                }
                code.push('"');
                strings.push(literal);
            }
            '/' if regex_may_start(&code) => {
                while let Some(c) = chars.next() {
                    match c {
                        '\\' => {
                            let _ = chars.next();
                        }
                        '/' => break,
                        _ => {}
                    }
                }
                code.push('r');
            }
            '#' => while chars.next_if(|c| *c != '\n').is_some() {},
            c => code.push(c),
        }
    }
    (code, strings)
}

/// Judges a program: its code outside strings and patterns decides.
fn awk_code(w: &mut Walker<'_>, field: &Field, given: &[String]) {
    if field.text.chars().eq([UNKNOWN]) {
        w.hit("computed-code", field.span);
    }
    let (code, strings) = awk_parts(&field.text);
    // Whatever stands where a statement begins is one.
    let begins = |head: &str| head.trim_end().ends_with(['{', ';']) || head.ends_with('\n');
    if code.match_indices(UNKNOWN).any(|(at, _)| code.get(..at).is_some_and(begins)) {
        w.hit("computed-code", field.span);
    }
    let tight: String = code.chars().filter(|c| !c.is_whitespace()).collect();
    let runs = tight.contains("system(")
        || tight.contains("|getline")
        || tight.contains("|&")
        || tight.contains('@')
        || tight.contains('\u{1a}') && tight.contains("system");
    if runs {
        w.hit("hidden-run", field.span);
    }
    if strings.iter().any(|s| names_secret(s)) {
        w.hit("secret", field.span);
    }
    // A loop that nothing ends.
    let forever = ["while(1)", "for(;;)", "while(1==1)"].iter().any(|head| tight.contains(head));
    if forever && !["break", "exit", "getline", "return", "next"].iter().any(|end| tight.contains(end)) {
        w.hit("bomb", field.span);
    }
    // A file whose name is put together.
    let named = tight.split("ARGV[").skip(1).filter_map(|rest| rest.split_once("]="));
    let added = named.filter(|(_, value)| !value.starts_with('=')).any(|(_, value)| {
        let value = value.split([';', '}', '\n']).next().unwrap_or("");
        value != "\""
    });
    let computed = added
        || tight.split("getline").skip(1).any(|rest| {
            let name = rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || "_$[]".contains(c));
            name.strip_prefix('<').is_some_and(|name| !name.starts_with('"'))
        });
    if computed {
        w.hit("computed-input", field.span);
    }
    // To it such a path is a connection.
    if strings.iter().chain(given).any(|s| s.contains("/inet")) {
        w.hit("network", field.span);
    }
    if tight.contains('>') && strings.iter().any(|s| is_homely(s)) {
        w.hit("outside", field.span);
    }
    if [">FILENAME", ">ARGV["].iter().any(|to| tight.contains(to)) {
        w.hit("delete-tree", field.span);
    }
    if tight.contains("ENVIRON") {
        let shows = strings.iter().any(|s| super::super::path::is_secret_variable(s))
            || !tight.contains("ENVIRON[\"");
        if shows {
            w.hit("environment", field.span);
        }
    }
    awk_output(w, field, &code, &strings, given);
}

fn regex_may_start(code: &str) -> bool {
    code.trim_end().chars().last().is_none_or(|c| "~({,;&|!}\n".contains(c))
}

/// `print > file`, `print | command`.
///
/// Where the name is put together, it may be of any text of the program and of any value that it is `given`.
fn awk_output(w: &mut Walker<'_>, field: &Field, code: &str, strings: &[String], given: &[String]) {
    let mut seen = 0;
    let mut printing = false;
    let mut depth = 0i32;
    let mut word = String::new();
    let mut chars = code.chars().peekable();
    while let Some(c) = chars.next() {
        if c.is_alphanumeric() || c == '_' {
            word.push(c);
            continue;
        }
        if matches!(word.as_str(), "print" | "printf") {
            printing = true;
            depth = 0;
        }
        word.clear();
        match c {
            '"' => seen += 1,
            '(' => depth += 1,
            ')' => depth -= 1,
            ';' | '}' | '\n' => printing = false,
            '>' if printing && depth <= 0 => {
                let _ = chars.next_if_eq(&'>');
                let literal = next_literal(&mut chars.clone()).then(|| strings.get(seen)).flatten();
                let out = |text: &&String| leads_out(text, w.stand.moved);
                let away = strings.iter().chain(given).find(out).filter(|_| literal.is_none());
                let away = away.cloned().or_else(|| code.contains("ENVIRON[\"]").then(|| "~".to_owned()));
                let target = literal.cloned().or(away).unwrap_or_else(|| UNKNOWN.to_string());
                w.judge_write(&field.with(&target), "write-hidden");
            }
            '|' if printing && chars.peek() != Some(&'|') => {
                w.hit("script", field.span);
                match next_literal(&mut chars.clone()).then(|| strings.get(seen)).flatten() {
                    Some(command) => {
                        let plain = command.split(' ').next().is_some_and(|p| {
                            matches!(p, "sort" | "uniq" | "head" | "tail" | "cat" | "wc" | "column")
                        });
                        let _ = w.run_apart(command, field.span);
                        if !plain {
                            w.hit("hidden-run", field.span);
                        }
                    }
                    None => w.hit("hidden-run", field.span),
                }
            }
            _ => {}
        }
    }
}

fn next_literal(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> bool {
    chars.find(|c| !c.is_whitespace()) == Some('"')
}
