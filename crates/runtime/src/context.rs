//! What a model is told: pinned prompt, context blocks, the conversation, the lane's own rounds.
//!
//! Owns the order and the budget of it. Never keeps text: everything is read from the log and the
//! blobs for each request, and nothing that a file says is taken for more than data.

mod block;
pub mod classify;
#[cfg(test)]
mod tests;

use pilothouse_core::{
    blob::Excerpt,
    event::{Event, Stamped},
    ids::{LaneId, Millis, Seq},
    intent::Mode,
    scope::ToolScope,
    session::{Lane, LaneKind, State, Talk},
    talk::{Message, ModelCall, ModelRequest, Purpose, Role, ToolSpec},
};

/// Tool results longer than this are cut in the middle, in bytes.
pub const RESULT_BYTES: usize = 24 * 1024;
/// Head and tail of both streams of a goal's last command, with room for what is said about it.
pub const COMMAND_BYTES: usize = 2 * 64 * 1024 + 2 * 1024;
/// Messages of the conversation longer than this are cut in the middle, in bytes.
pub const MESSAGE_BYTES: usize = 8 * 1024;
/// The fixed part of a request, prompt and tools together, stays under this many bytes.
pub const FIXED_BYTES: usize = 8 * 1024;

/// Where texts are read from.
pub trait Texts {
    /// The event with this number, if it is there.
    fn event(&self, seq: Seq) -> Option<Stamped>;
    /// The whole of an excerpt; its ends when the rest is not stored.
    fn whole(&self, text: &Excerpt) -> String;
}

/// What else a request depends on.
#[derive(Clone, Debug)]
pub struct Circumstances {
    /// The clock.
    pub now: Millis,
    /// Minutes east of UTC.
    pub utc_offset_minutes: i32,
    /// The git branch, if there is one.
    pub branch: Option<String>,
    /// Messages of the conversation to give.
    pub history: usize,
}

/// The request for a lane's next reply; `None` when the lane is gone.
pub fn request(
    state: &State,
    lane: LaneId,
    offer: ToolScope,
    tools: Vec<ToolSpec>,
    texts: &dyn Texts,
    around: &Circumstances,
) -> Option<ModelRequest> {
    let lane = state.lanes.get(&lane)?;
    let purpose = lane.kind.purpose();
    let mut messages: Vec<Message> = block::blocks(state, lane, offer, texts, around)
        .into_iter()
        .map(|text| Message::text(Role::User, text))
        .collect();
    messages.extend(history(state, lane, texts, around.history));
    messages.extend(rounds(lane, texts));
    Some(ModelRequest { purpose, system: system(purpose, state.mode), messages, tools })
}

/// The pinned prompt; the same bytes for the same purpose and mode.
pub fn system(purpose: Purpose, mode: Mode) -> String {
    let task = match purpose {
        Purpose::Answer => include_str!("../../../assets/prompts/answer.md"),
        Purpose::Plan => include_str!("../../../assets/prompts/plan.md"),
        Purpose::Task => include_str!("../../../assets/prompts/task.md"),
        Purpose::Goal => include_str!("../../../assets/prompts/goal.md"),
        Purpose::Classify => return include_str!("../../../assets/prompts/classify.md").to_owned(),
    };
    let base = include_str!("../../../assets/prompts/base.md");
    match mode {
        Mode::Exploratory => format!("{base}\n{task}"),
        Mode::Proof => format!("{base}\n{task}{}", include_str!("../../../assets/prompts/proof.md")),
    }
}

/// The last messages of the conversation, up to and with the one that this lane serves.
fn history(state: &State, lane: &Lane, texts: &dyn Texts, most: usize) -> Vec<Message> {
    let own = state.turns.get(&lane.turn).map_or(state.seq, |t| t.seq);
    let before: Vec<Seq> = state.history.iter().copied().filter(|s| *s < own).collect();
    let from = before.len().saturating_sub(most.saturating_sub(1));
    let mut messages: Vec<Message> =
        before.iter().skip(from).flat_map(|seq| heard(state, texts, *seq)).collect();
    if let Some(mut asked) = said(texts, own, RESULT_BYTES) {
        if let Some(request) = state.turns.get(&lane.turn).and_then(|t| t.request.clone()) {
            asked.text = request;
        }
        messages.push(asked);
    }
    messages
}

