//! Work on many things of a file system, on every processor at once.
//!
//! Owns how many threads that takes. Never knows what is done.

use std::{
    num::NonZeroUsize,
    panic::resume_unwind,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

/// More threads do not make a file system answer sooner.
const MOST_THREADS: usize = 8;
/// So few things are done by one thread.
const FEW: usize = 64;

/// The places of a list, each of which is taken by one thread.
pub(crate) struct Places(AtomicUsize);

impl Places {
    /// The next one, in order, whether the list goes so far or not.
    pub fn next(&self) -> usize {
        self.0.fetch_add(1, Ordering::Relaxed)
    }
}

/// Does work on a list of so many things, here and on other threads where they are many: each takes places until it ends.
/// Gives what all of them made, in no order.
pub(crate) fn on_all<T: Send>(of: usize, work: impl Fn(&Places) -> Vec<T> + Sync) -> Vec<T> {
    let places = Places(AtomicUsize::new(0));
    let work = || work(&places);
    let others = match of {
        0..=FEW => 0,
        _ => thread::available_parallelism().map_or(1, NonZeroUsize::get).min(MOST_THREADS) - 1,
    };
    thread::scope(|scope| {
        // Where no thread can be had this one does all.
        let start = |_| thread::Builder::new().spawn_scoped(scope, work).ok();
        let started: Vec<_> = (0..others).map_while(start).collect();
        let mut all = work();
        for other in started {
            all.extend(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        all
    })
}
