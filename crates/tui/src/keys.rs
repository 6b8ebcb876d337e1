//! What comes from the terminal, each with the time at which it can have come at the earliest.
//!
//! Owns the reading: a thread of crossterm's sleeps in a read and wakes the loop. Never blocks the
//! loop and never wakes it for nothing.

use std::{
    future::poll_fn,
    io,
    task::{Context, Poll},
    time::Instant,
};

use crossterm::event::{Event, EventStream};
use futures::StreamExt;

/// Events of the terminal.
pub struct Keys {
    stream: Option<EventStream>,
    /// When it was last seen that nothing waits.
    empty: Instant,
}

impl Keys {
    /// Begins to read.
    pub fn listen() -> Self {
        Self { stream: Some(EventStream::new()), empty: Instant::now() }
    }

    /// Stops reading, so that another program can: the thread leaves its read.
    pub fn pause(&mut self) {
        self.stream = None;
    }

    /// Reads again.
    pub fn resume(&mut self) {
        self.empty = Instant::now();
        self.stream = Some(EventStream::new());
    }

    /// The next event and when it came. One that already lay there came at some time since nothing
    /// did; the earliest is taken: a key must never seem newer than it may be.
    ///
    /// # Errors
    /// When the terminal went away.
    pub async fn next(&mut self) -> io::Result<(Event, Instant)> {
        let mut waited = false;
        poll_fn(|cx| {
            // The loop slept until now, so nothing can have come earlier: not this event, and not
            // those that came with it.
            if waited {
                self.empty = Instant::now();
            }
            waited = true;
            let came = self.empty;
            self.poll(cx, came)
        })
        .await
    }

    /// An event that already lies there.
    ///
    /// # Errors
    /// When the terminal went away.
    pub async fn waiting(&mut self) -> Option<io::Result<(Event, Instant)>> {
        // Polled with the loop's own waker: the reading thread keeps the first that it is given.
        poll_fn(|cx| {
            let came = self.empty;
            match self.poll(cx, came) {
                Poll::Ready(event) => Poll::Ready(Some(event)),
                Poll::Pending => Poll::Ready(None),
            }
        })
        .await
    }

    fn poll(&mut self, cx: &mut Context<'_>, came: Instant) -> Poll<io::Result<(Event, Instant)>> {
        let Some(stream) = &mut self.stream else { return Poll::Pending };
        match stream.poll_next_unpin(cx) {
            Poll::Ready(Some(Ok(event))) => Poll::Ready(Ok((event, came))),
            Poll::Ready(Some(Err(error))) => Poll::Ready(Err(error)),
            Poll::Ready(None) => Poll::Ready(Err(io::ErrorKind::UnexpectedEof.into())),
            Poll::Pending => {
                self.empty = Instant::now();
                Poll::Pending
            }
        }
    }
}
