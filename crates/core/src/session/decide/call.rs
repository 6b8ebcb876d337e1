//! Calls: the one gate that every tool call passes, and what their ends mean.

use super::command::NotRun;
use super::terms::CallStart;
use super::{
    Decided, Draft,
    child::refused_to_child,
    ending::{shortened, tell_end},
    gate::{GateEnd, diagnostics},
    spared::{spared, tell_spared},
    verdict::{CallVerdict, Then},
};
use crate::{
    event::{CallStatus, Event, Level},
    hook::{HookOutcome, HookStatus},
    ids::{ApplyId, CallId, LaneId, ProposalId},
    input::{Refusal, WriteFault},
    intent::{IntentNode, Phase},
    plan::{Plan, PlanDraft, PlanError},
    proposal::{Proposal, ProposalStatus},
    question::Clarification,
    redact::refuse_call,
    relpath::RelPath,
    sandbox::Confine,
    scope::{Capability, ToolScope},
    session::{Lane, LaneKind, OpenCall},
    shell::secrets,
    talk::{Fault, FaultKind},
    tool::{AskUser, Exit, External, FileCall, ProposalDraft, SessionCall, Tool, ToolCall, ToolOutcome},
};

/// Most answers that a question of the model may offer.
const MOST_CHOICES: usize = 9;
/// Told of a command behind a change of the same reply that failed or was refused.
const MISSED: &str = "not run: a change before it was not made; mend that first, then call it again";

