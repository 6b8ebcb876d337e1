//! Placeholder.
/// Offline.
pub struct Offline;
