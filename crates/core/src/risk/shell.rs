//! The shell's own commands, and shells started as programs.
//!
//! Owns what builtins do to the state of the walk, and what a shell would run. Never judges other programs.

use super::expand::{Feed, Field, UNKNOWN, Value};
use super::path::{Cwd, Place, place};
use super::syntax::Span;
use super::walk::Walker;

/// Shells that can be started.
pub(super) const SHELLS: [&str; 14] = [
    "sh",
    "bash",
    "dash",
    "zsh",
    "ksh",
    "ash",
    "fish",
    "rbash",
    "mksh",
    "tcsh",
    "csh",
    "pwsh",
    "powershell",
    "nu",
];

const BUILTINS: [&str; 31] = [
    "echo",
    "printf",
    "eval",
    "source",
    ".",
    "trap",
    "alias",
    "unalias",
    "export",
    "declare",
    "typeset",
    "local",
    "readonly",
    "unset",
    "set",
    "cd",
    "chdir",
    "pushd",
    "popd",
    "test",
    "[",
    "read",
    "mapfile",
    "readarray",
    "cmd",
    "enable",
    "complete",
    "compgen",
    "disown",
    "fg",
    "bg",
];

/// Whether a name is a builtin or a shell.
pub(super) fn is_builtin(name: &str) -> bool {
    BUILTINS.contains(&name) || SHELLS.contains(&name)
}

/// Judges a builtin or a shell; `None` when the name is neither.
pub(super) fn judge(w: &mut Walker<'_>, name: &str, argv: &[Field], span: Span, feed: &Feed) -> Option<Feed> {
    let args = argv.get(1..).unwrap_or(&[]);
    let first = args.first().map_or("", |f| f.text.as_str());
    carried_code(w, name, args);
    let out = match name {
        "echo" => echo(args),
        "printf" => printf(w, args),
        "eval" => {
            let all: Vec<&str> = args.iter().map(|f| f.text.as_str()).collect();
            if args.iter().any(|f| f.feed == Some(Feed::Fetched)) {
                w.hit("fetch-run", span);
            } else if args.iter().any(Field::unknown) {
                w.hit("computed-code", span);
            }
            w.run_text(&all.join(" "), span)
        }
        "source" | "." => {
            if matches!(first, "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0") {
                feed_shell(w, feed, span);
            } else {
                source(w, args, span);
            }
            Feed::Other
        }
        "trap" => trap(w, args),
        "alias" => alias(w, args),
        "export" | "declare" | "typeset" | "local" | "readonly" => declare(w, name, args, span),
        "set" => set(w, args, span),
        "cd" | "chdir" | "pushd" | "popd" => {
            move_to(w, name, args);
            Feed::Inherit
        }
        "read" | "mapfile" | "readarray" => {
            let value = match feed {
                Feed::Text(text) => Value { text: text.trim().to_owned(), many: false },
                Feed::Inherit | Feed::File(_) | Feed::Fetched | Feed::Other => Value::unknown(),
            };
            for field in args.iter().filter(|f| !f.text.starts_with('-')) {
                w.assign(&field.text, value.clone());
            }
            Feed::Inherit
        }
        "unalias" | "unset" | "test" | "[" | "complete" | "compgen" | "disown" | "fg" | "bg" => Feed::Inherit,
        "enable" => {
            if first == "-f" {
                w.hit("hidden-run", span);
            }
            Feed::Inherit
        }
        "cmd" => cmd(w, args, span),
        _ if SHELLS.contains(&name) => start_shell(w, name, args, span, feed),
        _ => return None,
    };
    Some(out)
}

/// Builtins that keep code for later, and those that evaluate subscripts inside quoted words.
fn carried_code(w: &mut Walker<'_>, name: &str, args: &[Field]) {
    let option = match name {
        "hash" => "-p",
        "bind" => "-x",
        "complete" | "compgen" | "mapfile" | "readarray" => "-C",
        _ => "",
    };
    if let Some(at) = args.iter().position(|f| !option.is_empty() && f.text.starts_with(option)) {
        let code = args.get(at + 1).or_else(|| args.get(at));
        w.hit("hidden-run", code.map_or_else(Span::default, |f| f.span));
    }
    let evaluates = match name {
        "let" | "unset" | "read" | "mapfile" | "readarray" | "declare" | "typeset" | "local" | "getopts" => {
            true
        }
        "test" | "[" | "printf" | "wait" => {
            args.iter().any(|f| f.text == "-v" || f.text == "-n" && name == "wait")
        }
        _ => false,
    };
    if let Some(field) = args
        .iter()
        .find(|f| evaluates && f.text.contains('[') && (f.text.contains("$(") || f.text.contains('`')))
    {
        w.hit("hidden-run", field.span);
    }
}

