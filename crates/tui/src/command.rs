//! Slash commands: those that the screen does itself, and the list that completion offers.
//!
//! Owns the table. Commands of the session are only listed: the session reads them.

use pilothouse_core::session::COMMANDS;

use crate::{
    overlay::{OVERLAYS, OverlayKind},
    pane::{PANES, PaneId},
};

/// A command that the screen does itself.
#[derive(Clone, Debug)]
pub enum Command {
    /// Leave.
    Quit,
    /// Go to a pane.
    Go(PaneId),
    /// Open an overlay.
    Open(&'static OverlayKind),
    /// Take this theme; empty: name those there are.
    Theme(String),
}

/// Every command, the session's first: name, arguments, what it does.
pub fn list() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    let args = |name| if name == "agent" { "TASK" } else { "" };
    let session = COMMANDS.into_iter().map(move |(name, what)| (name, args(name), what));
    let panes = PANES.iter().map(|kind| (kind.id.0, "", kind.about));
    let overlays = OVERLAYS.iter().filter_map(|kind| Some((*kind.words.first()?, "", kind.about)));
    let own = panes.chain(overlays).filter(|(name, ..)| COMMANDS.iter().all(|(listed, _)| listed != name));
    session.chain(own).chain([("theme", "NAME", "change the colours")])
}

impl Command {
    /// Reads a line that begins with `/`; `None` when the session is to read it.
    pub fn read(line: &str) -> Option<Self> {
        let line = line.trim().strip_prefix('/')?;
        let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        let name = name.to_ascii_lowercase();
        let own = match name.as_str() {
            "theme" => return Some(Self::Theme(rest.to_owned())),
            "quit" | "exit" => Self::Quit,
            name => {
                let pane = PANES.iter().find(|kind| kind.id.0 == name).map(|kind| Self::Go(kind.id));
                let opens = |kind: &&OverlayKind| kind.words.contains(&name);
                pane.or_else(|| OVERLAYS.iter().find(opens).map(Self::Open))?
            }
        };
        rest.is_empty().then_some(own)
    }
}

#[cfg(test)]
#[allow(clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn the_screens_own_commands_are_read_and_others_left_to_the_session() {
        assert!(matches!(Command::read("/quit"), Some(Command::Quit)));
        let Some(Command::Open(kind)) = Command::read("  /KEYS ") else { panic!("it opens the keys") };
        assert_eq!(kind.entry.name, "help");
        assert!(matches!(Command::read("/plan"), Some(Command::Go(PaneId("plan")))));
        assert!(matches!(Command::read("/theme nord"), Some(Command::Theme(name)) if name == "nord"));
        for others in
            ["/undo", "/unundo", "/redo", "/proof", "/plan a migration", "quit", "/agent fix it", "/"]
        {
            assert!(Command::read(others).is_none(), "{others}");
        }
    }

    #[test]
    fn the_list_holds_every_command_of_the_session_and_of_the_screen_once() {
        let names: Vec<_> = list().map(|(n, ..)| n).collect();
        for (i, name) in names.iter().enumerate() {
            assert!(!names.iter().skip(i + 1).any(|n| n == name), "{name} stands there twice");
        }
        for own in names.iter().filter(|n| COMMANDS.iter().all(|(listed, _)| listed != *n)) {
            assert!(Command::read(&format!("/{own}")).is_some(), "{own}");
        }
        for name in ["undo", "unundo", "chat", "auto", "ask", "readonly", "agent", "abort", "exit", "diff"] {
            assert!(names.contains(&name), "{name}");
        }
        assert!(!names.contains(&"redo-change"));
    }
}
