//! Verdicts on a call: what the checks before it found, and what follows from that.
//!
//! The checks only look at the state. Owns carrying out what they found, in one place.

use super::Draft;
use super::steer::SAID_FIRST;
use super::terms::CallStart;
use crate::{
    checkpoint::CheckpointKind,
    event::{CallStatus, Event},
    fact::shortened,
    goal::PlannerError,
    ids::{ApprovalId, CallId, CheckpointId, LaneId},
    intent::IntentNode,
    plan::Plan,
    policy::{Request, Ruling},
    question::{GateChange, Remember},
    sandbox::Confine,
    session::PRINTED,
    tool::Tool,
};

/// Most characters of what is told of a call in its row.
const SUMMARY_CHARS: usize = 100;

/// What is decided about a call that has not begun.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum CallVerdict {
    /// It begins.
    Begin(Tool, Box<CallStart>),
    /// It is a command, which is weighed by itself.
    Command,
    /// Its lane goes to this node first.
    Move(IntentNode, Then),
    /// Its lane goes to this node first and may write from then on.
    LetWrite(IntentNode, Then),
    /// The lane's own undecided proposals come first.
    Review,
    /// The user is asked.
    Ask(Box<Question>),
    /// A note is put to the user, and it ends: nothing waits for the answer.
    Offer(Box<Remember>),
    /// The commit that waits is asked about with this message.
    Reword(CheckpointId, String),
    /// It ends without having begun; the text is what the model reads.
    End(CallStatus, String),
    /// A permission rule denies it.
    Deny(Box<(Request, Ruling)>),
    /// It is the plan that the lane was to make.
    Plan(Box<Plan>),
    /// A gate gets another command, which the user named.
    ChangeGate(Box<GateChange>),
    /// Sub-agents do what it hands on.
    Delegate,
    /// It is refused, and the goal ends with it.
    EndGoal(String, PlannerError),
    /// It waits until the user raises the ceiling that they lowered.
    Wait,
}

impl CallVerdict {
    /// It is not allowed; the text is what the model reads.
    pub fn refuse(text: impl Into<String>) -> Self {
        Self::End(CallStatus::Refused, text.into())
    }

    /// A question to the user.
    pub fn ask(kind: impl Into<CheckpointKind>, message: impl Into<String>) -> Self {
        Self::Ask(Box::new(Question { kind: kind.into(), message: message.into() }))
    }

    /// Whether it asks the user, or begins by itself what does more than look: what they have just said may be against it.
    fn goes_ahead(&self) -> bool {
        match self {
            Self::Ask(_)
            | Self::Review
            | Self::Offer(_)
            | Self::ChangeGate(_)
            | Self::LetWrite(..)
            | Self::Reword(..) => true,
            Self::Begin(Tool::Run | Tool::SourceCall, start) => {
                start.approval.is_none() && start.confine != Some(Confine::READING)
            }
            Self::Begin(..)
            | Self::Command
            | Self::Move(..)
            | Self::End(..)
            | Self::Deny(_)
            | Self::Plan(_)
            | Self::Delegate
            | Self::EndGoal(..)
            | Self::Wait => false,
        }
    }

    /// A permission rule denies it.
    pub fn deny(request: Request, ruling: Ruling) -> Self {
        Self::Deny(Box::new((request, ruling)))
    }
}

/// A question that is to be opened.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Question {
    kind: CheckpointKind,
    message: String,
}

/// What follows once a lane is where its call sent it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Then {
    /// The call is decided about again.
    Gate,
    /// The command is, with the approval of the user's own line.
    GateCommand(Option<ApprovalId>),
    /// The call has what it asked for; the text is what the model reads.
    Done(&'static str),
}

