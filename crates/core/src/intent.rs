//! The intent DAG: how deep a message reaches, and which code path handles it.
//!
//! Owns nodes, valid paths, turns and the classification of a message. Never decides whether an
//! effect may happen: that is [`crate::scope`] and the session's executor.

pub mod classify;
pub mod node;
pub mod path;
pub mod turn;

pub use classify::{Classifier, Message, Reading, Source};
pub use node::IntentNode;
pub use path::{IntentPath, InvalidPath};
pub use turn::{Control, Mode, Phase, PlanSub, QuerySub, Turn};
