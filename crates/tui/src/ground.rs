//! What the terminal says of its background, so that a light one gets the light colours.
//!
//! Owns the question, the reading of its answer, which comes among the keys, and how long no colours are shown for want
//! of it. Nothing else waits for it: until it comes the screen is drawn in the terminal's own two colours.

use std::time::{Duration, Instant};

use ratatui::{buffer::Buffer, style::Color};

/// How long an answer may take; then the guess holds until one comes.
const PATIENCE: Duration = Duration::from_millis(200);

/// Asks for the background colour.
pub const QUESTION: &str = "\x1b]11;?\x07";

/// What is known of the background.
#[derive(Clone, Copy, Debug)]
pub struct Ground {
    known: bool,
    asked: Option<Instant>,
}

impl Ground {
    /// One that need not be asked for, or that must be.
    pub fn new(known: bool) -> Self {
        Self { known, asked: None }
    }

    /// Whether it is to be asked for now; it is once.
    pub fn asks(&mut self, now: Instant) -> bool {
        let asks = !self.known && self.asked.is_none();
        if asks {
            self.asked = Some(now);
        }
        asks
    }

    /// An answer came. `None` where nothing was asked, else whether the colours had waited for it.
    pub fn heard(&mut self, now: Instant) -> Option<bool> {
        self.asked?;
        let waited = !self.is_settled(now);
        self.known = true;
        Some(waited)
    }

    /// Whether colours are shown.
    pub fn is_settled(&self, now: Instant) -> bool {
        self.known || self.until().is_some_and(|until| until <= now)
    }

    /// When nobody waits for the answer any more.
    pub fn until(&self) -> Option<Instant> {
        self.asked.filter(|_| !self.known).map(|asked| asked + PATIENCE)
    }
}

/// Takes the colours off, which may be the wrong ones.
pub fn bare(buf: &mut Buffer) {
    for cell in &mut buf.content {
        (cell.fg, cell.bg) = (Color::Reset, Color::Reset);
    }
}

/// Whether the background is dark, where a string of the terminal's, without its ends, says so.
pub fn dark(answer: &[u8]) -> Option<bool> {
    luma(std::str::from_utf8(answer).ok()?).map(|luma| luma < 0.5)
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

    #[test]
    fn answers_of_all_widths_are_read() {
        assert_eq!(dark(b"11;rgb:fafa/fafa/fafa"), Some(false));
        assert_eq!(dark(b"11;rgb:1010/1010/1414"), Some(true));
        assert_eq!(dark(b"11;rgb:FF/ff/e0"), Some(false));
        assert_eq!(dark(b"11;rgb:0/0/0"), Some(true));
    }

    #[test]
    fn colours_are_shown_once_the_ground_is_known_or_nobody_answers() {
        let now = Instant::now();
        let told = Ground::new(true);
        assert!(told.is_settled(now) && told.until().is_none());
        let mut ground = Ground::new(false);
        assert!(!ground.is_settled(now) && ground.heard(now).is_none());
        assert!(ground.asks(now) && !ground.asks(now), "asked once");
        let until = ground.until().unwrap();
        assert!(!ground.is_settled(now) && ground.is_settled(until));
        let mut late = ground;
        assert_eq!((ground.heard(now), ground.is_settled(now), ground.until()), (Some(true), true, None));
        assert_eq!((late.heard(until), late.is_settled(until)), (Some(false), true));
        let mut buf = Buffer::empty(ratatui::layout::Rect::new(0, 0, 2, 1));
        buf.set_string(0, 0, "x", ratatui::style::Style::new().fg(Color::White).bg(Color::Black));
        bare(&mut buf);
        assert!(buf.content.iter().all(|cell| cell.fg == Color::Reset && cell.bg == Color::Reset));
    }

    #[test]
    fn what_is_no_answer_says_nothing() {
        for text in ["", "11;x", "11;rgb:zz/00/00", "11;rgb:0/0", "11;rgb:0/0/0/0", "10;rgb:0/0/0"] {
            assert_eq!(dark(text.as_bytes()), None, "{text}");
        }
    }
}
