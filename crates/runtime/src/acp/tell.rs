//! What happened, as a client shows it: messages, thinking, calls, changes, the plan.
//!
//! Owns which event is told as what, live and from the log alike. Never decides and never asks.

use std::collections::{BTreeMap, BTreeSet};

use pilothouse_core::{
    blob::Excerpt,
    checkpoint::Answer,
    clean::Clean,
    event::{CallStatus, Event, Stamped},
    goal::PlannerReply,
    ids::{ApplyId, CallId, CheckpointId, LaneId, ProposalId},
    intent::Control,
    money::Configured,
    plan::{GateStatus, TaskStatus},
    proposal::Proposal,
    scope::Capability,
    session::{LaneKind, Session, State},
    talk::{Delta, DeltaKind},
    tool::{Subject, Tool},
};
use serde_json::{Value, json};

use super::{
    offered::mode_id,
    place::{Place, content},
};
use crate::headless::report::{commands, stage_line, status};

/// How much of what a command has written so far is shown.
const MOST_TAIL: usize = 4 * 1024;

/// What the name of a question begins with that is about no call.
const QUESTION: &str = "question-";

/// What was told so far.
#[derive(Debug, Default)]
pub(super) struct Teller {
    /// Calls that the client knows.
    calls: BTreeSet<CallId>,
    /// Questions that it knows as calls of their own.
    questions: BTreeSet<String>,
    /// Model calls under way whose words are for people.
    thinking: BTreeMap<CallId, Words>,
    /// The message that was said last.
    said: String,
    /// How many of them were the workbench's own.
    notes: u64,
    /// The plan as it was told last.
    plan: Value,
    /// What the command wrote that runs.
    output: (CallId, String),
    /// What a session may spend by the settings.
    pub budget: Configured,
    /// What is to go out, in order.
    pub updates: Vec<Value>,
}

/// What of a reply went out already.
#[derive(Debug, Default)]
struct Words {
    text: String,
    thought: String,
}

impl Teller {
    fn chunk(&mut self, kind: &str, message: &str, text: &str) {
        if !text.is_empty() {
            let content = json!({"type": "text", "text": text});
            self.updates.push(json!({"sessionUpdate": kind, "messageId": message, "content": content}));
        }
    }

    /// A piece of a message of the agent; one message is kept apart from the next.
    fn say(&mut self, message: &str, text: &str) {
        if text.trim().is_empty() && self.said != message {
            return;
        }
        let apart = if self.said == message || self.said.is_empty() { "" } else { "\n\n" };
        message.clone_into(&mut self.said);
        self.chunk("agent_message_chunk", message, &format!("{apart}{text}"));
    }

    /// Something that the workbench says.
    pub fn note(&mut self, text: &str) {
        self.notes += 1;
        let id = format!("note-{}", self.notes);
        self.say(&id, text.trim_end());
    }

    fn think(&mut self, text: &str) {
        self.chunk("agent_thought_chunk", "", &format!("{}\n", text.trim_end()));
    }

    fn call(&mut self, call: CallId, mut fields: Value) {
        let new = self.calls.insert(call);
        if let Some(fields) = fields.as_object_mut() {
            fields.insert(
                "sessionUpdate".to_owned(),
                json!(if new { "tool_call" } else { "tool_call_update" }),
            );
            fields.insert("toolCallId".to_owned(), json!(call.to_string()));
        }
        self.updates.push(fields);
    }

    /// A question is put: the client hears first of a call that it does not know.
    pub fn asked(&mut self, call: &Value) {
        let id = call.get("toolCallId").and_then(Value::as_str).unwrap_or_default();
        if self.questions.contains(id) || !id.starts_with(QUESTION) {
            return;
        }
        self.questions.insert(id.to_owned());
        let mut told = call.clone();
        if let Some(fields) = told.as_object_mut() {
            fields.insert("sessionUpdate".to_owned(), json!("tool_call"));
            fields.insert("kind".to_owned(), json!("other"));
        }
        self.updates.push(told);
    }

    /// A question that was put is closed.
    pub fn resolved(&mut self, question: CheckpointId, answer: Option<&Answer>) {
        if self.questions.remove(&question.to_string()) {
            let no = matches!(answer, None | Some(Answer::Reject(_) | Answer::Abort));
            let status = if no { "failed" } else { "completed" };
            let id = question.to_string();
            self.updates
                .push(json!({"sessionUpdate": "tool_call_update", "toolCallId": id, "status": status}));
        }
    }

