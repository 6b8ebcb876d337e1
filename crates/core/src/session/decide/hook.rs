//! Hooks: called for what happened, heard before what they may refuse.
//!
//! Owns what waits for them and what their ends mean. A hook says yes or no; it never says where to
//! go instead.

use std::collections::BTreeMap;

use super::terms::RunFault;
use super::{Decided, Draft};
use crate::session::hooks::occasion;
use crate::{
    event::{CallStatus, Event, Level},
    fact::shortened,
    hook::{Hold, Hook, HookMode, HookOutcome, HookRun, HookStatus, Occasion},
    ids::{ApplyId, ApprovalId, CallId, LaneId, Millis, Seq},
    input::{Refusal, WriteFault},
    intent::{IntentNode, Phase},
    phase::Trigger,
    session::{ApplyStatus, Lane, LaneKind},
};

/// Calls that have not ended; beyond that only hooks that can refuse are called.
const MOST_RUNNING: usize = 64;

impl Draft<'_> {
    /// Calls the hooks that hear of an event. Those that could refuse a transition were asked before it.
    pub(super) fn call_hooks(&mut self, seq: Seq, event: &Event) {
        let Some((on, well)) = occasion(event) else { return };
        let lane_moved =
            if let Event::NodeTransition { from, to, .. } = event { Some((*from, *to)) } else { None };
        let held = if let Event::CallStarted { call, .. } = event {
            Some(Hold::Call(*call))
        } else if let Event::ApplyApproved { apply, .. } = event {
            Some(Hold::Apply(*apply))
        } else {
            None
        };
        let hears = |h: &Hook| match lane_moved {
            Some((from, to)) => h.way != HookMode::Blocks && h.watches(from, to),
            None => h.is_called(on, well),
        };
        self.call(seq, hears, held);
    }

    /// The session is open: its hooks are known, and those that hear of that are called.
    pub(super) fn hooks_of_session(&mut self) {
        let opened = |e: &&crate::event::Stamped| {
            matches!(e.event, Event::SessionOpened { .. } | Event::SessionReopened { .. })
        };
        let Some(seq) = self.events.iter().rev().find(opened).map(|e| e.seq) else { return };
        self.call(seq, |h| h.is_called(Occasion::Session, true), None);
    }

    /// Calls every hook of which `which` holds; what blocks holds `held`.
    fn call(&mut self, of: Seq, which: impl Fn(&Hook) -> bool, held: Option<Hold>) {
        let called: Vec<(crate::blob::BlobId, HookMode)> =
            self.state.hooks.iter().filter(|h| which(h)).map(|h| (h.id, h.way)).collect();
        for (hook, way) in called {
            let holds = held.filter(|_| way == HookMode::Blocks);
            if holds.is_none() && self.state.hook_runs.len() >= MOST_RUNNING {
                tell_once(self);
                continue;
            }
            let call = CallId(self.id());
            self.emit(Event::HookStarted { call, hook, of, holds });
        }
    }

    /// Moves a lane, unless a hook is to be heard first: [`State::has_arrived`] tells.
    pub(super) fn move_to(&mut self, lane: LaneId, to: IntentNode, approval: Option<ApprovalId>) {
        let Some(l) = self.state.lanes.get(&lane) else { return };
        let from = l.moves.last().map_or(l.node, |m| m.to);
        let here = l.moves.is_empty();
        if from == to {
            return;
        }
        let asks = self.state.hooks.iter().any(|h| h.way == HookMode::Blocks && h.watches(from, to));
        if here && !asks {
            return self.emit(Event::NodeTransition { lane, from, to, approval });
        }
        self.emit(Event::MoveHeld { lane, from, to, approval });
        self.go_on_moving(lane);
    }

    /// Moves a lane and asks its model, once no hook holds it.
    pub(super) fn think_at(&mut self, lane: LaneId, to: IntentNode, approval: Option<ApprovalId>) {
        self.move_to(lane, to, approval);
        if self.state.has_arrived(lane) {
            self.begin(lane);
        }
    }

    /// A lane's model is asked, unless it goes on where there is nothing left but to look at what was proposed.
    fn begin(&mut self, lane: LaneId) {
        if self.state.is_through(lane) { self.finish_lane(lane) } else { self.think(lane) }
    }

    /// Back to where less is allowed: hooks hear of it, none can hold it.
    pub(super) fn retreat_to(&mut self, lane: LaneId, to: IntentNode) {
        let Some(from) = self.state.lanes.get(&lane).map(|l| l.node).filter(|from| *from != to) else {
            return;
        };
        self.emit(Event::NodeTransition { lane, from, to, approval: None });
        let seq = self.state.seq;
        self.call(seq, |h| h.way == HookMode::Blocks && h.watches(from, to), None);
    }

    /// A removal was approved: the lane goes to delete. Where it is gone, its hooks hold the write.
    pub(super) fn move_to_delete(&mut self, lane: LaneId, apply: ApplyId, approval: ApprovalId) {
        if self.state.lanes.contains_key(&lane) {
            self.move_to(lane, IntentNode::Delete, Some(approval));
            return;
        }
        let watches =
            |h: &Hook| h.way == HookMode::Blocks && h.watches(IntentNode::Modify, IntentNode::Delete);
        let seq = self.state.seq;
        self.call(seq, watches, Some(Hold::Apply(apply)));
    }

    /// Takes the steps that no hook holds.
    fn go_on_moving(&mut self, lane: LaneId) {
        loop {
            let next = self.state.lanes.get(&lane).and_then(|l| l.moves.first().copied());
            let Some(next) = next.filter(|_| !self.state.is_held(Hold::Move(lane))) else { return };
            if !next.asked {
                let watches = |h: &Hook| h.way == HookMode::Blocks && h.watches(next.from, next.to);
                self.call(next.seq, watches, Some(Hold::Move(lane)));
                if self.state.is_held(Hold::Move(lane)) {
                    return;
                }
            }
            let (from, to, approval) = (next.from, next.to, next.approval);
            self.emit(Event::NodeTransition { lane, from, to, approval });
        }
    }

    /// Whether an approved plan waits for the hooks between it and its work.
    pub(super) fn leaves_for_act(&self) -> bool {
        self.state.planning_lane().is_some_and(|l| !l.moves.is_empty())
    }

    pub(super) fn hook_ended(&mut self, call: CallId, outcome: HookOutcome) -> Decided {
        let Some(run) = self.state.hook_runs.get(&call).cloned() else {
            return Err(Refusal::new("nothing is waiting for that hook any longer"));
        };
        let (hook, name) = (run.hook.id, run.hook.name.clone());
        let HookOutcome { status, summary, output, took } = outcome;
        let why = blame(&name, status, &summary, &output);
        let output = self.excerpt(output);
        self.emit(Event::HookEnded {
            call,
            hook,
            name: name.clone(),
            status,
            summary: summary.clone(),
            output,
            took,
        });
        match (run.holds, status) {
            (Some(hold), HookStatus::Passed) => self.released(hold),
            (Some(hold), _) => self.refused(hold, why),
            (None, HookStatus::Unable) => {
                self.notice(Level::Warn, format!("The hook `{name}` could not run: {summary}"));
            }
            (None, _) => {}
        }
        Ok(())
    }

    /// Stops hooks that nothing waits for but the session's rest.
    pub(super) fn stop_hooks(&mut self) {
        for call in self.state.shown_hooks().collect::<Vec<_>>() {
            if let Some(run) = self.state.hook_runs.get(&call).cloned() {
                self.hook_stopped(call, &run);
            }
        }
    }

    /// Hooks whose reason fell away with this event end with it.
    pub(super) fn stop_idle_hooks(&mut self, running: BTreeMap<CallId, HookRun>, event: &Event) {
        let ended = if let Event::HookEnded { call, .. } = event { Some(*call) } else { None };
        for (call, run) in running {
            if !self.state.hook_runs.contains_key(&call) && ended != Some(call) {
                self.hook_stopped(call, &run);
            }
        }
    }

    fn hook_stopped(&mut self, call: CallId, run: &HookRun) {
        let (hook, name) = (run.hook.id, run.hook.name.clone());
        let (summary, output) = ("stopped".to_owned(), crate::blob::Excerpt::default());
        let (status, took) = (HookStatus::Stopped, Millis(0));
        self.emit(Event::HookEnded { call, hook, name, status, summary, output, took });
    }

    /// A hook let pass what it held.
    fn released(&mut self, hold: Hold) {
        match hold {
            Hold::Move(lane) => {
                let last = self.state.lanes.get(&lane).and_then(|l| l.moves.last().copied());
                self.go_on_moving(lane);
                if let Some(last) = last.filter(|_| self.state.has_arrived(lane)) {
                    self.arrived(lane, last.approval);
                }
            }
            // The work follows from the state.
            Hold::Call(_) | Hold::Apply(_) => {}
        }
    }

    /// A lane is where it was on its way to: it does what it went there for.
    fn arrived(&mut self, lane: LaneId, approval: Option<ApprovalId>) {
        let Some(l) = self.state.lanes.get(&lane) else { return };
        let begins = l.calls.is_empty() && l.thinking.is_none() && l.talk.is_empty();
        match (l.kind, approval) {
            (LaneKind::Planning, Some(approval)) if self.state.phase == Phase::AwaitingApproval => {
                if self.may_run() {
                    return self.left_planning(lane, approval);
                }
                self.emit(Event::LaneClosed { lane });
                self.notice(
                    Level::Warn,
                    "The ceiling was lowered while a hook ran: the plan is waiting again.",
                );
            }
            (LaneKind::Pipeline, _) if begins => self.pipeline_arrived(lane),
            _ if begins => self.begin(lane),
            _ => self.advance(lane),
        }
    }

    /// A hook refused what it held: that does not happen.
    fn refused(&mut self, hold: Hold, why: String) {
        match hold {
            Hold::Move(lane) => self.move_refused(lane, why),
            Hold::Call(call) => {
                if let Some(lane) = self.state.open_call(call).map(|(l, _)| l.id) {
                    self.end_call(lane, call, CallStatus::Refused, &format!("not run: {why}"));
                    self.advance(lane);
                }
            }
            Hold::Apply(apply) => self.apply_failed(apply, fault(why)),
        }
    }

    fn move_refused(&mut self, lane: LaneId, why: String) {
        let Some(l) = self.state.lanes.get(&lane).cloned() else { return };
        let (Some(first), Some(last)) = (l.moves.first(), l.moves.last()) else { return };
        self.emit(Event::MoveBlocked { lane, from: first.from, to: last.to, why: why.clone() });
        let writes: Vec<ApplyId> = self.approved_writes_of(lane);
        if !writes.is_empty() {
            for apply in writes {
                self.apply_failed(apply, fault(why.clone()));
            }
            return;
        }
        if let Some(call) = l.calls.iter().find(|c| c.allowed.is_none()).map(|c| c.call) {
            let text = format!("not allowed: {why}; go on with what you can do, or say what you would need");
            self.end_call(lane, call, CallStatus::Refused, &text);
            return self.advance(lane);
        }
        self.stays(&l, why);
    }

    /// A lane that could not begin, or a plan that could not leave.
    fn stays(&mut self, lane: &Lane, message: String) {
        let hint = "fix what the hook found, or the hook itself, then try again";
        match lane.kind {
            // The plan waits again: the phase asks.
            LaneKind::Planning if self.state.phase == Phase::AwaitingApproval => {}
            LaneKind::Planning => {
                self.emit(Event::LaneClosed { lane: lane.id });
                self.fail(Trigger::PlanError, RunFault::new(message, hint).failure(Phase::Planning));
            }
            LaneKind::Answer if !self.has_own_run(lane.id) => {
                self.emit(Event::LaneClosed { lane: lane.id });
            }
            LaneKind::Child(_) => self.end_child(lane.id, &format!("It could not start: {message}"), false),
            LaneKind::Answer
            | LaneKind::Task(_)
            | LaneKind::Goal
            | LaneKind::Gate(_)
            | LaneKind::Pipeline
            | LaneKind::Repair(_) => self.fail_run(lane.id, RunFault::new(message, hint)),
        }
    }

    fn approved_writes_of(&self, lane: LaneId) -> Vec<ApplyId> {
        let of = |id: &crate::ids::ProposalId| self.state.proposals().get(id).is_some_and(|p| p.lane == lane);
        let open = self.state.applies().values().filter(|a| a.status == ApplyStatus::Approved);
        open.filter(|a| a.take.iter().any(|(id, _)| of(id))).map(|a| a.id).collect()
    }
}

/// Why something does not happen, with the first line of what the hook wrote.
fn blame(name: &str, status: HookStatus, summary: &str, output: &str) -> String {
    if status == HookStatus::Unable {
        return format!("the hook `{name}` could not run: {summary}");
    }
    let line = output.lines().find(|l| !l.trim().is_empty() && !matches!(*l, "stdout:" | "stderr:"));
    let said = line.map(|l| shortened(l.trim(), 200));
    format!("the hook `{name}` refused it ({summary}){}", said.map_or_else(String::new, |s| format!(": {s}")))
}

fn fault(message: String) -> WriteFault {
    WriteFault { message, stale: false, rebased: Vec::new() }
}

/// More hooks are called than can run: said once, until some have ended.
fn tell_once(draft: &mut Draft<'_>) {
    let text = "Too many hooks are running at once; some were not called.";
    let told = draft.events.iter().any(|e| matches!(&e.event, Event::Notice { text: t, .. } if t == text));
    if !told {
        draft.notice(Level::Warn, text);
    }
}
