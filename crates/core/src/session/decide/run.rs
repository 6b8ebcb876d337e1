//! Runs: from a plan that is ready to its end, and every way it stops before.

use super::terms::{Author, LaneOpening, Mend, RunFault, TreeView};
use super::{Decided, Draft};
use crate::{
    event::{Event, Level},
    ids::{ApprovalId, CheckpointId, GateId, LaneId, RunId, TaskId, TurnId},
    input::Refusal,
    intent::{IntentNode, Phase, Turn},
    phase::{Move, Trigger},
    plan::{Gate, GateStatus, Plan, TaskStatus, Unproven},
    question::{Clarification, Gap},
    scope::{Capability, PermissionMode, ToolScope},
    session::{Closing, Lane, LaneKind},
    tool::Run,
};

/// Told to a model whose planning ended in words.
const NUDGE: &str =
    "You have not called submit_plan: hand the plan in now, or say that there is nothing to do.";
/// What the user is told when that did not help.
const NO_PLAN: &str = "No plan was made; nothing was changed.";
/// What they can do about it.
const GO_ON: &str = " \"go on\" asks again.";

/// Told to a model whose repair ended without a change.
fn unchanged(gate: &str) -> String {
    format!(
        "Nothing was changed, so the gate {gate} is as red as before and was not run again. Change what makes it \
         red, propose another command for it by change_gate if it cannot work here, or say what you would need."
    )
}

fn read_only() -> Refusal {
    Refusal::new("the ceiling is read-only: plans can be made but not run. Shift-Tab or /ask raises it.")
}

