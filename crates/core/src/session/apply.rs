//! The one mutator: events folded into the state.
//!
//! Total over every event, however strange the log. Never decides and never refuses.

mod change;
mod command;
mod hear;
mod plan;

use super::{
    lane::{Lane, LaneKind, OpenCall, Talk},
    state::{ApplyStatus, HEAD_CHARS, Run, State, TurnInfo},
};
use crate::{
    checkpoint::CheckpointKind,
    event::{Event, RunStatus, Stamped},
    ids::Seq,
    intent::{Control, IntentPath, Phase, Turn},
    plan::{GateStatus, TaskStatus},
    policy::{Origin, Rule},
    proposal::ProposalStatus,
    tool::LeaveOf,
    trust::{Given, Trust},
};

impl State {
    pub(super) fn apply(&mut self, stamped: &Stamped) {
        self.seq = stamped.seq;
        self.at = stamped.at;
        self.fold(stamped.seq, &stamped.event);
        self.drop_idle_hooks();
    }

    pub(super) fn saw(&mut self, id: u64) {
        self.last_id = self.last_id.max(id);
    }

    fn fold(&mut self, seq: Seq, event: &Event) {
        self.age(event);
        match event {
            Event::SessionOpened { slug, folder, mode, permission, sandbox, mode_said, .. } => {
                self.mode_said = *mode_said;
                self.slug.clone_from(slug);
                self.folder.clone_from(folder);
                self.mode = *mode;
                self.permission = *permission;
                self.sandbox = sandbox.clone().unwrap_or_default();
            }
            Event::SessionReopened { permission, sandbox, .. } => {
                self.reopen(*permission);
                self.sandbox = sandbox.clone().unwrap_or_default();
            }
            Event::CallLost { apply, .. } => {
                if let Some(a) = apply.and_then(|a| self.applies.get_mut(&a)) {
                    a.status = ApplyStatus::Failed;
                }
            }
            Event::TurnStarted { turn, text } => {
                self.saw(turn.0);
                self.turn = Some(*turn);
                self.history.push(seq);
                let head: String = text.head.chars().take(HEAD_CHARS).collect();
                self.keep(seq, true, head.clone());
                let info = TurnInfo {
                    seq,
                    head,
                    class: Turn::Query(None),
                    path: IntentPath::root(),
                    confidence: 0.0,
                    forbids: false,
                    fixed: false,
                    request: None,
                    output: None,
                    source: String::new(),
                    reasoning: String::new(),
                    phase: self.phase,
                    plan_active: self.plan.is_some(),
                };
                self.turns.insert(*turn, info);
            }
            Event::IntentClassified { .. } | Event::IntentAsked { .. } | Event::TurnDropped { .. } => {
                self.fold_heard(event);
            }
            Event::PhaseChanged { to, .. } => {
                self.phase = *to;
                if *to != Phase::Failed {
                    self.failure = None;
                }
            }
            Event::TrustChanged { trust, of, gives } => {
                self.trust = *trust;
                self.given = Given::of(gives, *of);
                self.seeking = None;
            }
            Event::TrustSought { wish } => self.seeking = Some(*wish),
            Event::HooksKnown { .. }
            | Event::HookStarted { .. }
            | Event::HookEnded { .. }
            | Event::MoveHeld { .. }
            | Event::MoveBlocked { .. } => self.fold_hook(seq, event),
            Event::ModeChanged { mode, .. } => {
                self.mode = *mode;
                self.mode_said = true;
            }
            Event::ControlGiven { control: Control::ModeSwitch(_) } => self.mode_said = true,
            Event::PermissionChanged { permission, chat_only } => {
                self.permission = *permission;
                self.chat_only = *chat_only;
                self.narrow();
            }
            Event::RunStarted { run, turn, approval } => {
                self.saw(run.0);
                self.repairs = 0;
                self.run = Some(Run {
                    id: *run,
                    turn: *turn,
                    began: self.at,
                    approval: *approval,
                    files: std::collections::BTreeSet::new(),
                    tried: None,
                });
            }
            Event::RunCompleted { status, .. } => {
                let run = self.run.take();
                if *status == RunStatus::Failed {
                    self.failed = run.map(|r| r.turn);
                }
            }
            Event::CheckpointOpened { checkpoint } => {
                self.saw(checkpoint.id.0);
                if let CheckpointKind::Failure(f) = &checkpoint.kind {
                    self.failure = Some(f.clone());
                }
                self.asked.insert(checkpoint.id, seq);
                self.open.insert(checkpoint.id, checkpoint.clone());
            }
            Event::CheckpointResolved { checkpoint, approval, .. } => {
                self.saw(approval.map_or(0, |a| a.0));
                self.asked.remove(checkpoint);
                let question = self.open.remove(checkpoint);
                if let (Some(CheckpointKind::Access(access)), Some(_)) = (question.map(|q| q.kind), approval)
                {
                    let mut calls = self.lanes.values_mut().flat_map(|l| &mut l.calls);
                    if let Some(open) = calls.find(|c| c.call == access.call) {
                        open.leave.push(access.request);
                    }
                }
            }
            Event::RulesGranted { rules, lasting, approval } => {
                self.saw(approval.0);
                self.granted.extend(rules.iter().filter_map(|r| Rule::parse(r, Origin::SESSION).ok()));
                if *lasting {
                    self.keeping.insert(*approval, rules.clone());
                }
            }
            Event::RulesKept { approval, .. } => drop(self.keeping.remove(approval)),
            Event::QueueChanged { plan_new, control, later } => {
                self.queue.plan_new = *plan_new;
                self.queue.control = control.iter().cloned().collect();
                self.queue.later = later.iter().copied().collect();
            }
            Event::ControlGiven { .. } | Event::Notice { .. } | Event::CommandStarted { .. } => {}
            Event::CommandEdited { .. }
            | Event::CommandProposed { .. }
            | Event::CommandMeant { .. }
            | Event::CommandChanged { .. }
            | Event::CommandExited { .. } => self.fold_command(event),
            Event::PlanReady { .. }
            | Event::PlanShelved { .. }
            | Event::TaskStarted { .. }
            | Event::TaskCompleted { .. }
            | Event::TaskFailed { .. }
            | Event::TaskSkipped { .. }
            | Event::TaskCancelled { .. }
            | Event::TaskReset { .. }
            | Event::GateStarted { .. }
            | Event::GatePassed { .. }
            | Event::GateFailed { .. }
            | Event::GateWentStale { .. }
            | Event::GateReset { .. }
            | Event::RepairStarted { .. } => self.fold_plan(seq, event),
            Event::LaneOpened { .. }
            | Event::LaneClosed { .. }
            | Event::NodeTransition { .. }
            | Event::ThinkingStarted { .. }
            | Event::MessageCompleted { .. }
            | Event::ThinkingFailed { .. }
            | Event::CallMade { .. }
            | Event::CallStarted { .. }
            | Event::CallHeld { .. }
            | Event::CallEnded { .. } => self.fold_lane(seq, event),
            Event::Proposed { .. }
            | Event::HunkDecided { .. }
            | Event::ProposalEdited { .. }
            | Event::ProposalClosed { .. }
            | Event::ApplyApproved { .. }
            | Event::ApplyStarted { .. }
            | Event::Applied { .. }
            | Event::ApplyFailed { .. }
            | Event::RevertStarted { .. }
            | Event::Reverted { .. }
            | Event::RevertFailed { .. } => self.fold_change(event),
        }
    }

