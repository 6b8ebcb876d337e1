//! Lanes: opened, thinking, going on, finished, closed.

use std::sync::Arc;

use super::terms::{LaneOpening, RunFault};
use super::{Decided, Draft};
use crate::{
    blob::Excerpt,
    event::{CallHead, CallStatus, Event, Level},
    goal::PlannerReply,
    ids::{CallId, LaneId, ProposalId, TurnId},
    input::Refusal,
    intent::{IntentNode, Phase},
    money::count,
    phase::Trigger,
    plan::Unproven,
    policy::Ruling,
    question::Review,
    redact::shown_args,
    scope::{Capability, ToolScope},
    session::{ASK_AGAIN, Lane, LaneKind, NO_CALLS, Talk},
    talk::{Echo, Fault, FaultKind, Finish, ModelCall, ModelReply},
    tool::{ArgsError, ChangeKind, ReadCall, Tool, ToolCall},
};

/// Replies that one lane may take before it must end.
const MAX_ROUNDS: u32 = 80;
/// Arguments that the session itself reads stand whole in the event, up to this many bytes.
const OWN_ARGS_BYTES: usize = 64 * 1024;

/// Told of a question whose model replied without a word.
const NO_WORD: &str = "The model's reply is empty: no words and no call";

/// Told to a model that wrote a call as text.
const AS_TEXT: &str = "You wrote a call as text: nobody sees that, and nothing was run. Call the tool itself, by the tool \
                       calls of this conversation, with no text around it; or answer in words.";

/// How a reply of the model ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReplyEnd {
    /// It is all there.
    Whole,
    /// It stands for a call, so the lane goes on.
    GoesOn,
    /// It was stopped or broke off.
    Cut,
}

