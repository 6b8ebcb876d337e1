//! What sending the draft would mean: its path through the intent DAG and what follows from it.
//!
//! Owns what is shown of it: what would happen, and its words, are foretold by the session, whose deciders will do it.

use pilothouse_core::{
    checkpoint::CheckpointKind,
    intent::{Control, IntentNode, IntentPath, Message, Reading, Turn},
    picture,
    redact::Redactor,
    scope::Capability,
    session::{Deed, Foretold, Session, State, TELLS_NOW},
    shell::{Risk, left_beside},
};

/// A message longer than this gets no preview: it must never make typing wait.
pub const LONGEST: usize = 4 * 1024;

/// What sending would mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Preview {
    /// It goes this way; the words say what that means.
    Path(IntentPath, String),
    /// It answers the open question, by the choice that is called so where it is one.
    Answer(Option<&'static str>),
    /// It is a command line: how dangerous it is, why, and whether it runs outside the sandbox.
    Shell(Risk, String, bool),
    /// It is a command line that would be refused, by this.
    Refused(String),
    /// Its middle does not go to the model with it, in these words.
    Cut(String),
}

impl Preview {
    /// A message of so many bytes of which the model is told fewer.
    pub fn cut(said: usize, told: usize) -> Self {
        let kb = |bytes: usize| bytes.div_ceil(1024);
        Self::Cut(format!("{} KB: the model gets {} KB of it and can read the rest", kb(said), kb(told)))
    }

    /// A command line as it would be judged in this workspace.
    pub fn judged(line: &str, session: &Session) -> Self {
        Self::judged_where(line, false, session)
    }

    /// Likewise a line of the user's own; `text` has its marks.
    fn typed(line: &str, text: &str, session: &Session) -> Self {
        if let Some(why) = session.refuses_typed(line) {
            return Self::Refused(format!("refused: {why}"));
        }
        let mut judged = Self::judged_where(line, text.starts_with("!!"), session);
        if let Self::Shell(_, why, _) = &mut judged
            && beside(text).is_some()
        {
            "runs beside this session, as /bg does".clone_into(why);
        }
        judged
    }

    fn judged_where(line: &str, outside: bool, session: &Session) -> Self {
        let verdict = session.policy().verdict(line.trim(), "");
        Self::Shell(verdict.risk, verdict.why, outside)
    }
}

/// What sending `draft` now would mean, `None` when there is nothing to tell; and what would follow from it, where that was
/// worked out.
pub fn preview(draft: &str, session: &Session) -> (Option<Preview>, Option<Foretold>) {
    let text = draft.trim();
    let command = text.starts_with('/');
    if text.is_empty() || (text.len() > LONGEST && !command) {
        let line = text.trim_start_matches('!');
        return (text.starts_with('!').then(|| Preview::typed(line, text, session)), None);
    }
    let reading = session.read(text);
    if command && reading.slash.is_none() {
        return (None, None);
    }
    if opens_plan(text, session.state()) {
        return (Some(Preview::Path(IntentPath::root(), "opens the plan in your editor".to_owned())), None);
    }
    let told = session.foretell(text);
    let preview = if reading.slash.is_some() {
        commanded(&told, session.state())
    } else {
        Some(said(text, reading, &told, session))
    };
    (preview, Some(told))
}

