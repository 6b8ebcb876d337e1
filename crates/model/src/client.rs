//! The one trait behind which every model stands, and what is left of a reply that did not end.
//!
//! Owns the contract: deltas are lossy, a cancel is obeyed at once, nothing said so far is lost.

use futures::future::BoxFuture;
use pilothouse_core::talk::{Fault, FaultKind, ModelDelta, ModelReply, ModelRequest};
use tokio::sync::mpsc::Sender;
use tokio_util::sync::CancellationToken;

/// Something that answers a [`ModelRequest`].
pub trait ModelClient: Send + Sync {
    /// Asks for one reply. Pieces go to `deltas` while it comes; the channel is never waited for:
    /// when it is full, text is merged and sent later or not at all, and the reply heals the gap.
    /// When `cancel` fires, the future ends at once with [`FaultKind::Cancelled`] and the
    /// connection is dropped.
    ///
    /// # Errors
    /// [`Unfinished`]: why the reply did not end, with everything that had come until then.
    fn reply(
        &self,
        request: ModelRequest,
        deltas: Sender<ModelDelta>,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<ModelReply, Unfinished>>;
}

/// A reply that did not end: why, and what had come.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{fault}")]
pub struct Unfinished {
    /// Why it did not end.
    pub fault: Fault,
    /// What had come: text, thinking and an estimated usage. Never calls, for half a call must
    /// not be acted on.
    pub partial: Box<ModelReply>,
}

impl Unfinished {
    /// What had come, if the user stopped the reply after it had begun: to be recorded as a
    /// message that was cut off. `None` for a failure and for a reply that had not begun.
    pub fn stopped(self) -> Option<ModelReply> {
        let begun = !self.partial.text.is_empty() || !self.partial.reasoning.is_empty();
        (self.fault.kind == FaultKind::Cancelled && begun).then_some(*self.partial)
    }
}

impl From<Fault> for Unfinished {
    fn from(fault: Fault) -> Self {
        Self { fault, partial: Box::default() }
    }
}

/// The fault of a reply that the user stopped.
pub(crate) fn cancelled() -> Fault {
    Fault {
        kind: FaultKind::Cancelled,
        message: "stopped by the user".to_owned(),
        hint: "say it again to start over".to_owned(),
        status: None,
    }
}
