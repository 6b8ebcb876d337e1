//! Questions as a client puts them to its user: what is shown, what can be chosen, what each choice says to the session.
//!
//! Owns that a choice is bound to what was shown with it, and that no click gives what wants a word. Reads the
//! specification of a question and knows no kinds.

use std::collections::BTreeSet;

use pilothouse_core::{
    blob::BlobId,
    checkpoint::{Answer, Checkpoint},
    clean::Clean,
    ids::{CheckpointId, ProposalId},
    input::Input,
    proposal::{Proposal, ProposalStatus},
    question::{Act, Choice, Role, Spec},
    session::{ApplyStatus, State},
};
use serde_json::{Value, json};

use super::{
    place::Place,
    update::{Call, CallState, Content},
};
use crate::headless::{looked_at, report::planned};

/// The choice that decides nothing.
pub(super) const LATER: &str = "later";

/// What is asked: a question, or one change of a review; with the hash of what is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Subject {
    pub question: CheckpointId,
    change: Option<ProposalId>,
    shown: Option<BlobId>,
}

/// What is to be asked next.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    Ask(Subject),
    /// Something is looked at or written first.
    Wait,
    Nothing,
}

/// Finds what is to be asked next, but for what was `left` open; what a folder brings comes once all is at rest.
pub(super) fn next(state: &State, left: &BTreeSet<Subject>, rest: bool) -> Next {
    let mut open: Vec<(&Checkpoint, Spec)> = state.open.values().map(|q| (q, state.spec(q))).collect();
    open.sort_by_key(|(question, spec)| (!question.kind.is_phase_own(), spec.order(), question.id));
    for (question, _) in open.into_iter().filter(|(_, spec)| rest || !spec.about_folder) {
        if looked_at(question, state) || is_writing(question, state) {
            return Next::Wait;
        }
        let of = |change: Option<&Proposal>| Subject {
            question: question.id,
            change: change.map(|p| p.id),
            shown: change.map_or_else(|| question.kind.shown(), |p| Some(p.shown())),
        };
        let subjects: Vec<Subject> = match question.kind.review() {
            Some(review) => {
                review.proposals.iter().filter_map(|id| waiting(state, *id)).map(|p| of(Some(p))).collect()
            }
            None => vec![of(None)],
        };
        if let Some(subject) = subjects.into_iter().find(|s| !left.contains(s)) {
            return Next::Ask(subject);
        }
    }
    Next::Nothing
}

/// Finds what is to be asked before the message that came is heard, but for what was `left` open.
pub(super) fn before(state: &State, left: &BTreeSet<Subject>) -> Option<Subject> {
    let open = state.open.values().filter(|q| state.spec(q).before_work);
    let of = |q: &Checkpoint| Subject { question: q.id, change: None, shown: q.kind.shown() };
    open.map(of).filter(|subject| !left.contains(subject)).min()
}

/// Whether a change of a review is being written: another one of the same file is another one by then.
fn is_writing(question: &Checkpoint, state: &State) -> bool {
    let writes = |status| matches!(status, ApplyStatus::Approved | ApplyStatus::Writing);
    question.kind.review().is_some() && state.applies().values().any(|a| writes(a.status))
}

fn waiting(state: &State, id: ProposalId) -> Option<&Proposal> {
    state.proposals().get(&id).filter(|p| p.status == ProposalStatus::Open)
}

/// A way to answer.
#[derive(Debug)]
pub(super) struct Offer {
    pub id: String,
    name: String,
    kind: &'static str,
    /// What it says to the session; nothing where it decides nothing.
    pub says: Option<Input>,
}

impl Offer {
    pub fn new(
        id: impl Into<String>,
        name: impl Into<String>,
        kind: &'static str,
        says: Option<Input>,
    ) -> Self {
        Self { id: id.into(), name: name.into(), kind, says }
    }

    fn later(name: impl Into<String>) -> Self {
        Self::new(LATER, name, "reject_once", None)
    }