impl Draft<'_> {
    /// Opens a lane at the root, under the ceiling of now.
    pub(super) fn open_lane(&mut self, opening: LaneOpening) -> LaneId {
        let LaneOpening { kind, turn, fixed, reads_only } = opening;
        let lane = LaneId(self.id());
        let cap = match kind {
            LaneKind::Child(_) => self.reach_of_parent(kind),
            _ if reads_only || self.forbids(turn) => ToolScope::READ_ONLY,
            // Only what its message asked for, whatever its plan says.
            LaneKind::Task(_) | LaneKind::Repair(_) => self.state.reach(turn),
            LaneKind::Answer
            | LaneKind::Planning
            | LaneKind::Goal
            | LaneKind::Gate(_)
            | LaneKind::Pipeline => ToolScope::DELETE,
        };
        let ceiling = self.state.ceiling().and(cap).and(self.directed_to(kind, turn));
        self.emit(Event::LaneOpened { lane, kind, turn, node: IntentNode::Conversation, ceiling, fixed });
        lane
    }

    pub(super) fn think(&mut self, lane: LaneId) {
        if !self.child_may_think(lane) {
            return;
        }
        if let Some(text) = self.gets_nowhere(lane) {
            if self.is_of_run(lane) && self.state.proposals_of(lane).next().is_none() {
                return self.fail_run(lane, RunFault::new(text, "try again, or ask for smaller steps"));
            }
            let again = self.state.lanes.get(&lane).is_some_and(|l| l.kind == LaneKind::Answer);
            let text = if again { format!("{text}\n{ASK_AGAIN}") } else { text };
            self.notice(Level::Warn, text);
            return self.finish_lane(lane);
        }
        if self.pauses_before_thinking(lane) || !self.may_call(lane) {
            return;
        }
        let call = CallId(self.id());
        self.emit(Event::ThinkingStarted { call, lane });
    }

    /// Why a line of work gets nowhere, if it does: its model asks without an end, or makes one call again and again.
    pub(super) fn gets_nowhere(&self, lane: LaneId) -> Option<String> {
        let l = self.state.lanes.get(&lane)?;
        if l.rounds >= MAX_ROUNDS {
            return Some(format!("stopped after {MAX_ROUNDS} rounds without finishing"));
        }
        // What it was told since is heard first.
        let (call, times) = l.repeats.stuck().filter(|_| matches!(l.talk.last(), Some(Talk::Result(_))))?;
        Some(format!("stopped: the model made the same call {times} times and got the same answer, `{call}`"))
    }

    pub(super) fn replied(&mut self, call: CallId, reply: Result<ModelReply, Fault>) -> Decided {
        let Some(lane) = self.state.lane_thinking(call) else { return self.replied_late(call, reply) };
        let (lane, turn) = (lane.id, lane.turn);
        match reply {
            Ok(reply) if self.is_child(lane) => self.child_replied((turn, lane), call, reply),
            Ok(reply) if self.state.is_pipeline(lane) => self.stage_replied((turn, lane), call, reply),
            Ok(reply) if self.says_nothing(lane, &reply) => {
                self.message((turn, lane), call, reply, ReplyEnd::GoesOn);
                let (message, hint) = (NO_WORD.to_owned(), String::new());
                self.thinking_failed(
                    lane,
                    call,
                    Fault { kind: FaultKind::Malformed, message, hint, status: None },
                );
            }
            Ok(reply) => {
                let meant = self.meant(lane, &reply);
                let goes_on = matches!(meant, Ok(PlannerReply::Command(_)));
                let end = if goes_on { ReplyEnd::GoesOn } else { ReplyEnd::Whole };
                let text = match &meant {
                    Ok(PlannerReply::Chat(said)) => said.clone(),
                    Ok(PlannerReply::Command(_)) | Err(_) => reply.text.clone(),
                };
                self.tell_checked(lane, call, &reply);
                self.message((turn, lane), call, ModelReply { text, ..reply }, end);
                self.heed(lane, meant);
            }
            Err(fault) => self.thinking_failed(lane, call, fault),
        }
        Ok(())
    }

    /// Whether a question would end with a reply in which there is nothing, and nothing was said to it before.
    fn says_nothing(&self, lane: LaneId, reply: &ModelReply) -> bool {
        let mute = self.state.lanes.get(&lane).is_some_and(|l| l.kind == LaneKind::Answer && !l.spoke);
        let empty = reply.text.trim().is_empty() && reply.calls.is_empty();
        mute && empty && !self.has_own_run(lane) && self.state.proposals_of(lane).next().is_none()
    }

    /// A reply that did not end: what had come of it is kept, marked as cut, before its failure.
    pub(super) fn broken_off(&mut self, call: CallId, partial: ModelReply, fault: Fault) -> Decided {
        let Some(lane) = self.state.lane_thinking(call) else { return self.replied_late(call, Ok(partial)) };
        let (lane, turn) = (lane.id, lane.turn);
        if !partial.text.is_empty() {
            let partial = ModelReply { calls: Vec::new(), ..partial };
            self.message((turn, lane), call, partial, ReplyEnd::Cut);
        }
        self.thinking_failed(lane, call, fault);
        Ok(())
    }

    /// The reply of a call that was stopped: what had come is kept, marked as cut.
    fn replied_late(&mut self, call: CallId, reply: Result<ModelReply, Fault>) -> Decided {
        let late = || Refusal::new("the call is no longer open");
        let (turn, lane) = self.state.cut.get(&call).copied().ok_or_else(late)?;
        match reply {
            Ok(reply) if !reply.text.is_empty() => {
                let reply = ModelReply { calls: Vec::new(), ..reply };
                self.message((turn, lane), call, reply, ReplyEnd::Cut);
                Ok(())
            }
            Ok(_) | Err(_) => Err(late()),
        }
    }

    /// Records a reply of the model, with the calls that it makes.
    pub(super) fn message(
        &mut self,
        (turn, lane): (TurnId, LaneId),
        call: CallId,
        reply: ModelReply,
        end: ReplyEnd,
    ) {
        let first = self.id();
        let calls: Vec<CallHead> = reply
            .calls
            .into_iter()
            .zip(first..)
            .map(|(c, id)| {
                let tool = Tool::named(&c.name);
                let own = tool.is_some_and(Tool::stands_whole);
                let limit = if own { OWN_ARGS_BYTES } else { Excerpt::WHOLE_BYTES };
                let read = read_call(&c).map(Arc::new);
                // What is done goes by what was read; what is kept of it holds no secret.
                let kept = shown_args(tool, &c.args, &read).unwrap_or(c.args);
                let args = Excerpt::up_to(limit, kept, &mut self.blobs);
                CallHead { call: CallId(id), provider: c.id, name: c.name, args, read: ReadCall::of(read) }
            })
            .collect();
        if reply.finish == Finish::Length {
            self.notice(Level::Warn, "The reply hit the model's length limit.");
        }
        let text = self.excerpt(reply.text);
        let reasoning = self.excerpt(reply.reasoning);
        // Nothing else wants it back.
        let echo = reply.echo.filter(|_| !calls.is_empty()).map(|e| {
            let Echo { origin, field, kept, calls } = e;
            Box::new(Echo { origin, field, kept: self.excerpt(kept), calls: self.excerpt(calls) })
        });
        self.emit(Event::MessageCompleted {
            turn,
            lane,
            call,
            text,
            reasoning,
            echo,
            intermediate: end == ReplyEnd::GoesOn || !calls.is_empty(),
            calls,
            usage: reply.usage,
            finish: reply.finish,
            model: reply.model,
            cut: end == ReplyEnd::Cut,
        });
    }

    fn thinking_failed(&mut self, lane: LaneId, call: CallId, fault: Fault) {
        let Some(kind) = self.state.lanes.get(&lane).map(|l| l.kind) else { return };
        let own_run = self.has_own_run(lane);
        let (message, hint) = (fault.message.clone(), fault.hint.clone());
        let cancelled = fault.kind == FaultKind::Cancelled;
        self.emit(Event::ThinkingFailed { call, lane, fault });
        match kind {
            LaneKind::Planning if !cancelled && self.settle_for_best(lane) => {
                self.notice(Level::Warn, format!("No other plan was made: {message}"));
            }
            LaneKind::Planning => {
                self.emit(Event::LaneClosed { lane });
                if cancelled {
                    self.must_go(Trigger::Cancel);
                } else {
                    let failure = RunFault::new(message, hint).failure(Phase::Planning);
                    self.fail(Trigger::PlanError, failure);
                }
            }
            LaneKind::Answer if !own_run => {
                self.emit(Event::LaneClosed { lane });
                if !cancelled {
                    // Where a run has failed as well, the word is for that.
                    let again = (self.state.phase != Phase::Failed).then_some(ASK_AGAIN);
                    let lines = [message.as_str(), hint.as_str(), again.unwrap_or_default()];
                    let told: Vec<&str> = lines.into_iter().filter(|l| !l.is_empty()).collect();
                    self.notice(Level::Error, told.join("\n"));
                }
            }
            LaneKind::Child(_) => self.end_child(lane, &format!("It failed: {message}"), false),
            LaneKind::Answer
            | LaneKind::Task(_)
            | LaneKind::Goal
            | LaneKind::Gate(_)
            | LaneKind::Pipeline
            | LaneKind::Repair(_) => {
                self.fail_run(lane, RunFault::new(message, hint));
            }
        }
    }

    /// Lets a lane go on: its next call, the next reply, or its end.
    pub(super) fn advance(&mut self, lane: LaneId) {
        loop {
            let Some(l) = self.state.lanes.get(&lane) else { return };
            if self.writes_for(lane) || !l.moves.is_empty() || (l.kind.of_run() && self.held()) {
                return;
            }
            let Some(head) = l.head() else { break };
            let call = head.call;
            let waits = self.state.question_of_call(call).is_some() || self.state.diff_of(lane).is_some();
            if head.allowed.is_some() || waits || self.state.waits_beside(l).is_some() {
                return;
            }
            self.gate_call(call);
            let still = self.state.lanes.get(&lane).and_then(Lane::head).is_some_and(|h| h.call == call);
            if still {
                return;
            }
        }
        let Some(l) = self.state.lanes.get(&lane) else { return };
        let plan_waits = l.kind == LaneKind::Planning && self.state.phase != Phase::Planning;
        let asks = self.state.asks_in_words(lane);
        if l.thinking.is_some() || l.held || plan_waits || asks || self.state.diff_of(lane).is_some() {
            return;
        }
        match (l.kind, l.talk.last()) {
            // A command that the user typed: no model is asked about it.
            (LaneKind::Goal | LaneKind::Answer, Some(Talk::Result(_))) if l.rounds == 0 => {
                self.finish_lane(lane);
            }
            (LaneKind::Gate(gate), _) => {
                let runs = l.ceiling.allows(Capability::Execute);
                let why = if runs { Unproven::Refused } else { Unproven::Path };
                self.leave_gate_out(lane, gate, Some(why));
            }
            // What its stage works on is brought, or its model is asked.
            (LaneKind::Pipeline, _) => {}
            (_, Some(Talk::Result(_) | Talk::Nudge(_))) => self.think(lane),
            // The user said something about what it proposed: it answers that before it ends.
            _ if l.unread || l.addressed && self.state.proposals_of(lane).next().is_none() => {
                self.think(lane);
            }
            _ => self.finish_lane(lane),
        }
    }

    /// The lane's model is done: its proposals are decided, then it ends.
    pub(super) fn finish_lane(&mut self, lane: LaneId) {
        let Some(l) = self.state.lanes.get(&lane) else { return };
        let kind = l.kind;
        if kind.task().is_some_and(|task| self.asks_for_the_rest(lane, task)) {
            return;
        }
        if self.state.proposals_of(lane).next().is_some() {
            return self.review(lane);
        }
        if self.asks_for_a_call(lane, kind) {
            return;
        }
        match kind {
            LaneKind::Answer => {
                let own_run = self.has_own_run(lane);
                self.emit(Event::LaneClosed { lane });
                if own_run {
                    self.end_own_run();
                }
            }
            LaneKind::Planning => self.no_plan(lane),
            LaneKind::Task(task) => self.task_done(lane, task),
            LaneKind::Goal => {
                self.emit(Event::LaneClosed { lane });
                self.complete_run();
            }
            LaneKind::Gate(_) | LaneKind::Pipeline => {}
            LaneKind::Child(_) => self.end_child(lane, "It said nothing.", false),
            LaneKind::Repair(gate) => self.repair_done(lane, gate),
        }
    }

    /// A model that wrote a call as text is told once that nobody sees it; where it does so again, its user is told,
    /// once a session.
    fn asks_for_a_call(&mut self, lane: LaneId, kind: LaneKind) -> bool {
        let Some(l) = self.state.lanes.get(&lane) else { return false };
        let makes = !matches!(kind, LaneKind::Goal | LaneKind::Gate(_) | LaneKind::Pipeline);
        if !l.wrote_call || !makes {
            return false;
        }
        if !l.was_nudged() && self.gets_nowhere(lane).is_none() {
            self.emit(Event::LaneNudged { lane, text: AS_TEXT.to_owned(), answer: false });
            self.think(lane);
            return true;
        }
        if !self.state.told_no_calls {
            self.notice(Level::Warn, NO_CALLS);
        }
        false
    }

    /// Whether an approved write of this lane's proposals is under way.
    pub(super) fn writes_for(&self, lane: LaneId) -> bool {
        use crate::session::ApplyStatus as A;
        let mine =
            |id| self.state.proposals().get(id).is_some_and(|p: &crate::proposal::Proposal| p.lane == lane);
        let open = self.state.applies().values().filter(|a| matches!(a.status, A::Approved | A::Writing));
        open.flat_map(|a| &a.take).any(|(id, _)| mine(id))
    }

    /// Opens the diff of a lane's proposals, or applies them where the mode allows it.
    pub(super) fn review(&mut self, lane: LaneId) {
        // What wants a word asks for it in every mode, and so does what would take back what others did meanwhile.
        let plain = self.state.proposals_of(lane).filter(|p| p.word().is_none() && p.meets.is_empty());
        let open: Vec<(ProposalId, ChangeKind)> = plain.map(|p| (p.id, p.kind)).collect();
        let free: Vec<(ProposalId, Ruling)> =
            open.iter().filter_map(|(id, kind)| Some((*id, self.unreviewed(*id, *kind)?))).collect();
        if let Some((_, ruling)) = free.first() {
            if self.pauses_before_write(lane) {
                return;
            }
            let by =
                if ruling.at.is_empty() { "permission mode auto".to_owned() } else { ruling.to_string() };
            let plain: Vec<ProposalId> = free.iter().map(|(id, _)| *id).collect();
            return self.apply_now(&plain, &by);
        }
        if self.state.diff_of(lane).is_some() {
            return;
        }
        let proposals: Vec<ProposalId> = self.state.proposals_of(lane).map(|p| p.id).collect();
        let files = proposals.len();
        let mut message = format!("{} to review", count(files, "file"));
        for p in self.state.proposals_of(lane) {
            if let Some(why) = &p.control {
                message.push_str(&format!("; {} is a control file: it {why}", p.path));
            } else if p.word().is_some() {
                message.push_str(&format!("; removing {} wants its name typed", p.path));
            }
        }
        self.ask(Review { lane, proposals }, message);
    }

    /// Ends calls whose permit died because the lane narrowed.
    pub(super) fn end_dead_calls(&mut self) {
        let dead: Vec<(LaneId, CallId)> = self
            .state
            .lanes
            .values()
            .flat_map(|l| {
                l.calls.iter().filter(|c| c.allowed.is_some_and(|e| e != l.epoch)).map(|c| (l.id, c.call))
            })
            .collect();
        for (lane, call) in dead {
            self.end_call(
                lane,
                call,
                CallStatus::Interrupted,
                "stopped: the user lowered the permission ceiling",
            );
            self.advance(lane);
        }
    }

    /// Whether this is an answer that was allowed to write: it has a run of its own, which ends
    /// with it.
    pub(super) fn has_own_run(&self, lane: LaneId) -> bool {
        self.state.lanes.get(&lane).is_some_and(|l| self.state.has_own_run(l))
    }

    /// Whether the lane is what runs.
    pub(super) fn is_of_run(&self, lane: LaneId) -> bool {
        self.state.lanes.get(&lane).is_some_and(|l| l.kind.of_run()) || self.has_own_run(lane)
    }

    /// Whether the lane answers beside a run: then it only reads, whatever it might before.
    pub(super) fn beside_run(&self, lane: LaneId) -> bool {
        self.state.lanes.get(&lane).is_none_or(|l| self.state.beside_run(l))
    }

    /// Whether the run waits at its next safe point: the user must say what they meant or want, or a line of theirs runs.
    pub(super) fn held(&self) -> bool {
        self.state.own_line_at_work() || self.state.phase_question().is_some_and(|c| c.kind.holds_run())
    }

    pub(super) fn forbids(&self, turn: TurnId) -> bool {
        self.state.turns.get(&turn).is_some_and(|t| t.forbids)
    }
}

/// Reads a call as the reply made it: the one time that its arguments are read.
fn read_call(call: &ModelCall) -> Result<ToolCall, ArgsError> {
    let bytes = call.args.len();
    match Tool::named(&call.name).filter(|t| t.stands_whole() && bytes > OWN_ARGS_BYTES) {
        Some(tool) => Err(ArgsError::TooLong { tool: tool.name(), bytes, most: OWN_ARGS_BYTES }),
        None => ToolCall::named(&call.name, &call.args),
    }
}
