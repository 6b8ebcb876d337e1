//! What a model is told: pinned prompt, project, the transcript, and what it is to do now.
//!
//! Owns the order and the budget of it. Never keeps text: everything is read from the log and the
//! blobs for each request, and nothing that a file says is taken for more than data. What changes from
//! request to request stands in the last message, so that all before it is the same bytes each time.

mod budget;
pub mod classify;
pub mod compact;
mod cut;
mod hunks;
mod now;
mod record;
pub mod sheet;
pub mod stage;
mod telling;
#[cfg(test)]
mod tests;
pub mod title;

use std::sync::Arc;

use pilothouse_core::{
    blob::{BlobId, Excerpt},
    event::Stamped,
    ids::{LaneId, Millis, Seq},
    intent::Mode,
    mark::inside,
    memory::Memory,
    scope::ToolScope,
    session::{Entry, State, What},
    talk::{Fault, Message, ModelDelta, ModelReply, ModelRequest, Purpose, Role, ToolSpec},
};
use pilothouse_model::ModelClient;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

pub use budget::Window;
pub use cut::cut;
pub use pilothouse_core::tool::RESULT_BYTES;

/// Head and tail of both streams of a goal's last command, with room for what is said about it.
pub const COMMAND_BYTES: usize = 2 * 64 * 1024 + 2 * 1024;
/// The last message is counted in steps of this many bytes.
const LAST_STEP_BYTES: usize = 2 * 1024;
/// What is told of the project takes at most this share of a request.
const PROJECT_SHARE: usize = 6;
/// Fewer bytes than these name too few skills to be worth a message.
const LEAST_SKILLS: usize = 1024;
/// A summary is worth a model call when it takes the place of this share of the room.
const WORTH_SHARE: usize = 4;

/// Where texts are read from.
pub trait Texts {
    /// The event with this number, if it is there.
    fn event(&self, seq: Seq) -> Option<Stamped>;
    /// The whole of an excerpt; its ends when the rest is not stored.
    fn whole(&self, text: &Excerpt) -> String;
    /// Content by its hash, if it is stored.
    fn blob(&self, id: BlobId) -> Option<Vec<u8>>;
}

/// Where git stands in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Git {
    /// The folder lies in no repository.
    Outside,
    /// There may be one, and nothing is known of it.
    Unknown,
    /// The branch.
    On(String),
}

/// What else a request depends on.
#[derive(Clone, Debug)]
pub struct Circumstances {
    /// The clock.
    pub now: Millis,
    /// Minutes east of UTC.
    pub utc_offset_minutes: i32,
    /// Where git stands in the folder.
    pub git: Git,
    /// Messages of the user to go back at most.
    pub history: usize,
    /// How much the model can hold.
    pub window: Window,
    /// What is known of the project, as text that stands directly behind the prompt.
    pub project: Option<String>,
    /// The names of skills and agents, as text that stands behind that.
    pub skills: Option<String>,
    /// What is remembered from earlier sessions.
    pub memory: Arc<Memory>,
    /// What the last pipeline found, as a block; empty where there is nothing.
    pub prior: String,
    /// Whether one more model call may be made, for a summary.
    pub may_call: bool,
    /// Whether nobody is there to answer a question.
    pub unattended: bool,
    /// Whether the workbench checks what an answer changes.
    pub checks: bool,
    /// Who is asked: only what they thought themselves goes back.
    pub origin: String,
    /// The sources, a line each.
    pub sources: Vec<String>,
}

/// A lane's next request, and how it fits.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The request.
    pub request: ModelRequest,
    /// Whether a summary would help: old results gave way, that was not enough, and what could be summed up
    /// is a good part of it.
    pub crowded: bool,
}

/// Why there is no request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unprepared {
    /// The lane is gone.
    Gone,
    /// The model's window is too small, in words for the user.
    TooSmall(String),
}

/// The request for a lane's next reply.
///
/// # Errors
/// When the lane is gone, and when the window does not hold what every request holds.
pub fn request(
    state: &State,
    lane: LaneId,
    offer: ToolScope,
    tools: Vec<ToolSpec>,
    texts: &dyn Texts,
    around: &Circumstances,
) -> Result<Prepared, Unprepared> {
    let lane = state.lanes.get(&lane).ok_or(Unprepared::Gone)?;
    let purpose = lane.kind.purpose();
    let system = system(purpose);
    let known: Vec<String> = project(around).into_iter().chain(skills(around)).collect();
    let last = Message::text(Role::User, now::message(state, lane, offer, around));
    let mut messages: Vec<Message> = known.into_iter().map(|text| Message::text(Role::User, text)).collect();
    let fixed = messages.iter().map(budget::size).sum::<usize>() + system.len();
    let fixed = fixed + tools.iter().map(budget::tool_size).sum::<usize>();
    let last_bytes = last_bytes(budget::size(&last));
    let too_small = || Unprepared::TooSmall(too_small(around.window, fixed + last_bytes));
    let room = around.window.room(fixed + last_bytes).ok_or_else(too_small)?;
    let bounds =
        telling::Bounds::of(around.history, room).thought_by(&around.origin).hearing(around.window.said());
    let pieces = telling::pieces(state, lane, texts, &bounds);
    let fit = budget::fit(&pieces, room);
    if fit.total > room {
        return Err(too_small());
    }
    let crowded = fit.crowded && around.may_call && would_help(state, &pieces, room);
    messages.extend(fit.messages);
    messages.push(last);
    Ok(Prepared { request: ModelRequest { purpose, system, messages, tools, most_tokens: None }, crowded })
}

