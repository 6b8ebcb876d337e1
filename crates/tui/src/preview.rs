//! What sending the draft would mean: its path through the intent DAG and what follows from it.
//!
//! Owns the words only: what would happen is foretold by the session, whose deciders will do it.

use pilothouse_core::{
    intent::{Control, IntentNode, IntentPath, Phase, Turn},
    scope::{Approval, PermissionMode},
    session::{Deed, Foretold, Session, State},
    shell::Risk,
};

/// A message longer than this gets no preview: it must never make typing wait.
pub const LONGEST: usize = 4 * 1024;

/// What sending would mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Preview {
    /// It goes this way; the words say what that means.
    Path(IntentPath, String),
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
    if text.is_empty() {
        return None;
    }
    if text.starts_with('/') {
        return commanded(text, session);
    }
    if text.len() > LONGEST {
        return text.starts_with('!').then(|| Preview::judged(text.trim_start_matches('!'), session));
    }
    let reading = session.read(text);
    if reading.slash.is_some() {
        return None;
    }
    if opens_plan(text, state) {
        return Some(Preview::Path(IntentPath::root(), "opens the plan in your editor".to_owned()));
    }
    let told = session.foretell(text);
    if let [Deed::Answers(..), rest @ ..] = told.deeds.as_slice()
        && !rest.iter().any(|d| matches!(d, Deed::Talks | Deed::Plans))
    {
        return Some(Preview::Answer);
    }
    if reading.command.is_some() && told.does(&Deed::Runs) {
        return Some(Preview::judged(text.trim_start_matches('!'), session));
    }
    let (turn, path) = told.meant.clone().unwrap_or((reading.whole.turn, reading.whole.path));
    let what = match &told.refused {
        Some(why) => why.clone(),
        None => meaning(&told, &turn, &path, reading.forbids_change, state),
    };
    Some(Preview::Path(path, what))
}

/// What a command would do beside what its name says; `None` where that is all.
fn commanded(text: &str, session: &Session) -> Option<Preview> {
    session.read(text).slash?;
    let told = session.foretell(text);
    let (turn, path) = told.meant.clone().unwrap_or((Turn::Query(None), IntentPath::root()));
    let more = told.deeds.iter().any(|d| !matches!(d, Deed::Word(_)));
    more.then(|| Preview::Path(path.clone(), meaning(&told, &turn, &path, false, session.state())))
}

/// Whether a line is the word at a plan that opens it in the editor.
pub fn opens_plan(text: &str, state: &State) -> bool {
    let waits = state.phase_question().is_some_and(|q| q.kind.is_at_plan());
    waits && matches!(text.trim(), "e" | "edit")
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

/// What follows, one thing after the other.
fn meaning(told: &Foretold, turn: &Turn, path: &IntentPath, forbids: bool, state: &State) -> String {
    let replans = told.does(&Deed::StopsRun) && told.does(&Deed::Plans);
    let mut all: Vec<String> = Vec::new();
    for deed in &told.deeds {
        let what = match deed {
            Deed::Answers(..) if told.does(&Deed::GoesOn) => continue,
            Deed::Answers(..) => "answers the question above",
            Deed::Drops => "drops the question above",
            Deed::Starts => "approves the plan and starts it",
            Deed::GoesOn => "goes on with the next stage",
            Deed::StopsRun => {
                all.push(stopping(replans, state));
                continue;
            }
            Deed::SetsAside if told.does(&Deed::StopsRun) => continue,
            Deed::SetsAside if state.phase == Phase::Planning => "stops planning",
            Deed::SetsAside if state.plan.is_none() => "gives up what failed",
            Deed::SetsAside => "sets the plan aside",
            Deed::Plans if replans => continue,
            Deed::Plans if state.phase == Phase::Idle => planned(path, forbids, state),
            Deed::Plans => "changes the plan",
            Deed::Talks if told.does(&Deed::GoesOn) => continue,
            Deed::Talks => talked(told, turn, state),
            Deed::Runs => "asks before a command changes anything",
            Deed::Tells => "told to what runs, at its next step",
            Deed::Adds => "adds a last step to the plan that runs",
            Deed::Queues if state.is_executing() => "queued: begins when the run has ended",
            Deed::Queues => "queued: heard when the plan is made",
            Deed::Asks if state.paused_pipeline().is_some() => "asks whether to leave",
            Deed::Asks => "asks what you mean first",
            Deed::AsksToLeave => "asks before it leaves",
            Deed::Consults => "the model is asked what you mean",
            Deed::Waits => "waits for your message before it",
            Deed::Undoes => "takes the last change back",
            Deed::Word(_) => "a command to Pilothouse",
        };
        all.push(what.to_owned());
    }
    if all.is_empty() { "nothing follows from it".to_owned() } else { all.join(", then ") }
}

/// That the run stops, with what is at stake.
fn stopping(replans: bool, state: &State) -> String {
    let what = if replans { "stops the run and replans" } else { "stops the run" };
    match state.open_proposals().count() {
        0 => what.to_owned(),
        1 => format!("{what}, sets 1 proposal aside"),
        n => format!("{what}, sets {n} proposals aside"),
    }
}

/// What an answer is told as.
fn talked(told: &Foretold, turn: &Turn, state: &State) -> &'static str {
    let stopped = told.does(&Deed::StopsRun) || told.does(&Deed::SetsAside);
    if matches!(turn, Turn::Control(word) if word.is_manner()) {
        "how to go about it: told to the model"
    } else if matches!(turn, Turn::Control(Control::Approve | Control::Proceed | Control::Cancel)) {
        "an answer to the agent"
    } else if state.is_executing() && !stopped {
        "a question – answered beside the run"
    } else {
        "a question – read-only"
    }
}

/// What a new piece of work is told as.
fn planned(path: &IntentPath, forbids: bool, state: &State) -> &'static str {
    if forbids {
        return "changes nothing, as you said";
    }
    match (path.approval(), state.permission) {
        (_, PermissionMode::ReadOnly) => "read-only: nothing can be changed",
        (Approval::Explicit, _) => "asks for a typed word before deleting",
        (Approval::Confirm, PermissionMode::Auto) => "writes and records; deletes still ask",
        (Approval::Confirm, PermissionMode::Ask) => "asks before writing",
        (Approval::None, _) => "reads only",
    }
}
