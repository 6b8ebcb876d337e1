//! `[notify]`: how the user is told of what wants their eye.
//!
//! Owns its shape and layering. Never tells anybody.

use pilothouse_core::port::{Notify, NotifyBy};
use serde::Deserialize;

use super::layer::settings;

settings! {
    /// What one source says.
    #[derive(Clone, Copy, Debug, Default, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    pub struct NotifyLayer {
        /// By the terminal.
        pub terminal: Option<NotifyTerminal>,
        /// On the desktop.
        pub desktop: Option<bool>,
        /// Also while the terminal is in front.
        pub always: Option<bool>,
    }
}

/// How a terminal is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NotifyTerminal {
    /// As the terminal is known to understand.
    Auto,
    /// OSC 9.
    Osc9,
    /// OSC 777.
    Osc777,
    /// OSC 99.
    Osc99,
    /// A bell.
    Bell,
    /// Not at all.
    Off,
}

impl NotifyLayer {
    /// What it comes to.
    pub fn settled(self) -> Notify {
        let terminal = match self.terminal {
            Some(NotifyTerminal::Auto) | None => None,
            Some(NotifyTerminal::Osc9) => Some(NotifyBy::Osc9),
            Some(NotifyTerminal::Osc777) => Some(NotifyBy::Osc777),
            Some(NotifyTerminal::Osc99) => Some(NotifyBy::Osc99),
            Some(NotifyTerminal::Bell) => Some(NotifyBy::Bell),
            Some(NotifyTerminal::Off) => Some(NotifyBy::Off),
        };
        let (desktop, always) = (self.desktop.unwrap_or_default(), self.always.unwrap_or_default());
        Notify { terminal, desktop, always }
    }
}
