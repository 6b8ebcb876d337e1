//! `pilothouse-intent` understands: how deep a message reaches, and which code path handles it.
//!
//! It owns the intent DAG (nodes, valid paths, the scopes they carry), turns and the classification of a
//! message. It knows nothing of sessions, and never decides whether an effect may happen: that is the
//! session's gate.

mod claim;
pub mod classify;
pub mod command;
pub mod embed;
pub mod exemplars;
pub mod features;
pub mod mode;
pub mod node;
mod parts;
pub mod path;
pub mod paused;
pub mod reading;
pub mod scope;
pub mod similar;
pub mod stats;
pub mod tier_answer;
pub mod turn;
mod undo;
pub mod why;

mod account;
mod again;
mod against;
mod answer;
mod apart;
mod commit;
mod consent;
mod context;
mod continued;
mod fold;
mod forbid;
mod framed;
mod halt;
mod join;
mod kept;
mod lexicon;
mod message;
mod offer;
mod phrase;
mod picked;
mod revise;
mod rules;
mod sequence;
mod shell;
mod shown;
mod spare;
mod steer;
mod structure;
mod subs;
mod target;
mod text;
mod vote;
mod words;

pub use account::{RecordQuestion, Recorded};
pub use classify::Classifier;
pub use command::{SLASH_COMMANDS, Slash, SlashCommand};
pub use consent::{Consent, Leave};
pub use exemplars::{ExemplarError, Exemplars, Section};
pub use kept::Kept;
pub use node::IntentNode;
pub use parts::Part;
pub use path::{IntentPath, InvalidPath};
pub use paused::PausedTurn;
pub use picked::Picked;
pub use reading::{
    Clarify, Classification, CliRow, CliSegment, CliTurn, Last, Message, Reading, Segment, Source, cli_row,
};
pub use shown::Shown;
pub use similar::{Index, Thresholds};
pub use tier_answer::TierAnswer;
pub use turn::{Control, Mode, Phase, PlanSub, QuerySub, Turn};
pub use undo::{Nth, TakenBack};
pub use why::{Flip, Why};
