//! What happened, as a client shows it: messages, thinking, calls, changes, the plan.
//!
//! Owns which event is told as what, live and from the log alike. Never decides and never asks.

use std::collections::{BTreeMap, BTreeSet};

use pilothouse_core::{
    blob::Excerpt,
    checkpoint::Answer,
    clean::Clean,
    event::{CallStatus, Event, Stamped},
    fact::Mark,
    goal::PlannerReply,
    ids::{ApplyId, CallId, CheckpointId, LaneId, ProposalId},
    intent::Control,
    money::Configured,
    plan::{GateStatus, Plan, TaskStatus},
    scope::Capability,
    session::{LaneKind, Session, State},
    talk::{Delta, DeltaKind},
    tool::{Advice, Subject, Tool},
};

use super::{
    offered,
    place::Place,
    update::{Call, CallState, Chunk, Content, Entry, Update},
};
use crate::{
    headless::report::{commands, status},
    narration::{Narration, Tone, narrate, revised},
};

/// How much of what a command has written so far is shown.
const MOST_TAIL: usize = 4 * 1024;

/// What was told so far.
#[derive(Debug, Default)]
pub(super) struct Teller {
    /// Calls that the client knows.
    calls: BTreeSet<CallId>,
    /// Questions that it knows as calls of their own.
    questions: BTreeSet<CheckpointId>,
    /// Model calls under way whose words are for people.
    thinking: BTreeMap<CallId, Words>,
    /// Lines of the answer of a model call whose evidence does not hold.
    marks: (CallId, Vec<Mark>),
    /// The message that was said last.
    last_message: String,
    /// How many of them were the workbench's own.
    notes: u64,
    /// The plan as it was told last.
    plan: Vec<Entry>,
    /// What the command wrote that runs.
    output: (CallId, String),
    /// What a session may spend by the settings.
    pub budget: Configured,
    /// What is to go out, in order.
    pub updates: Vec<Update>,
}

/// What of a reply went out already.
#[derive(Debug, Default)]
struct Words {
    text: String,
    thought: String,
}

impl Teller {
    /// A piece of a message of the agent; one message is kept apart from the next.
    fn say(&mut self, message: &str, text: &str) {
        if text.is_empty() || (text.trim().is_empty() && self.last_message != message) {
            return;
        }
        let apart = if self.last_message == message || self.last_message.is_empty() { "" } else { "\n\n" };
        message.clone_into(&mut self.last_message);
        self.updates.push(Update::AgentMessageChunk(Chunk::new(message, format!("{apart}{text}"))));
    }

    /// Something that the workbench says.
    pub fn note(&mut self, text: &str) {
        self.notes += 1;
        let id = format!("note-{}", self.notes);
        self.say(&id, text.trim_end());
    }

    fn think(&mut self, message: &str, text: &str) {
        if !text.is_empty() {
            self.updates.push(Update::AgentThoughtChunk(Chunk::new(message, text)));
        }
    }

    /// How far it is, as a thought of the workbench's.
    fn aside(&mut self, text: &str) {
        self.think("", &format!("{}\n", text.trim_end()));
    }

    fn call(&mut self, id: CallId, fields: Call) {
        let call = Call { tool_call_id: id.to_string(), ..fields };
        let new = self.calls.insert(id);
        self.updates.push(if new { Update::ToolCall(call) } else { Update::CallUpdate(call) });
    }

    /// A question is put that is about no call: the client hears of it as one of its own.
    pub fn asked(&mut self, question: CheckpointId, call: &Call) {
        if self.questions.insert(question) {
            self.updates.push(Update::ToolCall(call.clone()));
        }
    }

    /// A question that was put is closed.
    pub fn resolved(&mut self, question: CheckpointId, answer: Option<&Answer>) {
        if self.questions.remove(&question) {
            let no = matches!(answer, None | Some(Answer::Reject(_) | Answer::Abort));
            let status = if no { CallState::Failed } else { CallState::Completed };
            self.updates.push(Update::CallUpdate(Call::new(&question, status)));
        }
    }

