//! How a risk is called and coloured.
//!
//! Owns those words. How dangerous a command is, core decides.

use pilothouse_core::{clean::Clean, shell::Risk};

use crate::theme::Slot;

/// What a risk is called, with its glyph.
pub const fn risk_name(risk: Risk, ascii: bool) -> &'static str {
    match (risk, ascii) {
        (Risk::Low, false) => "· low",
        (Risk::Low, true) => ". low",
        (Risk::Medium, false) => "⚠ medium",
        (Risk::Medium, true) => "! medium",
        (Risk::High, false) => "▲ high",
        (Risk::High, true) => "!! high",
    }
}

/// The colour of a risk.
pub const fn risk_slot(risk: Risk) -> Slot {
    match risk {
        Risk::Low => Slot::Soft,
        Risk::Medium => Slot::Warn,
        Risk::High => Slot::Bad,
    }
}

/// Why a command is judged so, in the program's words, then what the agent gave as its reason.
pub fn judged(why: &str, reason: &str) -> Clean {
    if reason.is_empty() { Clean::line(why) } else { Clean::line(&format!("{why}   agent: \"{reason}\"")) }
}
