//! One key press as a keymap names it: `ctrl-x`, `shift-tab`, `]`, `leader d`.
//!
//! Owns reading and writing of key names. Never knows what a key does.

use std::fmt;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// A key with the modifiers that matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Chord {
    code: KeyCode,
    mods: KeyModifiers,
}

/// The text names no key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no key is called {0:?}; write ctrl-p, alt-enter, f1, pgup, space or a single character")]
pub struct UnknownKey(pub String);

/// Keys that are shown by a sign, with their names.
const ARROWS: [(&str, &str); 4] = [("↑", "Up"), ("↓", "Down"), ("←", "Left"), ("→", "Right")];

const NAMED: [(&str, KeyCode); 19] = [
    ("enter", KeyCode::Enter),
    ("esc", KeyCode::Esc),
    ("tab", KeyCode::Tab),
    ("backspace", KeyCode::Backspace),
    ("delete", KeyCode::Delete),
    ("insert", KeyCode::Insert),
    ("up", KeyCode::Up),
    ("down", KeyCode::Down),
    ("left", KeyCode::Left),
    ("right", KeyCode::Right),
    ("home", KeyCode::Home),
    ("end", KeyCode::End),
    ("pgup", KeyCode::PageUp),
    ("pgdn", KeyCode::PageDown),
    ("space", KeyCode::Char(' ')),
    ("minus", KeyCode::Char('-')),
    ("plus", KeyCode::Char('+')),
    ("comma", KeyCode::Char(',')),
    ("backtab", KeyCode::BackTab),
];

impl Chord {
    /// The chord that a key press is. Shift is dropped from characters, which carry it themselves.
    pub fn of(key: KeyEvent) -> Self {
        Self::new(key.code, key.modifiers)
    }

    fn new(code: KeyCode, mods: KeyModifiers) -> Self {
        let keep = KeyModifiers::CONTROL | KeyModifiers::ALT | KeyModifiers::SHIFT;
        let mut mods = mods & keep;
        let mut code = code;
        if code == KeyCode::BackTab {
            code = KeyCode::Tab;
            mods |= KeyModifiers::SHIFT;
        } else if let KeyCode::Char(c) = code {
            if mods.contains(KeyModifiers::SHIFT) && c.is_ascii_lowercase() && mods == KeyModifiers::SHIFT {
                code = KeyCode::Char(c.to_ascii_uppercase());
            }
            mods -= KeyModifiers::SHIFT;
            if mods.contains(KeyModifiers::CONTROL) {
                code = KeyCode::Char(c.to_ascii_lowercase());
            }
        }
        Self { code, mods }
    }

    /// Reads a name such as `ctrl-p`.
    ///
    /// # Errors
    /// When no key is called so.
    pub fn parse(name: &str) -> Result<Self, UnknownKey> {
        let unknown = || UnknownKey(name.to_owned());
        let (mut mods, mut rest, mut shown) = (KeyModifiers::NONE, name, false);
        loop {
            let before = rest;
            for (prefix, modifier) in [
                ("ctrl-", KeyModifiers::CONTROL),
                ("alt-", KeyModifiers::ALT),
                ("shift-", KeyModifiers::SHIFT),
            ] {
                if let Some((head, after)) = rest.split_at_checked(prefix.len())
                    && head.eq_ignore_ascii_case(prefix)
                    && !after.is_empty()
                {
                    mods |= modifier;
                    shown |= head.starts_with(|c: char| c.is_ascii_uppercase());
                    rest = after;
                }
            }
            if before == rest {
                break;
            }
        }
        let named = |word: &str| NAMED.iter().find(|(n, _)| n.eq_ignore_ascii_case(word));
        let arrow = ARROWS.iter().find(|(sign, _)| *sign == rest).map_or(rest, |(_, name)| name);
        if let Some((_, code)) = named(arrow) {
            return Ok(Self::new(*code, mods));
        }
        // As keys are shown the letter behind "Alt-" is large, whatever it is.
        let lower = rest.to_ascii_lowercase();
        let rest = if shown || rest.len() > 1 { lower.as_str() } else { rest };
        let mut chars = rest.chars();
        match (chars.next(), chars.next()) {
            (Some(c), None) if !c.is_control() => Ok(Self::new(KeyCode::Char(c), mods)),
            (Some('f'), Some(_)) => match rest.trim_start_matches('f').parse::<u8>() {
                Ok(n) if (1..=24).contains(&n) => Ok(Self::new(KeyCode::F(n), mods)),
                Ok(_) | Err(_) => Err(unknown()),
            },
            _ => Err(unknown()),
        }
    }

