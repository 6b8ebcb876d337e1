//! `pilothouse-tui` shows: it folds events into what to draw and turns keys into inputs.
//!
//! It owns the terminal, the panes, the composer, the keymap and the themes. It never reads a
//! file, starts a process or decides anything: it speaks to the driver through channels of
//! `pilothouse-core` types.

pub mod pane;

pub mod conversation;
pub mod diff;
pub mod plan;

pub mod approvals;
pub mod composer;
pub mod frame;
pub mod prompt;

pub mod command;
pub mod keymap;
pub mod keys;
pub mod layout;
pub mod pace;
pub mod preview;
pub mod status;
pub mod terminal;

pub mod theme;
