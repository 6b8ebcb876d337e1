//! When to draw: a key at once, news at most 60 times a second, streamed text 20, nothing else.
//!
//! Owns what is due and when. Never draws, and asks for no wake-up while nothing moves.

use std::time::{Duration, Instant};

/// News are drawn this far apart at least.
pub const FRAME: Duration = Duration::from_micros(16_667);
/// Streamed text is drawn this far apart at least.
pub const STREAM: Duration = Duration::from_millis(50);
/// The spinner steps this often while it moves.
pub const SPIN: Duration = Duration::from_millis(100);

/// Why a frame is wanted; later ones are more urgent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Urgency {
    /// Streamed text came.
    Stream,
    /// Something changed.
    News,
    /// A key was pressed, or the size changed.
    Now,
}

/// Counts for tests: what the loop did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Frames drawn.
    pub draws: u64,
    /// Times that the loop woke up.
    pub wakes: u64,
}

/// What is due.
#[derive(Debug, Default)]
pub struct Pace {
    wanted: Option<Urgency>,
    drawn: Option<Instant>,
    spun: Option<Instant>,
    alarm: Option<Instant>,
    /// What happened so far.
    pub counts: Counts,
}

impl Pace {
    /// A frame is wanted.
    pub fn want(&mut self, urgency: Urgency) {
        self.wanted = self.wanted.max(Some(urgency));
    }

    /// Whether a frame is to be drawn now.
    pub fn due(&self, now: Instant) -> bool {
        match self.wanted {
            Some(Urgency::Now) => true,
            Some(Urgency::News | Urgency::Stream) => self.frame_at().is_none_or(|at| at <= now),
            None => false,
        }
    }

    /// A frame was drawn.
    pub fn drew(&mut self, now: Instant) {
        self.counts.draws += 1;
        self.wanted = None;
        self.drawn = Some(now);
    }

    /// Whether the spinner is to move; it starts a whole step from now.
    pub fn spin(&mut self, moving: bool, now: Instant) {
        self.spun = match (moving, self.spun) {
            (true, None) => Some(now),
            (true, since) => since,
            (false, _) => None,
        };
    }

    /// Steps of the spinner that passed; they are due to be drawn.
    pub fn step(&mut self, now: Instant) -> usize {
        let Some(since) = self.spun else { return 0 };
        let steps = now.saturating_duration_since(since).as_millis() / SPIN.as_millis();
        let steps = u32::try_from(steps).unwrap_or(1);
        if steps > 0 {
            self.spun = Some(since + SPIN * steps);
            self.want(Urgency::News);
        }
        usize::try_from(steps).unwrap_or(1)
    }

    /// Something is to be drawn at this time, once.
    pub fn alarm(&mut self, at: Option<Instant>) {
        self.alarm = at;
    }

    /// Takes the alarm, if it went off.
    pub fn rang(&mut self, now: Instant) -> bool {
        let rang = self.alarm.is_some_and(|at| at <= now);
        if rang {
            self.alarm = None;
            self.want(Urgency::Now);
        }
        rang
    }

    /// When to wake up by oneself; `None`: only when something arrives.
    pub fn next(&self) -> Option<Instant> {
        let frame = self.frame_at();
        let spin = self.spun.map(|since| since + SPIN);
        [frame, spin, self.alarm].into_iter().flatten().min()
    }

    /// When the wanted frame is due; `None` when none is wanted, or one is due at once.
    fn frame_at(&self) -> Option<Instant> {
        let apart = match self.wanted? {
            Urgency::Now => return None,
            Urgency::News => FRAME,
            Urgency::Stream => STREAM,
        };
        self.drawn.map(|at| at + apart)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn nothing_is_due_and_nothing_wakes_while_nothing_moves() {
        let mut pace = Pace::default();
        let start = Instant::now();
        pace.want(Urgency::Now);
        pace.drew(start);
        assert!(!pace.due(start + 3600 * 1000 * MS));
        assert_eq!(pace.next(), None);
    }

    #[test]
    fn a_key_is_drawn_at_once_news_and_text_wait_their_turn() {
        let mut pace = Pace::default();
        let start = Instant::now();
        pace.drew(start);
        pace.want(Urgency::Stream);
        assert!(!pace.due(start + 49 * MS) && pace.due(start + 50 * MS));
        assert_eq!(pace.next(), Some(start + STREAM));
        pace.want(Urgency::News);
        assert!(!pace.due(start + 16 * MS) && pace.due(start + 17 * MS));
        pace.want(Urgency::Now);
        assert!(pace.due(start));
    }

    #[test]
    fn the_spinner_wakes_ten_times_a_second_and_only_while_it_moves() {
        let mut pace = Pace::default();
        let start = Instant::now();
        pace.spin(true, start);
        assert_eq!(pace.next(), Some(start + SPIN));
        assert_eq!(pace.step(start + 99 * MS), 0);
        assert_eq!(pace.step(start + 250 * MS), 2);
        assert_eq!(pace.next(), Some(start + 3 * SPIN).min(pace.next()));
        pace.drew(start + 250 * MS);
        pace.spin(false, start + 260 * MS);
        assert_eq!(pace.next(), None);
    }

    #[test]
    fn an_alarm_rings_once() {
        let mut pace = Pace::default();
        let start = Instant::now();
        pace.alarm(Some(start + 400 * MS));
        assert!(!pace.rang(start + 399 * MS));
        assert!(pace.rang(start + 400 * MS));
        assert!(!pace.rang(start + 500 * MS));
    }
}
