//! Gates whose line an agent ran itself and found red: on the same files that is what their own run would say.
//!
//! Owns when one is believed, and when it runs again. Never runs one.

use super::Draft;
use crate::{
    blob::BlobId,
    digest,
    event::{Event, Proof},
    ids::{GateId, LaneId},
    phase::Trigger,
    plan::{Gate, GateStatus, Pause, Plan},
    scope::PermissionMode,
    shell::checks_each_file,
};

impl Draft<'_> {
    /// Whether a red gate waits for its repair or for the user, or for a look at the files: one that an agent ran red is
    /// asked about where they are as they were then, else it is run again once its time comes.
    pub(super) fn waits_at_red(&mut self, plan: &Plan) -> bool {
        let asked = self.state.failure.as_ref().and_then(|f| f.gate);
        let mut red = plan.gates.iter().filter(|g| g.is_red());
        if red.clone().any(|g| Some(g.id) == asked) {
            return true;
        }
        if self.state.run_lanes().next().is_some() {
            return false;
        }
        if self.state.run.as_ref().is_some_and(|run| run.looking.is_some()) {
            return true;
        }
        if red.any(|gate| plan.is_due(gate) && self.ran_on(gate).is_some()) {
            self.look_at_tree();
            return true;
        }
        self.settle_tried(None)
    }

    /// The files on which a gate was red last, where nothing changed meanwhile.
    fn ran_on(&self, gate: &Gate) -> Option<BlobId> {
        let GateStatus::Failed(evidence) = gate.status else { return None };
        self.state.trees.get(&evidence).filter(|proven| proven.still).map(|proven| proven.tree)
    }

    /// Whether an agent saw a gate red in this line of work, on files that are known.
    pub(super) fn saw_red(&self, lane: LaneId, gate: GateId) -> bool {
        let gate = self.state.plan.as_ref().and_then(|p| p.gate(gate));
        gate.is_some_and(|gate| {
            let later = matches!(gate.status, GateStatus::Failed(evidence) if evidence.0 > lane.0);
            later && self.ran_on(gate).is_some()
        })
    }

    /// The files are as this says: of the gates that an agent ran red, one that was so on them is asked about, and
    /// those of other files run again. Whether one is asked about.
    pub(super) fn settle_tried(&mut self, tree: Option<BlobId>) -> bool {
        if self.state.run_lanes().next().is_some() {
            return false;
        }
        let Some(plan) = &self.state.plan else { return false };
        let red = plan.gates.iter().filter(|g| g.is_red());
        let stays = |g: &Gate| tree.is_some() && self.ran_on(g) == tree && plan.is_due(g) && self.counts(g);
        let (stay, again): (Vec<&Gate>, Vec<&Gate>) = red.partition(|g| stays(g));
        let stay = stay.first().map(|g| g.id);
        let again: Vec<GateId> = again.iter().map(|g| g.id).collect();
        for gate in again {
            self.emit(Event::GateReset { gate, skipped: false, why: None });
        }
        let Some(gate) = stay else { return false };
        self.emit(Event::GateStaysRed { gate });
        self.must_go(Trigger::GateFail);
        self.reached_red(gate);
        true
    }

    /// A gate is red, which nothing repairs: where changes are written unasked its repair begins by itself, as often in
    /// a run as it may, unless the plan pauses there or the agent asked something before. Else the user is asked.
    pub(super) fn reached_red(&mut self, gate: GateId) {
        let auto = self.state.permission == PermissionMode::Auto && self.may_run();
        let pauses = self.state.plan.as_ref().is_some_and(|p| p.pauses_at(Pause::FailedGate));
        let free = self.state.phase_question().is_none() && self.state.run_lane().is_none();
        // No change of the agent's puts packages there.
        let asks = pauses || self.state.asked_last.is_some() || self.lacks_packages(gate).is_some();
        let tried = self.state.repairs_of(gate);
        if auto && free && !asks && tried < self.most_repairs() {
            return self.start_repair(gate, tried + 1, false);
        }
        self.ask_of_phase();
    }

    /// What the line of a gate needs and is not here, with the command that mends it.
    pub(super) fn lacks_packages(&self, gate: GateId) -> Option<String> {
        let gate = self.state.plan.as_ref()?.gate(gate)?;
        self.under.unready(&gate.command)
    }

    /// Whether the red of a gate counts whoever ran its line: what nobody asked for may be left out by what its own run
    /// shows.
    fn counts(&self, gate: &Gate) -> bool {
        let Some(proof) = self.state.run.as_ref().and_then(|run| run.reds.get(&gate.id)) else {
            return false;
        };
        let Proof { command, exit, diagnostics, .. } = proof;
        let old = || !self.state.facts.was_green(command) && self.state.wrote_no_code();
        !gate.found || !digest::could_not_run(exit.code, diagnostics) && !checks_each_file(command) && !old()
    }
}