impl Draft<'_> {
    pub(super) fn plan_ready(&mut self, lane: LaneId, plan: Plan) {
        let ousted = self.state.ousted_by(&plan).map(|old| old.title.clone());
        if let Some(title) = &ousted {
            // Its order may what it says itself, and nothing that the other one was allowed.
            let turn = plan.turn;
            self.emit(Event::TurnContinues { turn, of: turn });
            self.shelve();
            let text = format!("The waiting plan \"{title}\" is set aside; /proposals plan brings it back.");
            self.notice(Level::Info, text);
        }
        self.show_plan(plan);
        self.must_go(Trigger::PlanReady);
        // What was asked about went for it: that is no small thing, whatever the plan is.
        if ousted.is_none() && self.begins_unasked() && self.may_run() {
            let approval = ApprovalId(self.id());
            self.leave_planning(lane, approval);
        } else {
            self.ask_of_phase();
        }
        self.take_later();
    }

    fn begins_unasked(&self) -> bool {
        let unasked = self.state.permission == PermissionMode::Auto || self.is_small();
        unasked && self.state.beyond_asked().is_none()
    }

    /// The plan that is shown goes on as it began: by the yes that it got then, or unasked where it is small.
    pub(super) fn begin_again(&mut self, agreed: bool) -> bool {
        let begins = (agreed || self.begins_unasked()) && self.may_run() && self.unfounded().is_none();
        if begins {
            let (lane, approval) = (self.open_at_plan(), ApprovalId(self.id()));
            self.leave_planning(lane, approval);
        }
        begins
    }

    /// Whether the plan is one step in a file or two, asked for by a path that changes files: its hunks
    /// say as much as a question about it would.
    fn is_small(&self) -> bool {
        self.state.plan.as_ref().is_some_and(|plan| self.state.larger(plan, &self.under.bounds).is_empty())
    }

    /// A planning ended in words: an answer where these are one; else its model is told once what it left out.
    pub(super) fn no_plan(&mut self, lane: LaneId) {
        if self.settle_for_best(lane) {
            return;
        }
        let answers = |l: &Lane| l.spoke && self.state.is_answered_in_words(l.turn);
        let answers = self.state.lanes.get(&lane).is_some_and(answers);
        if !answers && self.ask_what_it_asks(lane) {
            return;
        }
        let says_why = answers || self.state.lanes.get(&lane).is_some_and(|l| l.gave_up);
        let may_go_on = |l: &Lane| !l.was_nudged() && self.gets_nowhere(lane).is_none();
        if !says_why && self.state.lanes.get(&lane).is_some_and(may_go_on) {
            self.emit(Event::LaneNudged { lane, text: NUDGE.to_owned(), answer: false });
            return self.think(lane);
        }
        self.end_without_plan(lane);
        if !says_why {
            let free = self.state.is_unheeded() && self.state.queue.is_empty();
            self.notice(Level::Error, format!("{NO_PLAN}{}", if free { GO_ON } else { "" }));
        }
        self.drain();
    }

    /// A planning is over, and there is no plan.
    pub(super) fn end_without_plan(&mut self, lane: LaneId) {
        self.emit(Event::LaneClosed { lane });
        self.shelve();
        self.must_go(Trigger::PlanEmpty);
    }

    /// Where a model ended in a question instead of what it was to do, the user is asked as by its tool for that, and it
    /// goes on with the answer.
    pub(super) fn ask_what_it_asks(&mut self, lane: LaneId) -> bool {
        let closing = self.state.lanes.get(&lane).and_then(|l| l.closing.clone());
        let Some(Closing { question, choices }) = closing else { return false };
        self.ask(Clarification { choices, lane: Some(lane), ..Clarification::default() }, question);
        true
    }

    /// The user answered what a model had asked with its last words.
    pub(super) fn answer_in_lane(&mut self, lane: LaneId, text: &str) {
        let text = format!("The user answers your question: {text}");
        self.emit(Event::LaneNudged { lane, text, answer: true });
        self.think(lane);
    }

    pub(super) fn may_run(&self) -> bool {
        self.state.permission != PermissionMode::ReadOnly && !self.state.chat_only
    }

    /// Refuses what the ceiling lets nothing do; `what` says what is not done.
    pub(super) fn must(&self, needs: Capability, what: &str) -> Decided {
        if self.state.ceiling().allows(needs) {
            return Ok(());
        }
        let text = format!("the ceiling is read-only: nothing {what}. Shift-Tab or /ask raises it.");
        Err(Refusal::new(text))
    }

    pub(super) fn approve_plan(&mut self, checkpoint: CheckpointId) -> Decided {
        if !self.may_run() {
            return Err(read_only());
        }
        if let Some(why) = self.unfounded() {
            return Err(Refusal::new(format!("the {why}; after /explore it runs as it is")));
        }
        let approval = self.allow(checkpoint, crate::checkpoint::Answer::Approve);
        let lane = self.state.planning_lane().map(|l| l.id);
        let lane = lane.unwrap_or_else(|| self.open_at_plan());
        self.leave_planning(lane, approval);
        Ok(())
    }

    /// A plan that is shown again has no lane any more: it leaves from where its planning ended.
    fn open_at_plan(&mut self) -> LaneId {
        let lane = LaneId(self.id());
        let turn = self.state.plan.as_ref().map(|p| p.turn).or(self.state.turn).unwrap_or_default();
        let (kind, node) = (LaneKind::Planning, IntentNode::Plan);
        let ceiling = self.state.ceiling().and(ToolScope::READ_ONLY);
        self.emit(Event::LaneOpened { lane, kind, turn, node, ceiling, fixed: false });
        lane
    }

    /// From the plan to its execution, unless a hook is to be heard first.
    fn leave_planning(&mut self, lane: LaneId, approval: ApprovalId) {
        self.move_to(lane, IntentNode::Act, Some(approval));
        if self.state.has_arrived(lane) {
            self.left_planning(lane, approval);
        }
    }

    /// The planning lane is where the work begins.
    pub(super) fn left_planning(&mut self, lane: LaneId, approval: ApprovalId) {
        self.emit(Event::LaneClosed { lane });
        self.run_plan(Some(approval));
    }

    fn run_plan(&mut self, approval: Option<ApprovalId>) {
        let turn = self.state.plan.as_ref().map(|p| p.turn).or(self.state.turn).unwrap_or_default();
        self.must_go(Trigger::Approve);
        self.start_run(turn, approval);
        self.continue_run();
    }

    pub(super) fn start_run(&mut self, turn: TurnId, approval: Option<ApprovalId>) {
        let run = RunId(self.id());
        self.emit(Event::RunStarted { run, turn, approval });
        self.warn_unpriced();
    }

    /// What makes a plan makes none any more.
    pub(super) fn close_planning(&mut self) {
        if let Some(lane) = self.state.planning_lane().map(|l| l.id) {
            self.emit(Event::LaneClosed { lane });
        }
    }

    pub(super) fn reject_plan(&mut self, checkpoint: CheckpointId, reason: &str) -> Decided {
        self.close(checkpoint, Some(crate::checkpoint::Answer::Reject(reason.to_owned())));
        self.close_planning();
        self.go(Trigger::Reject)?;
        if reason.is_empty() {
            self.notice(
                Level::Info,
                "What should change? Enter on an empty line, or Esc, sets the plan aside.",
            );
            return Ok(());
        }
        self.guide(reason)
    }

    /// The next thing of the run: a gate, as many tasks as may be at work together, or its end.
    pub(super) fn continue_run(&mut self) {
        self.continue_seeing(TreeView::Unknown);
    }

    /// As [`Draft::continue_run`], where it may just have been looked what the files are.
    pub(super) fn continue_seeing(&mut self, tree: TreeView) {
        let at_work = self.state.run_lanes().count();
        let Some(plan) = self.state.plan.clone() else {
            if at_work == 0 {
                self.complete_run();
            }
            return;
        };
        if self.waits_at_red(&plan) || self.held() {
            return;
        }
        let plan = self.state.plan.clone().unwrap_or(plan);
        if at_work > 0 {
            return self.start_beside(&plan, at_work);
        }
        if let Some(fault) = self.state.run.as_ref().and_then(|r| r.fault.clone()) {
            return self.run_failed(Some(fault.task), RunFault::new(fault.message, fault.hint));
        }
        if self.state.run.as_ref().is_some_and(|r| r.stopped) {
            // In this phase there is always something to stop.
            return drop(self.stop());
        }
        if let Some(gap) = Gap::of(&plan) {
            self.ask(gap, "A step that others need was left out");
            return;
        }
        let gate = plan.next_gate().map(|g| (g.id, g.name.clone(), g.command.clone()));
        let task = plan.next_task().map(|t| (t.id, t.node));
        if self.pauses_between(task.map(|t| t.0).filter(|_| gate.is_none()), gate.is_some()) {
            return;
        }
        if (gate.is_some() || task.is_some()) && !self.may_run() {
            return;
        }
        if gate.is_some() && self.state.mends_wait(&plan) {
            return;
        }
        match (gate, task) {
            (Some((gate, name, command)), _) => self.reach_gate(gate, &name, &command),
            (None, Some((task, node))) => {
                self.start_task(task, node);
                self.continue_run();
            }
            (None, None) if tree != TreeView::Restless && self.renew_gates() => self.continue_run(),
            (None, None) if tree == TreeView::Unknown && self.seek_tree() => {}
            (None, None) => self.complete_run(),
        }
    }

    /// One more task beside those at work, where there is room and nothing waits for the end of all of them.
    fn start_beside(&mut self, plan: &Plan, at_work: usize) {
        let tasks = self.state.run_lanes().all(|l| matches!(l.kind, LaneKind::Task(_)));
        let over = self.state.run.as_ref().is_some_and(|r| r.fault.is_some() || r.stopped);
        let ends = over || plan.next_gate().is_some() || Gap::of(plan).is_some();
        if !tasks || ends || at_work >= self.under.bounds.max_parallel || !self.may_run() {
            return;
        }
        let next = plan.next_task().map(|t| (t.id, t.node));
        if let Some((task, node)) = next.filter(|(task, _)| !self.pauses_beside(*task)) {
            self.start_task(task, node);
            self.continue_run();
        }
    }

    /// Gates that went stale run again before a run ends; false where there are none.
    pub(super) fn renew_gates(&mut self) -> bool {
        let plan = self.state.plan.as_ref().or(self.state.suspended.as_ref());
        let gates = plan.iter().flat_map(|p| &p.gates);
        let stale: Vec<GateId> = gates.filter(|g| g.is_stale()).map(|g| g.id).collect();
        for gate in &stale {
            self.emit(Event::GateReset { gate: *gate, skipped: false, why: None });
        }
        !stale.is_empty()
    }

    fn start_task(&mut self, task: TaskId, node: IntentNode) {
        let added = self.state.plan.as_ref().and_then(|p| p.task(task)).and_then(|t| t.turn);
        let turn = added.or(self.state.run.as_ref().map(|r| r.turn)).unwrap_or_default();
        let lane = self.open_lane(LaneOpening::of(LaneKind::Task(task), turn));
        self.emit(Event::TaskStarted { task, lane });
        self.go_on_with_proposals(lane, task);
        self.move_to(lane, IntentNode::Act, None);
        // Delete is reached only by the typed word; until then such a task may propose.
        let node = if node == IntentNode::Delete { IntentNode::Modify } else { node };
        let approved = self.state.run.as_ref().and_then(|r| r.approval);
        self.think_at(lane, node, approved);
    }

    /// A gate has its turn; where the user said that nothing is to run, that leaves it out.
    fn reach_gate(&mut self, gate: GateId, name: &str, command: &str) {
        let turn = self.state.run.as_ref().map(|r| r.turn).unwrap_or_default();
        if !self.state.runs_nothing(turn) {
            return self.start_gate(gate, command);
        }
        self.emit(Event::GateReset { gate, skipped: true, why: None });
        let text = format!("[Gate: {name}] is skipped: you said not to run anything.");
        self.notice(Level::Info, text);
        self.continue_run();
    }

    pub(super) fn start_gate(&mut self, gate: GateId, command: &str) {
        let turn = self.state.run.as_ref().map(|r| r.turn).unwrap_or_default();
        let lane = self.open_lane(LaneOpening::of(LaneKind::Gate(gate), turn));
        self.move_to(lane, IntentNode::Execute, None);
        let call = self.call_command(lane, &Run::line(command), Author::Workbench);
        self.emit(Event::GateStarted { gate, call });
        self.advance(lane);
    }

    /// The gate's command was denied or stopped, by the user where no other reason is given: it is not green, and the
    /// run goes on. Where they lowered the ceiling it has its turn when that is raised.
    pub(super) fn leave_gate_out(&mut self, lane: LaneId, gate: GateId, why: Option<Unproven>) {
        self.emit(Event::LaneClosed { lane });
        let may = self.may_run();
        self.emit(Event::GateReset { gate, skipped: may, why: why.filter(|_| may) });
        self.continue_run();
    }

    /// The question about a red gate that nothing repairs, and of which no look at the files is to say whether it is red.
    pub(super) fn ask_of_gate(&mut self) {
        if self.state.run_lane().is_some() || self.state.run.as_ref().is_some_and(|r| r.looking.is_some()) {
            return;
        }
        let Some(mut failure) = self.state.failure.clone() else { return };
        let mut red = self.state.plan.iter().flat_map(|p| &p.gates).filter(|g| g.is_red());
        let Some((gate, name)) = red.find(|g| failure.gate == Some(g.id)).map(|g| (g.id, g.name.clone()))
        else {
            return;
        };
        let most = self.most_repairs();
        (failure.spent, failure.detoured) = (self.state.repairs_of(gate) >= most, self.state.detours >= most);
        failure.asks.clone_from(&self.state.asked_last);
        failure.hint = self.lacks_packages(gate).unwrap_or_default();
        self.ask(failure, format!("[Gate: {name}] failed"));
    }

    /// The agent makes a gate green, as often as it may.
    pub(super) fn repair(
        &mut self,
        (checkpoint, stored): (CheckpointId, crate::checkpoint::Answer),
        gate: GateId,
        mend: Mend,
    ) -> Decided {
        let most = self.most_repairs();
        let (tried, what) = match mend {
            Mend::Fix => (self.state.repairs_of(gate), "repairs"),
            Mend::Detour => (self.state.detours, "other ways"),
            Mend::Told => (0, "repairs"),
        };
        if tried >= most {
            return Err(Refusal::new(format!("{most} {what} did not help; skip it or go on by hand")));
        }
        self.close(checkpoint, Some(stored));
        self.start_repair(gate, tried + 1, mend == Mend::Detour);
        Ok(())
    }

    pub(super) fn start_repair(&mut self, gate: GateId, attempt: u32, detour: bool) {
        let turn = self.state.run.as_ref().map(|r| r.turn).unwrap_or_default();
        let lane = self.open_lane(LaneOpening::of(LaneKind::Repair(gate), turn));
        self.emit(Event::RepairStarted { gate, lane, attempt, of: self.most_repairs(), detour });
        self.move_to(lane, IntentNode::Act, None);
        let approved = self.state.run.as_ref().and_then(|r| r.approval);
        self.think_at(lane, IntentNode::Modify, approved);
    }

    /// A repair ends: its gate runs again, unless it could only end as before. A model that changed nothing is told so
    /// once; after that it is the user's again.
    pub(super) fn repair_done(&mut self, lane: LaneId, gate: GateId) {
        let Some(l) = self.state.lanes.get(&lane) else { return };
        if l.changed {
            let green = self.state.plan.as_ref().and_then(|p| p.gate(gate)).is_some_and(Gate::is_green);
            let red = self.saw_red(lane, gate);
            self.emit(Event::LaneClosed { lane });
            // What it ran itself of its gate is that gate's evidence.
            if green {
                return self.continue_run();
            }
            if red {
                return self.look_at_tree();
            }
            self.emit(Event::GateReset { gate, skipped: false, why: None });
            return self.continue_run();
        }
        if self.ask_what_it_asks(lane) {
            return;
        }
        let name = self.state.plan.as_ref().and_then(|p| p.gate(gate)).map(|g| g.name.clone());
        let name = name.unwrap_or_default();
        if self.state.lanes.get(&lane).is_some_and(|l| !l.was_nudged()) {
            self.emit(Event::LaneNudged { lane, text: unchanged(&name), answer: false });
            return self.think(lane);
        }
        self.emit(Event::LaneClosed { lane });
        self.notice(Level::Info, format!("The repair changed nothing, so [Gate: {name}] was not run again."));
        self.ask_of_gate();
    }

    /// Tries again what failed, in the phase Failed.
    pub(super) fn retry_failed(&mut self) -> Decided {
        let Some(failure) = self.state.failure.clone() else {
            return Err(Refusal::new("nothing failed"));
        };
        if failure.origin == Phase::Executing && !self.may_run() {
            return Err(read_only());
        }
        let turn = self.state.subject().unwrap_or_default();
        self.ask_of_phase();
        let question = self.state.phase_question().map(|c| c.id);
        let approval = question.map(|id| self.allow(id, crate::checkpoint::Answer::Retry));
        self.apply_settings();
        let step = self.go(Trigger::Retry(failure.origin))?;
        if step == Move::To(Phase::Planning) {
            self.start_planning(turn);
            return Ok(());
        }
        let reset: Vec<TaskId> = self
            .state
            .plan
            .iter()
            .flat_map(|p| &p.tasks)
            .filter(|t| {
                matches!(
                    t.status,
                    TaskStatus::Failed | TaskStatus::Cancelled | TaskStatus::NotDone | TaskStatus::Running
                )
            })
            .map(|t| t.id)
            .collect();
        let gates = self.state.plan.iter().flat_map(|p| &p.gates);
        let red = gates.filter(|g| g.is_red() || g.status == GateStatus::Running);
        let red: Vec<GateId> = red.map(|g| g.id).collect();
        self.start_run(turn, approval);
        let stopped = self.state.pipeline_aside().map(|p| p.state.clone());
        if let Some(state) = stopped.filter(|s| s.beginning().is_some_and(|b| b.turn == turn)) {
            self.take_up_pipeline(&state);
            return Ok(());
        }
        for task in reset {
            self.emit(Event::TaskReset { task });
        }
        for gate in red {
            self.emit(Event::GateReset { gate, skipped: false, why: None });
        }
        if self.state.plan.is_some() {
            self.continue_run();
            return Ok(());
        }
        // A question that was allowed to write asks again before it does; a goal asks per command.
        let asked = self.state.turns.get(&turn).filter(|t| matches!(t.class, Turn::Query(_)));
        let (kind, node) = asked.map_or((LaneKind::Goal, IntentNode::Execute), |t| {
            (LaneKind::Answer, t.path.retreat().current())
        });
        let fixed = asked.is_some_and(|t| t.fixed);
        let lane = self.open_lane(LaneOpening { fixed, ..LaneOpening::of(kind, turn) });
        self.think_at(lane, node, None);
        Ok(())
    }
}
