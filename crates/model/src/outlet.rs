//! The lossy way out for deltas: merges what does not fit, never waits.
//!
//! Owns the backlog of one reply. The final reply, not this, is the truth.

use std::collections::VecDeque;

use pilothouse_core::talk::ModelDelta;
use tokio::sync::mpsc::{Sender, error::TrySendError};

/// Sends the deltas of one reply and keeps what the channel has no room for, merged.
pub(crate) struct Outlet {
    to: Sender<ModelDelta>,
    backlog: VecDeque<ModelDelta>,
}

impl Outlet {
    pub(crate) fn new(to: Sender<ModelDelta>) -> Self {
        Self { to, backlog: VecDeque::new() }
    }

    /// Sends `delta` after what waits; keeps it when there is no room.
    pub(crate) fn send(&mut self, delta: ModelDelta) {
        if let Some(delta) = self.merge(delta) {
            self.backlog.push_back(delta);
        }
        self.flush();
    }

    /// Forgets what waits: it counts no more.
    pub(crate) fn clear(&mut self) {
        self.backlog.clear();
    }

    /// Sends what waits, as far as there is room.
    pub(crate) fn flush(&mut self) {
        while let Some(delta) = self.backlog.pop_front() {
            match self.to.try_send(delta) {
                Ok(()) => {}
                Err(TrySendError::Full(delta)) => return self.backlog.push_front(delta),
                Err(TrySendError::Closed(_)) => return self.backlog.clear(),
            }
        }
    }

    fn merge(&mut self, delta: ModelDelta) -> Option<ModelDelta> {
        match (self.backlog.back_mut(), delta) {
            (Some(ModelDelta::Text(old)), ModelDelta::Text(new))
            | (Some(ModelDelta::Reasoning(old)), ModelDelta::Reasoning(new)) => {
                old.push_str(&new);
                None
            }
            (Some(old @ ModelDelta::Call { .. }), new @ ModelDelta::Call { .. })
            | (Some(old @ ModelDelta::Written(_)), new @ ModelDelta::Written(_)) => {
                *old = new;
                None
            }
            (_, delta) => Some(delta),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_full_channel_merges_text_and_loses_none_of_it() {
        let (tx, mut rx) = tokio::sync::mpsc::channel(1);
        let mut outlet = Outlet::new(tx);
        for piece in ["a", "b", "c"] {
            outlet.send(ModelDelta::Text(piece.into()));
        }
        assert_eq!(rx.recv().await.unwrap(), ModelDelta::Text("a".into()));
        outlet.send(ModelDelta::Reasoning("r".into()));
        assert_eq!(rx.recv().await.unwrap(), ModelDelta::Text("bc".into()));
        outlet.flush();
        assert_eq!(rx.recv().await.unwrap(), ModelDelta::Reasoning("r".into()));
    }

    #[test]
    fn a_closed_channel_is_no_failure() {
        let (tx, rx) = tokio::sync::mpsc::channel(1);
        drop(rx);
        let mut outlet = Outlet::new(tx);
        outlet.send(ModelDelta::Text("a".into()));
        assert!(outlet.backlog.is_empty());
    }
}
