//! The plan folded into the state: its tasks, its gates, and what went wrong at one.

use std::sync::Arc;

use crate::{
    blob::BlobId,
    checkpoint::{CheckpointKind, Failure},
    event::{Event, Proof},
    ids::{EvidenceId, GateId, Seq, TaskId},
    intent::Phase,
    plan::{GateNews, GateStatus, Pause, Plan, ProvenTree, TaskStatus},
    session::{Standing, State, TaskFault},
};

/// Most earlier versions that are kept.
const MOST_FORMER: usize = 20;

impl State {
    #[expect(clippy::wildcard_enum_match_arm, reason = "`fold` names every event; this takes its share")]
    #[expect(clippy::too_many_lines, reason = "one event after the other")]
    pub(super) fn fold_plan(&mut self, seq: Seq, event: &Event) {
        match event {
            Event::PlanReady { plan } => {
                // The numbers of steps begin anew with the plan of another message.
                let mut known = self.plan.iter().chain(&self.suspended).chain(&self.earlier);
                if known.all(|p| p.turn != plan.turn) {
                    self.accounts.tasks.clear();
                }
                self.goes_on = false;
                self.replaced_by(plan);
                self.plan_sought = None;
                let mut known = self.plan.iter().chain(&self.suspended).chain(&self.earlier);
                let was = known.find(|p| p.turn == plan.turn);
                let same = |id| {
                    was.and_then(|p| p.task(id))
                        .is_some_and(|old| plan.task(id).is_some_and(|t| t.is_as(old)))
                };
                let stays = |lane, task| self.lanes.contains_key(&lane) || same(task);
                Arc::make_mut(&mut self.changes).forget_tasks(stays);
                self.plan = Some(plan.of_now());
                self.suspended.take_if(|p| p.turn == plan.turn);
                self.earlier.retain(|p| p.turn != plan.turn);
            }
            Event::PlanSought { call, turn, path } => {
                self.saw(call.0);
                self.plan_sought = Some((*call, *turn, path.clone()));
            }
            Event::PlanUnread { .. } => self.plan_sought = None,
            Event::PauseSet { pause, on } => self.set_pause(*pause, *on),
            Event::PlanShelved { discarded: true, .. } => {
                (self.shelved, self.left_off) = (seq, seq);
                if let Some(plan) = self.plan.take() {
                    self.keep_former(plan);
                }
            }
            Event::PlanShelved { suspended, .. } => {
                self.shelved = seq;
                if !suspended || self.plan.as_ref().is_some_and(Plan::unfinished) {
                    self.left_off = seq;
                }
                let gone = match self.plan.take() {
                    Some(plan) if *suspended => self.suspended.replace(plan),
                    Some(plan) => Some(plan),
                    None if *suspended => None,
                    None => self.suspended.take(),
                };
                self.makes_room(gone);
            }
            Event::TaskAdded { task } => {
                if let Some(plan) = self.plan.as_mut().filter(|p| p.task(task.id).is_none()) {
                    plan.tasks.push(task.clone());
                }
            }
            Event::TaskStarted { task, .. } => {
                Arc::make_mut(&mut self.changes).begins_anew(*task);
                self.set_task(*task, TaskStatus::Running);
                self.set_unchanged(*task, false);
            }
            Event::TaskCompleted { task, took } => {
                self.set_task(*task, TaskStatus::Done);
                if let Some(t) = self.plan.as_mut().and_then(|p| p.tasks.iter_mut().find(|t| t.id == *task)) {
                    t.took = Some(*took);
                }
                Arc::make_mut(&mut self.changes).step_ends(*task);
                self.weigh_step(*task);
            }
            Event::TaskFailed { task, message, hint } => {
                self.set_task(*task, TaskStatus::Failed);
                let fault = TaskFault { task: *task, message: message.clone(), hint: hint.clone() };
                self.run.iter_mut().for_each(|run| run.fault = Some(fault.clone()));
            }
            Event::TaskSkipped { task, undone } => {
                Arc::make_mut(&mut self.changes).step_ends(*task);
                self.set_task(*task, TaskStatus::left_out(*undone));
            }
            Event::TaskCancelled { task } => {
                self.set_task(*task, TaskStatus::Cancelled);
                self.run.iter_mut().for_each(|run| run.stopped = true);
            }
            Event::TaskFreed { task, of } => {
                let tasks = self.plan.iter_mut().flat_map(|p| &mut p.tasks);
                for task in tasks.filter(|t| t.id == *task) {
                    task.after.retain(|id| !of.contains(id));
                }
            }
            Event::TaskReset { task } => self.set_task(*task, TaskStatus::Pending),
            Event::GateStarted { gate, call } => {
                self.saw(call.0);
                self.set_gate(*gate, GateNews::Begun);
            }
            Event::GatePassed { gate, evidence, proof } => {
                self.saw(evidence.0);
                self.witnessed(*gate, *evidence, proof);
                (self.repairs, self.detours) = (0, 0);
                self.failure.take_if(|f| f.gate == Some(*gate));
                self.set_gate(*gate, GateNews::Green(*evidence));
            }
            Event::GateFailed { gate, evidence, proof } => {
                self.saw(evidence.0);
                self.witnessed(*gate, *evidence, proof);
                // One that a step's agent ran red asks nothing: its own run decides.
                let own = self.plan.as_ref().and_then(|p| p.gate(*gate)).map(|g| g.status);
                if let Some(run) = &mut self.run {
                    run.reds.insert(*gate, proof.clone());
                }
                if own.is_none_or(|status| status == GateStatus::Running) {
                    self.failure = Some(self.red(*gate, &proof.diagnostics));
                }
                self.set_gate(*gate, GateNews::Red(*evidence, proof.exit.code));
            }
            Event::GateWentStale { gate } => {
                self.set_gate(*gate, GateNews::Wrote);
            }
            Event::GateStaysRed { gate } => {
                let said = self.run.as_ref().and_then(|run| run.reds.get(gate));
                let said = said.map(|proof| proof.diagnostics.clone()).unwrap_or_default();
                self.failure = Some(self.red(*gate, &said));
            }
            Event::GateHolds { gate } => {
                self.set_gate(*gate, GateNews::Holds);
            }
            Event::TreeSought { call } => {
                self.saw(call.0);
                self.run.iter_mut().for_each(|run| run.looking = Some(*call));
            }
            Event::TreeSeen { tree, .. } => {
                let overtaken = tree.is_some_and(|tree| self.overtaken(tree).next().is_some());
                if let Some(run) = &mut self.run {
                    run.looking = None;
                    run.overtaken += u32::from(overtaken);
                }
            }
            Event::GateReset { gate, skipped, why } => {
                let news = if *skipped { GateNews::LeftOut(*why) } else { GateNews::Due };
                self.failure.take_if(|f| f.gate == Some(*gate));
                self.set_gate(*gate, news);
            }
            Event::GateChanged { gate, from, to, .. } => {
                self.run.iter_mut().for_each(|run| run.replaced.push((*gate, from.clone())));
                self.lanes.values_mut().for_each(|lane| lane.changed = true);
                self.plan.iter_mut().for_each(|plan| plan.change_gate(*gate, to));
            }
            Event::RepairStarted { attempt, detour: true, .. } => self.detours = *attempt,
            Event::RepairStarted { gate, attempt, .. } => {
                self.repairs = *attempt;
                if let Some(run) = &mut self.run {
                    // A first one again is by what the user said: what was tried before does not count.
                    let begun = run.repairs.entry(*gate).or_default();
                    *begun = if *attempt == 1 { 1 } else { *begun + 1 };
                }
            }
            _ => {}
        }
    }

