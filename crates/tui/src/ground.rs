//! What the terminal says of its background, so that a light one gets the light colours.
//!
//! Owns the question and the reading of its answer, which arrives as keys among the keys. Nothing
//! waits for it: the screen is drawn before it is asked, and drawn again if the guess was wrong.

use std::time::{Duration, Instant};

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};

use crate::standing::Stamp;

/// Asks for the background colour.
pub const QUESTION: &str = "\x1b]11;?\x07";
/// An answer that takes longer is none.
const PATIENCE: Duration = Duration::from_secs(3);
/// An answer is not longer than this.
const LONGEST: usize = 40;

/// Looks for the answer among what the terminal sends.
#[derive(Debug)]
pub struct Ground {
    until: Instant,
    held: Vec<(Event, Stamp)>,
    text: String,
}

/// What an event was.
#[derive(Debug, PartialEq, Eq)]
pub enum Heard {
    /// No part of an answer, with what was held back before it: for the screen.
    Events(Vec<(Event, Stamp)>),
    /// A part of an answer.
    More,
    /// The whole answer: whether the background is dark.
    Dark(bool),
}

impl Ground {
    /// The question was asked at `now`.
    pub fn asked(now: Instant) -> Self {
        Self { until: now + PATIENCE, held: Vec::new(), text: String::new() }
    }

    /// Whether an answer may still come.
    pub fn open(&self, now: Instant) -> bool {
        now < self.until
    }

    /// Takes the next event.
    pub fn hear(&mut self, event: Event, came: impl Into<Stamp>) -> Heard {
        let part = part(&event);
        self.held.push((event, came.into()));
        match part {
            Some(Part::Start) if self.held.len() == 1 => Heard::More,
            Some(Part::Char(c)) if self.held.len() > 1 && self.held.len() < LONGEST => {
                self.text.push(c);
                if "11;rgb:".starts_with(&self.text) || self.text.starts_with("11;rgb:") {
                    Heard::More
                } else {
                    self.give_up()
                }
            }
            Some(Part::End) if self.held.len() > 1 => match luma(&self.text) {
                Some(luma) => Heard::Dark(luma < 0.5),
                None => self.give_up(),
            },
            Some(Part::Start | Part::Char(_) | Part::End) | None => self.give_up(),
        }
    }

    fn give_up(&mut self) -> Heard {
        self.text.clear();
        Heard::Events(std::mem::take(&mut self.held))
    }
}

enum Part {
    /// `ESC ]`
    Start,
    Char(char),
    /// `ESC \` or BEL.
    End,
}

fn part(event: &Event) -> Option<Part> {
    let Event::Key(KeyEvent { code: KeyCode::Char(c), modifiers, .. }) = event else { return None };
    match (*c, *modifiers) {
        (']', KeyModifiers::ALT) => Some(Part::Start),
        ('\\', KeyModifiers::ALT) | ('g', KeyModifiers::CONTROL) => Some(Part::End),
        (c, KeyModifiers::NONE | KeyModifiers::SHIFT) => Some(Part::Char(c)),
        _ => None,
    }
}

/// How bright `11;rgb:RRRR/GGGG/BBBB` is, 0 to 1.
fn luma(answer: &str) -> Option<f32> {
    let mut parts = answer.strip_prefix("11;rgb:")?.split('/').map(|part| {
        let most = (1..=4).contains(&part.len()).then(|| (1_u32 << (4 * part.len())) - 1)?;
        let value = u16::from_str_radix(part, 16).ok()?;
        Some(f32::from(value) / f32::from(u16::try_from(most).ok()?))
    });
    let (red, green, blue) = (parts.next()??, parts.next()??, parts.next()??);
    parts.next().is_none().then_some(0.299 * red + 0.587 * green + 0.114 * blue)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn keys(text: &str) -> Vec<Event> {
        let mut rest = text.chars();
        let mut out = Vec::new();
        while let Some(c) = rest.next() {
            let (c, mods) = match c {
                '\x1b' => (rest.next().unwrap(), KeyModifiers::ALT),
                '\x07' => ('g', KeyModifiers::CONTROL),
                c => (c, KeyModifiers::NONE),
            };
            out.push(Event::Key(KeyEvent::new(KeyCode::Char(c), mods)));
        }
        out
    }

    fn last(text: &str) -> Heard {
        let mut ground = Ground::asked(Instant::now());
        let came = Instant::now();
        let mut heard = Heard::More;
        for event in keys(text) {
            assert_eq!(heard, Heard::More, "{text:?}");
            heard = ground.hear(event, came);
        }
        heard
    }

    #[test]
    fn answers_of_both_endings_and_all_widths_are_read() {
        assert_eq!(last("\x1b]11;rgb:fafa/fafa/fafa\x1b\\"), Heard::Dark(false));
        assert_eq!(last("\x1b]11;rgb:1010/1010/1414\x07"), Heard::Dark(true));
        assert_eq!(last("\x1b]11;rgb:FF/ff/e0\x07"), Heard::Dark(false));
        assert_eq!(last("\x1b]11;rgb:0/0/0\x1b\\"), Heard::Dark(true));
    }

    #[test]
    fn what_is_no_answer_is_given_back_whole_and_in_order() {
        for text in ["a", "\x1b]x", "\x1b]11;x", "\x1b]11;rgb:zz/00/00\x07", "\x1b\\", "\x07"] {
            let Heard::Events(events) = last(text) else { unreachable!("{text:?}") };
            assert_eq!(events.into_iter().map(|(e, _)| e).collect::<Vec<_>>(), keys(text), "{text:?}");
        }
    }
}
