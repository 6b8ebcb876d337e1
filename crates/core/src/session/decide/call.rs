//! Calls: the one gate that every tool call passes, and what their ends mean.

use super::{Decided, Draft, gate::diagnostics, run::LOWERED};
use crate::{
    event::{CallStatus, Event, Level},
    hook::{HookOutcome, HookStatus},
    ids::{ApplyId, ApprovalId, CallId, LaneId, ProposalId},
    input::{Refusal, WriteFault},
    intent::{IntentNode, Phase},
    phase::Trigger,
    plan::PlanDraft,
    policy::Ruling,
    proposal::{Proposal, ProposalStatus},
    question::{Clarification, Transition},
    redact::refuse_call,
    sandbox::Confine,
    scope::{Capability, PermissionMode, ToolScope},
    session::{LaneKind, OpenCall},
    talk::{Fault, FaultKind},
    tool::{AskUser, ProposalDraft, RequestPath, SessionCall, Tool, ToolCall, ToolOutcome},
};

/// Most answers that a question of the model may offer.
const MOST_CHOICES: usize = 9;

impl Draft<'_> {
    /// Decides about a call that has not begun: it runs, waits for the user, or is refused.
    pub(super) fn gate_call(&mut self, lane: LaneId, call: CallId) {
        let Some((l, open)) = self.state.open_call(call) else { return };
        let (kind, open) = (l.kind, open.clone());
        if open.tool.is_some() && kind == LaneKind::Planning && self.state.phase != Phase::Planning {
            let text = "the plan is before the user; nothing more is done until they answer";
            return self.end_call(lane, call, CallStatus::Refused, text);
        }
        let (Ok(asked), Some(tool)) = (&open.asked, open.tool) else { return self.end_unread(lane, &open) };
        if let Some(text) = refuse_call(tool, asked) {
            return self.end_call(lane, call, CallStatus::Refused, text);
        }
        match asked.as_ref() {
            ToolCall::Session(SessionCall::SubmitPlan(plan)) => self.submit_plan(lane, kind, call, plan),
            ToolCall::Session(SessionCall::AskUser(ask)) => self.ask_user(lane, call, ask),
            ToolCall::Session(SessionCall::RequestPath(request)) => self.request_path(lane, &open, request),
            ToolCall::Run(_) => self.gate_command(lane, &open, None),
            ToolCall::File(_) | ToolCall::External(_) => {
                let may = |d: &mut Self, needs| {
                    d.may_need(lane, call, tool, needs) && d.reach(lane, &open, tool, needs)
                };
                if tool.needs().is_none_or(|needs| may(self, needs)) {
                    self.start_call(lane, &open, tool, None, None, None);
                }
            }
        }
    }

    /// Ends a call that could not be read; the model is told how to mend it.
    pub(super) fn end_unread(&mut self, lane: LaneId, open: &OpenCall) {
        if let Err(fault) = &open.asked {
            self.end_call(lane, open.call, CallStatus::Failed, &fault.to_string());
        }
    }

    /// Refuses what a planning and a question beside a run may not need.
    pub(super) fn may_need(&mut self, lane: LaneId, call: CallId, tool: Tool, needs: Capability) -> bool {
        let planning = self.state.lanes.get(&lane).is_some_and(|l| l.kind == LaneKind::Planning);
        if !(planning || self.beside_run(lane)) || ToolScope::READ_ONLY.allows(needs) {
            return true;
        }
        let why = "a planning and a question beside a run only read";
        let text = format!("{} is not allowed here: {why}; go on with what you can read", tool.name());
        self.end_call(lane, call, CallStatus::Refused, &text);
        false
    }

    /// Makes sure that the lane may use the tool now; else the call is refused or asked about.
    pub(super) fn reach(&mut self, lane: LaneId, open: &OpenCall, tool: Tool, needs: Capability) -> bool {
        let Some(l) = self.state.lanes.get(&lane) else { return false };
        let needs = proposing(needs);
        if l.scope().allows(needs) {
            return true;
        }
        let (from, fixed, kind, ceiling) = (l.node, l.fixed, l.kind, l.ceiling);
        let to = match needs {
            Capability::List | Capability::Read => IntentNode::Read,
            Capability::Execute | Capability::Network => IntentNode::Execute,
            Capability::Write | Capability::Delete => IntentNode::Modify,
        };
        let forbidden = self.state.lanes.get(&lane).is_some_and(|l| self.forbids(l.turn));
        if self.is_of_run(lane) && !ceiling.allows(needs) && from.scope().allows(needs) && !forbidden {
            let hint = "raise it with Shift-Tab or /ask, then try again".to_owned();
            self.fail_run(lane, LOWERED.to_owned(), hint);
            return false;
        }
        if fixed || !ceiling.allows(needs) {
            let text = format!(
                "{} is not allowed in this turn: its path is {from} and it may {}. Answer with what you can do, or say what you would need.",
                tool.name(),
                words(l.scope()),
            );
            self.end_call(lane, open.call, CallStatus::Refused, &text);
            return false;
        }
        if from.needs_checkpoint(to) {
            let reason = format!("{} {}", tool.name(), open.subject());
            return self.deepen(lane, kind, open, from, to, &reason);
        }
        self.move_to(lane, to, None)
    }

    /// Goes deeper than the message asked for: by the user's answer, or at once where every change is
    /// allowed. Returns whether the lane is there.
    fn deepen(
        &mut self,
        lane: LaneId,
        kind: LaneKind,
        open: &OpenCall,
        from: IntentNode,
        to: IntentNode,
        reason: &str,
    ) -> bool {
        let writable = self.state.lanes.get(&lane).is_some_and(|l| l.ceiling.allows(Capability::Write));
        let free = self.state.phase == Phase::Idle || self.has_own_run(lane);
        if kind != LaneKind::Answer || !free || !writable {
            let text =
                "this turn may not change files; describe the change, and the user can ask for it as a task";
            self.end_call(lane, open.call, CallStatus::Refused, text);
            return false;
        }
        if self.state.permission == PermissionMode::Auto {
            return self.let_write(lane, to, None);
        }
        self.ask(
            Transition { lane, call: open.call, from, to, reason: reason.to_owned() },
            "This will modify files. Proceed?",
        );
        false
    }

    /// An answer may write from now on: it has a run of its own. Returns whether it is there.
    pub(super) fn let_write(&mut self, lane: LaneId, to: IntentNode, approval: Option<ApprovalId>) -> bool {
        if !self.has_own_run(lane) {
            let turn = self.state.lanes.get(&lane).map(|l| l.turn).unwrap_or_default();
            self.must_go(Trigger::CommandGoal);
            self.start_run(turn, None);
        }
        let to = if to == IntentNode::Delete { IntentNode::Modify } else { to };
        let approval = approval.unwrap_or_else(|| ApprovalId(self.id()));
        self.move_to(lane, to, Some(approval))
    }

    /// Begins a call; `confine` says how, for a command.
    pub(super) fn start_call(
        &mut self,
        lane: LaneId,
        open: &OpenCall,
        tool: Tool,
        approval: Option<ApprovalId>,
        confine: Option<Confine>,
        ruling: Option<Ruling>,
    ) {
        let Some((epoch, scope)) = self.state.lanes.get(&lane).map(|l| (l.epoch, l.scope())) else { return };
        // The gate: whatever led here, and whatever was answered since, the scope of now decides. A
        // command that can only read is a read.
        let looks = tool == Tool::Run && confine == Some(Confine::READING);
        let beside = self.beside_run(lane) && tool == Tool::Run && !looks;
        let needs = if looks { Some(Capability::Read) } else { tool.needs() };
        if beside || !needs.is_none_or(|n| scope.allows(proposing(n))) {
            let text =
                format!("{} is not allowed any more: the ceiling was lowered, or a run began", tool.name());
            return self.end_call(lane, open.call, CallStatus::Refused, &text);
        }
        if !self.rules_let(lane, open, tool) {
            return;
        }
        let (call, args, subject) = (open.call, open.hash, open.subject());
        self.emit(Event::CallStarted { call, lane, tool, subject, args, epoch, approval, confine, ruling });
    }

    /// Ends a call without running it (or after it was stopped); the text is what the model reads.
    pub(super) fn end_call(&mut self, lane: LaneId, call: CallId, status: CallStatus, text: &str) {
        let summary = text.lines().next().unwrap_or_default().chars().take(100).collect();
        let result = self.excerpt(text);
        self.emit(Event::CallEnded { call, lane, status, summary, result, seen: Vec::new(), ruling: None });
    }

    fn submit_plan(&mut self, lane: LaneId, kind: LaneKind, call: CallId, plan: &PlanDraft) {
        if kind != LaneKind::Planning {
            let text = "a plan can only be submitted while planning; answer, or ask for a deeper path with request_path";
            return self.end_call(lane, call, CallStatus::Refused, text);
        }
        let Some(turn) = self.state.lanes.get(&lane).map(|l| l.turn) else { return };
        let version = self.state.plan.as_ref().map_or(1, |p| p.version + 1);
        match plan.clone().build(turn, version) {
            Ok(plan) => {
                self.end_call(lane, call, CallStatus::Done, "the plan is shown to the user");
                self.plan_ready(lane, plan);
            }
            Err(e) => self.end_call(lane, call, CallStatus::Failed, &e.to_string()),
        }
    }

    fn ask_user(&mut self, lane: LaneId, call: CallId, ask: &AskUser) {
        if self.state.phase_question().is_some() {
            let text = "another question waits for the user; go on without this one or ask later";
            return self.end_call(lane, call, CallStatus::Refused, text);
        }
        let choices = ask.choices.iter().take(MOST_CHOICES).cloned().collect();
        let question = Clarification { choices, lane: Some(lane), call: Some(call), turn: None };
        self.ask(question, ask.question.clone());
    }

    fn request_path(&mut self, lane: LaneId, open: &OpenCall, request: &RequestPath) {
        let Some(l) = self.state.lanes.get(&lane) else { return };
        let (from, kind, fixed, ceiling) = (l.node, l.kind, l.fixed, l.ceiling);
        let to = request.node;
        if l.scope().contains(to.scope()) {
            return self.end_call(lane, open.call, CallStatus::Done, "this turn may do that already; go on");
        }
        if fixed || !ceiling.contains(to.scope().and(crate::scope::ToolScope::SHELL)) {
            let text =
                format!("the path {to} is not open to this turn; the user's message or ceiling forbids it");
            return self.end_call(lane, open.call, CallStatus::Refused, &text);
        }
        if from.needs_checkpoint(to) {
            if !self.deepen(lane, kind, open, from, to, &request.reason) {
                return;
            }
        } else if !self.move_to(lane, to, None) {
            return;
        }
        self.end_call(lane, open.call, CallStatus::Done, "allowed; go on");
    }

    pub(super) fn tool_ended(&mut self, call: CallId, outcome: ToolOutcome) -> Decided {
        let late = || Refusal::new("the call is not open any more");
        let (lane, open) = self.state.open_call(call).map(|(l, c)| (l, c.clone())).ok_or_else(late)?;
        if open.allowed != Some(lane.epoch) {
            return Err(late());
        }
        let (lane, kind) = (lane.id, lane.kind);
        if let Some(held) = outcome.held {
            self.ran_into(lane, call, *held);
            self.advance(lane);
            return Ok(());
        }
        let brought = outcome.brought.is_some();
        if let Some(what) = outcome.brought.or(outcome.changed) {
            self.command_changed(lane, call, what, brought);
            return Ok(());
        }
        if let Some(exit) = &outcome.exit {
            let output = outcome.output.as_ref().map(crate::blob::Blob::id);
            self.blobs.extend(outcome.output);
            self.emit(Event::CommandExited { call, exit: exit.clone(), output });
        }
        let text = self.told(lane, call, outcome.text);
        for draft in outcome.proposals {
            self.propose(lane, call, draft);
        }
        let status = if outcome.failed { CallStatus::Failed } else { CallStatus::Done };
        let diagnostics = diagnostics(&text);
        let result = self.excerpt(text);
        let output = result.id();
        self.emit(Event::CallEnded {
            call,
            lane,
            status,
            summary: outcome.summary,
            result,
            seen: outcome.seen,
            ruling: None,
        });
        if let Some(text) = outcome.notice {
            self.notice(Level::Warn, text);
        }
        if let LaneKind::Gate(gate) = kind {
            let command = open.run().map(|r| r.command.clone()).unwrap_or_default();
            let exit = outcome.exit.map(|exit| (exit.clone(), exit.ok() && !outcome.failed));
            self.gate_ended(lane, gate, command, exit, output, diagnostics);
            return Ok(());
        }
        if status == CallStatus::Failed && open.tool == Some(Tool::Run) {
            self.drop_rest(lane, "the command before it failed");
        }
        self.advance(lane);
        Ok(())
    }

    fn propose(&mut self, lane: LaneId, call: CallId, draft: ProposalDraft) {
        let task = self.state.lanes.get(&lane).and_then(|l| match l.kind {
            LaneKind::Task(task) => Some(task),
            LaneKind::Answer
            | LaneKind::Planning
            | LaneKind::Goal
            | LaneKind::Gate(_)
            | LaneKind::Repair(_) => None,
        });
        let added = draft.hunks.iter().map(crate::diff::Hunk::added).sum();
        let removed = draft.hunks.iter().map(crate::diff::Hunk::removed).sum();
        let reserved = || self.policy.reserved(draft.path.as_str());
        let control = self.state.sandbox.control_file(&draft.path).or_else(reserved).map(str::to_owned);
        let proposal = Proposal {
            id: ProposalId(self.id()),
            lane,
            call,
            task,
            control,
            path: draft.path,
            kind: draft.kind,
            before: draft.before.as_ref().map(crate::blob::Blob::id),
            after: draft.after.as_ref().map(crate::blob::Blob::id),
            hunks: draft.hunks,
            decided: std::collections::BTreeMap::new(),
            status: ProposalStatus::Open,
        };
        self.blobs.extend(draft.before.into_iter().chain(draft.after));
        self.emit(Event::Proposed { proposal, added, removed });
    }

    /// A part of the program failed: the call fails, the program goes on.
    pub(super) fn panicked(
        &mut self,
        call: Option<CallId>,
        apply: Option<ApplyId>,
        message: &str,
    ) -> Decided {
        let text = format!("a part of the program failed: {message}");
        if let Some(call) = call.filter(|c| self.state.lane_thinking(*c).is_some()) {
            let hint = "try again; the log file has the details".to_owned();
            return self
                .replied(call, Err(Fault { kind: FaultKind::Internal, message: text, hint, status: None }));
        }
        if let Some(call) = call.filter(|c| self.state.hook_runs.contains_key(c)) {
            let (status, output, took) = (HookStatus::Unable, String::new(), crate::ids::Millis(0));
            return self.hook_ended(call, HookOutcome { status, summary: text, output, took });
        }
        if let Some(call) = call {
            return self.tool_ended(call, ToolOutcome::failure(text));
        }
        let fault = WriteFault { message: text, stale: false, rebased: Vec::new() };
        match apply.and_then(|a| self.state.applies.get(&a)).map(|a| (a.id, a.status)) {
            Some((id, crate::session::ApplyStatus::Approved)) => self.prepared(id, Err(fault)),
            Some((id, crate::session::ApplyStatus::Writing)) => self.apply_ended(id, Err(fault)),
            Some((id, crate::session::ApplyStatus::Reverting { .. })) => self.revert_ended(id, Err(fault)),
            Some(_) | None => Err(Refusal::new("nothing open failed")),
        }
    }
}

/// What a call needs to begin. A removal is only proposed by its call: the typed word, asked for
/// when it is applied, is the checkpoint on the way to delete.
const fn proposing(needs: Capability) -> Capability {
    if matches!(needs, Capability::Delete) { Capability::Write } else { needs }
}

fn words(scope: crate::scope::ToolScope) -> String {
    let names: Vec<&str> = scope.iter().map(Capability::name).collect();
    if names.is_empty() { "use no tools".to_owned() } else { names.join(", ") }
}
