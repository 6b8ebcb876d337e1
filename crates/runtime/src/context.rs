//! What a model is told: pinned prompt, project, the transcript, and what it is to do now.
//!
//! Owns the order and the budget of it. Never keeps text: everything is read from the log and the
//! blobs for each request, and nothing that a file says is taken for more than data. What changes from
//! request to request stands in the last message, so that all before it is the same bytes each time.

mod budget;
pub mod classify;
mod now;
mod record;
mod telling;
#[cfg(test)]
mod tests;

use pilothouse_core::{
    blob::{BlobId, Excerpt},
    event::Stamped,
    ids::{LaneId, Millis, Seq},
    intent::Mode,
    scope::ToolScope,
    session::State,
    talk::{Message, ModelRequest, Purpose, Role, ToolSpec},
};

pub use budget::Window;

/// Tool results longer than this are cut in the middle, in bytes.
pub const RESULT_BYTES: usize = 24 * 1024;
/// Head and tail of both streams of a goal's last command, with room for what is said about it.
pub const COMMAND_BYTES: usize = 2 * 64 * 1024 + 2 * 1024;
/// The fixed part of a request, prompt and tools together, stays under this many bytes.
pub const FIXED_BYTES: usize = 8 * 1024;

/// Where texts are read from.
pub trait Texts {
    /// The event with this number, if it is there.
    fn event(&self, seq: Seq) -> Option<Stamped>;
    /// The whole of an excerpt; its ends when the rest is not stored.
    fn whole(&self, text: &Excerpt) -> String;
    /// Content by its hash, if it is stored.
    fn blob(&self, id: BlobId) -> Option<Vec<u8>>;
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
    /// Messages of the user to go back at most.
    pub history: usize,
    /// How much the model can hold.
    pub window: Window,
    /// What is known of the project, as text that stands directly behind the prompt.
    pub project: Option<String>,
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
    let system = system(purpose);
    let project = around.project.iter().map(|text| Message::text(Role::User, text.clone()));
    let last = Message::text(Role::User, now::message(state, lane, offer, around));
    let mut messages: Vec<Message> = project.collect();
    let fixed = messages.iter().chain([&last]).map(budget::size).sum::<usize>();
    let fixed = fixed + system.len() + tools.iter().map(budget::tool_size).sum::<usize>();
    let room = around.window.room(fixed);
    let pieces = telling::pieces(state, lane, texts, &telling::Bounds::of(around.history, room));
    messages.extend(budget::fit(&pieces, room));
    messages.push(last);
    Some(ModelRequest { purpose, system, messages, tools })
}

/// The pinned prompt: the same bytes for every purpose but the sorting of messages.
pub fn system(purpose: Purpose) -> String {
    match purpose {
        Purpose::Classify => include_str!("../../../assets/prompts/classify.md"),
        Purpose::Answer | Purpose::Plan | Purpose::Task | Purpose::Goal => {
            include_str!("../../../assets/prompts/base.md")
        }
    }
    .to_owned()
}

/// What is to be done now; it ends the last message.
pub fn instruction(purpose: Purpose, mode: Mode) -> String {
    let task = match purpose {
        Purpose::Answer => include_str!("../../../assets/prompts/answer.md"),
        Purpose::Plan => include_str!("../../../assets/prompts/plan.md"),
        Purpose::Task => include_str!("../../../assets/prompts/task.md"),
        Purpose::Goal => include_str!("../../../assets/prompts/goal.md"),
        Purpose::Classify => "",
    };
    match mode {
        Mode::Exploratory => task.to_owned(),
        Mode::Proof => format!("{task}{}", include_str!("../../../assets/prompts/proof.md")),
    }
}

/// Text that cannot close the mark that it stands in; nothing else of it changes.
fn inside(text: &str, mark: &str) -> String {
    text.replace(&format!("</{mark}"), &format!("<\\/{mark}"))
}

/// Head and tail of a long text with a marker between that says how much is missing.
pub fn cut(text: &str, most: usize) -> String {
    cut_noting(text, most, "")
}

/// As [`cut`], where the marker also says how the model can read what is missing.
fn cut_noting(text: &str, most: usize, note: &str) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let head = text.get(..text.floor_char_boundary(most * 2 / 3)).unwrap_or_default();
    let tail = text.get(text.ceil_char_boundary(text.len() - most / 3)..).unwrap_or_default();
    let left = text.len() - head.len() - tail.len();
    format!("{head}\n[… {left} bytes left out{note} …]\n{tail}")
}
