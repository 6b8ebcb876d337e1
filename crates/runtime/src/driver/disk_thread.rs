//! The driver's disk work besides the log: one thread that does it in order.
//!
//! Owns the thread and the queue before it, so that a slow disk stalls neither the loop nor a model's
//! stream, and of two writes of one file the later one stays. What changes the workspace, and what
//! waits for an answer of the user's, is work of its own and not done here.

use std::{
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::mpsc::{Receiver, SyncSender, sync_channel},
    thread::JoinHandle,
};

use tokio::sync::oneshot;
use tracing::Span;

/// Jobs that may wait; a loop that is so far ahead of the disk waits for it.
const WAITING: usize = 256;

type Job = Box<dyn FnOnce() + Send>;

/// The thread; its end waits for all that was queued.
pub(super) struct DiskThread {
    queue: Option<SyncSender<Job>>,
    thread: Option<JoinHandle<()>>,
}

impl DiskThread {
    /// Starts it.
    ///
    /// # Errors
    /// When there can be no further thread.
    pub fn start() -> io::Result<Self> {
        let (queue, jobs) = sync_channel(WAITING);
        let thread = std::thread::Builder::new().name("disk".to_owned()).spawn(move || work(&jobs))?;
        Ok(Self { queue: Some(queue), thread: Some(thread) })
    }

    /// Queues a job. What it comes to can be awaited; it is an error when the job panics.
    pub fn run<T: Send + 'static>(&self, job: impl FnOnce() -> T + Send + 'static) -> oneshot::Receiver<T> {
        let (tell, told) = oneshot::channel();
        let span = Span::current();
        // Nobody need wait for what it comes to.
        let job = move || drop(tell.send(span.in_scope(job)));
        if let Some(queue) = &self.queue {
            // Fails only once the thread has ended; then the receiver says so.
            drop(queue.send(Box::new(job)));
        }
        told
    }

    /// Does a job behind all that was queued and waits for it: for what must stand before anything is told of it.
    pub fn done(&self, job: impl FnOnce() + Send + 'static) {
        let (tell, told) = sync_channel(1);
        drop(self.run(move || {
            job();
            tell.send(())
        }));
        // An error is a job that panicked, which was noted.
        let _panicked = told.recv();
    }

    /// Waits for all that was queued; what comes later is not done.
    pub fn end(&mut self) {
        drop(self.queue.take());
        if let Some(thread) = self.thread.take() {
            // Its panics were caught and noted.
            drop(thread.join());
        }
    }
}

fn work(jobs: &Receiver<Job>) {
    for job in jobs {
        if catch_unwind(AssertUnwindSafe(job)).is_err() {
            tracing::error!("a part of the program failed");
        }
    }
}

impl Drop for DiskThread {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    #[tokio::test]
    async fn jobs_are_done_in_order_a_panic_ends_only_its_own_and_the_end_waits() {
        let done = Arc::new(Mutex::new(Vec::new()));
        let disk = DiskThread::start().unwrap();
        assert!(disk.run(|| panic!("a defect of the test")).await.is_err());
        for n in 0..100 {
            let done = Arc::clone(&done);
            drop(disk.run(move || done.lock().unwrap().push(n)));
        }
        assert_eq!(disk.run(|| 7).await.unwrap(), 7);
        disk.done(|| panic!("a defect of the test"));
        let waited = Arc::clone(&done);
        disk.done(move || waited.lock().unwrap().push(100));
        assert_eq!(done.lock().unwrap().last(), Some(&100));
        let last = Arc::clone(&done);
        drop(disk.run(move || last.lock().unwrap().push(101)));
        drop(disk);
        assert_eq!(*done.lock().unwrap(), (0..=101).collect::<Vec<_>>());
    }
}
