//! The look into inline code: what it deletes, sends, reads or starts.
//!
//! Owns the words of `assets/knowledge/code.txt` and the literals of a piece of code. Never a full reading of those languages.

use super::super::secrets::names_secret;
use std::sync::LazyLock;

use super::super::expand::{Feed, Field, UNKNOWN};
use super::super::knowledge::list;
use super::super::path::{Place, is_secret_variable, place};
use super::super::programs::{self, Role};
use super::super::rules::{self, Rule};
use super::super::walk::Walker;

/// Words of which each group must have one in the code.
struct Pattern {
    rule: &'static Rule,
    groups: Vec<Vec<&'static str>>,
}

static PATTERNS: LazyLock<Vec<Pattern>> = LazyLock::new(|| {
    include_str!("../../../../assets/knowledge/code.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once(": "))
        .map(|(rule, words)| Pattern {
            rule: rules::find(rule),
            groups: words.split(" & ").map(|group| group.split('|').map(str::trim).collect()).collect(),
        })
        .collect()
});

/// Code without the blanks that mean nothing: only one between two names is kept.
fn tighten(text: &str) -> String {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut out = String::with_capacity(text.len());
    let mut blank = false;
    for c in text.chars() {
        if c.is_whitespace() {
            blank = true;
            continue;
        }
        if blank && is_name(c) && out.chars().next_back().is_some_and(is_name) {
            out.push(' ');
        }
        blank = false;
        out.push(c);
    }
    out
}

/// Code in which literals that are put together are one (`'sys'+'tem'`).
fn put_together(tight: &str) -> String {
    ["'+'", "\"+\"", "'.'", "\".\"", "\"..\"", "'..'"]
        .iter()
        .fold(tight.to_owned(), |text, sign| text.replace(sign, ""))
}

/// Whether a word stands in the code; one that starts with a letter only where a name starts.
fn has(code: &str, word: &str) -> bool {
    let name = word.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    code.match_indices(word).any(|(at, _)| {
        let before = code.get(..at).and_then(|head| head.chars().next_back());
        !name || !before.is_some_and(|c| c.is_alphanumeric() || c == '_')
    })
}

/// Whether code only prints numbers, one plain text, or a value of a data file.
pub(super) fn only_prints(code: &str) -> bool {
    let code = code.trim().trim_end_matches(';');
    let inner = ["print(", "console.log("].iter().find_map(|call| code.strip_prefix(call)?.strip_suffix(')'));
    let plain = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || " .,:!_+-".contains(c));
    let quoted = |text: &str| {
        ['\'', '"'].iter().find_map(|q| text.strip_prefix(*q)?.strip_suffix(*q)).is_some_and(plain)
    };
    let number = |text: &str| {
        !text.is_empty()
            && text.chars().all(|c| c.is_ascii_digit() || " .+-*/%(),".contains(c))
            && text.len() < 40
            && !text.contains("**")
    };
    let data = |text: &str| {
        let file = text.strip_prefix("require(").and_then(|rest| rest.split_once(')'));
        file.is_some_and(|(file, part)| {
            let name = file.trim_matches(['\'', '"']);
            let package = name.rsplit('/').next().unwrap_or("");
            matches!(package, "package.json" | "tsconfig.json")
                && !name.starts_with(['/', '~'])
                && plain(part)
        })
    };
    let code = inner.unwrap_or(code);
    number(code) || quoted(code) || data(code)
}

/// Whether code starts programs.
pub(super) fn starts_programs(code: &str) -> bool {
    list("code starts").iter().any(|starter| code.contains(starter))
}

/// Looks into inline code.
pub(in super::super) fn look(w: &mut Walker<'_>, code: &Field) {
    if code.feed == Some(Feed::Fetched) {
        w.hit("fetch-run", code.span);
        return;
    }
    if code.text.starts_with(UNKNOWN) {
        w.hit("computed-code", code.span);
        return;
    }
    if only_prints(&code.text) {
        w.hit("read", code.span);
        return;
    }
    w.hit("code", code.span);
    let text: String = code.text.chars().take(65_536).collect();
    let tight = tighten(&text);
    let any = |text: &str, words: &[&str]| words.iter().any(|word| text.contains(word));
    if any(&tight, list("code fetches")) && any(&text, list("code runs")) {
        w.hit("fetch-run", code.span);
    }
    let whole = put_together(&tight);
    let hides = |word: &&&str| whole.matches(**word).count() > tight.matches(**word).count();
    if ["code starts", "code runs", "code writes"].iter().any(|l| list(l).iter().any(|word| hides(&word))) {
        w.hit("unsafe-code", code.span);
    }
    started_by_word(w, &text, code);
    started_by_sign(w, &text, code);
    for pattern in PATTERNS.iter() {
        if pattern.groups.iter().all(|group| group.iter().any(|word| has(&tight, word))) {
            w.hit_rule(pattern.rule, code.span);
        }
    }
    literals_of(w, &text, code);
    environment(w, &text, &tight, code);
}

