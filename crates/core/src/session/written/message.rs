//! What a commit's message is made of: the work that wrote its files, as far as that still stands.
//!
//! Owns which of the words of that work are still true. Never words the message.

use std::collections::BTreeSet;

use super::Written;
use crate::{
    commit::{MessageFacts, SUBJECT, is_order},
    ids::TurnId,
    intent::{Classifier, Turn},
    plan::{Task, TaskStatus},
    proposal::{Proposal, ProposalStatus},
    relpath::RelPath,
    session::{Standing, State, TurnInfo},
};

/// Letters of a word that says what is meant.
const LETTERS: usize = 4;
/// The last of the Latin letters.
const LATIN: char = '\u{24f}';

impl State {
    /// What is known of the work that wrote such files: what was wanted of them, and the steps that did it. The last plan heads
    /// it; of work before it the goal says enough, where there is one. `lines` are those that came and went.
    pub fn message_facts(&self, holds: impl Fn(&RelPath) -> bool, lines: &str) -> MessageFacts {
        let mut works = self.uncommitted();
        for work in &mut works {
            work.files.retain(|f| holds(&f.path) && f.before != f.after);
        }
        works.retain(|work| !work.files.is_empty());
        let planned = |work: &Written| self.plan_of(work.origin.work).is_some();
        if let Some(head) = works.iter().rposition(planned) {
            let head = works.remove(head);
            works.push(head);
        }
        let (mut facts, others) = (MessageFacts::default(), works.len().saturating_sub(1));
        for (at, work) in works.into_iter().enumerate() {
            let (goal, steps) = self.words_of(&work, lines);
            facts.steps.extend(steps.into_iter().filter(|_| at == others || goal.is_none()));
            facts.goals.extend(goal);
            facts.files.extend(work.files.into_iter().map(|f| f.path));
        }
        facts
    }

    /// What was wanted of these files, and the steps that did it.
    fn words_of(&self, group: &Written, lines: &str) -> (Option<String>, Vec<String>) {
        let words = Classifier::builtin();
        // A yes or a question may have led to it, but says nothing of it.
        let turn = self.turns.get(&group.origin.work);
        let says = !turn.is_some_and(|turn| matches!(turn.class, Turn::Control(_) | Turn::Query(_)));
        // What its work was told meanwhile may have taken another name than the one that was planned.
        let steered = self.was_steered(group.origin.work);
        let holds_still = |text: &String| {
            !steered
                || words.names_code(text).into_iter().chain(foreign(text)).all(|name| stands_in(name, lines))
        };
        let said_of = |text: String| Some(text).filter(&holds_still).and_then(|t| words.subject(&t));
        let order = says.then(|| group.goal.clone()).and_then(said_of);
        let Some(plan) = self.plan_of(group.origin.work) else { return (order, Vec::new()) };
        // A title is a model's, who names what it means; what the user says beside its work is not.
        let titled = |t: &String| holds_still(t) && !words.corrects(t);
        let done = |t: &&Task| matches!(t.status, TaskStatus::Done | TaskStatus::TakenBack);
        let known = self.plan.as_ref().or(self.suspended.as_ref()) == Some(plan);
        let (stand, gone): (Vec<&Task>, Vec<&Task>) =
            plan.tasks.iter().filter(done).partition(|t| self.is_in((t, known), group));
        let title = |t: &&Task| match t.turn {
            Some(_) => said_of(t.title.clone()),
            None => Some(t.title.clone()).filter(titled),
        };
        let mut steps: Vec<String> = stand.iter().filter_map(title).collect();
        let true_still = |title: &String| titled(title) && !tells_of(title, &gone, &stand);
        // The one step that is left says it as well as a title does.
        let only = steps.first().filter(|_| stand.len() == 1).cloned();
        let goal = Some(plan.title.clone()).filter(true_still);
        let orders = |text: &&String| is_order(text) && text.chars().count() <= SUBJECT;
        // "Fix it" says nothing where it stands alone.
        let alone = only.as_ref().filter(|t| words.subject(t).is_some());
        let all = [goal.as_ref(), alone, order.as_ref().filter(|_| gone.is_empty())];
        let ordered = all.into_iter().flatten().find(orders).cloned();
        let goal = ordered.or(goal).or(only.filter(|_| !gone.is_empty()));
        if plan.tasks.len() == 1 || goal.is_some() && goal.as_ref() == steps.first() && steps.len() == 1 {
            steps.clear();
        }
        (goal, steps)
    }

    /// Whether something of a step stands in these files. Of a plan before the last it is not known who wrote what: there the
    /// files say so that a step was to change.
    fn is_in(&self, (task, known): (&Task, bool), group: &Written) -> bool {
        let named = || task.files.is_empty() || group.files.iter().any(|f| task.files.contains(&f.path));
        if task.status == TaskStatus::TakenBack || !known {
            return task.status == TaskStatus::Done && named();
        }
        let mut wrote = self
            .proposals()
            .values()
            .filter(|p| p.task == Some(task.id) && self.standing(p).is_some())
            .peekable();
        if wrote.peek().is_some() {
            let there = |p: &Proposal| {
                let ProposalStatus::Applied(id) = p.status else { return false };
                let held = group.files.iter().any(|f| f.path == p.path && f.writes.contains(&id));
                held && self.standing(p) != Some(Standing::Nothing)
            };
            return wrote.any(there);
        }
        self.standing_of_step(task.id).map_or_else(named, |standing| standing != Standing::Nothing)
    }

    /// Whether its work was told something that changes what it makes, at its plan or while it ran, beside files to leave
    /// alone.
    fn was_steered(&self, work: TurnId) -> bool {
        let of_it = |t: &TurnInfo| t.told.or(t.continues).is_some_and(|of| self.work_of(of) == work);
        self.turns.values().any(|t| of_it(t) && t.spares.is_empty())
    }
}

/// The words in Latin letters of a text in others: there they are names.
fn foreign(text: &str) -> impl Iterator<Item = &str> {
    let is_foreign = text.chars().any(|c| c.is_alphabetic() && c > LATIN);
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter(move |word| is_foreign && word.is_ascii() && word.chars().count() >= LETTERS)
}

/// Whether a name of the code stands in these lines, or its last part, as a method stands behind its type: without the marks
/// of an option and of a call.
fn stands_in(name: &str, lines: &str) -> bool {
    let whole = name.trim_start_matches('-').trim_end_matches("()");
    let last = whole.rsplit(['.', ':']).next().unwrap_or_default();
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let is_word = |(at, name): (usize, &str)| {
        let (before, after) = (lines.get(..at), lines.get(at + name.len()..));
        !before.is_some_and(|b| b.ends_with(is_part)) && !after.is_some_and(|a| a.starts_with(is_part))
    };
    [whole, last].iter().any(|name| !name.is_empty() && lines.match_indices(name).any(is_word))
}

/// Whether a title has a word of steps of which nothing stands, and that none has of which something does; of steps that are
/// all gone it tells whatever it says.
fn tells_of(title: &str, gone: &[&Task], stand: &[&Task]) -> bool {
    let (title, kept) = (meant(title), stand.iter().flat_map(|t| meant(&t.title)).collect::<BTreeSet<_>>());
    let names = |t: &&Task| meant(&t.title).iter().any(|w| title.contains(w) && !kept.contains(w));
    !gone.is_empty() && (stand.is_empty() || gone.iter().any(names))
}

fn meant(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|w| w.chars().count() >= LETTERS);
    words.map(str::to_lowercase).collect()
}
