//! `pilothouse-index` finds passages of the workspace and says whether what is cited stands there.
//!
//! It owns the database beside the project: which words, names and vectors stand in which lines, and what defines,
//! imports and links to what. It never writes to the workspace, never reads what is ignored or holds secrets, and
//! runs nothing by itself. The text of a passage always comes from its file.

mod index;

mod graph;
mod ground;
mod rank;
mod search;

mod bag;
mod cut;
mod embedding;
mod error;
mod fields;
mod imports;
mod language;
mod store;
mod vectors;
mod vocabulary;
mod words;

pub use error::IndexError;
pub use ground::Seen;
pub use index::{Index, Progress, Watch};
pub use search::{MOST, May};