impl Draft<'_> {
    /// Decides about a call that has not begun: it runs, waits for the user, or is refused.
    pub(super) fn gate_call(&mut self, call: CallId) {
        let Some((lane, open)) = self.state.open_call(call) else { return };
        if open.tool.is_some() && lane.kind == LaneKind::Planning && self.state.phase != Phase::Planning {
            let text = "the plan is before the user; nothing more is done until they answer";
            return self.carry_out(call, CallVerdict::refuse(text));
        }
        if open.tool == Some(Tool::Run) && lane.missed.now && !open.typed {
            return self.carry_out(call, CallVerdict::refuse(MISSED));
        }
        let runs = (open.tool == Some(Tool::Run) && !open.typed) || open.source_call().is_some();
        if let Some(why) = self.turned_down(lane).filter(|_| runs) {
            return self.carry_out(call, CallVerdict::refuse(why));
        }
        let verdict = match readable(open) {
            Ok((asked, tool)) => self.judge(lane, open, asked, tool),
            Err(_) if open.tool.is_none() => {
                CallVerdict::End(CallStatus::Failed, self.state.no_such_tool(lane, open))
            }
            Err(unread) => unread,
        };
        self.carry_out(call, verdict);
    }

    /// Why what runs behind a change of a reply is not asked about, where the user left some of that or spoke of it.
    fn turned_down(&self, lane: &Lane) -> Option<String> {
        let did = |p: &Proposal| match p.status {
            ProposalStatus::Skipped => Some("left"),
            ProposalStatus::Applied(_) | ProposalStatus::There => match p.tally() {
                (_, 1.., _) => Some("left part of"),
                _ => self.state.transcript.is_commented(p.id).then_some("said something about"),
            },
            ProposalStatus::Open
            | ProposalStatus::Applying(_)
            | ProposalStatus::Dropped
            | ProposalStatus::SetAside => None,
        };
        let mut of_reply =
            self.state.proposals().values().filter(|p| p.lane == lane.id && Some(p.call) >= lane.first);
        let (path, did) = of_reply.find_map(|p| Some((&p.path, did(p)?)))?;
        Some(format!(
            "not run: the user {did} the change to {path} before it; see to that first, then call it again if it is still wanted"
        ))
    }

    fn judge(&self, lane: &Lane, open: &OpenCall, asked: &ToolCall, tool: Tool) -> CallVerdict {
        if let Some(text) = refuse_call(tool, asked) {
            return CallVerdict::refuse(text);
        }
        let reads = tool.needs().is_some_and(|n| ToolScope::READ_ONLY.allows(n));
        if self.is_child(lane.id) && (!reads || tool.is_of_sources()) {
            return refused_to_child(tool);
        }
        if let Some(why) = self.undirected(lane, open) {
            return CallVerdict::refuse(why);
        }
        match asked {
            ToolCall::Session(SessionCall::SubmitPlan(plan)) => self.judge_plan(lane, plan),
            ToolCall::Session(SessionCall::AskUser(ask)) => self.judge_question(lane.id, open.call, ask),
            ToolCall::Session(SessionCall::RequestPath(request)) => self.judge_path(lane, open, request),
            ToolCall::Session(SessionCall::Delegate(delegate)) => self.judge_delegate(lane, delegate),
            ToolCall::Session(SessionCall::ChangeGate(change)) => self.judge_gate(lane, open.call, change),
            ToolCall::Session(SessionCall::Remember(note)) => self.judge_note(note),
            ToolCall::Session(SessionCall::CommitMessage(wording)) => self.judge_message(lane, wording),
            ToolCall::Run(_) => match self.spared_by_line(lane, open) {
                Some(said) => CallVerdict::refuse(spared(&said)),
                None => CallVerdict::Command,
            },
            ToolCall::External(External::Call(asked)) => self.judge_source(lane, open, asked),
            ToolCall::File(_) | ToolCall::Knowledge(_) | ToolCall::External(External::Look(_)) => {
                if let Some(said) = open.file().and_then(|file| self.spared(lane.turn, tool, file)) {
                    return CallVerdict::refuse(spared(&said));
                }
                if let Some(FileCall::RecordFact(fact)) = open.file()
                    && let Some(why) = self.not_said(lane.turn, fact)
                {
                    return CallVerdict::End(CallStatus::Failed, why);
                }
                if let Some(held) = self.state.in_other_hands(lane) {
                    let number = self.state.step_of(held);
                    return CallVerdict::refuse(format!(
                        "step {number}, which works at the same time, has that file and waits for one of yours: leave it as it is and say what should be done there"
                    ));
                }
                let barred = tool.needs().and_then(|needs| self.barred(lane, open, needs, Then::Gate));
                barred.unwrap_or_else(|| self.judge_start(lane, open, tool, CallStart::default()))
            }
        }
    }

    /// Why a call may not go on that needs this, if there is a reason: what its lane is for, and where
    /// it is.
    pub(super) fn barred(
        &self,
        lane: &Lane,
        open: &OpenCall,
        needs: Capability,
        then: Then,
    ) -> Option<CallVerdict> {
        self.only_reads(lane, open, needs).or_else(|| self.out_of_reach(lane, open, needs, then))
    }

    /// Refuses what a planning and a question beside a run may not need.
    fn only_reads(&self, lane: &Lane, open: &OpenCall, needs: Capability) -> Option<CallVerdict> {
        let plans = lane.kind == LaneKind::Planning;
        let reads = plans || (self.beside_run(lane.id) && !open.typed);
        let runs = matches!(needs, Capability::Execute | Capability::Network);
        let why = match (plans, runs) {
            (true, true) if open.run().is_some_and(|run| secrets::named_in(&run.command)) => {
                "it names a file that keeps secrets, and a command that reads one is asked about, which planning never does; plan without what stands in it, or put the command into the plan"
            }
            (true, true) if open.source_call().is_some() => {
                "while planning only what says that it reads is asked of a source, and of one that the message names; put it into the plan, as a step"
            }
            (true, true) => &format!(
                "while planning a command may only read, unless a rule lets it through{}; put it into the plan, as a step or a gate",
                self.checks_to_try(lane)
            ),
            (true, false) => "while planning files are only read; put the change into the plan, as a step",
            (false, _) => {
                "a question beside a run only reads, and the run has the files; go on with what you can read"
            }
        };
        let called = open.source_call().map_or_else(|| name(open), |call| call.tool.as_str());
        let text = || format!("{called} is not allowed here: {why}");
        (reads && !ToolScope::READ_ONLY.allows(needs)).then(|| CallVerdict::refuse(text()))
    }

    /// What is to happen where the lane may not use the tool now; `None` where it may.
    fn out_of_reach(
        &self,
        lane: &Lane,
        open: &OpenCall,
        needs: Capability,
        then: Then,
    ) -> Option<CallVerdict> {
        let needs = proposing(needs);
        if lane.scope().allows(needs) {
            return None;
        }
        let to = match needs {
            Capability::List | Capability::Read => IntentNode::Read,
            Capability::Execute | Capability::Network => IntentNode::Execute,
            Capability::Write | Capability::Delete => IntentNode::Modify,
        };
        let (from, capped) = (lane.node, !lane.ceiling.allows(needs));
        if capped && self.state.is_lowered(lane) && lane.most.allows(needs) && from.scope().allows(needs) {
            return Some(CallVerdict::Wait);
        }
        if lane.fixed || capped || from == to {
            return Some(CallVerdict::refuse(format!(
                "{} is not allowed in this turn: its path is {from} and it may {}. Answer with what you can do, or say what you would need.",
                name(open),
                words(lane.scope()),
            )));
        }
        let reason = || format!("{} {}", name(open), open.subject());
        Some(self.towards(lane, open, to, reason, then))
    }

    /// What is decided about a call that everything else lets begin. Whatever led here, and whatever was
    /// answered since, the scope of now decides, and the rules. A command that can only read is a read.
    pub(super) fn judge_start(
        &self,
        lane: &Lane,
        open: &OpenCall,
        tool: Tool,
        start: CallStart,
    ) -> CallVerdict {
        let looks = tool == Tool::Run && start.confine == Some(Confine::READING);
        let looks = looks
            || open
                .source_call()
                .is_some_and(|call| self.only_reads_there(call) || self.searches(lane, call));
        let acts = matches!(tool, Tool::Run | Tool::SourceCall);
        let beside = self.beside_run(lane.id) && acts && !looks && !open.typed;
        let needs = if looks { Some(Capability::Read) } else { tool.needs() };
        let within = needs.is_none_or(|n| lane.scope().allows(proposing(n)));
        let again = needs.is_some_and(|n| lane.node.scope().and(lane.most).allows(proposing(n)));
        if !beside && !within && again && self.state.is_lowered(lane) {
            return CallVerdict::Wait;
        }
        if beside || !within {
            let why = "the ceiling was lowered, or a run began";
            return CallVerdict::refuse(format!("{} is not allowed any more: {why}", tool.name()));
        }
        let begins = || CallVerdict::Begin(tool, Box::new(start));
        self.ruled_out(open, tool).unwrap_or_else(begins)
    }

    fn judge_plan(&self, lane: &Lane, plan: &PlanDraft) -> CallVerdict {
        if lane.kind != LaneKind::Planning {
            let answers = matches!(lane.kind, LaneKind::Answer | LaneKind::Goal);
            let instead = if answers && self.stays_reading(lane).is_some() {
                "this turn only reads: answer in words"
            } else if answers && lane.scope().allows(Capability::Write) {
                "do it in this turn, or answer in words"
            } else {
                instead(lane.kind)
            };
            return CallVerdict::refuse(format!("a plan can only be submitted while planning; {instead}"));
        }
        if let Some(text) = self.plans_what_is_spared(lane.turn, plan) {
            return CallVerdict::End(CallStatus::Failed, text);
        }
        let version = self.state.version_after(lane.turn);
        // In a folder where gates run unasked a plan that names none is held to what was found.
        let here = self.state.setting().conditions;
        let lacks = plan.gates.is_empty() && plan.changes_code() && !self.state.runs_nothing(lane.turn);
        let draft = match plan.clone() {
            asked if lacks && here.is_calm() => asked.with_gates(&self.found_gates()),
            asked if lacks => asked.unchecked(&self.found_gates(), here.trusted),
            asked => asked,
        };
        let built = draft.build(lane.turn, version).map_err(|faults| PlanError::all(&faults));
        // Where nothing of it is left, it is to be done once more.
        let old = self.state.plan_before(lane.turn).filter(|old| !old.fulfilled());
        let built = built.map(|plan| plan.with_found_before_sources(&self.state.sources));
        let founded = built.and_then(|mut plan| {
            if let Some(old) = old {
                plan.mark_done(old);
            }
            let lacking = self.under.files.as_deref().and_then(|files| plan.untargeted(files));
            lacking.map_or_else(|| self.founded(&plan), Err).map(|()| plan)
        });
        match founded {
            Ok(plan) if self.state.ousted_by(&plan).is_some() => {
                let plan = Plan { version: 1, ..plan };
                CallVerdict::Plan(Box::new(self.state.with_pauses(plan, &self.under.bounds.pauses)))
            }
            Ok(plan) => match self.state.beyond(&plan) {
                Some(beyond) if !self.state.asks_for_a_plan(plan.turn) => CallVerdict::refuse(format!(
                    "the plan would {}, and the user's message only asks to read ({}): submit steps of kind \"read\" and no gates, or say in words what you would change",
                    words(beyond),
                    self.target(plan.turn),
                )),
                Some(_) | None => {
                    let mut plan = self.state.with_pauses(plan, &self.under.bounds.pauses);
                    if let Some(old) = old {
                        plan.keep_done(old);
                    }
                    CallVerdict::Plan(Box::new(plan))
                }
            },
            Err(text) => CallVerdict::End(CallStatus::Failed, text),
        }
    }

    fn judge_question(&self, lane: LaneId, call: CallId, ask: &AskUser) -> CallVerdict {
        if self.state.phase_question().is_some() {
            let text = "another question waits for the user; go on without this one or ask later";
            return CallVerdict::refuse(text);
        }
        let choices = ask.choices.iter().take(MOST_CHOICES).cloned().collect();
        let question =
            Clarification { choices, lane: Some(lane), call: Some(call), ..Clarification::default() };
        CallVerdict::ask(question, ask.question.clone())
    }

    /// What was found before it was done after all, so that nothing was; whether that is so.
    fn not_done(&mut self, lane: LaneId, call: CallId, outcome: &mut ToolOutcome) -> bool {
        if let Some(found) = outcome.found.take() {
            self.found_source(*found);
        }
        if outcome.redefined {
            self.redefined(lane, call);
            return true;
        }
        if let Some(held) = outcome.held.take() {
            self.ran_into(lane, call, *held);
            self.advance(lane);
            return true;
        }
        let not_run = outcome.brought.take().map(NotRun::Brought);
        let not_run = not_run.or(outcome.changed.take().map(NotRun::Changed));
        let not_run = not_run.or(outcome.unhidden.take().map(NotRun::Shows));
        let why = not_run.or(outcome.unkept.take().map(NotRun::Loses));
        let not_run = why.is_some();
        if let Some(why) = why {
            self.command_changed(lane, call, why);
        }
        not_run
    }

    pub(super) fn tool_ended(&mut self, call: CallId, mut outcome: ToolOutcome) -> Decided {
        let open = self.state.open_call(call).filter(|(lane, open)| open.allowed == Some(lane.epoch));
        let Some((lane, open)) = open.map(|(l, c)| (l, c.clone())) else {
            return self.stopped_ended(call, outcome);
        };
        let ran = (self.state.gate_of(lane, &open), self.state.red_too_soon(lane, &open));
        let (lane, kind) = (lane.id, lane.kind);
        if self.not_done(lane, call, &mut outcome) {
            return Ok(());
        }
        let gate = matches!(kind, LaneKind::Gate(_));
        let (mut text, mut notes) = (outcome.text, Vec::new());
        let command = open.run().map(|r| r.command.clone()).unwrap_or_default();
        if let Some(exit) = &outcome.exit {
            let output = self.exited(call, exit.clone(), outcome.output);
            notes = tell_end(&command, exit, open.withheld, &mut outcome.summary);
            if !gate && !open.typed {
                notes.extend(shortened(&mut text, output));
            }
        }
        notes.append(&mut outcome.advice);
        let (text, answer) = self.told(lane, call, text, &mut notes);
        tell_spared(outcome.wrote.as_deref(), &mut notes, &mut outcome.summary);
        outcome.withdrawn.into_iter().for_each(|path| self.withdraw(lane, &path));
        outcome.proposals.into_iter().for_each(|draft| self.propose(lane, call, draft));
        outcome.facts.into_iter().for_each(|fact| self.record_fact(lane, fact));
        let status = if outcome.failed { CallStatus::Failed } else { CallStatus::Done };
        let passed = outcome.exit.as_ref().is_some_and(Exit::ok) && !outcome.failed;
        let untouched =
            gate && !passed && self.fails_untouched(&command, outcome.exit.as_ref(), &text, &mut notes);
        let diagnostics = diagnostics(&text, &notes, outcome.exit.as_ref(), passed);
        // While the call is open: what it changed is its step's.
        if let Some(wrote) = outcome.wrote {
            self.command_wrote(call, &command, *wrote, !gate);
        }
        let result = self.excerpt(text);
        let output = result.id();
        self.emit(Event::CallEnded {
            call,
            lane,
            status,
            summary: outcome.summary,
            result,
            notes: notes.clone(),
            seen: outcome.seen,
            parts: outcome.parts,
            ruling: None,
            answer,
        });
        outcome.notice.into_iter().for_each(|text| self.notice(Level::Warn, text));
        let (exit, trees) = (outcome.exit, outcome.trees);
        let advice = if passed { Vec::new() } else { notes };
        let end = GateEnd { command, exit, passed, output, diagnostics, advice, untouched, trees };
        if self.ends_gate((lane, kind), ran, end) {
            return Ok(());
        }
        if status == CallStatus::Failed && open.tool == Some(Tool::Run) {
            self.drop_rest(lane, "the command before it failed");
        }
        self.advance(lane);
        Ok(())
    }

    fn propose(&mut self, lane: LaneId, call: CallId, draft: ProposalDraft) {
        let task = self.state.lanes.get(&lane).and_then(|l| l.kind.task());
        let control = self.control_of(&draft.path);
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
            notes: draft.notes,
            decided: std::collections::BTreeMap::new(),
            splits: 0,
            meets: Vec::new(),
            back: None,
            status: ProposalStatus::Open,
        };
        self.blobs.extend(draft.before.into_iter().chain(draft.after));
        let (added, removed) = super::change::lines_of(&proposal);
        self.emit(Event::Proposed { proposal, added, removed });
    }

    /// Why a file is a control file, if it is one.
    pub(super) fn control_of(&self, path: &RelPath) -> Option<String> {
        let reserved = || self.under.policy.reserved(path.as_str());
        self.state.sandbox.control_file(path).or_else(reserved).map(str::to_owned)
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
        if let Some(call) = call.filter(|c| self.state.compacting.as_ref().is_some_and(|s| s.call == *c)) {
            let fault = Fault { kind: FaultKind::Internal, message: text, hint: String::new(), status: None };
            return self.summarized(call, Err(fault));
        }
        if let Some(call) = call.filter(|c| self.state.titling == Some(*c)) {
            let fault = Fault { kind: FaultKind::Internal, message: text, hint: String::new(), status: None };
            return self.titled(call, Err(fault));
        }
        if let Some(call) = call.filter(|c| self.state.run.as_ref().is_some_and(|r| r.looking == Some(*c))) {
            return self.tree_seen(call, None);
        }
        if let Some((sought, ..)) = self.state.plan_sought.as_ref().filter(|(id, ..)| Some(*id) == call) {
            return self.plan_read(*sought, Err(text));
        }
        if let Some((commit, _)) = self.state.committing.as_ref().filter(|(id, _)| Some(*id) == call) {
            let (commit, told) = (*commit, text);
            self.emit(Event::CommitEnded { commit, made: None, told });
            return Ok(());
        }
        if let Some(call) = call.filter(|c| self.state.hook_runs.contains_key(c)) {
            let (status, output, took) = (HookStatus::Unable, String::new(), crate::ids::Millis(0));
            return self.hook_ended(call, HookOutcome { status, summary: text, output, took });
        }
        if let Some(call) = call {
            return self.tool_ended(call, ToolOutcome::failure(text));
        }
        let fault = WriteFault { message: text, stale: false, rebased: Vec::new() };
        match apply.and_then(|a| self.state.applies().get(&a)).map(|a| (a.id, a.status)) {
            Some((id, crate::session::ApplyStatus::Approved)) => self.prepared(id, Err(fault)),
            Some((id, crate::session::ApplyStatus::Writing)) => self.apply_ended(id, Err(fault)),
            Some((id, crate::session::ApplyStatus::Reverting { .. })) => self.revert_ended(id, Err(fault)),
            Some(_) | None => Err(Refusal::new("nothing open failed")),
        }
    }
}

