//! `session.budget`: what a session may spend before it asks.
//!
//! Owns how it is written, and what a project may do to it. Never counts.

use pilothouse_core::money::{Configured, Limits};
use serde::Deserialize;

/// What a session may spend where nobody wrote anything and the price is known: ten US dollars.
const USUAL_MICROS: u64 = 10_000_000;

/// What one source says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum BudgetSetting {
    /// No budget.
    Off,
    /// So much.
    UpTo(Limits),
}

impl TryFrom<String> for BudgetSetting {
    type Error = String;

    fn try_from(said: String) -> Result<Self, String> {
        if said == "off" { Ok(Self::Off) } else { Limits::parse(&said).map(Self::UpTo) }
    }
}

impl BudgetSetting {
    /// What the user's own layers come to.
    pub(super) fn settled(said: Option<Self>) -> Configured {
        match said {
            None => Configured { usual: Some(USUAL_MICROS), ..Configured::default() },
            Some(Self::Off) => Configured::default(),
            Some(Self::UpTo(limits)) => Configured { limits, ..Configured::default() },
        }
    }

    /// What is left of it where a project says this: it only lowers.
    pub(super) fn lower(self, own: Configured) -> Configured {
        let Self::UpTo(asked) = self else { return own };
        match asked.micros.zip(own.usual) {
            Some((micros, usual)) => {
                let asked = Limits { micros: Some(micros.min(usual)), ..asked };
                Configured { limits: own.limits.lower(asked), usual: None, ..own }
            }
            None => Configured { limits: own.limits.lower(asked), ..own },
        }
    }
}
