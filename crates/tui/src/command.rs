//! Slash commands: those that the screen does itself, and the list that completion offers.
//!
//! Owns the table. Commands of the session are only listed: the session reads them.

use pilothouse_core::session::COMMANDS;

/// A command that the screen does itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Show the keys.
    Help,
    /// Leave.
    Quit,
    /// Go to the diff.
    Diff,
    /// Go to the plan.
    Plan,
    /// Open the list of what waits.
    Approvals,
    /// Take this theme; empty: name those there are.
    Theme(String),
    /// Say how a model is connected.
    Connect,
    /// Say where things stand.
    Status,
    /// Say why the last message took its path.
    Why,
}

/// Name, arguments, what it does: those of the screen alone.
const OWN: [(&str, &str, &str); 6] = [
    ("plan", "", "go to the plan"),
    ("diff", "", "go to the proposed changes"),
    ("approvals", "", "what waits for you"),
    ("why", "", "why the last message took its path"),
    ("theme", "NAME", "change the colours"),
    ("connect", "", "how to connect a model"),
];

/// Every command, the session's first: name, arguments, what it does.
pub fn list() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    let args = |name| if name == "agent" { "TASK" } else { "" };
    COMMANDS.into_iter().map(move |(name, what)| (name, args(name), what)).chain(OWN)
}

impl Command {
    /// Reads a line that begins with `/`; `None` when the session is to read it.
    pub fn read(line: &str) -> Option<Self> {
        let line = line.trim().strip_prefix('/')?;
        let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        let own = match name.to_ascii_lowercase().as_str() {
            "theme" => return Some(Self::Theme(rest.to_owned())),
            "help" | "keys" => Self::Help,
            "quit" | "exit" => Self::Quit,
            "diff" => Self::Diff,
            "plan" => Self::Plan,
            "approvals" => Self::Approvals,
            "connect" => Self::Connect,
            "status" => Self::Status,
            "why" => Self::Why,
            _ => return None,
        };
        rest.is_empty().then_some(own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_screens_own_commands_are_read_and_others_left_to_the_session() {
        assert_eq!(Command::read("/quit"), Some(Command::Quit));
        assert_eq!(Command::read("  /KEYS "), Some(Command::Help));
        assert_eq!(Command::read("/theme nord"), Some(Command::Theme("nord".into())));
        for others in
            ["/undo", "/unundo", "/redo", "/proof", "/plan a migration", "quit", "/agent fix it", "/"]
        {
            assert_eq!(Command::read(others), None, "{others}");
        }
    }

    #[test]
    fn the_list_holds_every_command_of_the_session_and_of_the_screen_once() {
        let names: Vec<_> = list().map(|(n, ..)| n).collect();
        for (i, name) in names.iter().enumerate() {
            assert!(!names.iter().skip(i + 1).any(|n| n == name), "{name} stands there twice");
        }
        for own in OWN {
            assert!(Command::read(&format!("/{}", own.0)).is_some(), "{}", own.0);
        }
        for name in ["undo", "unundo", "chat", "auto", "ask", "readonly", "agent", "abort", "exit", "diff"] {
            assert!(names.contains(&name), "{name}");
        }
        assert!(!names.contains(&"redo-change"));
    }
}