    /// What a gate was run on. What changed meanwhile is its own work or somebody else's: nothing tells which, so the
    /// gates are run once more. What changes beside the same gate again is believed to be its own.
    fn witnessed(&mut self, gate: GateId, evidence: EvidenceId, proof: &Proof) {
        let Some((before, after)) = proof.tree_before.zip(proof.tree) else { return };
        let wrote = before != after;
        let again = self.run.as_ref().is_some_and(|r| r.writing_gates.contains(&gate));
        for proven in self.trees.values_mut().filter(|p| wrote && p.tree == before) {
            *proven = ProvenTree { tree: after, still: proven.still && again };
        }
        self.trees.insert(evidence, ProvenTree { tree: after, still: !wrote || again });
        if let Some(run) = self.run.as_mut().filter(|_| wrote) {
            run.writing_gates.insert(gate);
        }
    }

    /// How often the agent tried to make a gate green: gates whose repairs undo each other are green in turn, so that
    /// another one was gives none more of them.
    pub(in crate::session) fn repairs_of(&self, gate: GateId) -> u32 {
        let begun = self.run.as_ref().and_then(|run| run.repairs.get(&gate)).copied().unwrap_or_default();
        self.repairs.max(begun)
    }

    /// The green gates of the plan that were run on other files than these.
    pub(in crate::session) fn overtaken(&self, tree: BlobId) -> impl Iterator<Item = GateId> {
        let fresh = move |p: &ProvenTree| p.tree == tree && p.still;
        self.proven().filter_map(move |(gate, green, proven)| (green && !fresh(proven)).then_some(gate))
    }

