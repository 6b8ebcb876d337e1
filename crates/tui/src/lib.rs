//! `pilothouse-tui` shows: it folds events into what to draw and turns keys into inputs.
//!
//! It owns the terminal, the panes, the composer, the keymap and the themes. It never reads a
//! file, starts a process or decides anything: it speaks to the driver through channels of
//! `pilothouse-core` types.

pub mod app;
pub mod screen;
pub mod window;

pub use screen::{Look, Reason, Screen, ScreenReport, Signal, Wiring};

pub mod answers;
pub mod ctx;
pub mod overlay;
pub mod pane;

pub mod bar;
pub mod composer;
pub mod frame;
pub mod reach;
pub mod risk;
pub mod status;

pub mod keymap;
pub mod layout;
pub mod preview;
pub mod standing;

pub mod ground;
pub mod keys;
pub mod notify;
pub mod pace;
pub mod terminal;

pub mod highlight;
pub mod markdown;
pub mod row;
pub mod theme;

#[cfg(test)]
mod story;