/// What a call asks for and of which tool; else its end, which tells the model how to mend it.
pub(super) fn readable(open: &OpenCall) -> Result<(&ToolCall, Tool), CallVerdict> {
    let unread = |text: String| CallVerdict::End(CallStatus::Failed, text);
    let asked = open.asked.as_deref().map_err(|fault| unread(fault.to_string()))?;
    let tool = open.tool.ok_or_else(|| unread(format!("there is no tool `{}`", open.name)))?;
    Ok((asked, tool))
}

/// What a call needs to begin. A removal is only proposed by its call: the typed word, asked for
/// when it is applied, is the checkpoint on the way to delete.
const fn proposing(needs: Capability) -> Capability {
    if matches!(needs, Capability::Delete) { Capability::Write } else { needs }
}

fn name(open: &OpenCall) -> &str {
    open.tool.map_or(open.name.as_str(), |tool| tool.name())
}

/// What a lane can do that wants to hand in a plan, and makes none.
const fn instead(kind: LaneKind) -> &'static str {
    match kind {
        LaneKind::Task(_) | LaneKind::Repair(_) => {
            "the one of this run is being done: do your part of it, and end"
        }
        LaneKind::Answer | LaneKind::Goal => {
            "ask for it with request_path and do it in this turn, or answer in words"
        }
        LaneKind::Planning | LaneKind::Gate(_) | LaneKind::Child(_) | LaneKind::Pipeline => "answer in words",
    }
}

fn words(scope: crate::scope::ToolScope) -> String {
    let names: Vec<&str> = scope.iter().map(Capability::name).collect();
    if names.is_empty() { "use no tools".to_owned() } else { names.join(", ") }
}