    /// What becomes of changes.
    fn changes(&mut self, ids: impl IntoIterator<Item = ProposalId>, status: CallState, why: Option<&str>) {
        for id in ids {
            let raw_output = why.map(str::to_owned);
            self.updates.push(Update::CallUpdate(Call { raw_output, ..Call::new(&id, status) }));
        }
    }

    /// A piece of something that runs.
    pub fn delta(&mut self, delta: &Delta, place: &Place) {
        let text = || place.shown(&delta.text);
        match delta.kind {
            DeltaKind::Text | DeltaKind::Reasoning => {
                let Some(words) = self.thinking.get_mut(&delta.call) else { return };
                let thinks = delta.kind == DeltaKind::Reasoning;
                let before = if thinks { &mut words.thought } else { &mut words.text };
                // Behind a gap nothing more is shown until the reply is whole.
                if before.len() as u64 != delta.offset {
                    return;
                }
                before.push_str(&delta.text);
                let (text, id) = (text(), delta.call.to_string());
                if thinks { self.think(&id, &text) } else { self.say(&id, &text) }
            }
            DeltaKind::Stdout | DeltaKind::Stderr if self.calls.contains(&delta.call) => {
                if self.output.0 != delta.call {
                    self.output = (delta.call, String::new());
                }
                self.output.1.push_str(&text());
                let from = self.output.1.len().saturating_sub(MOST_TAIL);
                let from = self.output.1.ceil_char_boundary(from);
                self.output.1.drain(..from);
                let content = Some(vec![Content::text(self.output.1.as_str())]);
                self.call(delta.call, Call { content, ..Call::default() });
            }
            DeltaKind::Notice => self.aside(&delta.text),
            DeltaKind::Wait => self.aside(&delta.wait()),
            DeltaKind::Stdout | DeltaKind::Stderr | DeltaKind::Call | DeltaKind::Written => {}
        }
    }

