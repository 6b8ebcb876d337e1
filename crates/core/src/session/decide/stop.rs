//! Stops: cancel, give up, go on by hand, fail; what is done stays done.
//!
//! Owns what ends with a plan or a run. An answer beside it, its questions, and changes that were
//! staged before all go on.

use super::terms::{RunEnd, RunFault};
use super::{Decided, Draft};
use crate::{
    checkpoint::{Answer, Checkpoint, CheckpointKind, Failure},
    event::{CallStatus, Event, Level, RunStatus},
    fact::{first_line, shortened},
    goal::GoalStatus,
    ids::{ApplyId, CheckpointId, LaneId, ProposalId, TaskId},
    input::Refusal,
    intent::{Control, Phase},
    phase::Trigger,
    pipeline::StageEvent,
    plan::{GateStatus, Plan, TaskStatus},
    session::{ApplyStatus, Lane, LaneKind},
};

/// Most characters of a message whose answer was stopped.
const MOST_ASKED: usize = 60;

impl Draft<'_> {
    /// Stop: what works first, a run or a planning, before what is beside it; then questions that still wait for the model,
    /// all at once, then an answer, then what the phase stands for.
    pub(super) fn cancel(&mut self) -> Decided {
        if !self.state.pending_messages.is_empty() {
            self.stop_hearing();
            return Ok(());
        }
        let untitled = self.stop_titling();
        if untitled {
            self.notice(Level::Info, "Stopped asking for a title.");
        }
        let stopped = self.stop_compaction() || untitled;
        if stopped && self.state.phase == Phase::Idle && self.state.answering().is_none() {
            return Ok(());
        }
        if self.works() {
            return self.stop();
        }
        if self.stop_waiting_answers() {
            return Ok(());
        }
        let idle = self.state.phase == Phase::Idle;
        let answer = self.state.answering().or_else(|| self.state.answer_at_rest().filter(|_| idle));
        match answer {
            Some(lane) => self.stop_answer(lane),
            None => return self.stop(),
        }
        Ok(())
    }

    /// Whether a run or a planning is what is at work, whatever goes on beside it.
    fn works(&self) -> bool {
        match self.state.phase {
            Phase::Executing => true,
            Phase::Planning => self.state.planning_lane().is_some(),
            Phase::Idle | Phase::AwaitingApproval | Phase::Failed => false,
        }
    }

    /// Stops the last answer, and nothing where there is none.
    pub(super) fn cancel_answer(&mut self) -> Decided {
        if self.stop_waiting_answers() {
            return Ok(());
        }
        let lane = self.state.answering().ok_or_else(|| Refusal::new("nothing is being answered"))?;
        self.stop_answer(lane);
        Ok(())
    }

    /// Stops the plan or the run, whatever is answered beside it.
    pub(super) fn stop(&mut self) -> Decided {
        self.stop_because("cancelled")
    }

    fn stop_because(&mut self, reason: &str) -> Decided {
        match self.state.phase {
            Phase::Idle if self.state.phase_question().is_some() => {
                self.close_phase_question();
                // What waited behind a question whether to start over waits for nothing now.
                self.clear_queue();
                Ok(())
            }
            Phase::Idle if self.state.shown_hooks().next().is_some() => {
                self.stop_hooks();
                Ok(())
            }
            Phase::Idle if self.state.goes_on => {
                self.emit(Event::ControlGiven { control: Control::Cancel });
                self.notice(Level::Info, "The plan is waiting for you again; the changes stay as they are.");
                Ok(())
            }
            Phase::Idle => {
                let back = self.state.taken_back();
                // Whoever leaves finds it as they left it.
                if back.is_empty() || self.leaving {
                    return Err(Refusal::new("nothing is running"));
                }
                self.put_aside(&back, reason);
                self.notice(
                    Level::Info,
                    "Set aside: nothing is taken back; `/proposals all` brings it back.",
                );
                Ok(())
            }
            Phase::Planning | Phase::AwaitingApproval | Phase::Failed => self.abandon(),
            Phase::Executing => {
                self.stop_run(reason);
                self.shelve();
                self.clear_queue();
                self.go(Trigger::Cancel)?;
                Ok(())
            }
        }
    }

    /// Stops everything, to leave. What waits to be looked at waits on, as after an end that nobody wanted.
    pub(super) fn stop_all(&mut self) {
        self.leaving = true;
        for lane in
            self.state.lanes.values().filter(|l| l.kind == LaneKind::Answer).map(|l| l.id).collect::<Vec<_>>()
        {
            if !self.has_own_run(lane) {
                self.stop_answer(lane);
            }
        }
        self.drop_unheard();
        // Nothing may be left to stop, and that is fine.
        drop(self.stop_because("you left"));
    }

    /// Drops the questions that wait for their turn at the model. Whether there were any.
    fn stop_waiting_answers(&mut self) -> bool {
        let waiting = self.state.answers_in_turn();
        for lane in &waiting {
            self.end_answer(*lane);
        }
        match waiting.len() {
            0 => return false,
            1 => self.notice(Level::Info, "Stopped: a queued question was not asked."),
            n => self.notice(Level::Info, format!("Stopped: {n} queued questions were not asked.")),
        }
        true
    }

    /// Stops one answer with what it asks; where something else waits, it is told which of them stopped.
    pub(super) fn stop_answer(&mut self, lane: LaneId) {
        let turn = self.state.lanes.get(&lane).and_then(|l| self.state.turns.get(&l.turn));
        let asked = turn.map(|t| first_line(&t.head).to_owned());
        self.end_answer(lane);
        let waiting: Vec<String> = self.state.open.values().map(|c| self.state.waits(c, true)).collect();
        let text = match asked.filter(|asked| !asked.is_empty() && !waiting.is_empty()) {
            Some(asked) => {
                let (asked, waiting) = (shortened(&asked, MOST_ASKED), waiting.join("; "));
                format!(
                    "Stopped the answer to \"{asked}\". Still waiting: {}.",
                    waiting.trim_end_matches('.')
                )
            }
            None => "Stopped.".to_owned(),
        };
        self.notice(Level::Info, text);
    }

    fn end_answer(&mut self, lane: LaneId) {
        self.close_questions(|d, kind| d.lane_asking(kind) == Some(lane));
        self.set_aside("stopped", |_, of| of == lane);
        self.emit(Event::LaneClosed { lane });
    }

    /// Stops with the plan: from planning, from its confirmation, while it waits for words, or after a failure.
    pub(super) fn abandon(&mut self) -> Decided {
        self.end_work("the plan was dropped");
        let title = self.state.plan.as_ref().filter(|p| p.unfinished()).map(|p| p.title.clone());
        self.shelve();
        self.clear_queue();
        self.go(Trigger::Abandon)?;
        let aside = title.map(|t| format!(" The plan \"{t}\" is set aside; `/redo` brings it back."));
        let aside = aside.unwrap_or_default();
        let text = format!("Stopped.{aside}");
        self.notice(Level::Info, text);
        Ok(())
    }

    /// A plan that was rejected, and of which the user does not say what is to be different: it is set aside, and what
    /// waited behind it has its turn.
    pub(super) fn lay_aside(&mut self) -> Decided {
        self.end_work("the plan was set aside");
        let title = self.state.plan.as_ref().map(|p| p.title.clone()).unwrap_or_default();
        self.shelve();
        self.go(Trigger::Abandon)?;
        let next = if self.state.queue.is_empty() { " What next?" } else { "" };
        let text = format!("OK, the plan \"{title}\" is set aside; `/redo` brings it back.{next}");
        self.notice(Level::Info, text);
        self.drain();
        Ok(())
    }

    /// Sets the active plan aside, if there is one.
    pub(super) fn shelve(&mut self) {
        if self.state.plan.is_some() {
            self.emit(Event::PlanShelved { suspended: true, discarded: false });
        }
    }

    /// Stops the run's work; what is done stays done.
    pub(super) fn stop_run(&mut self, why: &str) {
        self.end_work(why);
        let plan = self.state.plan.clone();
        let tasks = || plan.iter().flat_map(|p| &p.tasks);
        let done = tasks().filter(|t| t.status == TaskStatus::Done).count();
        // What never began was not stopped: it is still to do.
        for task in tasks().filter(|t| t.status == TaskStatus::Running) {
            self.emit(Event::TaskCancelled { task: task.id });
        }
        for gate in plan.iter().flat_map(|p| &p.gates).filter(|g| g.status == GateStatus::Running) {
            self.emit(Event::GateReset { gate: gate.id, skipped: false, why: None });
        }
        let s = if done == 1 { "" } else { "s" };
        let goal = self.goal_summary(Some(GoalStatus::Cancelled));
        let summary = match &goal {
            Some(goal) => goal.line(),
            None if self.pipeline().is_some_and(|p| p.state.is_running()) => "Stopped.".to_owned(),
            None => format!("Completed {done} task{s} before cancel."),
        };
        self.complete_as(RunEnd { status: RunStatus::Cancelled, summary, goal });
    }

    /// Stops the run, keeps the plan; work that waited for its end is held while the user mends by hand.
    pub(super) fn manual(&mut self, checkpoint: CheckpointId) -> Decided {
        let red = self.state.failure.as_ref().and_then(|f| self.state.plan.as_ref()?.gate(f.gate?));
        let then = red.map_or_else(
            || "resumes the plan".to_owned(),
            |gate| format!("runs `{}` again", shortened(&gate.command, MOST_ASKED)),
        );
        let then = format!("Fix it yourself; then \"go on\" {then}.");
        self.close(checkpoint, Some(Answer::Manual));
        self.end_work("the user goes on by hand");
        self.complete_as(RunEnd::of(RunStatus::Manual, then.as_str()));
        self.notice(Level::Info, then);
        self.shelve();
        self.go(Trigger::Manual)?;
        self.drain_words();
        // Lines of their own are how they mend it.
        let typed = |t| self.state.turns.get(&t).is_some_and(|t| t.command().is_some());
        if self.state.queue.works().all(typed) {
            self.drain();
        }
        let held = self.state.queue.works().count();
        if held > 0 {
            let held = crate::money::count(held, "message");
            self.notice(Level::Info, format!("Queued: {held}, until the next run ends (/queue)."));
        }
        Ok(())
    }

    /// Starts over: nothing stays open; what is unfinished is set aside.
    pub(super) fn reset(&mut self) {
        self.end_work("the session was reset");
        self.drop_unheard();
        for lane in self.state.lanes.keys().copied().collect::<Vec<_>>() {
            self.emit(Event::LaneClosed { lane });
        }
        self.close_questions(|_, _| true);
        self.set_aside("the session was reset", |_, _| true);
        let plans = self.state.plan.iter().chain(&self.state.suspended).filter(|p| p.unfinished());
        let plans = plans.map(Plan::standing).collect::<Vec<_>>().join(", ");
        while self.state.plan.is_some() || self.state.suspended.is_some() {
            self.emit(Event::PlanShelved { suspended: false, discarded: false });
        }
        self.clear_queue();
        // What was asked for about the talk before is of no more use.
        self.stop_titling();
        if let Some(lane) = self.state.changes.sought().map(|s| s.lane) {
            self.emit(Event::TakeBackUnmade { lane });
        }
        self.must_go(Trigger::Reset);
        self.notice(Level::Info, "The session starts over; applied changes stay and can be undone.");
        if !plans.is_empty() {
            let text = format!("Set aside: {plans}; `/proposals plan` brings the last one back.");
            self.notice(Level::Info, text);
        }
    }

    /// A lane of the run cannot go on, and the run with it, once other steps at work have ended.
    pub(super) fn fail_run(&mut self, lane: LaneId, fault: RunFault) {
        let kind = self.state.lanes.get(&lane).map(|l| l.kind);
        let failed =
            |id| Event::TaskFailed { task: id, message: fault.message.clone(), hint: fault.hint.clone() };
        let mut task: Option<TaskId> = None;
        if let Some(LaneKind::Task(id)) = kind
            && self.state.run_lanes().count() > 1
        {
            self.end_lanes("the step failed", &|_, l| l.id == lane);
            return self.emit(failed(id));
        }
        self.end_work("the run failed");
        match kind {
            Some(LaneKind::Task(id)) => {
                self.emit(failed(id));
                task = Some(id);
            }
            Some(LaneKind::Gate(gate)) => self.emit(Event::GateReset { gate, skipped: false, why: None }),
            Some(LaneKind::Pipeline) => self.staged(StageEvent::Error { message: fault.message.clone() }),
            Some(
                LaneKind::Answer
                | LaneKind::Planning
                | LaneKind::Goal
                | LaneKind::Repair(_)
                | LaneKind::Child(_),
            )
            | None => {}
        }
        let staged = kind == Some(LaneKind::Pipeline);
        self.run_failed(task, RunFault { staged, ..fault });
    }

    /// The run cannot go on.
    pub(super) fn run_failed(&mut self, task: Option<TaskId>, fault: RunFault) {
        let ended = if fault.planner.is_some() { GoalStatus::PlannerError } else { GoalStatus::Failed };
        let goal = self.goal_summary(Some(ended));
        self.complete_as(RunEnd { status: RunStatus::Failed, summary: fault.message.clone(), goal });
        self.fail(Trigger::Fail, Failure { task, ..fault.failure(Phase::Executing) });
    }

    pub(super) fn fail(&mut self, trigger: Trigger, mut failure: Failure) {
        if let (Some(plan), Some(task)) = (&self.state.plan, failure.task) {
            failure.step = plan.number(task);
        }
        self.end_work("the work failed");
        self.must_go(trigger);
        let message = failure.message.clone();
        self.ask(failure, message);
    }

    /// Ends what the plan and its run have open: questions, writes that have not begun, proposals,
    /// lanes.
    pub(super) fn end_work(&mut self, why: &str) {
        self.close_questions(|d, kind| {
            d.lane_asking(kind).is_none_or(|lane| !d.state.lanes.contains_key(&lane))
                && !kind.question().ties().outlives_work
        });
        self.end_lanes(why, &|d, lane| d.is_work(lane));
    }

    /// Stops one step of a run; others at work come to their end, and the run with the last of them.
    pub(super) fn stop_step(&mut self, lane: LaneId, task: TaskId) {
        self.end_lanes("the step was stopped", &|_, l| l.id == lane);
        self.emit(Event::TaskCancelled { task });
    }

    /// Ends lanes with what they have open.
    fn end_lanes(&mut self, why: &str, which: &dyn Fn(&Self, &Lane) -> bool) {
        let is = |d: &Self, lane: LaneId| d.state.lanes.get(&lane).is_some_and(|l| which(d, l));
        self.close_questions(|d, kind| d.lane_asking(kind).is_some_and(|lane| is(d, lane)));
        self.stop_preparing(why, |d, lane| is(d, lane));
        self.set_aside(why, |d, lane| is(d, lane));
        let lanes: Vec<Lane> = self.state.lanes.values().filter(|l| which(self, l)).cloned().collect();
        for lane in lanes {
            for call in lane.calls.iter().filter(|_| lane.kind.of_run()) {
                self.end_call(lane.id, call.call, CallStatus::Interrupted, why);
            }
            self.emit(Event::LaneClosed { lane: lane.id });
        }
    }

    /// Whether a lane ends with the plan or the run; a sub-agent ends with the call that started it.
    fn is_work(&self, lane: &Lane) -> bool {
        !matches!(lane.kind, LaneKind::Answer | LaneKind::Child(_)) || self.has_own_run(lane.id)
    }

    /// Writes of the work that are approved but have not touched a file.
    fn stop_preparing(&mut self, why: &str, of: impl Fn(&Self, LaneId) -> bool) {
        let mine = |id: &ProposalId| self.state.proposals().get(id).is_some_and(|p| of(self, p.lane));
        let early: Vec<ApplyId> = self
            .state
            .applies()
            .values()
            .filter(|a| a.status == ApplyStatus::Approved && a.take.iter().any(|(id, _)| mine(id)))
            .map(|a| a.id)
            .collect();
        for apply in early {
            let message = format!("{why} before anything was written");
            self.emit(Event::ApplyFailed { apply, message, stale: false });
        }
    }

    fn close_questions(&mut self, which: impl Fn(&Self, &CheckpointKind) -> bool) {
        // What was being looked at is not closed by leaving.
        let asked = |c: &&Checkpoint| which(self, &c.kind) && !(self.leaving && c.kind.review().is_some());
        let ids: Vec<CheckpointId> = self.state.open.values().filter(asked).map(|c| c.id).collect();
        for id in ids {
            self.close(id, None);
        }
    }

    /// The lane that a question belongs to, if it belongs to one.
    fn lane_asking(&self, kind: &CheckpointKind) -> Option<LaneId> {
        let of_call = || Some(self.state.open_call(kind.call()?)?.0.id);
        kind.lane().or_else(of_call)
    }
}
