//! What sending the draft would mean: its path through the intent DAG and what follows from it.
//!
//! Owns the words only; core's classifier decides, the same that will read the message.

use pilothouse_core::{
    intent::{Control, IntentNode, IntentPath, Turn},
    scope::{Approval, PermissionMode},
    session::{Session, State},
};

/// A draft longer than this gets no preview: it must never make typing wait.
pub const LONGEST: usize = 4 * 1024;

/// What sending would mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Preview {
    /// It goes this way; the words say what that means.
    Path(IntentPath, &'static str),
    /// It answers the open question.
    Answer,
    /// It is a command line, judged before it runs.
    Shell,
}

/// What sending `draft` now would mean; `None` when there is nothing to tell.
pub fn preview(draft: &str, session: &Session) -> Option<Preview> {
    let state = session.state();
    let text = draft.trim();
    if text.is_empty() || text.len() > LONGEST || text.starts_with('/') {
        return None;
    }
    if state.phase_question().is_some_and(|q| q.kind.read(text).is_some()) {
        return Some(Preview::Answer);
    }
    let reading = session.read(text);
    if reading.slash.is_some() {
        return None;
    }
    if reading.command.is_some() {
        return Some(Preview::Shell);
    }
    let path = reading.whole.path.clone();
    let what = meaning(&reading.whole.turn, &path, reading.forbids_change, state);
    Some(Preview::Path(path, what))
}

fn meaning(turn: &Turn, path: &IntentPath, forbids: bool, state: &State) -> &'static str {
    match turn {
        Turn::Query(_) if state.is_executing() => "a question: answered beside the run",
        Turn::Query(_) => "a question: answered, nothing is changed",
        Turn::Control(Control::Cancel) => "stops what runs",
        Turn::Control(_) => "a word to the workbench",
        Turn::PlanContinue if state.is_executing() => "stops the run and plans again",
        Turn::PlanContinue => "changes the plan",
        Turn::PlanNew(_) if state.is_executing() => "queued: begins when the run has ended",
        Turn::PlanNew(_) if forbids => "changes nothing, as you said",
        Turn::PlanNew(_) => match (path.approval(), state.permission) {
            (_, PermissionMode::ReadOnly) => "read-only: nothing can be changed",
            (Approval::Explicit, _) => "asks for a typed word before deleting",
            (Approval::Confirm, PermissionMode::Auto) => "writes and records; deletes still ask",
            (Approval::Confirm, PermissionMode::Ask) => "asks before writing",
            (Approval::None, _) if path.current() == IntentNode::Execute => {
                "asks before a command changes anything"
            }
            (Approval::None, _) => "reads only",
        },
    }
}
