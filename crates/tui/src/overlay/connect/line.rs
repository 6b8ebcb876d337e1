//! The lines of the page: what can be picked.
//!
//! Owns their names. Never what stands behind them.

use pilothouse_core::redact::Handed;

use crate::overlay::Written;

/// What can be picked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Line {
    Place,
    Address,
    Key,
    Model,
    Theme,
    Keep,
}

impl Written {
    /// What keys a text hands over that goes to this line: a name that is typed stays one, however it looks.
    pub(super) fn weighed(self, text: &str, to: Option<Line>) -> Handed<'_> {
        let is_name = self == Self::Typed && matches!(to, Some(Line::Address | Line::Model));
        if is_name { Handed::typed(text) } else { Handed::of(text) }
    }
}

impl Line {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Place => "Provider",
            Self::Address => "Address",
            Self::Key => "Key",
            Self::Model => "Model",
            Self::Theme => "Theme",
            Self::Keep => "Use it",
        }
    }
}
