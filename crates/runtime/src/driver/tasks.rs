//! The tasks beside the loop: started in one place, and none outlives the driver.
//!
//! Owns their end. Never knows what they do.

use std::future::Future;

use tokio::time::{Instant, timeout_at};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tracing::{Instrument, Span};

/// The tasks of one driver; clones share them.
#[derive(Clone, Default)]
pub(super) struct Tasks {
    all: TaskTracker,
    stop: CancellationToken,
}

impl Tasks {
    /// Starts a task that is given up when the driver ends.
    pub fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        let stop = self.stop.clone();
        let work = async move { stop.run_until_cancelled_owned(work).await.unwrap_or_default() };
        drop(self.all.spawn(work.instrument(Span::current())));
    }

    /// Does disk work off the runtime's threads; once begun it is waited for, even at the end.
    ///
    /// # Errors
    /// When it panics.
    pub async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, tokio::task::JoinError> {
        let span = Span::current();
        self.all.spawn_blocking(move || span.in_scope(work)).await
    }

    /// Gives up what waits and waits for what writes, until `deadline` at the latest.
    pub async fn end(&self, deadline: Instant) {
        self.stop.cancel();
        self.all.close();
        if timeout_at(deadline, self.all.wait()).await.is_err() {
            tracing::warn!(tasks = self.all.len(), "work did not end in time");
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::{sync::mpsc::sync_channel, time::Duration};

    use super::*;

    #[tokio::test]
    async fn the_end_gives_up_what_waits_and_waits_for_what_writes() {
        let tasks = Tasks::default();
        let (dropped, given_up) = tokio::sync::oneshot::channel::<()>();
        tasks.spawn(async move {
            std::future::pending::<()>().await;
            drop(dropped);
        });
        let (go, begin) = sync_channel::<()>(1);
        let (done, ended) = sync_channel(1);
        let (ready, running) = tokio::sync::oneshot::channel();
        let (theirs, work) = (tasks.clone(), move || {
            ready.send(()).unwrap();
            begin.recv().unwrap();
            done.send(()).unwrap();
        });
        tasks.spawn(async move { theirs.blocking(work).await.unwrap() });
        running.await.unwrap();
        let end = tasks.end(Instant::now() + Duration::from_mins(1));
        tokio::pin!(end);
        assert!(futures::poll!(&mut end).is_pending(), "it did not wait");
        assert!(given_up.await.is_err());
        go.send(()).unwrap();
        end.await;
        ended.try_recv().unwrap();
    }
}
