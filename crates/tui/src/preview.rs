//! What sending the draft would mean: its path through the intent DAG and what follows from it.
//!
//! Owns the words only; core's classifier decides, the same that will read the message.

use pilothouse_core::{
    intent::{Control, IntentNode, IntentPath, Turn},
    scope::{Approval, PermissionMode},
    session::{Session, State},
    shell::Risk,
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
    /// It is a command line: how dangerous it is, and why.
    Shell(Risk, String),
}

impl Preview {
    /// A command line as it would be judged in this workspace.
    pub fn judged(line: &str, session: &Session) -> Self {
        let verdict = session.policy().verdict(line.trim(), "");
        Self::Shell(verdict.risk, verdict.why)
    }
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
        return Some(Preview::judged(text.trim_start_matches('!'), session));
    }
    let path = reading.whole.path.clone();
    let what = meaning(&reading.whole.turn, &path, reading.forbids_change, state);
    Some(Preview::Path(path, what))
}

/// Whether a node changes or runs something.
pub const fn acts(node: IntentNode) -> bool {
    use IntentNode as N;
    matches!(node, N::Act | N::Execute | N::Write | N::Create | N::Modify | N::Delete)
}

/// What a path that ends at `node` may do.
pub const fn unlocks(node: IntentNode) -> &'static str {
    use IntentNode as N;
    match node {
        N::Conversation | N::Understand | N::Clarify | N::Explain => "talks; reads where it must",
        N::Analyze | N::Review | N::Audit | N::Read | N::Act => "reads files; changes nothing",
        N::Plan | N::Design | N::Decompose => "reads files; proposes steps or a design",
        N::Execute => "reads, and runs commands (each one checked)",
        N::Write | N::Create | N::Modify => "reads, runs, writes; you approve each change",
        N::Delete => "reads, runs, writes, deletes; a deletion wants a typed word",
    }
}

/// The draft with a shallower `@node` before it: what acts becomes a plan, what reads an
/// explanation, and then the prefix goes again. `None` when there is nothing to lower.
pub fn lowered(draft: &str, session: &Session) -> Option<String> {
    let text = draft.trim_start();
    if text.starts_with(['/', '!']) {
        return None;
    }
    let (prefix, rest) = match text.strip_prefix('@').map(|t| t.split_once(' ').unwrap_or((t, ""))) {
        Some((name, rest)) if name.parse::<IntentNode>().is_ok() => (name.parse().ok(), rest),
        _ => (None, text),
    };
    let next = match prefix {
        Some(IntentNode::Understand | IntentNode::Clarify | IntentNode::Explain) => None,
        Some(node) if acts(node) => Some(IntentNode::Plan),
        Some(_) => Some(IntentNode::Explain),
        None => {
            let leaf = session.read(text).whole.path.current();
            if acts(leaf) {
                Some(IntentNode::Plan)
            } else if leaf.scope() == IntentNode::Explain.scope() {
                return None;
            } else {
                Some(IntentNode::Explain)
            }
        }
    };
    Some(next.map_or_else(|| rest.to_owned(), |node| format!("@{node} {rest}")))
}

fn meaning(turn: &Turn, path: &IntentPath, forbids: bool, state: &State) -> &'static str {
    match turn {
        Turn::Query(_) if state.is_executing() => "a question – answered beside the run",
        Turn::Query(_) => "a question – read-only",
        Turn::Control(Control::Cancel) => "stops the run",
        Turn::Control(word) if word.is_manner() => "how to go about it: told to the model",
        Turn::Control(_) => "a command to Pilothouse",
        Turn::PlanContinue if state.is_executing() => "stops the run and replans",
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