/// What a message or a command line would mean.
fn said(text: &str, reading: Reading, told: &Foretold, session: &Session) -> Preview {
    let state = session.state();
    if let [Deed::Answers(question, answer), rest @ ..] = told.deeds.as_slice() {
        let asked = state.open.get(question).map(|asked| &asked.kind);
        let choice = asked
            .and_then(|kind| kind.choices().into_iter().find(|c| c.act.given().as_ref() == Some(answer)));
        let label = choice.map(|choice| choice.label).filter(|label| !label.is_empty());
        // What a choice does that is named says what follows from it.
        let named = label.is_some() && asked.is_some_and(|kind| matches!(kind, CheckpointKind::Failure(_)));
        if named || !rest.iter().any(|d| matches!(d, Deed::Talks | Deed::Plans | Deed::Asks | Deed::GoesOn)) {
            return Preview::Answer(label);
        }
    }
    // A line that only reads runs at once, beside what runs as well; any other waits for the end.
    let line = reading.command.as_deref();
    if let Some(line) = line.filter(|_| told.does(&Deed::Runs) || told.does(&Deed::Talks)) {
        return Preview::typed(line, text, session);
    }
    let (turn, path) = told.meant.clone().unwrap_or((reading.whole.turn, reading.whole.path));
    let what = match &told.refused {
        Some(why) => why.clone(),
        None => told.words((&turn, &path), reading.forbids_change, state),
    };
    // A command line waits for the end whoever is told.
    let hears = told.does(&Deed::Queues) && line.is_none() && state.run_hears();
    let what = if hears { format!("{what}; {TELLS_NOW}") } else { what };
    // First what is other than one may think.
    let what = match picture::foretold(text).filter(|_| told.refused.is_none()) {
        Some(picture) => format!("{picture}; {what}"),
        None => what,
    };
    Preview::Path(path, what)
}

/// What a command, however it is spelt, would do beside what its name says; `None` where that is all.
fn commanded(told: &Foretold, state: &State) -> Option<Preview> {
    let (turn, path) = told.meant.clone().unwrap_or((Turn::Query(None), IntentPath::root()));
    let more = told.deeds.iter().any(|d| !matches!(d, Deed::Word(_)));
    more.then(|| Preview::Path(path.clone(), told.words((&turn, &path), false, state)))
}

/// Whether a line is the word at a plan that opens it in the editor.
pub fn opens_plan(text: &str, state: &State) -> bool {
    let waits = state.phase_question().is_some_and(|q| q.kind.is_at_plan());
    waits && matches!(text.trim(), "e" | "edit")
}

/// What runs in a session of its own, where a command line is to be left in the background: here nothing outlives its line.
pub fn beside(text: &str) -> Option<String> {
    let line = text.trim().trim_start_matches('!');
    let marks = text.trim().get(..text.trim().len() - line.len())?;
    let whole = left_beside(line).filter(|_| matches!(marks, "!" | "!!"))?;
    Some(format!("{marks}{whole}"))
}

/// Whether a line says to go on, in a session in which nothing was said yet: then another one is meant.
pub fn takes_up(text: &str, session: &Session) -> bool {
    let fresh = session.state().turns.is_empty() && session.state().open.is_empty();
    fresh && text.len() <= LONGEST && {
        let reading = session.read(text.trim());
        reading.slash.is_none() && reading.whole.turn == Turn::Control(Control::Proceed)
    }
}

/// What is said first in a session that is begun for it: a task by the words that begin it, so that no tier is asked whether
/// it is one. What is a question beyond doubt stays one.
pub fn as_task(text: &str, session: &Session) -> String {
    let classifier = &session.tiers().classifier;
    let reading = classifier.read(&Message { text: text.trim(), ..Message::default() });
    // A command that holds a secret is refused, a message with one is taken without it.
    let plain = Redactor::default().secrets(text).is_empty();
    let doubtful = plain && classifier.unsure(&reading) && !text.contains(['?', '？']);
    if doubtful { format!("/agent {}", text.trim()) } else { text.to_owned() }
}

/// Whether a node changes or runs something.
pub const fn acts(node: IntentNode) -> bool {
    matches!(node, IntentNode::Act) || node.scope().allows(Capability::Execute)
}

/// What a path that ends at `node` may do.
pub fn unlocks(node: IntentNode) -> &'static str {
    let may = |capability| node.scope().allows(capability);
    let plans = [Some(node), node.parent()].contains(&Some(IntentNode::Plan));
    match () {
        () if may(Capability::Delete) => "reads, runs, writes, deletes; a deletion needs a typed word",
        () if may(Capability::Write) => "reads, runs, writes; you approve each change",
        () if may(Capability::Execute) => "reads, and runs commands (each one checked)",
        () if plans => "reads files; proposes steps or a design",
        () if may(Capability::Read) => "reads files; changes nothing",
        () => "talks; reads nothing",
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
