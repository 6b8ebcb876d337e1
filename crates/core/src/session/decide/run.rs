//! Runs: from a plan that is ready to its end, and every way it stops before.

use super::{Decided, Draft};
use crate::{
    checkpoint::{CheckpointKind, Failure},
    event::{CallStatus, Event, Level, RunStatus},
    ids::{ApprovalId, CheckpointId, GateId, LaneId, Millis, RunId, TaskId, TurnId},
    input::Refusal,
    intent::{IntentNode, Phase, Turn},
    phase::{Move, Trigger},
    plan::{GateStatus, Plan, TaskStatus},
    proposal::ProposalStatus,
    scope::PermissionMode,
    session::LaneKind,
};

/// Repairs of a failed gate before the user is asked again without that choice.
pub const MAX_REPAIRS: u32 = 2;

impl Draft<'_> {
    pub(super) fn plan_ready(&mut self, lane: LaneId, plan: Plan) {
        self.emit(Event::PlanReady { plan });
        self.must_go(Trigger::PlanReady);
        if self.state.permission == PermissionMode::Auto && self.may_run() {
            let approval = ApprovalId(self.id());
            self.leave_planning(lane, Some(approval));
            self.run_plan(Some(approval));
        } else {
            self.ask(CheckpointKind::Confirmation, "Proceed?");
        }
        self.take_later();
    }

    /// Messages that waited for the plan are heard now.
    fn take_later(&mut self) {
        let later: Vec<TurnId> = self.state.queue.later.iter().copied().collect();
        if later.is_empty() {
            return;
        }
        self.change_queue(|q| q.later.clear());
        for turn in later {
            if let Err(refusal) = self.route_query(turn) {
                self.notice(Level::Info, refusal.reason);
            }
        }
    }

    pub(super) fn no_plan(&mut self, lane: LaneId) {
        self.emit(Event::LaneClosed { lane });
        self.must_go(Trigger::PlanEmpty);
        self.notice(Level::Info, "No plan came of that; nothing was changed.");
        self.drain();
    }

    fn may_run(&self) -> bool {
        self.state.permission != PermissionMode::ReadOnly && !self.state.chat_only
    }

    pub(super) fn approve_plan(&mut self, checkpoint: CheckpointId) -> Decided {
        if !self.may_run() {
            return Err(Refusal::new(
                "the ceiling is read-only: plans can be made but not run. Shift-Tab or /ask raises it.",
            ));
        }
        let approval = self.allow(checkpoint, crate::checkpoint::Answer::Approve);
        if let Some(lane) = self.state.planning_lane().map(|l| l.id) {
            self.leave_planning(lane, Some(approval));
        }
        self.run_plan(Some(approval));
        Ok(())
    }

    fn leave_planning(&mut self, lane: LaneId, approval: Option<ApprovalId>) {
        self.move_to(lane, IntentNode::Act, approval);
        self.emit(Event::LaneClosed { lane });
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
    }

    pub(super) fn reject_plan(&mut self, checkpoint: CheckpointId, reason: &str) -> Decided {
        self.close(checkpoint, Some(crate::checkpoint::Answer::Reject(reason.to_owned())));
        if let Some(lane) = self.state.planning_lane().map(|l| l.id) {
            self.emit(Event::LaneClosed { lane });
        }
        self.go(Trigger::Reject)?;
        if reason.is_empty() {
            self.notice(Level::Info, "What should be different? An empty line or Esc drops the plan.");
            return Ok(());
        }
        self.say(reason)
    }

    /// Gives the plan up: from planning, from its confirmation, or after a failure.
    pub(super) fn abandon(&mut self) -> Decided {
        self.close_lanes();
        self.drop_questions();
        self.drop_proposals("the plan was given up");
        if self.state.plan.is_some() {
            self.emit(Event::PlanShelved { suspended: true });
        }
        self.change_queue(|q| *q = crate::session::Queue::default());
        self.go(Trigger::Abandon)?;
        self.notice(Level::Info, "Okay. Nothing is under way; say what you would like instead.");
        Ok(())
    }

    /// The next thing of the run: a gate, a task, or its end.
    pub(super) fn continue_run(&mut self) {
        let Some(plan) = self.state.plan.clone() else { return self.complete_run() };
        for task in plan.orphans() {
            self.emit(Event::TaskSkipped { task });
        }
        let Some(plan) = &self.state.plan else { return };
        if let Some((gate, command)) = plan.next_gate().map(|g| (g.id, g.command.clone())) {
            return self.start_gate(gate, &command);
        }
        if let Some((task, node)) = plan.next_task().map(|t| (t.id, t.node)) {
            return self.start_task(task, node);
        }
        self.complete_run();
    }

    fn start_task(&mut self, task: TaskId, node: IntentNode) {
        let turn = self.state.run.as_ref().map(|r| r.turn).unwrap_or_default();
        let lane = self.open_lane(LaneKind::Task(task), turn, false, false);
        self.emit(Event::TaskStarted { task, lane });
        self.move_to(lane, IntentNode::Act, None);
        // Delete is reached only by the typed word; until then such a task may propose.
        let node = if node == IntentNode::Delete { IntentNode::Modify } else { node };
        let approved = self.state.run.as_ref().and_then(|r| r.approval);
        self.move_to(lane, node, approved);
        self.think(lane);
    }

    pub(super) fn task_done(&mut self, lane: LaneId, task: TaskId) {
        let opened = self.state.lanes.get(&lane).map_or(self.at, |l| l.opened);
        let mine =
            self.state.proposals.values().filter(|p| p.lane == lane && p.status != ProposalStatus::Dropped);
        let skipped = mine.clone().count() > 0 && mine.clone().all(|p| p.status == ProposalStatus::Skipped);
        self.emit(Event::LaneClosed { lane });
        if skipped {
            self.emit(Event::TaskSkipped { task });
        } else {
            let took = Millis(self.at.0.saturating_sub(opened.0));
            self.emit(Event::TaskCompleted { task, took });
        }
        self.continue_run();
    }

    fn start_gate(&mut self, gate: GateId, command: &str) {
        let turn = self.state.run.as_ref().map(|r| r.turn).unwrap_or_default();
        let lane = self.open_lane(LaneKind::Gate(gate), turn, false, false);
        self.move_to(lane, IntentNode::Execute, None);
        let call = self.call_command(lane, command);
        self.emit(Event::GateStarted { gate, call });
        self.advance(lane);
    }

    /// The gate's command was denied or stopped: it is not green, and the run goes on.
    pub(super) fn leave_gate_out(&mut self, lane: LaneId, gate: GateId) {
        self.emit(Event::LaneClosed { lane });
        self.emit(Event::GateReset { gate, skipped: true });
        self.continue_run();
    }

    pub(super) fn gate_failed(&mut self, gate: GateId, diagnostics: String) {
        self.must_go(Trigger::GateFail);
        let name =
            self.state.plan.as_ref().and_then(|p| p.gate(gate)).map(|g| g.name.clone()).unwrap_or_default();
        let failure = Failure {
            origin: Phase::Executing,
            task: None,
            step: self.state.plan.as_ref().map_or(0, Plan::settled),
            gate: Some(gate),
            message: diagnostics,
            hint: String::new(),
        };
        self.ask(CheckpointKind::Failure(failure), format!("[Gate: {name}] failed"));
    }

    pub(super) fn repair(&mut self, checkpoint: CheckpointId, gate: GateId) -> Decided {
        if self.state.repairs >= MAX_REPAIRS {
            return Err(Refusal::new(format!(
                "{MAX_REPAIRS} repairs did not help; retry, skip or go on by hand"
            )));
        }
        self.close(checkpoint, Some(crate::checkpoint::Answer::AutoFix));
        let turn = self.state.run.as_ref().map(|r| r.turn).unwrap_or_default();
        let lane = self.open_lane(LaneKind::Repair(gate), turn, false, false);
        let attempt = self.state.repairs + 1;
        self.emit(Event::RepairStarted { gate, lane, attempt, of: MAX_REPAIRS });
        self.move_to(lane, IntentNode::Act, None);
        let approved = self.state.run.as_ref().and_then(|r| r.approval);
        self.move_to(lane, IntentNode::Modify, approved);
        self.think(lane);
        Ok(())
    }

    pub(super) fn fail_run(&mut self, lane: LaneId, message: String, hint: String) {
        let kind = self.state.lanes.get(&lane).map(|l| l.kind);
        let task = match kind {
            Some(LaneKind::Task(task)) => Some(task),
            _ => None,
        };
        self.emit(Event::LaneClosed { lane });
        self.drop_proposals("the run failed");
        if let Some(task) = task {
            self.emit(Event::TaskFailed { task, message: message.clone() });
        }
        self.complete_as(RunStatus::Failed, message.clone());
        self.fail_at(
            Trigger::Fail,
            Failure { origin: Phase::Executing, task, step: 0, gate: None, message, hint },
        );
    }

    pub(super) fn complete_run(&mut self) {
        let (files, began) = self.state.run.as_ref().map_or((0, self.at), |r| (r.files.len(), r.began));
        let took = self.at.0.saturating_sub(began.0);
        let summary = match (&self.state.plan, files) {
            (None, 0) => format!("Complete ({took}ms)"),
            (_, 1) => "Complete. 1 file created/modified.".to_owned(),
            (_, n) => format!("Complete. {n} files created/modified."),
        };
        self.complete_as(RunStatus::Completed, summary);
        if self.state.plan.is_some() {
            self.emit(Event::PlanShelved { suspended: true });
        }
        self.must_go(Trigger::Complete);
        self.drain();
    }

    fn complete_as(&mut self, status: RunStatus, summary: String) {
        if let Some(run) = &self.state.run {
            let (run, files) = (run.id, run.files.iter().cloned().collect());
            self.emit(Event::RunCompleted { run, status, summary, files });
        }
    }

    pub(super) fn end_run_quietly(&mut self) {
        self.complete_as(RunStatus::Cancelled, "Back to the plan.".to_owned());
    }

    /// After a run: control words in their order, then the queued plan.
    pub(super) fn drain(&mut self) {
        while self.state.phase == Phase::Idle {
            let Some(control) = self.state.queue.control.front().cloned() else { break };
            self.change_queue(|q| drop(q.control.pop_front()));
            if let Err(refusal) = self.control(control) {
                self.notice(Level::Info, refusal.reason);
            }
        }
        if self.state.phase != Phase::Idle {
            return;
        }
        if let Some(turn) = self.state.queue.plan_new {
            self.change_queue(|q| q.plan_new = None);
            // It was queued as work of its own, however it sounded beside the run.
            let continues = self.state.turns.get(&turn).is_some_and(|t| t.class == Turn::PlanContinue);
            let routed = if continues { self.route_plan(turn) } else { self.route(turn) };
            if let Err(refusal) = routed {
                self.notice(Level::Info, refusal.reason);
            }
        }
    }

    /// Stops the run's work; what is done stays done.
    pub(super) fn stop_run(&mut self, why: &str) {
        let done = self
            .state
            .plan
            .as_ref()
            .map_or(0, |p| p.tasks.iter().filter(|t| t.status == TaskStatus::Done).count());
        let run_lanes: Vec<LaneId> =
            self.state.lanes.values().filter(|l| l.kind.of_run()).map(|l| l.id).collect();
        let escalated = self.state.run.is_some() && self.state.plan.is_none();
        for lane in run_lanes {
            let calls: Vec<_> = self
                .state
                .lanes
                .get(&lane)
                .map(|l| l.calls.iter().map(|c| c.call).collect())
                .unwrap_or_default();
            for call in calls {
                self.end_call(lane, call, CallStatus::Interrupted, why);
            }
            self.emit(Event::LaneClosed { lane });
        }
        if escalated {
            self.close_lanes();
        }
        self.drop_questions();
        self.drop_proposals(why);
        let plan = self.state.plan.clone();
        for task in plan.iter().flat_map(|p| &p.tasks).filter(|t| !t.status.settled()) {
            self.emit(Event::TaskCancelled { task: task.id });
        }
        for gate in plan.iter().flat_map(|p| &p.gates).filter(|g| g.status == GateStatus::Running) {
            self.emit(Event::GateReset { gate: gate.id, skipped: false });
        }
        let s = if done == 1 { "" } else { "s" };
        self.complete_as(RunStatus::Cancelled, format!("Completed {done} task{s} before cancel."));
    }

    pub(super) fn cancel(&mut self) -> Decided {
        if self.cancel_answer() {
            return Ok(());
        }
        match self.state.phase {
            Phase::Idle if self.state.open.is_empty() => Err(Refusal::new("nothing is running")),
            Phase::Idle => {
                self.drop_questions();
                self.drop_proposals("cancelled");
                Ok(())
            }
            Phase::Planning | Phase::AwaitingApproval | Phase::Failed => self.abandon(),
            Phase::Executing => {
                self.stop_run("cancelled by the user");
                if self.state.plan.is_some() {
                    self.emit(Event::PlanShelved { suspended: true });
                }
                self.change_queue(|q| *q = crate::session::Queue::default());
                self.go(Trigger::Cancel)?;
                Ok(())
            }
        }
    }

    /// A foreground answer is stopped first, in any phase.
    fn cancel_answer(&mut self) -> bool {
        let escalated =
            self.state.run.is_some() && self.state.plan.is_none() && self.state.run_lane().is_none();
        let answer = self.state.lanes.values().rev().find(|l| l.kind == LaneKind::Answer).map(|l| l.id);
        let Some(lane) = answer.filter(|_| !escalated) else { return false };
        let about: Vec<CheckpointId> = self
            .state
            .open
            .values()
            .filter(|c| match &c.kind {
                CheckpointKind::Transition { lane: l, .. } | CheckpointKind::Diff { lane: l, .. } => {
                    *l == lane
                }
                CheckpointKind::Clarification { lane: l, .. } => *l == Some(lane),
                CheckpointKind::Risk { call, .. } => {
                    self.state.open_call(*call).is_some_and(|(l, _)| l.id == lane)
                }
                CheckpointKind::Confirmation
                | CheckpointKind::Failure(_)
                | CheckpointKind::Interruption { .. }
                | CheckpointKind::Exit
                | CheckpointKind::PipelinePause { .. }
                | CheckpointKind::Breakout { .. } => false,
            })
            .map(|c| c.id)
            .collect();
        for id in about {
            self.close(id, None);
        }
        self.emit(Event::LaneClosed { lane });
        self.notice(Level::Info, "Stopped.");
        true
    }

    pub(super) fn drop_questions(&mut self) {
        for id in self.state.open.keys().copied().collect::<Vec<_>>() {
            self.close(id, None);
        }
    }

    pub(super) fn manual(&mut self, checkpoint: CheckpointId) -> Decided {
        self.close(checkpoint, Some(crate::checkpoint::Answer::Manual));
        self.drop_questions();
        self.drop_proposals("the user goes on by hand");
        self.close_lanes();
        self.complete_as(
            RunStatus::Manual,
            "Stopped; you go on by hand. `/redo` takes the plan up again.".to_owned(),
        );
        if self.state.plan.is_some() {
            self.emit(Event::PlanShelved { suspended: true });
        }
        self.go(Trigger::Manual)?;
        Ok(())
    }

    /// Tries again what failed, in the phase Failed.
    pub(super) fn retry_failed(&mut self) -> Decided {
        let Some(failure) = self.state.failure.clone() else {
            return Err(Refusal::new("nothing failed"));
        };
        let question = self.state.phase_question().map(|c| c.id);
        let approval = question.map(|id| self.allow(id, crate::checkpoint::Answer::Retry));
        let step = self.go(Trigger::Retry(failure.origin))?;
        if step == Move::To(Phase::Planning) {
            self.plan_again();
            return Ok(());
        }
        let reset: Vec<TaskId> = self
            .state
            .plan
            .iter()
            .flat_map(|p| &p.tasks)
            .filter(|t| matches!(t.status, TaskStatus::Failed | TaskStatus::Cancelled | TaskStatus::Running))
            .map(|t| t.id)
            .collect();
        let turn = self.state.plan.as_ref().map(|p| p.turn).or(self.state.turn).unwrap_or_default();
        self.start_run(turn, approval);
        for task in reset {
            self.emit(Event::TaskReset { task });
        }
        if self.state.plan.is_some() {
            self.continue_run();
        } else {
            let lane = self.open_lane(LaneKind::Goal, turn, false, false);
            self.move_to(lane, IntentNode::Execute, None);
            self.think(lane);
        }
        Ok(())
    }

    /// Shows an earlier plan again, with what is left of it to do.
    pub(super) fn present_again(&mut self, mut plan: Plan) -> Decided {
        let finished = plan.tasks.iter().all(|t| t.status == TaskStatus::Done);
        for task in &mut plan.tasks {
            if finished || task.status != TaskStatus::Done {
                task.status = TaskStatus::Pending;
                task.took = None;
            }
        }
        for gate in &mut plan.gates {
            gate.status = GateStatus::Pending;
        }
        self.go(Trigger::Redo)?;
        self.emit(Event::PlanReady { plan });
        self.ask(CheckpointKind::Confirmation, "Proceed?");
        Ok(())
    }
}
