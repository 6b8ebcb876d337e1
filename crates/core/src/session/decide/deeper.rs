//! May a turn go deeper than its message asked for: what the answer does, in a word or in the user's own.
//!
//! Owns which lines of work may ask at all, that what is said to the waiting question is an answer to it, and that it
//! reaches its agent with the yes. Never lets a turn further than the question named.

use super::{
    Decided, Draft,
    answer::{Given, Resolve},
    terms::LaneOpening,
    verdict::{CallVerdict, Then},
};
use crate::{
    checkpoint::{Answer, CheckpointKind},
    event::{CallStatus, Event, Level},
    ids::{ApprovalId, CheckpointId, LaneId, TurnId},
    input::Refusal,
    intent::{Consent, Control, IntentNode, IntentPath, Phase, Reading, Source, Turn},
    phase::Trigger,
    question::{Lone, Transition},
    scope::{Capability, PermissionMode, ToolScope},
    session::{Lane, LaneKind, OpenCall},
    tool::{RequestPath, Tool},
};

/// What is said to the question whether a turn may go deeper.
#[derive(Clone, Copy, Debug)]
pub(super) enum Deeper {
    /// An order about what is asked: it is the answer.
    Orders(CheckpointId),
    /// A no that goes on: it is the answer, and its agent hears why.
    Declines(CheckpointId, LaneId),
    /// A yes that goes on, for the agent of this lane: what goes on is heard, and no part of a line is an answer.
    Adds(LaneId),
}

impl Resolve for Transition {
    fn resolve(&self, draft: &mut Draft<'_>, given: Given<Lone>) -> Decided {
        match given.answer {
            Lone::Yes => draft.allow_deeper(self, given, None),
            Lone::No => {
                // A step goes on with what it was begun for.
                let lane = draft.state.lanes.get(&self.lane).filter(|l| !l.kind.of_run());
                let back = lane.map(|l| IntentPath::to(l.node).retreat().current());
                if let Some(node) = back.filter(|n| *n != IntentNode::Conversation) {
                    draft.retreat_to(self.lane, node);
                }
                let text =
                    "the user says no: this turn changes no files; go on with what it may, or end in words";
                draft.deny_call(given.question, self.call, given.stored, text);
                Ok(())
            }
        }
    }
}

