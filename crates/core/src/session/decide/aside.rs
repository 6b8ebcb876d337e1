//! What is set aside: proposals and plans whose work ended before the user had decided.
//!
//! Owns how they are put there, listed, taken up again and given up. Never drops one unasked.

use std::collections::{BTreeMap, BTreeSet};

use super::{Decided, Draft};
use crate::{
    event::{Event, Level},
    ids::{LaneId, ProposalId, TaskId, TurnId},
    input::Refusal,
    intent::{Phase, Slash},
    phase::Trigger,
    plan::{Gate, GateNews, Pause, Plan, TaskStatus},
    proposal::Proposal,
    question::Review,
    relpath::RelPath,
    spared::Spared,
};

impl Draft<'_> {
    /// Keeps what these lanes proposed and nobody decided, and says where it is. Who leaves finds what they
    /// were looking at as they left it.
    pub(super) fn set_aside(&mut self, reason: &str, of: impl Fn(&Self, LaneId) -> bool) {
        let stays = |lane| self.leaving && self.state.diff_of(lane).is_some();
        let open = self.state.open_proposals().filter(|p| of(self, p.lane) && !stays(p.lane));
        let open: Vec<ProposalId> = open.map(|p| p.id).collect();
        self.put_aside(&open, reason);
    }

    /// What a step left that is gone on with waits for that.
    pub(super) fn give_way(&mut self, plan: &Plan) {
        let again = |p: &Proposal| p.task.and_then(|t| plan.task(t)).is_some_and(|t| !t.status.settled());
        let old = self.state.open_proposals().filter(|p| again(p));
        let old: Vec<ProposalId> = old.map(|p| p.id).collect();
        self.put_aside(&old, "its step goes on with it");
    }

    /// The agent takes a proposal of its own back, where nobody decided any of it; it is kept as it was.
    pub(super) fn withdraw(&mut self, lane: LaneId, path: &RelPath) {
        let own = self.state.proposals_of(lane).filter(|p| p.path == *path && p.decided.is_empty());
        let own: Vec<ProposalId> = own.map(|p| p.id).collect();
        self.put_aside(&own, "its agent took it back");
    }

    /// What works has proposed changes to files that the user says are to be left alone; what the user has decided of, or
    /// takes back themselves, stays in its review.
    pub(super) fn leave_alone(&mut self, turn: TurnId) {
        let Some(said) = self.state.turns.get(&turn) else { return };
        let mut spares = Spared::default();
        spares.then(&said.spares, &said.frees);
        let spared = |path: &RelPath| spares.names(path.as_str()).is_some();
        let free = |p: &&Proposal| p.decided.is_empty() && p.back.is_none();
        let open = self.state.open_proposals().filter(free);
        let open = open.filter(|p| spared(&p.path) && !self.writes_for(p.lane));
        let open: Vec<ProposalId> = open.map(|p| p.id).collect();
        self.put_aside(&open, "you said to leave it alone");
    }

    /// A step goes on with what it had proposed when it was stopped, but for files that others have by now.
    pub(super) fn go_on_with_proposals(&mut self, lane: LaneId, task: TaskId) {
        let mut newest = BTreeMap::new();
        for p in self.state.set_aside().filter(|p| p.task == Some(task) && self.is_free(lane, &p.path)) {
            newest.entry(p.path.clone()).or_insert(p.id);
        }
        for proposal in newest.into_values() {
            self.emit(Event::ProposalTakenUp { proposal, lane: Some(lane) });
        }
    }

    /// What was to make a gate of this plan green, while it is unfinished, and was set aside when that was stopped: there is
    /// no step that would go on with it. Where a newer change of the same file waits, that is looked at.
    pub(super) fn mends_aside(&self, plan: &Plan) -> BTreeSet<ProposalId> {
        if !plan.unfinished() {
            return BTreeSet::new();
        }
        let spares = self.state.spares_of(plan.turn);
        let waits = |p: &Proposal| self.state.open_proposals().any(|open| open.path == p.path);
        let mends =
            |p: &&Proposal| self.state.mends(plan, p) && spares.names(p.path.as_str()).is_none() && !waits(p);
        self.state.set_aside().filter(mends).map(|p| p.id).collect()
    }

    fn is_free(&self, lane: LaneId, path: &RelPath) -> bool {
        let open = self.state.open_proposals().any(|o| o.path == *path);
        !open && self.state.lanes.get(&lane).is_some_and(|l| self.state.step_with(l, path).is_none())
    }

    pub(super) fn put_aside(&mut self, ids: &[ProposalId], reason: &str) {
        for proposal in ids {
            self.emit(Event::ProposalSetAside { proposal: *proposal, reason: reason.to_owned() });
        }
        if !ids.is_empty() {
            self.settle_reviews();
        }
    }

    /// `/proposals`: lists what is set aside, takes it up again or gives it up.
    pub(super) fn proposals(&mut self, args: &str) -> Decided {
        match args {
            "" => {
                self.list_aside();
                Ok(())
            }
            "all" => self.take_up(|_| true),
            "drop" => self.drop_aside(),
            "plan" => self.take_up_plan(),
            path => self.take_up(|p| p.path.as_str() == path),
        }
    }

    fn list_aside(&mut self) {
        let plans = self.state.earlier.iter().chain(&self.state.suspended).filter(|p| p.unfinished());
        let plans: Vec<String> = plans.map(Plan::standing).collect();
        let files: Vec<String> = self.state.set_aside().map(proposal_line).collect();
        if plans.is_empty() && files.is_empty() {
            self.listed(Slash::Proposals, &["nothing is set aside".to_owned()]);
            return;
        }
        self.heard(Slash::Proposals);
        let changes = "`/proposals all` brings the changes back, `/proposals FILE` those of one file, `/proposals drop` discards them";
        let plan = "`/proposals plan` brings back the plan that was set aside last";
        let ways = [(!files.is_empty()).then_some(changes), (!plans.is_empty()).then_some(plan)];
        for line in files.into_iter().chain(plans) {
            self.notice(Level::Info, line);
        }
        let ways: Vec<&str> = ways.into_iter().flatten().collect();
        self.notice(Level::Info, format!("{}.", ways.join("; ")));
    }

    /// The newest of each file waits for a decision again; whether it still fits is seen when it is written.
    pub(super) fn take_up(&mut self, which: impl Fn(&Proposal) -> bool) -> Decided {
        let taken = |p: &&Proposal| which(p) && !self.state.open_proposals().any(|o| o.path == p.path);
        let mut newest = BTreeMap::new();
        for p in self.state.set_aside().filter(taken) {
            newest.entry(p.path.clone()).or_insert((p.lane, p.id));
        }
        if newest.is_empty() {
            let open = self.state.set_aside().any(which);
            let why = if open {
                "a newer change to that is already waiting"
            } else {
                "nothing of that is set aside"
            };
            return Err(Refusal::new(why));
        }
        let mut lanes: BTreeMap<LaneId, Vec<ProposalId>> = BTreeMap::new();
        for (lane, proposal) in newest.into_values() {
            self.emit(Event::ProposalTakenUp { proposal, lane: None });
            lanes.entry(lane).or_default().push(proposal);
        }
        for (lane, proposals) in lanes {
            if let Some(old) = self.state.diff_of(lane).map(|c| c.id) {
                self.close(old, None);
            }
            self.ask(Review { lane, proposals }, "The changes that were set aside are back for review.");
        }
        Ok(())
    }

    fn take_up_plan(&mut self) -> Decided {
        if self.state.phase != Phase::Idle {
            return Err(Refusal::new("a plan is under way; stop it first, which sets it aside"));
        }
        let plan = self.state.plan_aside().cloned();
        self.present_again(plan.ok_or_else(|| Refusal::new("no unfinished plan is set aside"))?)
    }

    fn drop_aside(&mut self) -> Decided {
        let all: Vec<ProposalId> = self.state.set_aside().map(|p| p.id).collect();
        if all.is_empty() {
            return Err(Refusal::new("nothing is set aside"));
        }
        for proposal in all {
            let reason = "you discarded it".to_owned();
            self.emit(Event::ProposalClosed { proposal, reason, dropped: true, there: false });
        }
        Ok(())
    }

    /// Shows an earlier plan again, with what is left of it to do, and asks whether it begins.
    pub(super) fn present_again(&mut self, plan: Plan) -> Decided {
        let plan = self.checked_now(&plan).unwrap_or(plan);
        let mends = self.mends_aside(&plan);
        self.show_again(plan, false)?;
        if !mends.is_empty() {
            self.take_up(|p| mends.contains(&p.id))?;
        }
        self.ask_to_begin();
        Ok(())
    }

    /// Shows it, and asks nothing yet. Where it goes on, what the user left out or took back stays as they left it.
    pub(super) fn show_again(&mut self, mut plan: Plan, goes_on: bool) -> Decided {
        // Steps that are done are done again only where nothing of the plan is left, its gates neither.
        let finished = plan.fulfilled();
        for task in &mut plan.tasks {
            let stays = if goes_on { task.status.at_rest() } else { task.status == TaskStatus::Done };
            if finished || !stays {
                task.status = TaskStatus::Pending;
                task.took = None;
            }
        }
        // What was green, and is known on which files, is held against these before the run ends.
        let proven = |gate: &Gate| gate.status.proof().is_some_and(|e| self.state.trees.contains_key(&e));
        for gate in plan.gates.iter_mut().filter(|gate| finished || !proven(gate)) {
            gate.take(GateNews::Due);
        }
        plan.set_pause(Pause::Held, false);
        // It stands as it was left: nobody edits it now.
        plan.edited = false;
        self.close_phase_question();
        self.go(Trigger::Redo)?;
        self.give_way(&plan);
        self.show_plan(plan);
        Ok(())
    }

    /// A plan that is shown again waits for a yes.
    pub(super) fn ask_to_begin(&mut self) {
        self.ask_of_phase();
        self.tell_unfounded();
    }
}

fn proposal_line(p: &Proposal) -> String {
    let (taken, left, open) = p.tally();
    format!("set aside: {} (hunks: {taken} taken, {left} left, {open} undecided)", p.path)
}