/// Command lines and paths among the literals of a piece of code.
fn literals_of(w: &mut Walker<'_>, text: &str, code: &Field) {
    let literals = literals(text);
    if starts_programs(text) {
        // A command may be given whole, word by word, or in pieces that are put together.
        let joined = [literals.join(" "), literals.concat()];
        for line in literals.iter().chain(&joined).filter(|line| line.len() > 1).take(24) {
            if !w.worst_is_high() && w.is_high(line) {
                w.hit("unsafe-code", code.span);
            }
        }
        if let [only] = literals.as_slice()
            && is_shell(only)
        {
            w.hit("unsafe-code", code.span);
        }
    }
    let writes = list("code writes").iter().any(|word| text.contains(word));
    for literal in &literals {
        // Some languages say with the name of a file that it is written.
        let path = literal.trim().trim_start_matches(['>', '+']).trim();
        if names_secret(path) {
            w.hit("secret", code.span);
        }
        let looks_like_path = path.starts_with(['/', '~']) && path.len() > 2 && !path.contains(['\n', ' '])
            || path.starts_with("../");
        if writes && (path.starts_with(".git/") && place(path, w.stand.cwd) == Place::Control) {
            w.hit("persist", code.span);
        }
        if writes && looks_like_path && matches!(place(path, w.stand.cwd), Place::Outside | Place::Device) {
            w.hit("outside", code.span);
        }
    }
}

/// Languages in which a sign starts a command line: `!rm`, `open "|rm"`, `qx{rm}`.
fn started_by_sign(w: &mut Walker<'_>, text: &str, code: &Field) {
    let begins = text.trim_start();
    // A plain `$name` is a variable in every language; xonsh starts programs by `$[…]`, `$(…)` and `!…`.
    let whole = begins.strip_prefix('$').filter(|rest| rest.starts_with(['[', '(', '!']));
    let whole = whole.or_else(|| begins.strip_prefix(['!', '%']));
    let whole = whole.map(|line| line.trim_matches(['[', ']', '(', ')', '!']).to_owned());
    let piped =
        literals(text).into_iter().filter_map(|l| l.trim_start().strip_prefix('|').map(str::to_owned));
    let braced = ["qx{", "%x{", "qx/", "qx(", "%x("].into_iter().filter_map(|sign| {
        let (_, rest) = text.split_once(sign)?;
        Some(rest.split(['}', '/', ')']).next().unwrap_or("").to_owned())
    });
    for line in whole.into_iter().chain(piped).chain(braced).take(8) {
        if is_shell(&line) || w.is_high(&line) {
            w.hit("unsafe-code", code.span);
        }
    }
}

/// Languages whose commands are words: what follows `spawn` or `exec` is a command line.
fn started_by_word(w: &mut Walker<'_>, text: &str, code: &Field) {
    for statement in text.split([';', '\n', '[', '{']) {
        let Some(line) =
            ["spawn ", "exec ", "shell "].iter().find_map(|word| statement.trim_start().strip_prefix(word))
        else {
            continue;
        };
        let line = line.trim_end_matches([']', '}', ' ']);
        if is_shell(line) || !w.worst_is_high() && w.is_high(line) {
            w.hit("unsafe-code", code.span);
        }
    }
}

/// Whether a command line starts a shell that reads from whoever is there.
fn is_shell(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace();
    let name = words.next().unwrap_or("").rsplit('/').next().unwrap_or("");
    programs::is(name, Role::Shell) && words.all(|word| word.starts_with('-') && !word.contains('c'))
}

/// Secrets and the whole environment, read from code.
fn environment(w: &mut Walker<'_>, text: &str, tight: &str, code: &Field) {
    for word in ["environ[", "environ.get(", "getenv(", "ENV[", "ENV{", "process.env.", "get_env("] {
        for rest in text.match_indices(word).filter_map(|(at, found)| text.get(at + found.len()..)) {
            let variable: String = rest
                .chars()
                .skip_while(|c| matches!(c, '\'' | '"'))
                .take_while(|c| c.is_alphanumeric() || *c == '_')
                .collect();
            if is_secret_variable(&variable) {
                w.hit("secret-variable", code.span);
            }
        }
    }
    let tail = tight.trim_end_matches([')', ';', '"', '\'']);
    if ["os.environ", "process.env", "(ENV", "p ENV", "ENV.toObject()"].iter().any(|end| tail.ends_with(end))
    {
        w.hit("environment", code.span);
    }
}

/// The string literals of a piece of code, in any of the three quotes.
fn literals(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut chars = text.chars();
    while let Some(open) = chars.next() {
        if !matches!(open, '\'' | '"' | '`') {
            continue;
        }
        let mut literal = String::new();
        while let Some(c) = chars.next() {
            match c {
                '\\' => literal.extend(chars.next()),
                c if c == open => break,
                c => literal.push(c),
            }
        }
        out.push(literal);
        if out.len() > 64 {
            break;
        }
    }
    out
}