    /// What becomes of changes.
    fn changes(&mut self, ids: impl IntoIterator<Item = ProposalId>, status: &str, why: Option<&str>) {
        for id in ids {
            let mut update =
                json!({"sessionUpdate": "tool_call_update", "toolCallId": id.to_string(), "status": status});
            if let (Some(why), Some(fields)) = (why, update.as_object_mut()) {
                fields.insert("rawOutput".to_owned(), json!(why));
            }
            self.updates.push(update);
        }
    }

    fn proposed(&mut self, proposal: &Proposal, place: &Place, again: bool) {
        let mut told = place.change(proposal, &[]);
        if let Some(fields) = told.as_object_mut() {
            let kind = if again { "tool_call_update" } else { "tool_call" };
            fields.insert("sessionUpdate".to_owned(), json!(kind));
        }
        self.updates.push(told);
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
                if thinks { self.chunk("agent_thought_chunk", &id, &text) } else { self.say(&id, &text) }
            }
            DeltaKind::Stdout | DeltaKind::Stderr if self.calls.contains(&delta.call) => {
                if self.output.0 != delta.call {
                    self.output = (delta.call, String::new());
                }
                self.output.1.push_str(&text());
                let from = self.output.1.len().saturating_sub(MOST_TAIL);
                let from = self.output.1.ceil_char_boundary(from);
                self.output.1.drain(..from);
                let shown = content(&self.output.1);
                self.call(delta.call, json!({"content": [shown]}));
            }
            DeltaKind::Notice => self.think(&delta.text),
            DeltaKind::Stdout | DeltaKind::Stderr | DeltaKind::Call | DeltaKind::Written => {}
        }
    }

    /// The rest of a reply; all of it where it does not begin as what was shown.
    fn reply(&mut self, call: CallId, (text, thought): (&str, &str), place: &Place) {
        let words = self.thinking.remove(&call).unwrap_or_default();
        let id = call.to_string();
        let rest = |whole: &str, shown: &str| {
            whole.strip_prefix(place.shown(shown).as_str()).map_or_else(|| whole.to_owned(), str::to_owned)
        };
        self.chunk("agent_thought_chunk", &id, &rest(thought, &words.thought));
        let rest = rest(text, &words.text);
        if !rest.is_empty() {
            self.say(&id, &rest);
        }
    }

    /// Tells an event, after the session took it in; `again` where it is read from the log.
    pub fn event(&mut self, event: &Stamped, session: &Session, place: &Place, again: bool) {
        let state = session.state();
        self.talk(&event.event, session, place, again);
        self.calls(&event.event, state, place);
        self.change(&event.event, state, place);
        if !again {
            self.plan(state);
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the rest is told elsewhere or is for machines")]
    fn talk(&mut self, event: &Event, session: &Session, place: &Place, again: bool) {
        let state = session.state();
        match event {
            Event::TurnStarted { turn, text } if again => {
                self.said.clear();
                self.chunk("user_message_chunk", &turn.to_string(), &place.whole(text));
            }
            Event::ThinkingStarted { call, lane } if speaks(state, *lane) => {
                self.thinking.insert(*call, Words::default());
            }
            Event::MessageCompleted { lane, call, text, reasoning, intermediate, calls, .. } => {
                let kind = state.transcript.kind(*lane);
                if matches!(kind, Some(LaneKind::Child(_)))
                    || (kind == Some(LaneKind::Pipeline) && *intermediate)
                {
                    return;
                }
                let text = place.whole(text);
                // What a model writes as JSON for want of calls is told as the command that it is.
                let prose = *intermediate && calls.is_empty();
                let text = if prose { PlannerReply::spoken(&text) } else { &text };
                self.reply(*call, (text, &place.whole(reasoning)), place);
            }
            Event::ThinkingFailed { call, .. } => drop(self.thinking.remove(call)),
            Event::FactsAnswered { text, .. } => self.note(&place.shown(text)),
            Event::Notice { text, .. }
            | Event::TaskFailed { message: text, .. }
            | Event::CommitEnded { told: text, .. }
            | Event::RunCompleted { summary: text, .. }
            | Event::ApplyFailed { message: text, .. }
            | Event::RevertFailed { message: text, .. }
            | Event::MoveBlocked { why: text, .. } => self.note(&place.shown(text)),
            Event::ControlGiven { control: Control::Help } => self.note(&commands(session.recipes())),
            Event::ControlGiven { control: Control::Status } => self.note(&status(state, self.budget)),
            Event::PermissionChanged { permission, .. } => {
                let mode = mode_id(*permission);
                self.updates.push(json!({"sessionUpdate": "current_mode_update", "currentModeId": mode}));
            }
            Event::ChildStarted { work, task, .. } => {
                self.think(&format!("sub-agent, {}: {}", work.name(), place.shown(&task.head)));
            }
            Event::Staged { happened, .. } => {
                if let Some(line) = stage_line(state, happened) {
                    self.think(&line);
                }
            }
            _ => {}
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "only what calls come to")]
    fn calls(&mut self, event: &Event, state: &State, place: &Place) {
        match event {
            Event::MessageCompleted { calls, .. } => {
                for head in calls {
                    let tool = Tool::named(&head.name).filter(|tool| !tool.speaks_to_session());
                    let Some(tool) = tool else { continue };
                    let subject = place.shown(head.read.subject());
                    self.call(
                        head.call,
                        json!({
                            "title": title(tool, true, &subject), "kind": kind(tool), "status": "pending",
                        }),
                    );
                }
            }
            Event::CommandProposed { call, command, .. } => {
                let title = place.shown(command);
                self.call(*call, json!({"title": title, "kind": "execute", "status": "pending"}));
            }
            Event::CallStarted { call, tool, subject, .. } if !tool.speaks_to_session() => {
                let mut fields = json!({
                    "title": title(*tool, true, &place.shown(subject)), "kind": kind(*tool), "status": "in_progress",
                });
                if let (Subject::Path, Some(fields)) = (tool.subject(), fields.as_object_mut()) {
                    fields.insert("locations".to_owned(), json!([{"path": place.path(subject)}]));
                }
                self.call(*call, fields);
            }
            Event::CallEnded { call, status, result, .. } if self.calls.contains(call) => {
                let status = if *status == CallStatus::Done { "completed" } else { "failed" };
                let shown = result_of(result, place);
                self.call(*call, json!({"status": status, "content": shown}));
            }
            Event::CommandWrote { call, files, .. } if self.calls.contains(call) => {
                let at: Vec<Value> =
                    files.iter().map(|f| json!({"path": place.path(f.path.as_str())})).collect();
                self.call(*call, json!({"locations": at}));
            }
            Event::GateFailed { gate, proof, .. } => {
                let name = state.plan.as_ref().and_then(|p| p.gate(*gate)).map_or("", |g| &g.name);
                self.think(&format!("the gate {name} failed: {}", place.shown(&proof.diagnostics)));
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
            Event::Proposed { proposal, .. } => self.proposed(proposal, place, false),
            Event::ProposalEdited { proposal, .. } => self.proposed(proposal, place, true),
            Event::ApplyApproved { apply, .. } => self.changes(of(apply), "in_progress", None),
            Event::Applied { apply } => self.changes(of(apply), "completed", None),
            Event::ApplyFailed { apply, message, .. } => self.changes(of(apply), "failed", Some(message)),
            Event::ProposalClosed { proposal, reason, .. } | Event::ProposalSetAside { proposal, reason } => {
                self.changes([*proposal], "failed", Some(reason));
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
            };
            (task.title.clone(), status, mark)
        });
        let gates = plan.gates.iter().map(|gate| {
            let (status, mark) = match gate.status {
                GateStatus::Pending => ("pending", ""),
                GateStatus::Running => ("in_progress", ""),
                GateStatus::Passed(_) => ("completed", "green"),
                GateStatus::Failed(_) => ("pending", "red"),
                GateStatus::Stale(_) => ("pending", "files changed since"),
                GateStatus::Skipped => ("completed", "left out"),
                GateStatus::Unproven(why) => ("completed", why.words()),
            };
            (format!("gate {}: {}", gate.name, gate.command), status, mark)
        });
        let entry = |(text, status, mark): (String, &str, &str)| {
            let mark = if mark.is_empty() { String::new() } else { format!(" ({mark})") };
            json!({"content": format!("{}{mark}", Clean::line(&text)), "priority": "medium", "status": status})
        };
        let update =
            json!({"sessionUpdate": "plan", "entries": tasks.chain(gates).map(entry).collect::<Vec<_>>()});
        if self.plan != update {
            self.plan.clone_from(&update);
            self.updates.push(update);
        }
    }
}

/// Whether the words of a line of work are for people: those of a sub-agent and of a stage are not.
fn speaks(state: &State, lane: LaneId) -> bool {
    !matches!(state.transcript.kind(lane), Some(LaneKind::Child(_) | LaneKind::Pipeline))
}

fn title(tool: Tool, running: bool, subject: &str) -> String {
    format!("{} {}", tool.words(running), subject.lines().next().unwrap_or_default()).trim_end().to_owned()
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

fn result_of(result: &Excerpt, place: &Place) -> Vec<Value> {
    let text = place.whole(result);
    if text.is_empty() { Vec::new() } else { vec![content(&text)] }
}
