//! How a terminal is told that something wants the user's eye, and whether it is to be told.
//!
//! Owns the sequences and what is known of the focus. Its words are fixed: nothing that a model, a
//! tool or a file says is ever in them.

use std::time::{Duration, Instant};

use pilothouse_core::{
    event::{Event, RunStatus, Stamped},
    port::{Attention, Notify, NotifyBy},
};

/// A terminal that does not tell its focus is taken to be left when no key came for this long.
const LEFT: Duration = Duration::from_secs(10);

/// The terminal, as far as the environment tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hearer {
    /// What it understands.
    pub by: NotifyBy,
    /// Whether tmux stands between.
    pub tmux: bool,
}

impl Default for Hearer {
    fn default() -> Self {
        Self { by: NotifyBy::Bell, tmux: false }
    }
}

impl Hearer {
    /// Reads it from the usual variables.
    pub fn of<'a>(get: impl Fn(&str) -> &'a str) -> Self {
        let (term, program) = (get("TERM"), get("TERM_PROGRAM"));
        let by = if !get("KITTY_WINDOW_ID").is_empty() || term.contains("kitty") {
            NotifyBy::Osc99
        } else if ["iTerm.app", "WezTerm", "ghostty"].contains(&program)
            || get("LC_TERMINAL") == "iTerm2"
            || term.contains("ghostty")
            || !get("ConEmuPID").is_empty()
        {
            NotifyBy::Osc9
        } else if term.starts_with("rxvt") || term.starts_with("foot") || !get("VTE_VERSION").is_empty() {
            NotifyBy::Osc777
        } else {
            NotifyBy::Bell
        };
        Self { by, tmux: !get("TMUX").is_empty() }
    }

    /// The bytes that tell it.
    pub fn bytes(self, wanted: Option<NotifyBy>, what: Attention) -> String {
        let text = what.text();
        let told = match wanted.unwrap_or(self.by) {
            NotifyBy::Off => return String::new(),
            NotifyBy::Bell => return "\x07".to_owned(),
            NotifyBy::Osc9 => vec![format!("\x1b]9;pilothouse: {text}\x1b\\")],
            NotifyBy::Osc777 => vec![format!("\x1b]777;notify;pilothouse;{text}\x1b\\")],
            NotifyBy::Osc99 => vec![
                "\x1b]99;i=pilothouse:d=0;pilothouse\x1b\\".to_owned(),
                format!("\x1b]99;i=pilothouse:d=1:p=body;{text}\x1b\\"),
            ],
        };
        let told: Vec<String> = told.into_iter().map(|t| if self.tmux { wrapped(&t) } else { t }).collect();
        format!("{}\x07", told.concat())
    }
}

/// As tmux hands it on to the terminal around it.
fn wrapped(sequence: &str) -> String {
    format!("\x1bPtmux;{}\x1b\\", sequence.replace('\x1b', "\x1b\x1b"))
}

/// Whether the terminal is in front.
#[derive(Clone, Copy, Debug, Default)]
pub struct Watching {
    /// As the terminal said last; nothing when it never did.
    focused: Option<bool>,
    /// When the last key came.
    key: Option<Instant>,
}

impl Watching {
    /// The terminal said so.
    pub fn focus(&mut self, focused: bool) {
        self.focused = Some(focused);
    }

    /// A key came.
    pub fn key(&mut self, came: Instant) {
        self.key = Some(came);
    }

    /// Whether the user looks elsewhere.
    pub fn is_away(&self, now: Instant) -> bool {
        match self.focused {
            Some(focused) => !focused,
            None => self.key.is_none_or(|key| now.saturating_duration_since(key) >= LEFT),
        }
    }
}

/// Whether these events want the user's eye, and why; the worst of them.
#[expect(clippy::wildcard_enum_match_arm, reason = "most events want nobody's eye")]
pub fn wanted(events: &[Stamped]) -> Option<Attention> {
    let of = |event: &Stamped| match &event.event {
        Event::CheckpointOpened { checkpoint } if !checkpoint.kind.question().ties().quiet => {
            Some(Attention::Asked)
        }
        Event::RunCompleted { status: RunStatus::Completed | RunStatus::Ended, .. } => Some(Attention::Ended),
        Event::RunCompleted { status: RunStatus::Failed, .. } => Some(Attention::Failed),
        _ => None,
    };
    events.iter().filter_map(of).max()
}

/// What is to be done about it now.
pub fn due(notify: Notify, watching: &Watching, now: Instant) -> bool {
    notify.always || watching.is_away(now)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(variables: &[(&str, &'static str)]) -> Hearer {
        Hearer::of(|name| variables.iter().find(|(n, _)| *n == name).map_or("", |(_, v)| v))
    }

    #[test]
    fn each_terminal_is_told_in_its_own_way_and_an_unknown_one_by_the_bell() {
        let cases = [
            (on(&[("TERM", "xterm-kitty")]), NotifyBy::Osc99),
            (on(&[("TERM_PROGRAM", "iTerm.app")]), NotifyBy::Osc9),
            (on(&[("TERM_PROGRAM", "WezTerm")]), NotifyBy::Osc9),
            (on(&[("TERM", "foot")]), NotifyBy::Osc777),
            (on(&[("TERM", "xterm-256color"), ("VTE_VERSION", "7600")]), NotifyBy::Osc777),
            (on(&[("TERM", "xterm-256color")]), NotifyBy::Bell),
            (on(&[]), NotifyBy::Bell),
        ];
        for (hearer, by) in cases {
            assert_eq!(hearer.by, by);
        }
        let plain = on(&[("TERM", "foot")]);
        assert_eq!(
            plain.bytes(None, Attention::Asked),
            "\x1b]777;notify;pilothouse;a question is waiting for you\x1b\\\x07"
        );
        assert_eq!(plain.bytes(Some(NotifyBy::Bell), Attention::Failed), "\x07");
        assert_eq!(plain.bytes(Some(NotifyBy::Off), Attention::Failed), "");
    }

    #[test]
    fn tmux_hands_it_on() {
        let inside = on(&[("TERM_PROGRAM", "WezTerm"), ("TMUX", "/tmp/x")]);
        assert_eq!(
            inside.bytes(None, Attention::Ended),
            "\x1bPtmux;\x1b\x1b]9;pilothouse: a run ended\x1b\x1b\\\x1b\\\x07"
        );
        assert_eq!(inside.bytes(Some(NotifyBy::Bell), Attention::Ended), "\x07");
    }

    #[test]
    fn nobody_is_told_while_they_look() {
        let start = Instant::now();
        let mut watching = Watching::default();
        assert!(watching.is_away(start), "no key came at all");
        watching.key(start);
        assert!(!watching.is_away(start + Duration::from_secs(9)));
        assert!(watching.is_away(start + Duration::from_secs(10)));
        watching.focus(true);
        assert!(!watching.is_away(start + Duration::from_secs(1000)));
        watching.focus(false);
        watching.key(start);
        assert!(watching.is_away(start));
        let always = Notify { always: true, ..Notify::default() };
        watching.focus(true);
        assert!(due(always, &watching, start) && !due(Notify::default(), &watching, start));
    }
}
