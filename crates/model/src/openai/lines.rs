//! The bytes of a stream on their way to the parser of events, and a witness of how they ended.
//!
//! Owns what a server may do to a stream: a byte order mark goes, a byte that is no UTF-8 becomes a
//! replacement character, an event has a largest size. The parser gets one whole line at a time, so that
//! its work is linear in what was sent, however it was cut.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use bytes::Bytes;
use futures::{Stream, StreamExt};

use super::{fault::deepest, silence::within};

/// What some servers begin a stream with.
pub(super) const BOM: &[u8] = b"\xef\xbb\xbf";
/// One event holds at most this much; a whole file as one argument fits.
pub(super) const MOST_EVENT_BYTES: usize = 16 * 1024 * 1024;

/// What the witness saw of the stream.
#[derive(Default)]
pub(super) struct Seen {
    /// `[DONE]` came.
    pub done: bool,
    /// An `event: error` line came.
    pub error_event: bool,
    /// How the bytes ended, if they did.
    pub end: Option<End>,
}

/// How the bytes of a stream ended.
pub(super) enum End {
    /// The server closed it in good order.
    Closed,
    /// Nothing came for too long.
    Silent,
    /// The connection broke, with the cause.
    Broken(String),
    /// One event was larger than [`MOST_EVENT_BYTES`].
    TooLarge,
}

/// Shared between the service and the reader of the stream.
pub(super) type StreamObserver = Arc<Mutex<Seen>>;

/// What the witness saw so far.
pub(super) fn look(witness: &StreamObserver) -> MutexGuard<'_, Seen> {
    witness.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The lines of a stream.
pub(super) struct Lines<S> {
    bytes: S,
    witness: StreamObserver,
    silence: Duration,
    /// The beginning of the line that is under way.
    line: Vec<u8>,
    /// Whole lines that the parser has not taken yet.
    whole: VecDeque<Bytes>,
    /// Bytes of the event that is under way.
    event: usize,
    first: bool,
    after_return: bool,
    over: bool,
}

impl<S: Stream<Item = Result<Bytes, reqwest::Error>> + Unpin + Send> Lines<S> {
    /// The lines of `first` and of what follows it; silence is told after `silence`.
    pub fn new(bytes: S, first: &[u8], witness: StreamObserver, silence: Duration) -> Self {
        let mut lines = Self {
            bytes,
            witness,
            silence,
            line: Vec::new(),
            whole: VecDeque::new(),
            event: 0,
            first: true,
            after_return: false,
            over: false,
        };
        lines.take(first);
        lines
    }

    /// The next line, or how the stream broke.
    pub async fn next(mut self) -> Option<(Result<Bytes, std::io::Error>, Self)> {
        loop {
            if let Some(line) = self.whole.pop_front() {
                return Some((Ok(line), self));
            }
            if self.over {
                return None;
            }
            if self.event > MOST_EVENT_BYTES {
                return Some(self.broken(End::TooLarge, "too large"));
            }
            match within(self.silence, self.bytes.next()).await {
                Some(Some(Ok(bytes))) => self.take(&bytes),
                // A last event without its blank line would be dropped by the parser.
                Some(None) => {
                    self.end_line();
                    self.end_line();
                    self.over = true;
                    look(&self.witness).end = Some(End::Closed);
                }
                Some(Some(Err(e))) => return Some(self.broken(End::Broken(deepest(&e)), "broken")),
                None => return Some(self.broken(End::Silent, "silent")),
            }
        }
    }

    fn broken(mut self, end: End, why: &'static str) -> (Result<Bytes, std::io::Error>, Self) {
        look(&self.witness).end = Some(end);
        self.over = true;
        (Err(std::io::Error::other(why)), self)
    }

    fn take(&mut self, bytes: &[u8]) {
        for part in bytes.split_inclusive(|b| matches!(b, b'\n' | b'\r')) {
            let (text, ending) = match part.split_last() {
                Some((ending @ (b'\n' | b'\r'), text)) => (text, Some(*ending)),
                Some(_) | None => (part, None),
            };
            let paired = std::mem::take(&mut self.after_return) && text.is_empty() && ending == Some(b'\n');
            if paired {
                continue;
            }
            self.event += text.len();
            if self.event > MOST_EVENT_BYTES {
                return;
            }
            self.line.extend_from_slice(text);
            if let Some(ending) = ending {
                self.after_return = ending == b'\r';
                self.end_line();
            }
        }
    }

    fn end_line(&mut self) {
        let bytes = std::mem::take(&mut self.line);
        let text =
            if std::mem::take(&mut self.first) { bytes.strip_prefix(BOM).unwrap_or(&bytes) } else { &bytes };
        if text.is_empty() {
            self.event = 0;
        }
        let mut line = String::from_utf8_lossy(text).into_owned();
        match line.split_once(':').map(|(field, value)| (field, value.trim())) {
            Some(("data", "[DONE]")) => look(&self.witness).done = true,
            Some(("event", "error")) => look(&self.witness).error_event = true,
            _ => {}
        }
        line.push('\n');
        self.whole.push_back(line.into());
    }
}
