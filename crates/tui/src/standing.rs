//! How long something that a key could answer has stood on the screen.
//!
//! Owns the time at which each such thing was first drawn. A key that came less than 300 ms after
//! that was not meant for it and never answers it.

use std::time::{Duration, Instant};

/// A thing must have stood this long before a key may act on it.
pub const DEAF: Duration = Duration::from_millis(300);

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

    /// Whether a key that came then may act on it.
    pub fn stood(&self, what: &T, came: Instant) -> bool {
        self.drawn.as_ref().is_some_and(|(drawn, since)| drawn == what && came >= *since + DEAF)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
