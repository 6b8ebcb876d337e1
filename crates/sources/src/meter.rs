//! What a server writes, counted: a line without an end and a flood end the connection, not the memory.
//!
//! Owns the counts and why reading stopped. Never looks at what the bytes mean.

use std::{
    io,
    pin::Pin,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll},
};

use tokio::io::{AsyncRead, ReadBuf};

/// The longest message, in bytes.
pub(crate) const MOST_MESSAGE: usize = 8 << 20;
/// The most that is read between one question of ours and the next, in bytes.
const MOST_BYTES: u64 = 64 << 20;
/// What is kept of the complaints of a server, in bytes.
const MOST_COMPLAINT: usize = 2_000;

/// What was counted, and what the server said last on its error output.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    line: AtomicU64,
    all: AtomicU64,
    stopped: Mutex<Option<String>>,
    complaint: Mutex<String>,
}

impl Meter {
    /// A question goes out: from here on it is counted anew.
    pub fn begin(&self) {
        self.all.store(0, Ordering::Relaxed);
    }

    /// Why no more is read, if that is so.
    pub fn stopped(&self) -> Option<String> {
        self.stopped.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What the server said last on its error output, in a line.
    pub fn complaint(&self) -> String {
        let kept = self.complaint.lock().unwrap_or_else(PoisonError::into_inner);
        let lines: Vec<&str> = kept.lines().map(str::trim).filter(|l| !l.is_empty()).collect();
        lines.iter().rev().take(2).rev().copied().collect::<Vec<_>>().join(" / ").chars().take(300).collect()
    }

    /// It said this on its error output.
    pub fn complained(&self, bytes: &[u8]) {
        let mut kept = self.complaint.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push_str(&String::from_utf8_lossy(bytes));
        let over = kept.chars().count().saturating_sub(MOST_COMPLAINT);
        if over > 0 {
            *kept = kept.chars().skip(over).collect();
        }
    }

    fn count(&self, bytes: &[u8]) -> io::Result<()> {
        let n = bytes.len() as u64;
        let line = match bytes.iter().rposition(|b| *b == b'\n') {
            Some(end) => (bytes.len() - end - 1) as u64,
            None => self.line.load(Ordering::Relaxed) + n,
        };
        self.line.store(line, Ordering::Relaxed);
        let all = self.all.fetch_add(n, Ordering::Relaxed) + n;
        let why = if line > MOST_MESSAGE as u64 {
            format!("a message of it has more than {} MiB", MOST_MESSAGE >> 20)
        } else if all > MOST_BYTES {
            format!("it wrote more than {} MiB without being asked", MOST_BYTES >> 20)
        } else {
            return Ok(());
        };
        *self.stopped.lock().unwrap_or_else(PoisonError::into_inner) = Some(why.clone());
        Err(io::Error::other(why))
    }
}

/// Reads with a count.
#[derive(Debug)]
pub(crate) struct Metered<R> {
    pub read: R,
    pub meter: std::sync::Arc<Meter>,
}

impl<R: AsyncRead + Unpin> AsyncRead for Metered<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let read = Pin::new(&mut self.read).poll_read(cx, buf);
        if matches!(read, Poll::Ready(Ok(()))) {
            return Poll::Ready(self.meter.count(buf.filled().get(before..).unwrap_or_default()));
        }
        read
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_line_and_a_flood_have_an_end() {
        let meter = Meter::default();
        let piece = vec![b'x'; 1 << 20];
        for _ in 0..MOST_MESSAGE >> 20 {
            meter.count(&piece).unwrap();
        }
        assert!(meter.count(&piece).is_err() && meter.stopped().unwrap().contains("message"));
        let meter = Meter::default();
        let lines = vec![b'\n'; 1 << 20];
        let all: Vec<_> = (0..65).map(|_| meter.count(&lines)).collect();
        assert!(all.iter().take(64).all(Result::is_ok) && all.last().is_some_and(Result::is_err));
        meter.begin();
        assert!(meter.count(&lines).is_ok(), "a question that goes out counts anew");
    }

    #[test]
    fn of_complaints_the_last_lines_are_kept() {
        let meter = Meter::default();
        for n in 0..10_000 {
            meter.complained(format!("line {n}\n").as_bytes());
        }
        assert_eq!(meter.complaint(), "line 9998 / line 9999");
    }
}
