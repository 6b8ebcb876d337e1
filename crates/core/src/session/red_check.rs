//! The check that an agent ran last and that failed.
//!
//! Owns what answers it. Never says how a run ends.

use crate::{
    plan::{Gate, Plan},
    session::Run,
    shell::checks_as_much,
};

/// A check that an agent ran and that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedCheck {
    /// What it ran.
    pub line: String,
    /// Whether files were written since.
    pub mended: bool,
}

impl Run {
    /// Files were written.
    pub(super) fn writes(&mut self) {
        self.red.iter_mut().for_each(|red| red.mended = true);
    }

    /// The check that its agent ran last and that failed, where no gate checks as much.
    pub(super) fn red_check(&self, plan: Option<&Plan>) -> Option<&RedCheck> {
        let red = self.red.as_ref().filter(|_| !self.files.is_empty())?;
        let mut gates = plan.into_iter().flat_map(|p| &p.gates).filter(|g| g.is_met());
        // What was found is the project's own check as a whole; one that the user left out is told as that.
        let proven = gates.any(|g| (g.found && g.is_green()) || checks_as_much(&g.command, &red.line));
        (!proven).then_some(red)
    }
}

impl RedCheck {
    /// Whether it speaks of files as they were: they were changed since, and every gate of the plan is green on them or
    /// left out by the user.
    pub(super) fn is_of_before(&self, plan: Option<&Plan>) -> bool {
        let gates = plan.map_or(&[][..], |p| &p.gates);
        self.mended && gates.iter().any(Gate::is_green) && gates.iter().all(Gate::is_met)
    }
}