    /// The gates that were green, also of a plan that has ended, whether they are so still, and on which files they were
    /// run.
    pub(in crate::session) fn proven(&self) -> impl Iterator<Item = (GateId, bool, &ProvenTree)> {
        let gates = self.plan.as_ref().or(self.suspended.as_ref()).into_iter().flat_map(|p| &p.gates);
        gates.filter_map(|g| {
            let (green, stale) = (g.status.proof(), g.status.former_proof());
            Some((g.id, green.is_some(), self.trees.get(&green.or(stale)?)?))
        })
    }

    /// Whether somebody has to look at the files before what is said of the gates is believed: not while a run changes
    /// them itself.
    pub fn rests_on_files(&self) -> bool {
        !self.is_executing() && self.proven().next().is_some()
    }

    fn set_pause(&mut self, pause: Pause, on: bool) {
        if let Some(plan) = &mut self.plan {
            plan.set_pause(pause, on);
        }
    }

    /// Whoever answered a pause is not asked there again.
    pub(super) fn pause_asked(&mut self, kind: &CheckpointKind) {
        if let CheckpointKind::Paused(paused) = kind {
            self.set_pause(paused.at, false);
        }
    }

    /// Keeps the version that this plan takes the place of.
    fn replaced_by(&mut self, plan: &Plan) {
        let of = self.work_of(plan.turn);
        let old = self
            .plan
            .as_ref()
            .or(self.suspended.as_ref())
            .filter(|old| old.version < plan.version && self.work_of(old.turn) == of);
        if let Some(old) = old.cloned() {
            self.keep_former(old);
        }
    }

    /// A plan that another was set aside in front of can be taken up behind that, while anything of it is left.
    pub(super) fn makes_room(&mut self, gone: Option<Plan>) {
        match gone {
            Some(plan) if plan.unfinished() => self.earlier.push(plan),
            Some(plan) => self.keep_former(plan),
            None => {}
        }
    }

    /// A plan that another took the place of, or whose work is done, is known a while longer.
    fn keep_former(&mut self, old: Plan) {
        let of = self.work_of(old.turn);
        let same = |p: &Plan| p.version == old.version && self.work_of(p.turn) == of;
        let mut kept: Vec<Plan> = self.former.iter().filter(|p| !same(p)).cloned().collect();
        kept.push(old);
        kept.drain(..kept.len().saturating_sub(MOST_FORMER));
        self.former = Arc::new(kept);
    }

    /// What went wrong at a red gate.
    fn red(&self, gate: GateId, diagnostics: &str) -> Failure {
        let behind = self.plan.iter().flat_map(|p| &p.tasks).filter(|t| t.status.settled());
        Failure {
            origin: Phase::Executing,
            task: None,
            step: behind.count(),
            gate: Some(gate),
            spent: false,
            detoured: false,
            asks: None,
            message: diagnostics.to_owned(),
            hint: String::new(),
            planner: None,
            staged: false,
        }
    }

    /// Something was taken back, or put back.
    pub(super) fn weigh_steps(&mut self) {
        let plan = self.plan.as_ref().or(self.suspended.as_ref());
        let steps: Vec<TaskId> = plan.into_iter().flat_map(|p| &p.tasks).map(|t| t.id).collect();
        for task in steps {
            self.weigh_step(task);
        }
    }

    /// A step that is done and of which nothing stands any more is not done; it is again once something does.
    fn weigh_step(&mut self, task: TaskId) {
        let plan = self.plan.as_ref().or(self.suspended.as_ref());
        let status = plan.and_then(|p| p.task(task)).map(|t| t.status);
        match (status, self.changes.of_step(task)) {
            (Some(TaskStatus::TakenBack), Some(Standing::All | Standing::Part)) => {
                self.set_task(task, TaskStatus::Done);
            }
            (Some(TaskStatus::Done), Some(Standing::Nothing)) => self.set_task(task, TaskStatus::TakenBack),
            _ => {}
        }
    }

    pub(super) fn set_task(&mut self, id: TaskId, status: TaskStatus) {
        let plan = self.plan.as_mut().or(self.suspended.as_mut());
        if let Some(task) = plan.and_then(|p| p.tasks.iter_mut().find(|t| t.id == id)) {
            task.status = status;
        }
    }

    /// Notes of a step whether it ended with the word that nothing was to be changed.
    pub(super) fn set_unchanged(&mut self, id: TaskId, unchanged: bool) {
        let plan = self.plan.as_mut().or(self.suspended.as_mut());
        if let Some(task) = plan.and_then(|p| p.tasks.iter_mut().find(|t| t.id == id)) {
            task.unchanged = unchanged;
        }
    }

    fn set_gate(&mut self, id: GateId, news: GateNews) {
        let plan = self.plan.as_mut().or(self.suspended.as_mut());
        if let Some(gate) = plan.and_then(|p| p.gates.iter_mut().find(|g| g.id == id)) {
            gate.take(news);
        }
    }
}