fn known_text(text: String) -> Feed {
    if text.contains(UNKNOWN) { Feed::Other } else { Feed::Text(text) }
}

fn echo(args: &[Field]) -> Feed {
    if args.iter().any(|f| f.feed == Some(Feed::Fetched)) {
        return Feed::Fetched;
    }
    let mut rest = args;
    let mut escapes = false;
    while let Some((first, tail)) = rest.split_first()
        && first.text.starts_with('-')
        && first.text.len() > 1
        && first.text.chars().skip(1).all(|c| "neE".contains(c))
    {
        escapes |= first.text.contains('e');
        rest = tail;
    }
    let words: Vec<&str> = rest.iter().map(|f| f.text.as_str()).collect();
    let text = words.join(" ");
    known_text(if escapes { unescape(&text) } else { text } + "\n")
}

/// The escapes of `echo -e` and `printf`; one that is not known makes the text unknown.
fn unescape(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('\\') | None => out.push('\\'),
            Some(d @ ('x' | '0'..='7')) => {
                let (radix, most) = if d == 'x' { (16, 2) } else { (8, 3) };
                let mut digits = if d == 'x' { String::new() } else { d.to_string() };
                while digits.len() < most
                    && let Some(next) = chars.next_if(|n| n.is_digit(radix))
                {
                    digits.push(next);
                }
                let value = u32::from_str_radix(&digits, radix).ok().and_then(char::from_u32);
                out.push(value.unwrap_or(UNKNOWN));
            }
            Some('"') => out.push('"'),
            Some(other) => out.extend(['\\', other]),
        }
    }
    out
}

fn printf(w: &mut Walker<'_>, args: &[Field]) -> Feed {
    let (variable, args) = match args {
        [flag, name, rest @ ..] if flag.text == "-v" => (Some(name.text.clone()), rest),
        [flag, rest @ ..] if flag.text == "--" => (None, rest),
        all => (None, all),
    };
    let Some((format, values)) = args.split_first() else { return Feed::Text(String::new()) };
    let mut out = String::new();
    let mut values = values.iter().peekable();
    loop {
        let had = values.len();
        let mut chars = format.text.chars().peekable();
        while let Some(c) = chars.next() {
            match (c, chars.peek()) {
                ('%', Some('%')) => {
                    chars.next();
                    out.push('%');
                }
                ('%', Some('s' | 'b' | 'd')) => {
                    chars.next();
                    out.push_str(values.next().map_or("", |f| f.text.as_str()));
                }
                ('%', Some(_)) => {
                    out.push(UNKNOWN);
                    let _ = values.next();
                }
                (c, _) => out.push(c),
            }
        }
        if values.peek().is_none() || values.len() == had || out.len() > 65_536 {
            break;
        }
    }
    let out = unescape(&out);
    if let Some(name) = variable {
        w.assign(&name, Value { text: out, many: false });
        return Feed::Inherit;
    }
    known_text(out)
}

fn source(w: &mut Walker<'_>, args: &[Field], span: Span) {
    let Some(file) = args.first() else { return };
    if file.unknown() || file.feed == Some(Feed::Other) {
        w.hit("computed-code", file.span);
    }
    if let Some(feed) = &file.feed {
        feed_shell(w, feed, span);
    }
    w.hit("script", span);
    w.run_file(file, span);
    w.cwd = if w.cwd == Cwd::Outside { Cwd::Outside } else { w.cwd };
}

fn trap(w: &mut Walker<'_>, args: &[Field]) -> Feed {
    match args {
        [only] if only.text.starts_with('-') => {}
        [code, ..] if code.text != "-" => {
            let _ = w.run_text(&code.text, code.span);
        }
        _ => {}
    }
    Feed::Inherit
}

