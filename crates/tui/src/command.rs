//! Slash commands: those that the screen does itself, and the list that completion offers.
//!
//! Owns the table. Commands of the session are only listed: the session reads them.

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
    /// Take the last applied change back.
    Undo,
    /// Put it back.
    RedoChange,
}

/// Name, arguments, what it does.
pub const COMMANDS: &[(&str, &str, &str)] = &[
    ("help", "", "the keys and how to read the screen"),
    ("status", "", "mode, phase, plan, what waits, what it cost"),
    ("plan", "", "go to the plan"),
    ("diff", "", "go to the proposed changes"),
    ("approvals", "", "what waits for you"),
    ("undo", "", "take the last applied change back"),
    ("redo-change", "", "put the undone change back"),
    ("proof", "", "proof mode: whole plans, every conclusion backed"),
    ("explore", "", "exploratory mode: plans grow as facts do"),
    ("agent", "GOAL", "take what follows as a task"),
    ("chat", "", "talk only: nothing is planned or changed"),
    ("cancel", "", "stop what runs"),
    ("abort", "", "stop what runs"),
    ("replan", "", "drop the plan and make another"),
    ("redo", "", "do the last plan again"),
    ("reset", "", "clear the plan and what was learned"),
    ("theme", "NAME", "change the colours"),
    ("connect", "", "how to connect a model"),
    ("keys", "", "the keys and how to read the screen"),
    ("quit", "", "leave"),
    ("exit", "", "leave"),
];

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
            "undo" => Self::Undo,
            "redo-change" => Self::RedoChange,
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
        assert_eq!(Command::read("/redo-change"), Some(Command::RedoChange));
        for others in ["/redo", "/proof", "/plan a migration", "quit", "/agent fix it", "/"] {
            assert_eq!(Command::read(others), None, "{others}");
        }
    }

    #[test]
    fn every_own_command_is_listed() {
        let own: Vec<_> =
            COMMANDS.iter().filter(|(n, ..)| Command::read(&format!("/{n}")).is_some()).collect();
        assert_eq!(own.len(), 12);
    }
}