    /// The character, when the chord is a plain one that a text could contain.
    pub fn letter(self) -> Option<char> {
        self.code.as_char().filter(|_| self.mods.is_empty())
    }
}

impl Chord {
    /// As it is shown where only ASCII can be: the keys with arrows by their names.
    pub fn named(self) -> String {
        let shown = self.to_string();
        let arrow = ARROWS.iter().find_map(|(sign, name)| Some((shown.strip_suffix(sign)?, name)));
        arrow.map_or(shown.clone(), |(mods, name)| format!("{mods}{name}"))
    }
}

impl fmt::Display for Chord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (modifier, name) in
            [(KeyModifiers::CONTROL, "Ctrl-"), (KeyModifiers::ALT, "Alt-"), (KeyModifiers::SHIFT, "Shift-")]
        {
            if self.mods.contains(modifier) {
                f.write_str(name)?;
            }
        }
        let named = match self.code {
            KeyCode::Enter => "Enter",
            KeyCode::Esc => "Esc",
            KeyCode::Tab => "Tab",
            KeyCode::Backspace => "Backspace",
            KeyCode::Delete => "Delete",
            KeyCode::Up => "↑",
            KeyCode::Down => "↓",
            KeyCode::Left => "←",
            KeyCode::Right => "→",
            KeyCode::Home => "Home",
            KeyCode::End => "End",
            KeyCode::PageUp => "PgUp",
            KeyCode::PageDown => "PgDn",
            KeyCode::Char(' ') => "Space",
            KeyCode::Char(c) if self.mods.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) => {
                return write!(f, "{}", c.to_ascii_uppercase());
            }
            KeyCode::Char(c) => return write!(f, "{c}"),
            KeyCode::F(n) => return write!(f, "F{n}"),
            KeyCode::Insert => "Insert",
            KeyCode::BackTab
            | KeyCode::Null
            | KeyCode::CapsLock
            | KeyCode::ScrollLock
            | KeyCode::NumLock
            | KeyCode::PrintScreen
            | KeyCode::Pause
            | KeyCode::Menu
            | KeyCode::KeypadBegin
            | KeyCode::Media(_)
            | KeyCode::Modifier(_) => "?",
        };
        f.write_str(named)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_read_as_it_is_shown() {
        for name in [
            "ctrl-p",
            "alt-enter",
            "f1",
            "F12",
            "pgup",
            "space",
            "up",
            "left",
            "alt-s",
            "shift-tab",
            "?",
            "A",
        ] {
            let chord = Chord::parse(name).unwrap();
            assert_eq!(Chord::parse(&chord.to_string()).unwrap(), chord, "{name}: {chord}");
            assert_eq!(Chord::parse(&chord.named()).unwrap(), chord, "{name}: {chord}");
        }
        assert_ne!(Chord::parse("A").unwrap(), Chord::parse("a").unwrap());
        assert_ne!(Chord::parse("alt-S").unwrap(), Chord::parse("alt-s").unwrap());
    }

    #[test]
    fn names_are_read_and_shown() {
        for (name, shown) in [
            ("ctrl-p", "Ctrl-P"),
            ("shift-tab", "Shift-Tab"),
            ("alt-enter", "Alt-Enter"),
            ("f12", "F12"),
            ("?", "?"),
            ("]", "]"),
            ("minus", "-"),
            ("pgdn", "PgDn"),
            ("G", "G"),
            ("space", "Space"),
        ] {
            assert_eq!(Chord::parse(name).unwrap().to_string(), shown);
        }
        for (name, shown) in [("up", "Up"), ("alt-down", "Alt-Down"), ("ctrl-left", "Ctrl-Left"), ("x", "x")]
        {
            assert_eq!(Chord::parse(name).unwrap().named(), shown);
        }
        for bad in ["", "ctrl-", "f0", "f99", "enterr", "hyper-x", "ctrl-alt-"] {
            assert!(Chord::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_press_equals_its_name_whatever_the_terminal_adds() {
        let of = |code, mods| Chord::of(KeyEvent::new(code, mods));
        assert_eq!(of(KeyCode::BackTab, KeyModifiers::SHIFT), Chord::parse("shift-tab").unwrap());
        assert_eq!(of(KeyCode::Char('G'), KeyModifiers::SHIFT), Chord::parse("G").unwrap());
        assert_eq!(of(KeyCode::Char('g'), KeyModifiers::SHIFT), Chord::parse("G").unwrap());
        assert_eq!(of(KeyCode::Char('?'), KeyModifiers::SHIFT), Chord::parse("?").unwrap());
    }
}
