//! Slash commands that our words name, said to somebody who has no window to type them in.
//!
//! Owns which line of a shell does the same. Never looks at what a model, a command or a file says.

use pilothouse_core::intent::{
    SlashCommand,
    command::{Handler, Slash},
};

/// Our words with each slash command in them as the line that does it in a shell; the session is that of the run, where it
/// is kept.
pub(super) fn in_shell(text: &str, session: Option<&str>) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(at) = rest.find('/') {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        // What stands in quotes is somebody's words, or such a line already.
        let opens = out.chars().next_back().is_none_or(|c| c.is_whitespace() || matches!(c, '`' | '('));
        let marked = out.ends_with('`');
        let found = named(from, marked).filter(|_| opens);
        let found = found.and_then(|(command, arguments, after)| {
            line(command, arguments, session).map(|line| (line, after))
        });
        if let Some((line, after)) = found {
            if marked {
                out.pop();
            }
            out.push_str(&format!("`{line}`"));
            rest = after;
        } else {
            out.push('/');
            rest = from.get(1..).unwrap_or_default();
        }
    }
    out + rest
}

/// The command that a text begins with, what is given to it, and the text behind both.
fn named(text: &str, marked: bool) -> Option<(&'static SlashCommand, &str, &str)> {
    let tail = text.strip_prefix('/')?;
    let (name, after) = tail.split_at(tail.find(|c: char| !c.is_ascii_lowercase()).unwrap_or(tail.len()));
    let command = SlashCommand::named(name)?;
    if marked {
        let (arguments, after) = after.split_once('`')?;
        let apart = arguments.is_empty() || arguments.starts_with(' ');
        return apart.then_some((command, arguments.trim(), after));
    }
    let mut next = after.chars();
    let ends = match next.next() {
        Some('.') => next.next().is_none_or(char::is_whitespace),
        other => other.is_none_or(|c| c.is_whitespace() || matches!(c, ',' | ';' | ':' | ')')),
    };
    if !ends {
        return None;
    }
    let word = after.strip_prefix(' ').and_then(|after| after.split(char::is_whitespace).next());
    let word = word.map(|word| word.trim_end_matches([',', ';', '.', ')', ':'])).unwrap_or_default();
    let stands_for = |c: char| c.is_ascii_uppercase() || c == ':';
    let path = command.does == Slash::Undo && word.contains(['.', '/']);
    let given = !word.is_empty() && (word == "off" || word.chars().all(stands_for) || path);
    let (arguments, after) = if given { after.split_at(word.len() + 1) } else { ("", after) };
    Some((command, arguments.trim(), after))
}

/// What does it in a shell.
fn line(command: &SlashCommand, arguments: &str, session: Option<&str>) -> Option<String> {
    Some(match (command.does, arguments) {
        (Slash::Connect, _) => "pilothouse auth set PRESET".to_owned(),
        (Slash::Trust, "off") => "pilothouse trust --revoke".to_owned(),
        (Slash::Trust, _) => "pilothouse trust".to_owned(),
        (Slash::Undo, "") => "pilothouse undo".to_owned(),
        (Slash::Unundo, _) => "pilothouse redo".to_owned(),
        (Slash::Model, name) if !name.is_empty() => format!("PILOTHOUSE_MODEL={name}"),
        _ if command.handler == Handler::Screen => format!("pilothouse resume {}", session?),
        _ => {
            let blank = if arguments.is_empty() { "" } else { " " };
            format!("pilothouse run \"/{}{blank}{arguments}\" --session {}", command.name, session?)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::in_shell;

    #[test]
    fn a_command_of_the_window_is_named_as_the_line_that_does_it() {
        for (ours, told) in [
            (
                "no key is set here; `/connect` takes one",
                "no key is set here; `pilothouse auth set PRESET` takes one",
            ),
            (
                "/trust makes it a gate, /trust and /replan later.",
                "`pilothouse trust` makes it a gate, `pilothouse trust` and `pilothouse run \"/replan\" --session s` later.",
            ),
            ("`/trust off` takes it back", "`pilothouse trust --revoke` takes it back"),
            ("pick one with `/model NAME`", "pick one with `PILOTHOUSE_MODEL=NAME`"),
            (
                "/model PRESET:NAME uses one, (/model)",
                "`PILOTHOUSE_MODEL=PRESET:NAME` uses one, (`pilothouse run \"/model\" --session s`)",
            ),
            ("say which: /undo src/a.rs", "say which: `pilothouse run \"/undo src/a.rs\" --session s`"),
            (
                "perhaps by someone else; /undo takes it back.",
                "perhaps by someone else; `pilothouse undo` takes it back.",
            ),
            ("`/diff` shows it", "`pilothouse resume s` shows it"),
        ] {
            assert_eq!(in_shell(ours, Some("s")), told);
            assert_eq!(in_shell(told, Some("s")), told, "what is told stays as it is");
        }
        let unkept = in_shell("`/undo`, `/redo` or /diff", None);
        assert_eq!(unkept, "`pilothouse undo`, `/redo` or /diff", "no session of it stays");
        // Paths, what was said, and lines of a shell stay.
        for kept in [
            "/undo/a and src/plan, /model.rs, /tmp/x; and/or",
            "took \"/redo\" as said",
            "to continue: pilothouse run \"/redo\" --session s",
            "/nothing of this name",
        ] {
            assert_eq!(in_shell(kept, Some("s")), kept);
        }
    }
}
