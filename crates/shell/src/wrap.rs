//! Programs that only run another one: `env`, `timeout` and their like.
//!
//! Owns how each finds the command inside its arguments; which there are is data. Never adds risk of its own beyond a stated floor.
//! Those that run it once for each of many items are in [`super::spread`].

use super::expand::{Feed, Field, Value};
use super::programs;
use super::spread;
use super::syntax::Span;
use super::walk::Walker;

/// Whether a wrapper adds nothing to the command inside it.
pub(super) fn carries(name: &str) -> bool {
    programs::find(name).and_then(|program| program.wraps).is_some_and(|wraps| wraps.floor.is_none())
}

/// Judges a wrapper; `None` when the name is none.
pub(super) fn judge(w: &mut Walker<'_>, name: &str, argv: &[Field], span: Span, feed: &Feed) -> Option<Feed> {
    match name {
        "env" | "genv" => return Some(env(w, argv, span, feed)),
        "command" => return Some(command(w, argv, span, feed)),
        "xargs" | "gxargs" => return Some(spread::xargs(w, argv, span, feed)),
        "parallel" | "rush-parallel" => return Some(spread::parallel(w, argv, span, feed)),
        _ => {}
    }
    let wraps = programs::find(name)?.wraps?;
    if let Some(floor) = wraps.floor {
        w.hit(floor, span);
    } else if matches!(argv, [_, only] if matches!(only.text.as_str(), "--help" | "--version")) {
        w.hit("help", span);
        return Some(Feed::Text(String::new()));
    }
    let rest = inner(w, argv, name);
    match name {
        "watch" if argv.iter().any(|f| matches!(f.text.as_str(), "-x" | "--exec")) => {}
        "watch" | "concurrently" | "npm-run-all" | "hyperfine" => return Some(texts(w, name, rest, span)),
        "busybox" | "toybox" if rest.is_empty() => return Some(Feed::Text(String::new())),
        _ => {}
    }
    let skip = if name == "script" { rest.len().min(1) } else { wraps.skip };
    if name == "script" {
        if let Some(file) = rest.first() {
            w.judge_write(file, "write-hidden");
        } else {
            w.hit("write-hidden", span);
        }
    }
    if name == "taskset" && rest.first().is_some_and(|f| f.text.starts_with("-p")) {
        return Some(Feed::Other);
    }
    let command = rest.get(skip..).unwrap_or(&[]);
    if let ("flock", [option, code, ..]) = (name, command)
        && matches!(option.text.as_str(), "-c" | "--command")
    {
        return Some(w.run_apart(&code.text, code.span));
    }
    Some(carried(w, name, command, span, feed))
}

/// Judges the command that a wrapper carries, settings before it included.
fn carried(w: &mut Walker<'_>, name: &str, command: &[Field], span: Span, feed: &Feed) -> Feed {
    let assigned = command.iter().take_while(|f| is_assignment(&f.text)).count();
    for field in command.iter().take(assigned) {
        if let Some((variable, value)) = field.text.split_once('=') {
            w.judge_setting(variable, value, field.span);
        }
    }
    let command = command.get(assigned..).unwrap_or(&[]);
    let Some(first) = command.first() else { return Feed::Inherit };
    // As a filter `ts` is given a format.
    if name == "ts" && first.text.contains('%') {
        return Feed::Other;
    }
    if name == "exec" && first.twisted && first.text.is_empty() {
        return Feed::Inherit;
    }
    if matches!(name, "time" | "then" | "noglob" | "nocorrect" | "builtin") {
        return w.dispatch(command, span, feed.clone());
    }
    w.dispatch_outside(command, span, feed.clone())
}

/// The arguments after a wrapper's options; options that hold code or write are judged.
pub(super) fn inner<'a>(w: &mut Walker<'_>, argv: &'a [Field], name: &str) -> &'a [Field] {
    let takes = programs::valued(name);
    let mut at = 1;
    while let Some(field) = argv.get(at) {
        let text = field.text.as_str();
        if text == "--" {
            at += 1;
            break;
        }
        if !text.starts_with('-') || text == "-" {
            break;
        }
        let (option, value) = match text.split_once('=') {
            Some((option, value)) => (option.to_owned(), Some(field.with(value))),
            None if takes.contains(&text) => {
                at += 1;
                (text.to_owned(), argv.get(at).cloned())
            }
            None if text.starts_with("--") => (text.to_owned(), None),
            None => cluster(takes, argv, &mut at),
        };
        if let Some(value) = value {
            wrapper_value(w, name, &option, &value);
        }
        at += 1;
    }
    argv.get(at..).unwrap_or(&[])
}

