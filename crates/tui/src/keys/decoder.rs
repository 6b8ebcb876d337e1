//! Bytes of the terminal and the times between which they came in; events and their stamps out.
//!
//! Owns what was begun and not ended: a sequence, a paste, input without a pause. It never reads
//! and never looks at a clock. What follows a paste without a pause belongs to it, whatever marks it
//! holds.

use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

use crossterm::event::{Event, KeyCode, KeyEventKind, KeyModifiers};

use super::sequence::{Found, alone, read, waits};
use crate::standing::{DEAF, Stamp};

/// An ESC that nothing follows within this time is a key; else it begins a sequence, which a slow
/// link may have torn apart. Half of what vim waits, and twice what a person can do.
pub const LONE_ESC: Duration = Duration::from_millis(25);
/// An answer of the terminal that has not come whole by then never does.
const TORN_ANSWER: Duration = Duration::from_millis(250);
/// Who pastes and then presses a key by hand takes longer than this; a terminal sends what a paste
/// holds without such a pause.
pub const AFTER_PASTE: Duration = Duration::from_millis(100);
/// No hand types faster than a key in this time, but for a few that two hands press together.
const A_KEY: Duration = Duration::from_millis(25);
const TOGETHER: usize = 4;
/// Only after a pause this long can a key end a paste whose own end never came.
const ABANDONED: Duration = Duration::from_secs(1);

const END: &[u8] = b"\x1b[201~";
/// Ctrl-C and Esc, as terminals send them.
const WAYS_OUT: [&[u8]; 4] = [b"\x03", b"\x1b[99;5u", b"\x1b", b"\x1b[27u"];

/// Turns bytes into events.
#[derive(Debug, Default)]
pub struct Decoder {
    found: VecDeque<(Event, Stamp)>,
    /// Whether the background is dark, as the terminal said last.
    dark: Option<bool>,
    /// A sequence that has begun.
    begun: Vec<u8>,
    /// When it can have come at the earliest, and when it was read.
    since: Option<(Stamp, Instant)>,
    /// A paste that has begun.
    paste: Option<Vec<u8>>,
    /// A paste ended, and nothing but what belongs to it came since.
    after_paste: bool,
    /// When the input began that goes on without a pause, and whether a paste was part of it.
    stream: Option<Instant>,
    pasted: bool,
    /// When letters began to come without the pause that a hand makes, and how many they are.
    run: Option<Instant>,
    letters: usize,
    /// When bytes were last read.
    last: Option<Instant>,
}

impl Decoder {
    /// Takes bytes that were read at `read` and can have come at `came` at the earliest. Times
    /// never go back.
    pub fn take(&mut self, bytes: &[u8], came: Instant, read: Instant) {
        if bytes.is_empty() {
            return;
        }
        self.settle(came);
        let pause = self.last.replace(read).map(|last| came.saturating_duration_since(last));
        if pause.is_none_or(|pause| pause >= DEAF) {
            (self.stream, self.pasted) = (Some(came), false);
        }
        if pause.is_none_or(|pause| pause >= A_KEY) {
            (self.run, self.letters) = (Some(came), 0);
        }
        if self.paste.is_some() && pause >= Some(ABANDONED) && WAYS_OUT.contains(&bytes) {
            return self.end_paste(came);
        }
        let before = self.found.len();
        for byte in bytes {
            self.byte(*byte, came, read);
        }
        self.mark_burst(before, read);
        if !self.after_paste && self.paste.is_none() && self.is_bare_paste(before, read - came) {
            for (event, stamp) in self.begin_after_paste(before) {
                self.push(event, stamp);
            }
        }
    }

    /// Whether what was found from `first` on is a paste without marks, as of a terminal or a multiplexer that knows
    /// none: lines, more of them than a hand can type in `time`. An end of line in it sends nothing.
    fn is_bare_paste(&self, first: usize, time: Duration) -> bool {
        let text: Option<String> = self.found.range(first..).map(|(event, _)| written(event)).collect();
        text.is_some_and(|text| {
            text.trim_matches('\n').contains('\n') && text.chars().count() > by_hand(time)
        })
    }

    /// Marks what was found from `first` on where it and the letters just before it are more than a hand can have typed.
    fn mark_burst(&mut self, first: usize, read: Instant) {
        let time = self.run.map(|began| read.saturating_duration_since(began)).unwrap_or_default();
        self.letters += self.found.range(first..).filter(|(event, _)| written(event).is_some()).count();
        if self.letters > by_hand(time) {
            self.found.range_mut(first..).for_each(|(_, stamp)| stamp.burst = true);
        }
    }

