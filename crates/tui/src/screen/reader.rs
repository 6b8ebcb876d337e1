//! What a draft is read with, made beside the loop.
//!
//! Owns the thread that makes it, started by the first draft: no key waits for it, and who types nothing pays nothing.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::Builder,
};

use pilothouse_core::intent::Classifier;
use tokio::sync::Notify;

/// What a draft is read with.
#[derive(Default)]
pub(super) struct Reader {
    /// `None` until the first draft; then whether it is there.
    made: Option<Arc<AtomicBool>>,
}

impl Reader {
    /// Whether a draft can be read without waiting; if not, `bell` rings when it can.
    pub(super) fn is_ready(&mut self, classifier: &Classifier, bell: &Arc<Notify>) -> bool {
        if let Some(made) = &self.made {
            return made.load(Ordering::Acquire);
        }
        let made = Arc::new(AtomicBool::new(false));
        self.made = Some(Arc::clone(&made));
        let (classifier, bell, there) = (classifier.clone(), Arc::clone(bell), Arc::clone(&made));
        let make = move || {
            classifier.prepare();
            there.store(true, Ordering::Release);
            bell.notify_one();
        };
        // Without a thread it is made by the first reading.
        if Builder::new().name("reader".into()).spawn(make).is_err() {
            made.store(true, Ordering::Release);
        }
        made.load(Ordering::Acquire)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_first_draft_waits_for_nothing_and_the_bell_rings_once_it_can_be_read() {
        let (mut reader, bell) = (Reader::default(), Arc::new(Notify::new()));
        let classifier = Classifier::configured(None, pilothouse_core::intent::Thresholds::default());
        reader.is_ready(&classifier, &bell);
        bell.notified().await;
        assert!(reader.is_ready(&classifier, &bell));
    }
}