    /// Brings every lane under the ceiling; a lane that narrows loses its permits.
    fn narrow(&mut self) {
        let ceiling = self.ceiling();
        for lane in self.lanes.values_mut() {
            let was = lane.scope();
            lane.ceiling = lane.ceiling.and(ceiling);
            if lane.scope() != was {
                lane.epoch += 1;
            }
        }
    }

    fn reopen(&mut self, permission: Option<crate::scope::PermissionMode>) {
        self.permission = permission.unwrap_or(self.permission);
        (self.trust, self.given) = (Trust::None, None);
        self.granted.clear();
        self.keeping.clear();
        self.seeking = None;
        self.hooks.clear();
        self.hook_runs.clear();
        self.lanes.clear();
        self.open.clear();
        self.asked.clear();
        self.cut.clear();
        self.hearing.clear();
        self.run = None;
        self.failure = None;
        self.phase = Phase::Idle;
        if let Some(plan) = self.plan.take() {
            self.suspended = Some(plan);
        }
        if let Some(plan) = &mut self.suspended {
            for task in plan.tasks.iter_mut().filter(|t| t.status == TaskStatus::Running) {
                task.status = TaskStatus::Pending;
            }
            for gate in plan.gates.iter_mut().filter(|g| g.status == GateStatus::Running) {
                gate.status = GateStatus::Pending;
            }
        }
        for apply in self.applies.values_mut() {
            if matches!(apply.status, ApplyStatus::Approved) {
                apply.status = ApplyStatus::Failed;
            }
        }
        for p in self.proposals.values_mut() {
            if matches!(p.status, ProposalStatus::Applying(_)) {
                p.status = ProposalStatus::Open;
            }
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "`fold` names every event; this takes its share")]
    fn fold_lane(&mut self, seq: Seq, event: &Event) {
        match event {
            Event::LaneOpened { lane, kind, turn, node, ceiling, fixed } => {
                self.saw(lane.0);
                let mut lane = Lane {
                    id: *lane,
                    kind: *kind,
                    turn: *turn,
                    node: *node,
                    ceiling: *ceiling,
                    fixed: *fixed,
                    epoch: 0,
                    thinking: None,
                    calls: Vec::new(),
                    talk: Vec::new(),
                    rounds: 0,
                    seen: std::collections::BTreeMap::new(),
                    moves: Vec::new(),
                    opened: self.at,
                };
                if lane.kind == LaneKind::Goal {
                    self.begin_goal(&mut lane);
                }
                self.lanes.insert(lane.id, lane);
            }
            Event::LaneClosed { lane } => {
                let Some(lane) = self.lanes.remove(lane) else { return };
                if let Some(call) = lane.thinking {
                    self.cut.insert(call, (lane.turn, lane.id));
                }
                if lane.kind == LaneKind::Goal {
                    self.goal_talk = Some((lane.turn, lane.talk));
                }
            }
            Event::NodeTransition { lane, to, approval, .. } => {
                self.saw(approval.map_or(0, |a| a.0));
                if let Some(lane) = self.lanes.get_mut(lane) {
                    lane.node = *to;
                    lane.epoch += 1;
                    lane.moves.drain(..usize::from(lane.moves.first().is_some_and(|m| m.to == *to)));
                }
            }
            Event::ThinkingStarted { call, lane } => {
                self.saw(call.0);
                if let Some(lane) = self.lanes.get_mut(lane) {
                    lane.thinking = Some(*call);
                    lane.rounds += 1;
                }
            }
            Event::MessageCompleted { lane, call, calls, usage, intermediate, text, .. } => {
                self.add_usage(usage);
                self.cut.remove(call);
                if !*intermediate {
                    self.history.push(seq);
                    self.keep(seq, false, text.head.chars().take(HEAD_CHARS).collect());
                }
                for c in calls {
                    self.saw(c.call.0);
                }
                let at = self.at;
                if let Some(lane) = self.lanes.get_mut(lane) {
                    lane.thinking = None;
                    lane.talk.push(Talk::Reply(seq));
                    lane.calls = calls.iter().map(|c| OpenCall::heard(c, at)).collect();
                }
            }
            Event::ThinkingFailed { lane, call, .. } => {
                self.cut.remove(call);
                if let Some(lane) = self.lanes.get_mut(lane) {
                    lane.thinking = None;
                    if lane.kind == LaneKind::Planning {
                        self.failed = Some(lane.turn);
                    }
                }
            }
            Event::CallMade { call, lane, tool, args, typed } => {
                self.saw(call.0);
                let at = self.at;
                if let Some(lane) = self.lanes.get_mut(lane) {
                    lane.calls.push(OpenCall { typed: *typed, ..OpenCall::made(*call, *tool, args, at) });
                }
            }
            Event::CallStarted { call, lane, tool, args, epoch, approval, confine, .. } => {
                self.saw(call.0.max(approval.map_or(0, |a| a.0)));
                let (at, given, trust) = (self.at, self.given.as_ref().map(|g| g.of), self.trust);
                if let Some(lane) = self.lanes.get_mut(lane)
                    && let Some(open) = lane.calls.iter_mut().find(|c| c.call == *call)
                {
                    open.tool = Some(*tool);
                    open.hash = *args;
                    open.allowed = Some(*epoch);
                    (open.confine, open.given) = (*confine, given);
                    open.since = at;
                    open.leave_of = LeaveOf::of(approval.is_some() || open.typed, trust);
                }
            }
            Event::CallHeld { call, lane, .. } => {
                let calls = self.lanes.get_mut(lane).map(|l| &mut l.calls);
                if let Some(open) = calls.and_then(|c| c.iter_mut().find(|c| c.call == *call)) {
                    open.allowed = None;
                }
            }
            Event::CallEnded { call, lane, seen, .. } => {
                let Some(lane) = self.lanes.get_mut(lane) else { return };
                lane.calls.retain(|c| c.call != *call);
                lane.talk.push(Talk::Result(seq));
                lane.seen.extend(seen.iter().cloned());
                if lane.kind == LaneKind::Goal && lane.rounds == 0 {
                    let turn = self.turns.get_mut(&lane.turn);
                    if let Some(turn) = turn {
                        turn.output = Some(seq);
                    }
                }
            }
            _ => {}
        }
    }

    fn add_usage(&mut self, usage: &crate::talk::Usage) {
        self.usage.input += usage.input;
        self.usage.cached += usage.cached;
        self.usage.output += usage.output;
        self.usage.estimated |= usage.estimated;
        if let Some(cost) = usage.cost_micros {
            self.usage.cost_micros = Some(self.usage.cost_micros.unwrap_or(0) + cost);
        }
    }
}
