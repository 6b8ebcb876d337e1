//! `[agents]`: how much may be handed on to sub-agents.
//!
//! Owns its shape and layering. Never starts one.

use pilothouse_core::session::AgentBounds;
use serde::Deserialize;

use super::layer::settings;

settings! {
    /// What one source says.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    pub struct AgentsLayer {
        /// Sub-agents that one piece of work may start in all.
        pub most: Option<usize>,
        /// Of these at the same time.
        pub at_once: Option<usize>,
        /// Model calls of one before it must report.
        pub calls: Option<u32>,
        /// US dollars that those of one piece of work may cost together.
        pub dollars: Option<f64>,
    }
}

impl AgentsLayer {
    /// What it comes to.
    pub(super) fn settled(self) -> AgentBounds {
        let shipped = AgentBounds::default();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded before")]
        let micros = |dollars: f64| (dollars.clamp(0.0, 1e6) * 1e6).round() as u64;
        AgentBounds {
            most: self.most.unwrap_or(shipped.most),
            at_once: self.at_once.unwrap_or(shipped.at_once).max(1),
            calls: self.calls.unwrap_or(shipped.calls).max(1),
            cost_micros: self.dollars.map_or(shipped.cost_micros, micros),
        }
    }
}