/// What is told of the project, as the window allows.
fn project(around: &Circumstances) -> Option<String> {
    around.project.as_ref().map(|text| cut(text, around.window.input() / PROJECT_SHARE))
}

/// What is told of skills and agents: in a quarter of what the project leaves of its share of the window.
fn skills(around: &Circumstances) -> Option<String> {
    let taken = project(around).map_or(0, |text| text.len());
    let room = (around.window.input() / PROJECT_SHARE).saturating_sub(taken) / 4;
    around
        .skills
        .as_ref()
        .filter(|text| text.len() <= room || room >= LEAST_SKILLS)
        .map(|text| cut(text, room))
}

/// What the last message counts for: in steps, so that a word more in it shrinks nothing before it.
const fn last_bytes(bytes: usize) -> usize {
    bytes.next_multiple_of(LAST_STEP_BYTES)
}

/// Whether what a summary would take in is a good part of the room.
fn would_help(state: &State, pieces: &[budget::Piece], room: usize) -> bool {
    let Some(upto) = state.may_compact() else { return false };
    let goes = |e: &Entry| e.seq <= upto && !matches!(e.what, What::User(_) | What::Summary);
    let old = pieces.iter().filter(|p| p.entry.as_ref().is_some_and(goes));
    old.map(|p| budget::size(&p.message)).sum::<usize>() > room / WORTH_SHARE
}

fn too_small(window: Window, fixed: usize) -> String {
    format!(
        "the model's window of {} tokens does not hold this request: prompt, tools and what has to stay are about {} \
         tokens, and the reply needs room as well",
        window.tokens(),
        budget::tokens(fixed)
    )
}

/// The pinned prompt: the same bytes for every purpose but the sorting of messages.
pub fn system(purpose: Purpose) -> String {
    match purpose {
        Purpose::Classify => include_str!("../../../assets/prompts/classify.md"),
        Purpose::Compact => include_str!("../../../assets/prompts/compact.md"),
        Purpose::Title => include_str!("../../../assets/prompts/title.md"),
        Purpose::Answer | Purpose::Plan | Purpose::Task | Purpose::Goal | Purpose::Child | Purpose::Stage => {
            include_str!("../../../assets/prompts/base.md")
        }
    }
    .to_owned()
}

/// The reply to a request that is shown to nobody while it comes; `told` hears its pieces.
///
/// # Errors
/// When the model did not answer.
pub async fn unseen(
    client: &dyn ModelClient,
    request: ModelRequest,
    cancel: CancellationToken,
    mut told: impl FnMut(ModelDelta),
) -> Result<ModelReply, Fault> {
    let (pieces, mut coming) = mpsc::channel(1);
    let reply = client.reply(request, pieces, cancel);
    let drain = async {
        while let Some(piece) = coming.recv().await {
            told(piece);
        }
    };
    let (reply, ()) = tokio::join!(reply, drain);
    reply.map_err(|unfinished| unfinished.fault)
}

/// How what is to be done now ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// As its purpose says.
    Plain,
    /// A step that changes no file.
    Looks,
    /// A step that runs commands, which change what they change.
    Runs,
    /// A step after which no gate of its plan is due.
    Early,
    /// An answer, or a goal, that was let change files.
    Agreed,
    /// A planning of what words are an answer to.
    Words,
}

/// What is to be done now; it ends the last message. What stands in double brackets is for whom may ask to go deeper.
pub fn instruction(purpose: Purpose, ending: Ending, mode: Mode, may_ask: bool) -> String {
    let task = match purpose {
        Purpose::Task if ending == Ending::Looks => include_str!("../../../assets/prompts/look.md"),
        Purpose::Task if ending == Ending::Runs => include_str!("../../../assets/prompts/run.md"),
        Purpose::Task if ending == Ending::Early => include_str!("../../../assets/prompts/early.md"),
        Purpose::Answer if ending == Ending::Agreed => include_str!("../../../assets/prompts/agreed.md"),
        Purpose::Answer => include_str!("../../../assets/prompts/answer.md"),
        Purpose::Plan if ending == Ending::Words => include_str!("../../../assets/prompts/words.md"),
        Purpose::Plan => include_str!("../../../assets/prompts/plan.md"),
        Purpose::Task => include_str!("../../../assets/prompts/task.md"),
        Purpose::Goal if ending == Ending::Agreed => include_str!("../../../assets/prompts/goal_change.md"),
        Purpose::Goal => include_str!("../../../assets/prompts/goal.md"),
        Purpose::Child => include_str!("../../../assets/prompts/child.md"),
        Purpose::Classify | Purpose::Compact | Purpose::Title | Purpose::Stage => "",
    };
    let asks = |(before, rest): (&str, &str)| {
        let (asks, after) = rest.split_once("]]")?;
        Some([before, if may_ask { asks } else { "" }, after].concat())
    };
    let task = task.split_once("[[").and_then(asks).unwrap_or_else(|| task.to_owned());
    match mode {
        Mode::Exploratory => task,
        Mode::Proof => format!("{task}{}", include_str!("../../../assets/prompts/proof.md")),
    }
}