    /// What was found from `first` on, and what follows it without a pause, was pasted.
    fn begin_after_paste(&mut self, first: usize) -> VecDeque<(Event, Stamp)> {
        (self.after_paste, self.pasted) = (true, true);
        self.found.split_off(first)
    }

    /// Nothing came until `now`: what waited for more is decided if that was long enough.
    pub fn settle(&mut self, now: Instant) {
        if let Some((stamp, _)) = self.since.filter(|_| self.esc_is_key_at().is_some_and(|at| at <= now)) {
            let begun = std::mem::take(&mut self.begun);
            self.found(alone(&begun), stamp);
        }
        let quiet = self.last.is_none_or(|last| now.saturating_duration_since(last) >= AFTER_PASTE);
        self.after_paste &= !quiet;
    }

    /// When an ESC that came last is a key, if nothing follows; an answer of the terminal that was torn is none.
    pub fn esc_is_key_at(&self) -> Option<Instant> {
        let wait = if self.begun.len() > 2 { TORN_ANSWER } else { LONE_ESC };
        self.since.filter(|_| waits(&self.begun)).map(|(_, read)| read + wait)
    }

    /// The next event.
    pub fn pop(&mut self) -> Option<(Event, Stamp)> {
        self.found.pop_front()
    }

    /// Whether the background is dark, if the terminal said so since this was asked last.
    pub const fn take_dark(&mut self) -> Option<bool> {
        self.dark.take()
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty() && self.dark.is_none()
    }

    fn stamp(&self, came: Instant) -> Stamp {
        Stamp { came, since: self.stream.filter(|_| !self.pasted), burst: false }
    }

    fn byte(&mut self, byte: u8, came: Instant, read_at: Instant) {
        if let Some(paste) = &mut self.paste {
            paste.push(byte);
            if byte == b'~' && paste.ends_with(END) {
                paste.truncate(paste.len() - END.len());
                self.end_paste(came);
            }
            return;
        }
        if self.begun.is_empty() {
            self.since = Some((self.stamp(came), read_at));
        }
        self.begun.push(byte);
        let stamp = self.since.map_or_else(|| self.stamp(came), |(stamp, _)| stamp);
        match read(&self.begun) {
            Found::More => return,
            Found::Done(event) => self.found(event, stamp),
            Found::Before(event) => {
                self.found(event, stamp);
                self.begun.clear();
                return self.byte(byte, came, read_at);
            }
            Found::Answer(dark) => self.dark = dark.or(self.dark),
            Found::PasteStart => self.paste = Some(Vec::new()),
            Found::PasteEnd => self.stray_end(),
        }
        self.begun.clear();
    }

    fn found(&mut self, event: Option<Event>, stamp: Stamp) {
        if let Some(event) = event {
            self.push(event, stamp);
        }
    }

    fn push(&mut self, event: Event, stamp: Stamp) {
        if !self.after_paste || !matches!(event, Event::Key(_)) {
            self.found.push_back((event, stamp));
        } else if let Some(c) = written(&event) {
            self.add(c.encode_utf8(&mut [0; 4]), stamp);
        }
    }

    /// Puts text behind the paste that came last.
    fn add(&mut self, text: &str, stamp: Stamp) {
        match self.found.back_mut() {
            Some((Event::Paste(paste), _)) => paste.push_str(text),
            Some(_) | None => self.found.push_back((Event::Paste(text.to_owned()), stamp)),
        }
    }

    fn end_paste(&mut self, came: Instant) {
        let Some(bytes) = self.paste.take() else { return };
        let (text, stamp) = (String::from_utf8_lossy(&bytes), self.stamp(came));
        if self.after_paste {
            self.add(&text, stamp);
        } else {
            self.found.push_back((Event::Paste(text.into_owned()), stamp));
        }
        (self.after_paste, self.pasted) = (true, true);
    }

    /// An end without a beginning: what waits with it was pasted, and so is what follows.
    fn stray_end(&mut self) {
        for (event, stamp) in self.begin_after_paste(0) {
            self.push(event, stamp);
        }
    }
}

/// As many keys as a hand can type in this time.
fn by_hand(time: Duration) -> usize {
    TOGETHER.saturating_add(usize::try_from(time.as_millis() / A_KEY.as_millis()).unwrap_or(usize::MAX))
}

/// What a key would have written, had it been pasted.
fn written(event: &Event) -> Option<char> {
    let Event::Key(key) = event else { return None };
    if key.kind == KeyEventKind::Release {
        return None;
    }
    let bare = !key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
    if key.code == KeyCode::Enter || key.code == KeyCode::Char('j') && !bare {
        Some('\n')
    } else if key.code == KeyCode::Tab {
        Some('\t')
    } else if let KeyCode::Char(c) = key.code {
        bare.then_some(c)
    } else {
        None
    }
}

#[cfg(test)]
mod tests;