    pub fn shown(&self) -> Value {
        json!({"optionId": self.id, "name": self.name, "kind": self.kind})
    }
}

/// A question as it is put.
#[derive(Debug)]
pub(super) struct Sheet {
    /// The call that it is about, with all that is known of it.
    pub call: Call,
    /// The question, where it is about no other call.
    pub alone: Option<CheckpointId>,
    pub offers: Vec<Offer>,
}

impl Subject {
    fn of<'a>(&self, state: &'a State) -> Option<(&'a Checkpoint, Option<&'a Proposal>)> {
        let question = state.open.get(&self.question)?;
        let Some(id) = self.change else {
            return (question.kind.shown() == self.shown).then_some((question, None));
        };
        let change = waiting(state, id).filter(|p| Some(p.shown()) == self.shown)?;
        Some((question, Some(change)))
    }

    /// Whether it is still open, and as it was shown.
    pub fn stands(&self, state: &State) -> bool {
        self.of(state).is_some()
    }

    /// The word that must be typed before a yes counts, if one must.
    pub fn word(&self, state: &State) -> Option<String> {
        match self.of(state)? {
            (_, Some(change)) => change.word().map(str::to_owned),
            (question, None) => state.spec(question).wants_word().map(str::to_owned),
        }
    }

    /// What a whole line says to it, where that is its word.
    pub fn typed(&self, line: &str, state: &State) -> Option<Input> {
        let (question, change) = self.of(state)?;
        if let (Some(change), Some(shown)) =
            (change.filter(|c| c.word().is_some() && c.lets(line)), self.shown)
        {
            return Some(Input::Apply {
                proposals: vec![(change.id, shown)],
                word: Some(line.to_owned()),
                rest: false,
            });
        }
        let wanted = change.is_none() && state.spec(question).wants_word() == Some(line);
        wanted.then(|| self.answer(Answer::Word(line.to_owned())))
    }

    fn answer(&self, answer: Answer) -> Input {
        Input::Answer { checkpoint: self.question, answer, shown: self.shown }
    }

    /// How it is put; nothing where it is not open any more.
    pub fn sheet(&self, state: &State, place: &Place) -> Option<Sheet> {
        Some(match self.of(state)? {
            (_, Some(change)) => self.of_change(change, state, place),
            (question, None) => self.of_question(question, state, place),
        })
    }

    /// One file of a review. Only what can be shown whole, and is written whole, can be allowed here.
    fn of_change(&self, change: &Proposal, state: &State, place: &Place) -> Sheet {
        let seen = place.is_seen_whole(change);
        let whole = seen && change.writes(false) && change.waiting().is_empty();
        let hunks = (1..).zip(&change.hunks).map(|(n, h)| format!("hunk {n}: {}", h.new_lines().place()));
        let mut lines: Vec<String> = hunks.collect();
        lines.extend((!seen).then(|| "not all of this change can be shown here".to_owned()));
        lines.extend(change.control.as_ref().map(|why| format!("control file: {}", place.shown(why))));
        let of_all = if change.hunks.len() > 1 { ", all hunks" } else { "" };
        let apply = self.shown.filter(|_| whole && change.word().is_none()).map(|shown| {
            let says = Input::Apply { proposals: vec![(change.id, shown)], word: None, rest: false };
            Offer::new("apply", format!("Apply this file{of_all}"), "allow_once", Some(says))
        });
        let skip = Input::Skip { proposals: vec![change.id], reason: String::new() };
        let leave = Offer::new("leave", "Leave this file as it is", "reject_once", Some(skip));
        let later = match change.word() {
            Some(word) => by_word(word),
            None => format!("Later; hunk by hunk in `pilothouse resume {}`", state.slug),
        };
        let call = place.change(change, &[Content::text(lines.join("\n"))]);
        Sheet { call, alone: None, offers: apply.into_iter().chain([leave, Offer::later(later)]).collect() }
    }

    fn of_question(&self, question: &Checkpoint, state: &State, place: &Place) -> Sheet {
        let spec = state.spec(question);
        let risk = spec.danger.map(|d| match d.beyond {
            Some(beyond) => format!("{} risk, {beyond}", d.risk.name()),
            None => format!("{} risk", d.risk.name()),
        });
        let mut lines = vec![place.shown(&question.message)];
        // The same again as one line says no more.
        let other = spec.text != Clean::line(&question.message);
        lines.extend(other.then(|| spec.text.as_str().to_owned()));
        lines.extend(planned(&spec, state).map(|plan| place.shown(&plan)));
        lines.extend(risk);
        lines.extend(
            spec.facts.iter().map(|(label, value)| format!("{label} {value}").trim_start().to_owned()),
        );
        let sheet = spec.sheet().map(|id| place.stored(id));
        // What cannot be read to its end is not agreed to here.
        let unread = sheet == Some(None);
        lines.extend(sheet.flatten());
        let facts: serde_json::Map<String, Value> =
            spec.facts.iter().map(|(label, value)| ((*label).to_owned(), json!(value.as_str()))).collect();
        let of = question.kind.call();
        let call = Call {
            tool_call_id: of.map_or_else(|| question.id.to_string(), |call| call.to_string()),
            title: Some(spec.title.as_str().to_owned()),
            kind: of.is_none().then_some("other"),
            status: Some(CallState::Pending),
            content: Some(vec![Content::text(lines.join("\n"))]),
            raw_input: Some(json!({"asks": spec.text.as_str(), "facts": facts})),
            ..Call::default()
        };
        let alone = of.is_none().then_some(question.id);
        let picks = (0..).zip(&spec.options).map(|(n, option)| {
            let says = self.answer(Answer::Pick(n));
            Offer::new(format!("pick-{}", n + 1), option.as_str(), "allow_once", Some(says))
        });
        let drawn = || spec.choices.iter().filter(|c| !c.key.is_empty());
        let given = drawn().filter(|c| !(unread && c.role == Role::Take)).filter_map(|c| self.of_choice(c));
        let words = drawn().any(|c| matches!(c.act, Act::Say(_))) || spec.free;
        let later = match spec.wants_word() {
            Some(word) => Some(by_word(word)),
            None if unread => Some("Later, where all of it can be read".to_owned()),
            None => words.then(|| "In words, with the next message".to_owned()),
        };
        Sheet { call, alone, offers: picks.chain(given).chain(later.map(Offer::later)).collect() }
    }

    /// A choice that is an answer by itself; a reason is none that could be given.
    fn of_choice(&self, choice: &Choice) -> Option<Offer> {
        let answer = match &choice.act {
            Act::Give(answer) => answer.clone(),
            Act::Reason => Answer::Reject(String::new()),
            Act::Word(_) | Act::Diff | Act::Say(_) | Act::Look(_) | Act::Nothing => return None,
        };
        let ends = matches!(answer, Answer::Reject(_) | Answer::Abort | Answer::Manual | Answer::Skip);
        let no = match choice.role {
            Role::Take => false,
            Role::Deny => true,
            Role::Look | Role::Other => ends,
        };
        let reach = choice.reach.as_ref().map(|r| format!(" ({})", r.reach)).unwrap_or_default();
        let lasting = matches!(answer, Answer::Grant { lasting: true, .. });
        let kind = match (no, lasting) {
            (true, _) => "reject_once",
            (false, true) => "allow_always",
            (false, false) => "allow_once",
        };
        Some(Offer::new(
            choice.key,
            format!("{}{reach}", capital(choice.label)),
            kind,
            Some(self.answer(answer)),
        ))
    }
}

fn by_word(word: &str) -> String {
    format!("Not by a click: send `{word}` as the next message")
}

fn capital(label: &str) -> String {
    let mut letters = label.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