    /// Tells an event, after the session took it in; `again` where it is read from the log.
    pub fn event(&mut self, event: &Stamped, session: &Session, place: &Place, again: bool) {
        let (state, event) = (session.state(), &event.event);
        match narrate(event, state) {
            Narration::Words(Tone::Aside, text) => self.aside(&place.shown(&text)),
            Narration::Words(_, text) => self.note(&place.shown(&text)),
            Narration::Reply => self.reply(event, place),
            Narration::Shown => self.talk(event, session, place, again),
            Narration::Silent => {}
        }
        // What the client has a call of is told to its end, whether words tell of it or nothing does.
        self.calls(event, place);
        self.change(event, state, place);
        if !again {
            self.plan(state);
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the rest is told elsewhere")]
    fn talk(&mut self, event: &Event, session: &Session, place: &Place, again: bool) {
        let state = session.state();
        match event {
            Event::TurnStarted { turn, text, .. } if again => {
                self.last_message.clear();
                let chunk = Chunk::new(turn.to_string(), place.whole(text));
                self.updates.push(Update::UserMessageChunk(chunk));
            }
            Event::ThinkingStarted { call, lane } if speaks(state, *lane) => {
                self.thinking.insert(*call, Words::default());
            }
            Event::ThinkingFailed { call, .. } => drop(self.thinking.remove(call)),
            Event::AnswerChecked { call, marks, .. } => self.marks = (*call, marks.clone()),
            Event::PlanReady { plan } => self.plan_ready(plan, state, place),
            // What it wrote stands in its call.
            Event::GateFailed { proof, .. } => {
                let why = proof.diagnostics.lines().next().unwrap_or_default();
                self.note(&place.shown(&format!("✗ gate {}: {why}", proof.command)));
            }
            Event::RunCompleted { summary: text, .. } | Event::CommitEnded { told: text, .. } => {
                self.note(&place.shown(text));
            }
            Event::ControlGiven { control: Control::Help } => self.note(&commands(session.recipes())),
            Event::ControlGiven { control: Control::Status } => self.note(&status(state, self.budget)),
            Event::PermissionChanged { permission, .. } => self.updates.extend(offered::changed(*permission)),
            Event::Described { .. } => {
                let title = state.about.title.as_deref().map(|title| place.shown(title));
                self.updates.extend(title.map(|title| Update::Info { title }));
            }
            _ => {}
        }
    }

    /// What a plan says besides its steps.
    fn plan_ready(&mut self, plan: &Plan, state: &State, place: &Place) {
        if let Some(since) = revised(plan, state) {
            self.note(&place.shown(&since));
        }
        let notes = plan.notes();
        if !notes.is_empty() {
            self.note(&place.shown(&notes));
        }
    }

    /// The rest of a reply; all of it where it does not begin as what was shown.
    fn reply(&mut self, event: &Event, place: &Place) {
        let Event::MessageCompleted { call, text, reasoning, intermediate, calls, .. } = event else {
            return;
        };
        let (words, id) = (self.thinking.remove(call).unwrap_or_default(), call.to_string());
        let rest = |whole: &str, shown: &str| {
            whole.strip_prefix(place.shown(shown).as_str()).map_or_else(|| whole.to_owned(), str::to_owned)
        };
        let whole = place.whole(text);
        // What a model writes as JSON for want of calls is told as the command that it is.
        let prose = *intermediate && calls.is_empty();
        let whole = if prose { PlannerReply::spoken(&whole) } else { &whole };
        self.think(&id, &rest(&place.whole(reasoning), &words.thought));
        self.say(&id, &rest(whole, &words.text));
        // Its words are out by now: what does not hold of them is said behind them.
        for mark in std::mem::take(&mut self.marks).1 {
            let line = whole.lines().nth(mark.line.saturating_sub(1)).unwrap_or_default();
            let why = place.shown(&mark.why);
            self.say(&id, &format!("\n\n⚠ not proven: {why}\n> {}", line.trim()));
        }
        for head in calls {
            let tool = Tool::named(&head.name).filter(|tool| !tool.speaks_to_session());
            let Some(tool) = tool else { continue };
            let subject = place.shown(head.read.subject());
            self.call(head.call, of_tool(tool, &subject, CallState::Pending));
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "only what calls come to")]
    fn calls(&mut self, event: &Event, place: &Place) {
        match event {
            Event::CommandProposed { call, command, .. } => {
                let (title, status) = (Some(place.shown(command)), Some(CallState::Pending));
                self.call(*call, Call { title, kind: Some("execute"), status, ..Call::default() });
            }
            Event::CallStarted { call, tool, subject, .. } if !tool.speaks_to_session() => {
                let fields = of_tool(*tool, &place.shown(subject), CallState::InProgress);
                let at = (tool.subject() == Subject::Path).then(|| place.location(subject));
                self.call(*call, Call { locations: at.into_iter().collect(), ..fields });
            }
            Event::CallEnded { call, status, result, notes, .. } if self.calls.contains(call) => {
                let done = *status == CallStatus::Done;
                let status = Some(if done { CallState::Completed } else { CallState::Failed });
                self.call(
                    *call,
                    Call { status, content: Some(result_of(result, notes, place)), ..Call::default() },
                );
            }
            // The program ended while it ran.
            Event::CallLost { call: Some(call), found, .. } if self.calls.contains(call) => {
                let (status, content) =
                    (Some(CallState::Failed), Some(vec![Content::text(place.shown(found))]));
                self.call(*call, Call { status, content, ..Call::default() });
            }
            Event::CommandWrote { call, files, .. } if self.calls.contains(call) => {
                let locations = files.iter().map(|f| place.location(f.path.as_str())).collect();
                self.call(*call, Call { locations, ..Call::default() });
            }
            _ => {}
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "only what changes come to")]
    fn change(&mut self, event: &Event, state: &State, place: &Place) {
        let of = |apply: &ApplyId| {
            let take = state.applies().get(apply).map(|a| a.take.clone()).unwrap_or_default();
            take.into_iter().map(|(id, _)| id)
        };
        match event {
            Event::Proposed { proposal, .. } => {
                self.updates.push(Update::ToolCall(place.change(proposal, &[])));
            }
            Event::ProposalEdited { proposal, .. } => {
                self.updates.push(Update::CallUpdate(place.change(proposal, &[])));
            }
            Event::ApplyApproved { apply, .. } => self.changes(of(apply), CallState::InProgress, None),
            Event::Applied { apply } => self.changes(of(apply), CallState::Completed, None),
            Event::ApplyFailed { apply, message, .. } => {
                self.changes(of(apply), CallState::Failed, Some(message));
            }
            Event::ProposalClosed { proposal, reason, .. } | Event::ProposalSetAside { proposal, reason } => {
                self.changes([*proposal], CallState::Failed, Some(reason));
            }
            _ => {}
        }
    }

    /// The plan, where it is another one than was told.
    pub fn plan(&mut self, state: &State) {
        let Some(plan) = state.plan.as_ref().or(state.suspended.as_ref()) else { return };
        let tasks = plan.tasks.iter().map(|task| {
            let (status, mark) = match task.status {
                TaskStatus::Pending => ("pending", ""),
                TaskStatus::Running => ("in_progress", ""),
                TaskStatus::Done => ("completed", ""),
                TaskStatus::Failed => ("pending", "failed"),
                TaskStatus::Skipped => ("completed", "left out"),
                TaskStatus::Cancelled => ("pending", "stopped"),
                TaskStatus::TakenBack => ("pending", "taken back"),
                TaskStatus::NotDone => ("pending", "not done"),
            };
            (task.title.clone(), status, mark)
        });
        let gates = plan.gates.iter().map(|gate| {
            let (status, mark) = match gate.status {
                GateStatus::Pending => ("pending", ""),
                GateStatus::Running => ("in_progress", ""),
                GateStatus::Passed(_) => ("completed", "green"),
                GateStatus::Failed(_) if gate.waived => ("completed", "failed, skipped by you"),
                GateStatus::Failed(_) => ("pending", "red"),
                GateStatus::Stale(_) => ("pending", "files changed since"),
                GateStatus::Skipped => ("completed", "left out"),
                GateStatus::Unproven(why) => ("completed", why.words()),
            };
            (format!("gate {}: {}", gate.name, gate.command), status, mark)
        });
        let entry = |(text, status, mark): (String, &'static str, &str)| {
            let mark = if mark.is_empty() { String::new() } else { format!(" ({mark})") };
            Entry { content: format!("{}{mark}", Clean::line(&text)), priority: "medium", status }
        };
        let entries: Vec<Entry> = tasks.chain(gates).map(entry).collect();
        if self.plan != entries {
            self.plan.clone_from(&entries);
            self.updates.push(Update::Plan { entries });
        }
    }
}

/// Whether the words of a line of work are for people: those of a sub-agent and of a stage are not.
fn speaks(state: &State, lane: LaneId) -> bool {
    !matches!(state.transcript.kind(lane), Some(LaneKind::Child(_) | LaneKind::Pipeline))
}

fn of_tool(tool: Tool, subject: &str, status: CallState) -> Call {
    let title = format!("{} {}", tool.words(true), subject.lines().next().unwrap_or_default());
    let title = Some(title.trim_end().to_owned());
    Call { title, kind: Some(kind(tool)), status: Some(status), ..Call::default() }
}

fn kind(tool: Tool) -> &'static str {
    match tool.needs() {
        Some(Capability::List | Capability::Read) if tool.subject() == Subject::Pattern => "search",
        Some(Capability::List | Capability::Read) => "read",
        Some(Capability::Write) => "edit",
        Some(Capability::Delete) => "delete",
        Some(Capability::Execute) => "execute",
        Some(Capability::Network) => "fetch",
        None => "other",
    }
}

fn result_of(result: &Excerpt, notes: &[Advice], place: &Place) -> Vec<Content> {
    let text = Advice::for_user(notes).map(|note| place.shown(note)).chain([place.whole(result)]);
    let text: Vec<String> = text.filter(|part| !part.is_empty()).collect();
    if text.is_empty() { Vec::new() } else { vec![Content::text(text.join("\n"))] }
}
