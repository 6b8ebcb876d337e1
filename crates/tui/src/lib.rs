//! Placeholder.

pub mod pane;

pub mod conversation;
pub mod diff;
pub mod plan;

pub mod highlight;
pub mod markdown;
pub mod row;
pub mod theme;

#[cfg(test)]
mod story;
