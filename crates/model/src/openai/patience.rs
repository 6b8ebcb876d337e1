//! Waits for a server, which the user can end.
//!
//! Owns who waits. Never says for how long.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use tokio::{sync::Notify, time::timeout};

/// The waits of one client.
#[derive(Debug, Default)]
pub(super) struct Patience {
    waiting: AtomicUsize,
    enough: Notify,
}

impl Patience {
    /// Waits so long, or until that is enough; whether it was.
    pub async fn wait(&self, time: Duration) -> bool {
        let enough = self.enough.notified();
        let _waits = Waits::begin(&self.waiting);
        timeout(time, enough).await.is_ok()
    }

    /// Ends every wait; whether there was one.
    pub fn end(&self) -> bool {
        self.enough.notify_waiters();
        self.waiting.load(Ordering::Relaxed) > 0
    }
}

/// One who waits, until it is dropped.
struct Waits<'a>(&'a AtomicUsize);

impl<'a> Waits<'a> {
    fn begin(waiting: &'a AtomicUsize) -> Self {
        waiting.fetch_add(1, Ordering::Relaxed);
        Self(waiting)
    }
}

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