/// What was said there; after a command that the user typed, also what came of it.
fn heard(state: &State, texts: &dyn Texts, seq: Seq) -> impl Iterator<Item = Message> {
    let output = state.turns.values().find(|t| t.seq == seq).and_then(|t| t.output);
    let ended = output.and_then(|seq| result(texts, seq, &mut Vec::new(), MESSAGE_BYTES));
    said(texts, seq, MESSAGE_BYTES).into_iter().chain(ended)
}

#[expect(clippy::wildcard_enum_match_arm, reason = "only what is said has a message")]
fn said(texts: &dyn Texts, seq: Seq, most: usize) -> Option<Message> {
    match texts.event(seq)?.event {
        Event::TurnStarted { text, .. } => Some(Message::text(Role::User, cut(&texts.whole(&text), most))),
        Event::MessageCompleted { text, cut: stopped, .. } => {
            let note = if stopped { "\n[stopped by the user here]" } else { "" };
            Some(Message::text(Role::Assistant, cut(&texts.whole(&text), most) + note))
        }
        _ => None,
    }
}

/// What was said in the lane: replies with their calls, and an answer to every call.
fn rounds(lane: &Lane, texts: &dyn Texts) -> Vec<Message> {
    let mut messages = Vec::new();
    let mut open: Vec<(pilothouse_core::ids::CallId, String)> = Vec::new();
    // What the model has not read yet it reads whole; what it has is cut, so that all of it fits.
    let newest = lane.talk.iter().rposition(|t| matches!(t, Talk::Result(_)));
    for (at, talk) in lane.talk.iter().enumerate() {
        let fresh = Some(at) == newest && lane.kind == LaneKind::Goal;
        let most = if fresh { COMMAND_BYTES } else { RESULT_BYTES };
        match talk {
            Talk::Reply(seq) => {
                answer_rest(&mut open, &mut messages);
                messages.extend(reply(texts, *seq, &mut open));
            }
            Talk::Result(seq) => messages.extend(result(texts, *seq, &mut open, most)),
            Talk::Nudge(seq) => messages.extend(nudge(texts, *seq)),
        }
    }
    answer_rest(&mut open, &mut messages);
    messages
}

fn reply(
    texts: &dyn Texts,
    seq: Seq,
    open: &mut Vec<(pilothouse_core::ids::CallId, String)>,
) -> Option<Message> {
    let Event::MessageCompleted { text, calls, .. } = texts.event(seq)?.event else { return None };
    open.extend(calls.iter().map(|c| (c.call, c.provider.clone())));
    let calls = calls
        .into_iter()
        .map(|c| ModelCall { id: c.provider, name: c.name, args: texts.whole(&c.args) })
        .collect();
    Some(Message { role: Role::Assistant, text: texts.whole(&text), calls, answers: None })
}

fn result(
    texts: &dyn Texts,
    seq: Seq,
    open: &mut Vec<(pilothouse_core::ids::CallId, String)>,
    most: usize,
) -> Option<Message> {
    let Event::CallEnded { call, result, .. } = texts.event(seq)?.event else { return None };
    let text = cut(&texts.whole(&result), most);
    let Some(at) = open.iter().position(|(c, _)| *c == call) else {
        // A call of the workbench itself, such as a command that the user typed.
        return Some(Message::text(
            Role::User,
            format!("<command_output>{}</command_output>", block::escape(&text)),
        ));
    };
    let (_, provider) = open.remove(at);
    Some(Message { role: Role::Tool, text, calls: Vec::new(), answers: Some(provider) })
}

/// What the workbench told the model by itself.
fn nudge(texts: &dyn Texts, seq: Seq) -> Option<Message> {
    let Event::LaneNudged { text, .. } = texts.event(seq)?.event else { return None };
    Some(Message::text(Role::User, format!("<workbench>{text}</workbench>")))
}

fn answer_rest(open: &mut Vec<(pilothouse_core::ids::CallId, String)>, messages: &mut Vec<Message>) {
    for (_, provider) in open.drain(..) {
        let text = "interrupted: this call was not run".to_owned();
        messages.push(Message { role: Role::Tool, text, calls: Vec::new(), answers: Some(provider) });
    }
}

/// Head and tail of a long text with a marker between that says how much is missing.
pub fn cut(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let head = text.get(..text.floor_char_boundary(most * 2 / 3)).unwrap_or_default();
    let tail = text.get(text.ceil_char_boundary(text.len() - most / 3)..).unwrap_or_default();
    let left = text.len() - head.len() - tail.len();
    format!("{head}\n[… {left} bytes left out …]\n{tail}")
}
