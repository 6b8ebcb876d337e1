//! How long something that a key could answer has stood on the screen.
//!
//! Owns the time at which each such thing was first drawn, and since when a key is held. A key that
//! was pressed less than 300 ms after that was not meant for it and never answers it, however long it
//! is held.

use std::time::{Duration, Instant};

/// A thing must have stood this long before a key may act on it.
pub const DEAF: Duration = Duration::from_millis(300);

/// When something came from the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// At the earliest.
    pub came: Instant,
    /// When the input began that it is part of, without a pause as long as [`DEAF`]; `None` when a
    /// paste is part of that too: then nothing in it answers.
    pub since: Option<Instant>,
    /// Whether it came in a burst: among more letters than a hand can type in that time.
    pub burst: bool,
}

impl From<Instant> for Stamp {
    /// It came by itself.
    fn from(came: Instant) -> Self {
        Self { came, since: Some(came), burst: false }
    }
}

/// The key that is being taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pressed {
    /// When it was pressed; one that is held or came without a pause, when that began.
    pub began: Option<Instant>,
    /// Whether a paste came with it.
    pub pasted: bool,
}

impl Pressed {
    /// Whether it can answer what stands there: that stood long enough before the key was pressed, and
    /// nothing was pasted with it.
    pub fn answers<T: PartialEq>(&self, place: &Standing<T>, what: &T) -> bool {
        !self.pasted && self.came_after(place, what)
    }

    /// Whether what stands there stood long enough before it came.
    pub fn came_after<T: PartialEq>(&self, place: &Standing<T>, what: &T) -> bool {
        self.began.is_some_and(|began| place.stood(what, began))
    }
}

/// What stands in one place, and since when.
#[derive(Debug)]
pub struct Standing<T> {
    drawn: Option<(T, Instant)>,
}

impl<T> Default for Standing<T> {
    fn default() -> Self {
        Self { drawn: None }
    }
}

impl<T: PartialEq> Standing<T> {
    /// This was just drawn there, or nothing was.
    pub fn drew(&mut self, what: Option<T>, now: Instant) {
        let same = matches!((&self.drawn, &what), (Some((old, _)), Some(new)) if old == new);
        if !same {
            self.drawn = what.map(|w| (w, now));
        }
    }

    /// The user moved to it by a key of their own: it counts as seen for as long as its place was.
    pub fn moved(&mut self, what: T) {
        if let Some((old, _)) = &mut self.drawn {
            *old = what;
        }
    }

    /// Whether this stands there, however long.
    pub fn is(&self, what: &T) -> bool {
        self.drawn.as_ref().is_some_and(|(drawn, _)| drawn == what)
    }

    /// Whether a key that came then may act on it.
    pub fn stood(&self, what: &T, came: Instant) -> bool {
        self.drawn.as_ref().is_some_and(|(drawn, since)| drawn == what && came >= *since + DEAF)
    }
}

/// The second of two presses may come this long after the first and be the same one, held: the
/// longest wait that terminals are commonly set to before a key repeats.
const FIRST_REPEAT: Duration = Duration::from_millis(700);
/// Between further ones, on a machine that is busy.
const NEXT_REPEAT: Duration = Duration::from_millis(400);

/// The key that was pressed last, and since when it may have been held.
#[derive(Debug)]
pub struct Held<K> {
    key: Option<K>,
    since: Option<Instant>,
    last: Option<Instant>,
    repeats: bool,
}

impl<K> Default for Held<K> {
    fn default() -> Self {
        Self { key: None, since: None, last: None, repeats: false }
    }
}

impl<K: PartialEq> Held<K> {
    /// A press came; returns when it began, as far as can be known. `repeat` is what the terminal
    /// says, where it says so.
    pub fn pressed(&mut self, key: K, repeat: bool, came: Instant) -> Instant {
        let gap = self.last.map(|last| came.saturating_duration_since(last));
        let most = if self.repeats { NEXT_REPEAT } else { FIRST_REPEAT };
        let same = self.key.as_ref() == Some(&key) && gap.is_some_and(|gap| repeat || gap <= most);
        self.repeats = same;
        self.last = Some(came);
        let began = self.since.filter(|_| same).unwrap_or(came);
        (self.key, self.since) = (Some(key), Some(began));
        began
    }

    /// Something else came, such as a paste.
    pub fn released(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_held_key_counts_from_its_first_press_and_a_new_press_from_itself() {
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        let mut held = Held::default();
        for ms in [0, 600, 640, 680, 1_050] {
            assert_eq!(held.pressed('y', false, at(ms)), at(0), "{ms}");
        }
        assert_eq!(held.pressed('y', false, at(1_500)), at(1_500), "it was let go in between");
        assert_eq!(held.pressed('n', false, at(1_510)), at(1_510), "another key");
        assert_eq!(held.pressed('n', true, at(9_000)), at(1_510), "the terminal says that it is held");
        assert_eq!(held.pressed('n', false, at(9_600)), at(9_600));
        held.released();
        assert_eq!(held.pressed('n', false, at(9_610)), at(9_610));
    }

    #[test]
    fn pressing_again_and_again_gets_through() {
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        let mut held = Held::default();
        assert_eq!(held.pressed('y', false, at(0)), at(0));
        assert_eq!(held.pressed('y', false, at(500)), at(0), "it may be the key's own first repeat");
        assert_eq!(held.pressed('y', false, at(1_000)), at(1_000));
    }

    #[test]
    fn only_a_key_that_came_300_ms_after_the_drawing_counts() {
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        let mut standing = Standing::default();
        assert!(!standing.stood(&1, at(9000)), "it was never drawn");
        standing.drew(Some(1), at(1000));
        standing.drew(Some(1), at(1200));
        for (came, counts) in [(500, false), (1000, false), (1299, false), (1300, true)] {
            assert_eq!(standing.stood(&1, at(came)), counts, "{came}");
        }
        standing.drew(Some(2), at(2000));
        assert!(!standing.stood(&1, at(9000)), "another one stands there now");
        assert!(!standing.stood(&2, at(2100)) && standing.stood(&2, at(2300)));
        standing.drew(None, at(3000));
        standing.drew(Some(2), at(3100));
        assert!(!standing.stood(&2, at(3200)), "it was gone meanwhile");
    }
}