fn alias(w: &mut Walker<'_>, args: &[Field]) -> Feed {
    for field in args {
        let Some((name, text)) = field.text.split_once('=') else { continue };
        w.aliases.insert(name.to_owned(), text.to_owned());
        let _ = w.run_text(text, field.span);
    }
    Feed::Inherit
}

fn declare(w: &mut Walker<'_>, name: &str, args: &[Field], span: Span) -> Feed {
    let flags: String =
        args.iter().take_while(|f| f.text.starts_with('-')).map(|f| f.text.as_str()).collect();
    let names: Vec<&Field> = args.iter().filter(|f| !f.text.starts_with('-')).collect();
    let functions = flags.contains(['f', 'F']);
    if names.is_empty() && !functions && name != "local" {
        w.hit("environment", span);
        return Feed::Other;
    }
    if flags.contains('p') && names.iter().any(|f| super::path::is_secret_variable(&f.text)) {
        w.hit("secret-variable", span);
    }
    for field in names {
        let Some((variable, value)) = field.text.split_once('=') else { continue };
        w.judge_setting(variable, value, field.span);
        w.assign(variable, Value { text: value.to_owned(), many: field.many });
    }
    Feed::Inherit
}

fn set(w: &mut Walker<'_>, args: &[Field], span: Span) -> Feed {
    if args.is_empty() {
        w.hit("environment", span);
        return Feed::Other;
    }
    let operands: Vec<&Field> = match args.iter().position(|f| f.text == "--") {
        Some(at) => args.iter().skip(at + 1).collect(),
        None => args.iter().filter(|f| !f.text.starts_with(['-', '+'])).collect(),
    };
    let all: Vec<&str> = operands.iter().map(|f| f.text.as_str()).collect();
    if !operands.is_empty() {
        for (at, field) in operands.iter().enumerate().take(9) {
            w.assign(&(at + 1).to_string(), Value { text: field.text.clone(), many: field.many });
        }
        for name in ["@", "*"] {
            w.assign(name, Value { text: all.join(" "), many: false });
        }
    }
    Feed::Inherit
}

fn move_to(w: &mut Walker<'_>, name: &str, args: &[Field]) {
    let target = args.iter().find(|f| !f.text.starts_with('-') || f.text == "-");
    let home = Field::plain("~", Span::default());
    w.note_move(match target {
        None if name == "cd" => Some(&home),
        other => other.filter(|f| name != "popd" && f.text != "-"),
    });
    let next = match target {
        None if name == "cd" => Cwd::Outside,
        None => Cwd::Unknown,
        Some(field) if field.text == "-" => Cwd::Unknown,
        Some(field) => match field.text.as_str() {
            "/tmp" | "/var/tmp" => Cwd::Scratch,
            text => match place(text, w.cwd) {
                Place::Scratch => Cwd::Scratch,
                Place::Project | Place::Null | Place::Control => w.cwd,
                Place::Outside | Place::Device => Cwd::Outside,
                Place::Unknown => Cwd::Unknown,
            },
        },
    };
    if w.cwd != Cwd::Outside || next == Cwd::Scratch {
        w.cwd = next;
    }
}

fn cmd(w: &mut Walker<'_>, args: &[Field], span: Span) -> Feed {
    let start =
        args.iter().position(|f| f.text.eq_ignore_ascii_case("/c") || f.text.eq_ignore_ascii_case("/k"));
    match start.and_then(|at| args.get(at + 1..)) {
        Some([one]) => {
            let _ = w.run_text(&one.text.replace('\\', "/"), span);
        }
        Some([]) | None => w.hit("unknown", span),
        Some(all) => {
            let _ = w.dispatch(all, span, Feed::Inherit);
        }
    }
    w.hit("script", span);
    Feed::Other
}

/// What a shell reads from standard input is code.
pub(super) fn feed_shell(w: &mut Walker<'_>, feed: &Feed, span: Span) {
    match feed {
        Feed::Inherit => w.hit("script", span),
        Feed::Text(text) => {
            let _ = w.run_text(text, span);
        }
        Feed::File(name) => {
            w.hit("script", span);
            w.run_file(&Field::plain(name, span), span);
        }
        Feed::Fetched => w.hit("fetch-run", span),
        Feed::Other => w.hit("computed-code", span),
    }
}

