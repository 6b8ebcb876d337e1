//! Shells that are started as programs: where their code comes from.
//!
//! Owns the arguments of shells, `cmd` and PowerShell. Never judges a command: that goes back to the walk.

use super::expand::{Feed, Field, UNKNOWN, Value};
use super::shell::source;
use super::syntax::Span;
use super::walk::Walker;

/// `cmd /c`.
pub(super) fn cmd(w: &mut Walker<'_>, args: &[Field], span: Span) -> Feed {
    let start =
        args.iter().position(|f| f.text.eq_ignore_ascii_case("/c") || f.text.eq_ignore_ascii_case("/k"));
    match start.and_then(|at| args.get(at + 1..)) {
        Some([one]) => {
            let _ = w.run_apart(&one.text.replace('\\', "/"), span);
        }
        Some([]) | None => w.hit("unknown", span),
        Some(all) => {
            let _ = w.dispatch_outside(all, span, Feed::Inherit);
        }
    }
    w.hit("script", span);
    Feed::Other
}

/// What a shell reads from standard input is code.
pub(super) fn feed_shell(w: &mut Walker<'_>, feed: &Feed, span: Span, sourced: bool) {
    match feed {
        Feed::Inherit => w.hit("script", span),
        Feed::Text(text) => {
            let _ = if sourced { w.run_text(text, span) } else { w.run_apart(text, span) };
        }
        Feed::File(name) => {
            w.hit("script", span);
            w.read_file(&Field::plain(name, span), span, sourced);
        }
        Feed::Fetched => w.hit("fetch-run", span),
        Feed::Other => w.hit("computed-code", span),
    }
}

/// Judges a shell by its arguments.
pub(super) fn shell(w: &mut Walker<'_>, name: &str, args: &[Field], span: Span, feed: &Feed) -> Feed {
    if matches!(args, [only] if matches!(only.text.as_str(), "--help" | "--version" | "-version" | "-V")) {
        w.hit("help", span);
        return Feed::Text(String::new());
    }
    let ps = matches!(name, "pwsh" | "powershell");
    if ps && let Some(out) = powershell(w, args, span) {
        return out;
    }
    let mut at = 0;
    while let Some(field) = args.get(at) {
        let text = field.text.as_str();
        let rest = args.get(at + 1..).unwrap_or(&[]);
        if !text.starts_with(['-', '+']) || text == "-" || text == "--" {
            break;
        }
        if ps && text.len() > 2 {
            let valued = ["-ex", "-ep", "-ou", "-in", "-wi", "-ve", "-wo"]
                .iter()
                .any(|o| text.to_ascii_lowercase().starts_with(o));
            at += 1 + usize::from(valued);
            continue;
        }
        let letters = text.strip_prefix('-').filter(|l| !l.starts_with('-')).unwrap_or("");
        if letters.contains('n') && !ps && name != "nu" {
            // Only the grammar is checked: nothing of it runs.
            for file in rest {
                w.judge_read(file);
            }
            return Feed::Other;
        }
        if text == "--rcfile" || text == "--init-file" {
            w.hit("hidden-run", field.span);
            at += 1;
        } else if letters.contains('c') || matches!(text, "--command" | "--commands") {
            return shell_code(w, ps, rest, span, feed);
        } else if letters.contains('s') {
            feed_shell(w, feed, span, false);
            return Feed::Other;
        } else if matches!(text, "-o" | "+o" | "-O" | "+O") {
            at += 1;
        }
        at += 1;
    }
    shell_input(w, args.get(at..).unwrap_or(&[]), span, feed);
    Feed::Other
}

/// The options of PowerShell that hold code or lift its guard; `None` when there is no code among them.
fn powershell(w: &mut Walker<'_>, args: &[Field], span: Span) -> Option<Feed> {
    for (at, field) in args.iter().enumerate() {
        let lower = field.text.to_ascii_lowercase();
        if lower.len() < 3 || !lower.starts_with('-') {
            continue;
        }
        if "-encodedcommand".starts_with(&lower) || lower == "-ec" || lower == "-enc" {
            w.hit("computed-code", field.span);
            return Some(Feed::Other);
        }
        if "-executionpolicy".starts_with(&lower) || lower == "-ep" || lower == "-exec" {
            let bypass = args.get(at + 1).is_some_and(|f| {
                f.text.eq_ignore_ascii_case("bypass") || f.text.eq_ignore_ascii_case("unrestricted")
            });
            if bypass {
                w.hit("hidden-run", field.span);
            }
        } else if "-command".starts_with(&lower) {
            let all: Vec<&str> = args.iter().skip(at + 1).map(|f| f.text.as_str()).collect();
            w.hit("script", span);
            let _ = w.run_apart(&all.join(" "), span);
            return Some(Feed::Other);
        } else if "-file".starts_with(&lower) {
            let script = args.get(at + 1)?;
            source(w, std::slice::from_ref(script), span, false);
            return Some(Feed::Other);
        }
    }
    None
}

/// A shell's script: a file, or what it is fed.
fn shell_input(w: &mut Walker<'_>, rest: &[Field], span: Span, feed: &Feed) {
    match rest.iter().find(|f| f.text != "--") {
        None => feed_shell(w, feed, span, false),
        Some(file) if matches!(file.text.as_str(), "-" | "/dev/stdin" | "/dev/fd/0") => {
            feed_shell(w, feed, span, false);
        }
        Some(file) => source(w, std::slice::from_ref(file), span, false),
    }
}

fn shell_code(w: &mut Walker<'_>, powershell: bool, rest: &[Field], span: Span, feed: &Feed) -> Feed {
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
    w.apart(|w| {
        if let Some((zero, values)) = more.split_first() {
            w.set_positional(values);
            w.assign("0", Value::from_field(zero));
        }
        w.run_fed(&code.text, code.span, feed)
    })
}