impl Draft<'_> {
    /// Does what was decided about a call.
    pub(super) fn carry_out(&mut self, call: CallId, verdict: CallVerdict) {
        let Some((lane, unread)) =
            self.state.open_call(call).map(|(l, open)| (l.id, l.unread && !open.typed))
        else {
            return;
        };
        match verdict {
            verdict if unread && verdict.goes_ahead() => {
                self.end_call(lane, call, CallStatus::Refused, SAID_FIRST);
            }
            CallVerdict::Begin(tool, start) => self.begin_call(call, tool, *start),
            CallVerdict::Command => self.gate_command(call, None),
            CallVerdict::Move(to, then) => {
                self.move_to(lane, to, None);
                self.follow(lane, call, then);
            }
            CallVerdict::LetWrite(to, then) => {
                self.let_write(lane, to, None);
                self.follow(lane, call, then);
            }
            CallVerdict::Review => self.review(lane),
            CallVerdict::Ask(_) if self.is_child(lane) => {
                let text = "the user would be asked about this, and a sub-agent asks nobody: do without it and say so in your report";
                self.end_call(lane, call, CallStatus::Refused, text);
            }
            CallVerdict::Delegate => self.delegate(call),
            CallVerdict::Ask(question) => drop(self.ask(question.kind, question.message)),
            CallVerdict::Offer(asked) => {
                self.offer_note(*asked);
                self.end_call(
                    lane,
                    call,
                    CallStatus::Done,
                    "put to the user, who decides beside this; go on",
                );
            }
            CallVerdict::Reword(question, message) => self.put_message((lane, call), question, message),
            CallVerdict::End(status, text) => self.end_call(lane, call, status, &text),
            CallVerdict::Deny(denied) => {
                let (request, ruling) = *denied;
                self.deny_by_rule(lane, call, &request, ruling);
            }
            CallVerdict::Plan(plan) => self.handed_in(lane, call, *plan),
            CallVerdict::ChangeGate(change) => {
                let approval = ApprovalId(self.id());
                let told =
                    "the gate has that command now, as the user said; it asks them before it runs; go on";
                self.change_gate(&change, approval, told);
            }
            CallVerdict::EndGoal(text, error) => {
                self.end_call(lane, call, CallStatus::Refused, &text);
                self.planner_failed(lane, error);
            }
            CallVerdict::Wait => {}
        }
    }

    /// What a call sent its lane away for, unless a hook is to be heard first.
    fn follow(&mut self, lane: LaneId, call: CallId, then: Then) {
        if !self.state.has_arrived(lane) {
            return;
        }
        match then {
            Then::Gate => self.gate_call(call),
            Then::GateCommand(approval) => self.gate_command(call, approval),
            Then::Done(text) => self.end_call(lane, call, CallStatus::Done, text),
        }
    }

    pub(super) fn begin_call(&mut self, call: CallId, tool: Tool, start: CallStart) {
        let Some((lane, open)) = self.state.open_call(call) else { return };
        let (epoch, args, subject, lane) = (lane.epoch, open.hash, open.subject(), lane.id);
        let CallStart { approval, confine, ruling } = start;
        self.emit(Event::CallStarted { call, lane, tool, subject, args, epoch, approval, confine, ruling });
    }

    /// Ends a call without running it (or after it was stopped); the text is what the model reads.
    pub(super) fn end_call(&mut self, lane: LaneId, call: CallId, status: CallStatus, text: &str) {
        let summary = shortened(text.lines().next().unwrap_or_default(), SUMMARY_CHARS);
        // What a command had printed that is stopped was seen by the user: its model knows it as well.
        let printed = self.under.printed.as_ref().filter(|_| status == CallStatus::Interrupted);
        let printed = printed.and_then(|p| p.so_far(call));
        let text = printed.map_or_else(|| text.to_owned(), |so_far| format!("{text}\n{PRINTED}\n{so_far}"));
        let answer = self.state.answer_id(call, &text);
        let result = self.excerpt(self.state.instead(call, answer).unwrap_or(text));
        self.emit(Event::CallEnded {
            call,
            lane,
            status,
            summary,
            result,
            notes: Vec::new(),
            seen: Vec::new(),
            parts: Vec::new(),
            ruling: None,
            answer,
        });
    }

    /// Ends a call that a rule denies; the model is told which.
    fn deny_by_rule(&mut self, lane: LaneId, call: CallId, request: &Request, ruling: Ruling) {
        let text = format!("{request} is refused by a permission rule of the user: {ruling}; do without it");
        let summary = shortened(&format!("refused: {ruling}"), SUMMARY_CHARS);
        let answer = self.state.answer_id(call, &text);
        let result = self.excerpt(text);
        let (status, seen, parts) = (CallStatus::Refused, Vec::new(), Vec::new());
        self.emit(Event::CallEnded {
            call,
            lane,
            status,
            summary,
            result,
            notes: Vec::new(),
            seen,
            parts,
            ruling: Some(ruling),
            answer,
        });
    }
}