fn start_shell(w: &mut Walker<'_>, name: &str, args: &[Field], span: Span, feed: &Feed) -> Feed {
    let powershell = matches!(name, "pwsh" | "powershell");
    if matches!(args, [only] if matches!(only.text.as_str(), "--help" | "--version" | "-version" | "-V")) {
        w.hit("help", span);
        return Feed::Text(String::new());
    }
    let mut at = 0;
    while let Some(field) = args.get(at) {
        let text = field.text.as_str();
        let lower = text.to_ascii_lowercase();
        if powershell && lower.len() > 2 && lower.starts_with('-') {
            if "-encodedcommand".starts_with(&lower) || lower == "-ec" || lower == "-enc" {
                w.hit("computed-code", field.span);
                return Feed::Other;
            }
            if "-executionpolicy".starts_with(&lower) || lower == "-ep" || lower == "-exec" {
                let bypass = args.get(at + 1).is_some_and(|f| {
                    f.text.eq_ignore_ascii_case("bypass") || f.text.eq_ignore_ascii_case("unrestricted")
                });
                if bypass {
                    w.hit("hidden-run", field.span);
                }
                at += 2;
                continue;
            }
            if "-command".starts_with(&lower) {
                let all: Vec<&str> = args.iter().skip(at + 1).map(|f| f.text.as_str()).collect();
                w.hit("script", span);
                let _ = w.run_text(&all.join(" "), span);
                return Feed::Other;
            }
        }
        if !text.starts_with(['-', '+']) || text == "-" || text == "--" {
            break;
        }
        if text == "--rcfile" || text == "--init-file" {
            w.hit("hidden-run", field.span);
            at += 1;
        } else if !text.starts_with("--") && text.contains('c') {
            let rest = args.get(at + 1..).unwrap_or(&[]);
            return shell_code(w, powershell, rest, span);
        } else if matches!(text, "-o" | "+o" | "-O" | "+O" | "--command" | "-File" | "-file") {
            if text == "--command" {
                return shell_code(w, powershell, args.get(at + 1..).unwrap_or(&[]), span);
            }
            at += usize::from(!text.to_ascii_lowercase().starts_with("-f"));
        } else if text.starts_with('-') && !text.starts_with("--") && text.contains('s') {
            feed_shell(w, feed, span);
            return Feed::Other;
        }
        at += 1;
    }
    let rest = args.get(at..).unwrap_or(&[]);
    shell_input(w, rest, span, feed);
    Feed::Other
}

/// A shell's script: a file, or what it is fed.
fn shell_input(w: &mut Walker<'_>, rest: &[Field], span: Span, feed: &Feed) {
    match rest.iter().find(|f| f.text != "--") {
        None => feed_shell(w, feed, span),
        Some(file) if matches!(file.text.as_str(), "-" | "/dev/stdin" | "/dev/fd/0") => {
            feed_shell(w, feed, span);
        }
        Some(file) => source(w, std::slice::from_ref(file), span),
    }
}

fn shell_code(w: &mut Walker<'_>, powershell: bool, rest: &[Field], span: Span) -> Feed {
    let Some((code, more)) = rest
        .iter()
        .position(|f| !f.text.starts_with('-') || f.text.len() < 2)
        .and_then(|at| rest.get(at..))
        .and_then(<[Field]>::split_first)
    else {
        w.hit("unreadable", span);
        return Feed::Other;
    };
    if code.feed == Some(Feed::Fetched) {
        w.hit("fetch-run", code.span);
        return Feed::Other;
    }
    if code.text.starts_with(UNKNOWN) {
        w.hit("computed-code", code.span);
        return Feed::Other;
    }
    if code.unknown() {
        w.hit("computed-input", code.span);
    }
    if powershell {
        w.hit("script", span);
    }
    for (at, field) in more.iter().enumerate().take(10) {
        w.assign(&at.to_string(), Value { text: field.text.clone(), many: field.many });
    }
    if let Some((_, values)) = more.split_first() {
        let all: Vec<&str> = values.iter().map(|f| f.text.as_str()).collect();
        let many = values.iter().any(|f| f.many);
        for name in ["@", "*"] {
            w.assign(name, Value { text: all.join(" "), many });
        }
    }
    w.run_text(&code.text, code.span)
}
