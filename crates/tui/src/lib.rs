//! Placeholder.

pub mod pane;

pub mod conversation;
pub mod diff;
pub mod plan;

pub mod theme;