impl Draft<'_> {
    /// What a message says to the question whether a turn may go deeper, where it speaks to that.
    pub(super) fn deepened(&self, reading: &Reading) -> Option<Deeper> {
        if let Some((asked, lane)) = self.call_declined(reading).filter(|(_, lane)| !self.state.hears(lane)) {
            return Some(Deeper::Declines(asked.id, lane.id));
        }
        let asked = self.state.newest_question().filter(|_| self.state.phase == Phase::Idle)?;
        let CheckpointKind::Transition(wants) = &asked.kind else { return None };
        let answer = self.state.lanes.get(&wants.lane).is_some_and(|l| l.kind == LaneKind::Answer);
        let by_name = matches!(reading.whole.source, Source::Slash | Source::AtNode);
        if !answer || by_name || reading.command.is_some() {
            return None;
        }
        let (classifier, text) = (&self.under.tiers.classifier, reading.text.as_str());
        let orders = matches!(reading.whole.turn, Turn::PlanNew(_) | Turn::PlanContinue);
        let reach = reading.whole.path.scope();
        let orders = orders && wants.to.scope().without(reach) == ToolScope::NONE;
        let about = orders && (classifier.steers(text) || classifier.corrects(text));
        let stops =
            matches!(reading.whole.turn, Turn::Control(Control::Cancel | Control::Reset | Control::Exit));
        // "no, …" and what is not sure of itself is no answer either; what it says is heard.
        let declines = !orders || reading.forbids_change;
        if !stops && declines && self.consents(asked, text) == Some(Consent::NoBut) {
            return Some(Deeper::Declines(asked.id, wants.lane));
        }
        let doubted = reading.clarify.is_some() || classifier.corrects(text);
        if !stops && (classifier.agrees_and(text) || about && doubted) {
            return Some(Deeper::Adds(wants.lane));
        }
        about.then_some(Deeper::Orders(asked.id))
    }

    /// The words of a message reach the agent that asks, and allow what it asks for where they order it.
    pub(super) fn deepen(&mut self, said: Deeper, turn: TurnId) -> Decided {
        match said {
            Deeper::Orders(question) => {
                let Some(asked) = self.state.open.get(&question) else { return Ok(()) };
                let CheckpointKind::Transition(asked) = asked.kind.clone() else { return Ok(()) };
                let given = Given { question, answer: Lone::Yes, stored: Answer::Approve };
                self.allow_deeper(&asked, given, Some(turn))
            }
            Deeper::Declines(question, lane) => {
                let run_of = self.state.lanes.get(&lane).map(|l| l.turn).unwrap_or_default();
                self.emit(Event::TurnTold { turn, run_of });
                self.turn_down(question)
            }
            Deeper::Adds(lane) => {
                let run_of = self.state.lanes.get(&lane).map(|l| l.turn).unwrap_or_default();
                self.emit(Event::TurnTold { turn, run_of });
                self.notice(
                    Level::Info,
                    "The agent gets that with your answer: y lets it change files, n does not.",
                );
                Ok(())
            }
        }
    }

    /// Whether a lane may go where it asks to.
    pub(super) fn judge_path(&self, lane: &Lane, open: &OpenCall, request: &RequestPath) -> CallVerdict {
        let to = request.node;
        if lane.scope().contains(to.scope()) {
            return CallVerdict::End(CallStatus::Done, "this turn may do that already; go on".to_owned());
        }
        if lane.fixed || !lane.ceiling.contains(to.scope().and(ToolScope::SHELL)) {
            let named = "the user's message names the path that it is to keep to";
            let why = if lane.fixed { named } else { self.stays_reading(lane).unwrap_or(named) };
            return CallVerdict::refuse(format!("the path {to} is not open to this turn: {why}"));
        }
        self.towards(lane, open, to, || request.reason.clone(), Then::Done("allowed; go on"))
    }

    /// How a lane gets to a node: by the user's answer where it goes deeper than the message asked for,
    /// or at once.
    pub(super) fn towards(
        &self,
        lane: &Lane,
        open: &OpenCall,
        to: IntentNode,
        reason: impl FnOnce() -> String,
        then: Then,
    ) -> CallVerdict {
        let from = lane.node;
        if !from.needs_checkpoint(to) {
            return CallVerdict::Move(to, then);
        }
        if let Some(why) = self.stays_reading(lane) {
            return CallVerdict::refuse(format!(
                "this turn may not change files: {why}; describe the change, and the user can ask for it as a task"
            ));
        }
        // A step does what it was approved for; what its message reaches besides is asked for by name.
        let is_step = matches!(lane.kind, LaneKind::Task(_) | LaneKind::Repair(_));
        if is_step && open.tool != Some(Tool::RequestPath) {
            return CallVerdict::refuse(
                "not allowed in this step: it was approved without changing files; ask for that with request_path and say why",
            );
        }
        let reaches = self.state.reach(lane.turn).contains(to.scope().and(ToolScope::WORKSPACE));
        let unasked = self.state.permission == PermissionMode::Auto || self.says_yes(lane.turn);
        if unasked && reaches {
            return CallVerdict::LetWrite(to, then);
        }
        let asked = Transition { lane: lane.id, call: open.call, from, to, reason: reason() };
        CallVerdict::ask(asked, "This will modify files. Proceed?")
    }

    /// Why a lane is never let change files, if it is not.
    pub(super) fn stays_reading(&self, lane: &Lane) -> Option<&'static str> {
        if self.forbids(lane.turn) {
            return Some("the user's message forbids it");
        }
        if !self.may_run() {
            return Some("the ceiling is read-only, and only the user raises it");
        }
        match lane.kind {
            LaneKind::Planning => Some("a planning only reads, and its plan says what is to change"),
            LaneKind::Gate(_) => Some("a gate only checks"),
            LaneKind::Child(_) => Some("a sub-agent only reads"),
            LaneKind::Pipeline => Some("a stage of a pipeline only reads"),
            LaneKind::Answer if self.state.phase != Phase::Idle && !self.has_own_run(lane.id) => {
                Some("it answers beside a run, which has the files")
            }
            // What its message reaches is what it may ask for, whatever its step was announced to do.
            LaneKind::Task(_) | LaneKind::Repair(_) => (!lane.ceiling.allows(Capability::Write))
                .then_some("neither the user's message nor the plan that they approved lets it"),
            LaneKind::Answer | LaneKind::Goal => {
                (!lane.ceiling.allows(Capability::Write)).then_some("it began under a read-only ceiling")
            }
        }
    }

    /// A lane may write from now on: an answer has a run of its own then. It is there unless a hook
    /// holds it.
    pub(super) fn let_write(&mut self, lane: LaneId, to: IntentNode, approval: Option<ApprovalId>) {
        if !self.is_of_run(lane) {
            let turn = self.state.lanes.get(&lane).map(|l| l.turn).unwrap_or_default();
            self.must_go(Trigger::CommandGoal);
            self.start_run(turn, None);
        }
        let to = if to == IntentNode::Delete { IntentNode::Modify } else { to };
        let approval = approval.unwrap_or_else(|| ApprovalId(self.id()));
        self.move_to(lane, to, Some(approval));
    }

    /// A plain yes to a change that the agent offers, read as the order that the offer is; `None` for every other line.
    pub(super) fn agreed_to(&self, line: &str, reading: &Reading) -> Option<Reading> {
        let classifier = &self.under.tiers.classifier;
        let yes = matches!(reading.whole.turn, Turn::Control(Control::Approve | Control::Proceed))
            && classifier.agrees(line)
            && !reading.forbids_change;
        if !yes || self.state.phase != Phase::Idle || !self.agent_spoke() {
            return None;
        }
        let offered = classifier.offers_change(&self.state.last_word)?;
        let mut reading = reading.clone();
        reading.whole.path = IntentPath::to(IntentNode::Modify);
        reading.whole.reasoning = format!("a yes to the agent's offer \"{offered}\"");
        reading.text = offered;
        Some(reading)
    }

    /// Whether a message is a yes to what the agent said.
    fn says_yes(&self, turn: TurnId) -> bool {
        let yes = |class: &Turn| matches!(class, Turn::Control(Control::Approve | Control::Proceed));
        self.state.turns.get(&turn).is_some_and(|t| yes(&t.class))
    }

    /// A yes with nothing else to agree to: it answers the agent's last words, and begins what these offered to change.
    pub(super) fn route_yes(&mut self, turn: TurnId) -> Decided {
        let changes = self.target(turn).scope().allows(Capability::Write);
        if !changes || self.state.phase != Phase::Idle || !self.may_run() {
            return self.route_query(turn);
        }
        let lane = self.open_lane(LaneOpening::of(LaneKind::Answer, turn));
        let approval = ApprovalId(self.id());
        self.must_go(Trigger::CommandGoal);
        self.start_run(turn, Some(approval));
        self.think_at(lane, IntentNode::Modify, Some(approval));
        Ok(())
    }

    fn allow_deeper(&mut self, asked: &Transition, given: Given<Lone>, said: Option<TurnId>) -> Decided {
        let (lane, call) = (asked.lane, asked.call);
        if self.state.phase != Phase::Idle && !self.is_of_run(lane) {
            return Err(Refusal::new("a run is under way; ask again when it is done"));
        }
        let approval = self.allow(given.question, given.stored);
        self.let_write(lane, asked.to, Some(approval));
        if let Some(turn) = said {
            let run_of = self.state.run.as_ref().map(|r| r.turn).unwrap_or_default();
            self.emit(Event::TurnTold { turn, run_of });
        }
        if !self.state.has_arrived(lane) {
            return Ok(());
        }
        let tool = self.state.open_call(call).and_then(|(_, c)| c.tool);
        if tool == Some(Tool::RequestPath) {
            self.end_call(lane, call, CallStatus::Done, "the user allowed it; go on");
        }
        self.advance(lane);
        Ok(())
    }
}