/// Letters after one dash: the first that takes a value takes the rest of the word, or the next word.
fn cluster(takes: &[&str], argv: &[Field], at: &mut usize) -> (String, Option<Field>) {
    let Some(field) = argv.get(*at) else { return (String::new(), None) };
    for (start, letter) in field.text.char_indices().skip(1) {
        let option = format!("-{letter}");
        if !takes.contains(&option.as_str()) {
            continue;
        }
        let rest = field.text.get(start + letter.len_utf8()..).unwrap_or("");
        if rest.is_empty() {
            *at += 1;
            return (option, argv.get(*at).cloned());
        }
        return (option, Some(field.with(rest)));
    }
    (field.text.clone(), None)
}

/// The value of a wrapper's option: code, a file that is written, or one that is read.
fn wrapper_value(w: &mut Walker<'_>, name: &str, option: &str, value: &Field) {
    let code =
        matches!((name, option.get(..2).unwrap_or("")), ("script" | "flock" | "cross-env" | "dotenv", "-c"))
            || matches!(
                option,
                "--command"
                    | "--prepare"
                    | "--setup"
                    | "--cleanup"
                    | "--exec"
                    | "-x"
                    | "--shell"
                    | "--conclude"
                    | "-ex"
            );
    let written =
        matches!((name, option.get(..2).unwrap_or("")), ("time" | "gtime" | "strace" | "ltrace", "-o"))
            || matches!(option, "--output" | "--export-json" | "--export-markdown");
    if option == "-ex" || option == "-o" && name == "lldb" {
        let runs = value.text.starts_with(['!', '|'])
            || value.text.contains("shell")
            || value.text.contains("python");
        w.hit(if runs { "hidden-run" } else { "build" }, value.span);
    } else if code {
        let _ = w.run_apart(&value.text, value.span);
    } else if written && name != "stdbuf" {
        w.judge_write(value, "write-hidden");
    } else {
        w.judge_read(value);
    }
}

/// `watch` joins its arguments into one line; the others run each argument.
fn texts(w: &mut Walker<'_>, name: &str, rest: &[Field], span: Span) -> Feed {
    if name == "watch" {
        let line: Vec<&str> = rest.iter().map(|f| f.text.as_str()).collect();
        let _ = w.run_apart(&line.join(" "), span);
    } else {
        for field in rest {
            let _ = w.run_apart(&field.text, field.span);
        }
    }
    Feed::Other
}

/// Whether a word is `NAME=value`.
pub(super) fn is_assignment(text: &str) -> bool {
    let Some((name, _)) = text.split_once('=') else { return false };
    !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn env(w: &mut Walker<'_>, argv: &[Field], span: Span, feed: &Feed) -> Feed {
    let mut at = 1;
    let mut cleared = false;
    let mut settings = Vec::new();
    while let Some(field) = argv.get(at) {
        let text = field.text.as_str();
        match text {
            "--help" | "--version" => {
                w.hit("help", span);
                return Feed::Text(String::new());
            }
            "-i" | "-" | "--ignore-environment" => cleared = true,
            "-u" | "--unset" => {
                at += 1;
                let name = argv.get(at).map_or("", |f| f.text.as_str());
                settings.push((name.to_owned(), Value::of("")));
            }
            "-C" | "--chdir" | "-P" => at += 1,
            "-S" | "--split-string" => {
                let code = argv.get(at + 1).map_or("", |f| f.text.as_str());
                return w.run_apart(code, span);
            }
            "--" => {}
            _ if text.starts_with("-S") || text.starts_with("--split-string=") => {
                let code = text.trim_start_matches("--split-string=").trim_start_matches("-S");
                return w.run_apart(code, span);
            }
            _ if text.starts_with('-') => {}
            _ if is_assignment(text) => {
                if let Some((name, value)) = text.split_once('=') {
                    w.judge_setting(name, value, field.span);
                    settings.push((name.to_owned(), Value::from_field(&field.with(value))));
                }
            }
            _ => break,
        }
        at += 1;
    }
    let rest = argv.get(at..).unwrap_or(&[]);
    if rest.is_empty() {
        if !cleared {
            w.hit("environment", span);
        }
        return Feed::Other;
    }
    w.with_settings(settings, false, |w| w.dispatch_outside(rest, span, feed.clone()))
}

fn command(w: &mut Walker<'_>, argv: &[Field], span: Span, feed: &Feed) -> Feed {
    let mut rest = argv.get(1..).unwrap_or(&[]);
    while let Some((first, tail)) = rest.split_first() {
        match first.text.as_str() {
            "-v" | "-V" => {
                return tail.first().map_or(Feed::Other, |f| Feed::Text(f.text.clone()));
            }
            "-p" | "--" => rest = tail,
            _ => break,
        }
    }
    if rest.is_empty() {
        return Feed::Inherit;
    }
    w.outside = true;
    w.dispatch(rest, span, feed.clone())
}
