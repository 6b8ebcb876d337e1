//! Waits for a server, which the user can end.
//!
//! Owns who waits. Never says for how long.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::{sync::Notify, time::timeout};

/// The waits of one session, whichever client waits and however long it lasts; clones share them.
#[derive(Clone, Debug, Default)]
pub struct Patience(Arc<Waiting>);

#[derive(Debug, Default)]
struct Waiting {
    all: AtomicUsize,
    enough: Notify,
}

impl Patience {
    /// Waits so long, or until that is enough; whether it was.
    pub(super) async fn wait(&self, time: Duration) -> bool {
        let enough = self.0.enough.notified();
        let _waits = Waits::begin(&self.0.all);
        timeout(time, enough).await.is_ok()
    }

    /// Ends every wait: what waits is sent at once. Whether anything did.
    pub fn end(&self) -> bool {
        self.0.enough.notify_waiters();
        self.0.all.load(Ordering::Relaxed) > 0
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
