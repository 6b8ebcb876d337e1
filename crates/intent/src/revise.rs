//! Words about the steps of a plan: "remove the third step", "we need another step for tests", "make it only src/lib.rs".
//!
//! Owns which lines want the plan itself changed. What is said of the work in a step is none of them.

mod omit;

use super::{
    Classifier,
    classify::Parsed,
    forbid::Ban,
    lexicon::Tag,
    steer::{has_phrase, normal},
    structure::{Clause, Form},
    text::{self, Kind, Token},
    words::List,
};

/// The farthest that a step may stand from the verb that changes it.
const GAP: usize = 7;

impl Classifier {
    /// Whether a message wants the steps of a plan changed: then the numbers of those that it leaves out or moves, where it
    /// says them.
    pub fn revises(&self, text: &str) -> Option<Vec<usize>> {
        let focus = text::focus(text);
        let parsed = Parsed::within(&focus, text, self.tables());
        revises(&parsed).then(|| Line::of(&parsed).numbers())
    }
}

pub(crate) fn revises(p: &Parsed<'_>) -> bool {
    let line = Line::of(p);
    let at = |is: &dyn Fn(usize) -> bool| (0..line.tokens.len()).any(is);
    p.ban == Ban::None
        && !p.withdrawn
        && !asks(p)
        && (at(&|i| line.changes_step(i))
            || at(&|i| line.narrows(i))
            || at(&|i| line.of_plan(i))
            || line.needless())
}

/// Whether a message leaves out a step of the plan that waits by what that is called, whatever it says besides: "drop the docs
/// step, we have no docs folder". Beside a run "the login step" may be one of the program.
pub(crate) fn drops_named(p: &Parsed<'_>) -> bool {
    let line = Line::of(p);
    !p.withdrawn && !asks(p) && (0..line.tokens.len()).any(|i| line.drops_named(i))
}

/// Whether it only asks; "do step 3 first" opens like a question and is none.
fn asks(p: &Parsed<'_>) -> bool {
    let clauses = &p.structure.clauses;
    let plain = |c: &Clause| c.marked || !matches!(c.form, Form::Question(Tag::QAux | Tag::QOther));
    p.asks() && clauses.iter().filter(|c| matches!(c.form, Form::Question(_))).all(plain)
}

struct Line<'a> {
    p: &'a Parsed<'a>,
    tokens: &'a [Token],
}

impl<'a> Line<'a> {
    fn of(p: &'a Parsed<'a>) -> Self {
        Self { p, tokens: &p.doc.tokens }
    }

    fn is(&self, i: usize, list: List) -> bool {
        self.tokens.get(i).is_some_and(|t| t.kind != Kind::Punct && self.p.structure.known.is(list, &t.text))
    }

    fn is_file(&self, i: usize) -> bool {
        self.tokens.get(i).is_some_and(|t| matches!(t.kind, Kind::File | Kind::Path))
    }

    fn is_number(&self, i: usize) -> bool {
        self.tokens
            .get(i)
            .is_some_and(|t| t.kind == Kind::Number || t.text.starts_with(|c: char| c.is_ascii_digit()))
    }

    fn negated(&self, i: usize) -> bool {
        (1..=2).any(|back| i.checked_sub(back).is_some_and(|at| self.is(at, List::Not)))
    }

    /// Where a step ends that is said from here on: "the third step", "step 3", "another step".
    fn step(&self, from: usize) -> Option<usize> {
        let between = |i: &usize| self.is(*i, List::ReviseWhich) || self.is_number(*i);
        let noun = (from..from + GAP).find(|i| !between(i)).filter(|i| self.is_step(*i))?;
        let numbered = self.is_number(noun + 1);
        let named = noun > from || numbered;
        let next = if numbered { noun + 2 } else { noun + 1 };
        // "the step counter" is no step.
        let ends = self.ends(next) || self.is(next, List::ReviseAfter);
        let task = !self.is(noun, List::ReviseTask)
            || (numbered || (from..noun).any(|i| self.places(i))) && self.ends_task(next);
        (named && ends && task && (numbered || !self.elsewhere(next))).then_some(next)
    }

    fn is_step(&self, i: usize) -> bool {
        self.is(i, List::ReviseStep) || self.is(i, List::ReviseTask)
    }

    fn ends(&self, i: usize) -> bool {
        self.tokens.get(i).is_none_or(|t| t.kind == Kind::Punct)
    }

    /// Whether it says which of the steps is meant: a number, "third", "last".
    fn places(&self, i: usize) -> bool {
        let small = [List::Determiner, List::ReviseMore];
        self.is_number(i) || self.is(i, List::ReviseWhich) && !small.iter().any(|list| self.is(i, *list))
    }

    /// "remove task 2, please", "do task 3 first", "drop the first task of the plan"; "the first task with a due date" is one
    /// of the program.
    fn ends_task(&self, next: usize) -> bool {
        let goes_on = |list| self.is(next, list);
        self.ends(next)
            || goes_on(List::ReviseOrder)
            || goes_on(List::Tie)
            || self.is(next + 2, List::RevisePlan)
            || !goes_on(List::Preposition)
    }

    /// "add a step to the wizard": the steps of something else.
    fn elsewhere(&self, next: usize) -> bool {
        let own = [List::RevisePlan, List::ReviseOrder].iter().any(|list| self.is(next + 2, *list));
        self.is(next, List::Place) && self.is(next + 1, List::Determiner) && !self.ends(next + 2) && !own
    }

    /// "remove the third step", "without step 3"; "don't do step 3", "leave step 2 out", "do step 3 first".
    fn changes_step(&self, i: usize) -> bool {
        let Some(end) = self.step(i + 1) else { return false };
        let out = (i + 1..self.tokens.len()).any(|at| self.is(at, List::ReviseOut));
        let placed = self.is(end, List::ReviseOrder);
        if self.negated(i) {
            return self.is(i, List::ReviseNeed);
        }
        self.is(i, List::ReviseVerb)
            || (out && self.is(i, List::ReviseTake))
            || (placed && self.is(i, List::ReviseNeed))
            || (self.is(i, List::ReviseWant) && (i + 1..end).any(|at| self.is(at, List::ReviseMore)))
    }

    /// "drop the docs step", "remove the second README step".
    fn drops_named(&self, i: usize) -> bool {
        let called = |noun: usize| self.is_step(noun) && !self.places(noun - 1);
        let because = |at: usize| self.is(at, List::Tie) || self.is(at, List::SpareClose);
        let ends = |noun: usize| self.ends(noun + 1) || because(noun + 1);
        self.is(i, List::ReviseDrop)
            && !self.negated(i)
            && self.is(i + 1, List::Determiner)
            && (i + 3..i + 6).any(|noun| called(noun) && ends(noun))
    }

    /// The numbers of the steps that it is about.
    fn numbers(&self) -> Vec<usize> {
        let changed = (0..self.tokens.len()).filter(|i| self.changes_step(*i));
        let ends = changed.filter_map(|i| Some((i, self.step(i + 1)?)));
        let words = ends.flat_map(|(i, end)| self.tokens.get(i + 1..end).unwrap_or_default());
        words.filter_map(|t| t.text.parse().ok()).collect()
    }

    /// "make it only src/lib.rs", "limit it to README.md"; first "only steps 1 and 2".
    fn narrows(&self, i: usize) -> bool {
        let first = i == 0 && self.is(0, List::ReviseOnly) && self.step(1).is_some();
        let verb = self.is(i, List::ReviseMake) && self.is(i + 1, List::Pronoun) && !self.negated(i);
        let only = (i + 2..i + 2 + GAP).take_while(|at| self.is(*at, List::ReviseOnly)).count();
        first || (verb && only > 0 && self.is_file(i + 2 + only))
    }

    /// "remove README.md from it", "add tests to the plan".
    fn of_plan(&self, i: usize) -> bool {
        let verb = self.is(i, List::ReviseVerb) || self.is(i, List::ReviseTake);
        if !verb || self.negated(i) {
            return false;
        }
        let ends = |at: usize| self.ends(at) || self.is(at, List::ReviseAfter);
        (i + 2..self.tokens.len()).filter(|at| self.is(*at, List::Preposition)).any(|at| {
            let file = (i + 1..at).any(|n| self.is_file(n));
            let plan = at + usize::from(self.is(at + 1, List::Determiner)) + 1;
            (file && self.is(at + 1, List::Pronoun) && ends(at + 2))
                || (self.is(plan, List::RevisePlan) && ends(plan + 1))
        })
    }

    /// "step 2 is unnecessary", "the third step can go".
    fn needless(&self) -> bool {
        let said = normal(self.p.text).replace(['\'', '’'], "");
        let says = |phrase: &str| has_phrase(&said, phrase);
        (0..self.tokens.len()).any(|i| self.reference(i))
            && self.p.structure.known.words.list(List::ReviseNeedless).iter().any(|phrase| says(phrase))
    }

    /// Whether a step is named here by its number or its place.
    fn reference(&self, i: usize) -> bool {
        let by_number = self.is_step(i) && self.is_number(i + 1);
        let before = |at| self.is(at, List::ReviseWhich) && (self.is(i, List::ReviseStep) || self.places(at));
        let by_place = self.is_step(i) && i.checked_sub(1).is_some_and(before);
        by_number || by_place
    }
}

#[cfg(test)]
mod tests {
    use crate::{Classifier, IntentNode, Message, Phase, Turn};

    #[test]
    fn words_about_the_steps_of_a_plan_change_it() {
        for text in [
            "remove the third step",
            "we need another step for tests",
            "I want one more step",
            "remove README.md from it",
            "make it only src/lib.rs",
            "make it only README.md",
            "limit it to src/lib.rs",
            "skip step 3",
            "cancel step 3",
            "without step 3 please",
            "insert a step before step 2",
            "drop steps 2 and 3",
            "swap steps 2 and 3",
            "please add a step that updates the changelog",
            "can you remove the last step?",
            "leave step 2 out",
            "don't do step 3",
            "we don't need step 2",
            "do step 3 first",
            "only steps 1 and 2",
            "step 2 is unnecessary",
            "the third step isn't needed",
            "remove the migration from the plan",
            "add tests to the plan",
            "entferne den dritten Schritt",
            "ohne Schritt 3 bitte",
            "supprime la troisième étape",
            "quita el tercer paso",
            "skip task 3",
            "remove the last task",
            "remove the second task from the plan",
            "do task 3 first",
            "split step 4 in two",
            "split the last step in two",
            "move step 2 to the end",
            "move the last step to the front",
        ] {
            assert!(Classifier::builtin().revises(text).is_some(), "{text}");
            for phase in [Phase::AwaitingApproval, Phase::Executing] {
                let read = Classifier::builtin().read(&Message {
                    text,
                    phase,
                    plan_active: true,
                    ..Message::default()
                });
                assert_eq!(read.whole.turn, Turn::PlanContinue, "{text} {phase:?}");
            }
        }
    }

    #[test]
    fn a_step_of_the_plan_that_waits_is_left_out_by_what_it_is_called() {
        let read = |text: &str, phase| {
            Classifier::builtin().read(&Message { text, phase, plan_active: true, ..Message::default() })
        };
        for text in [
            "drop the docs step, we have no docs folder",
            "skip the docs step, nobody reads them",
            "remove the changelog step because there is none",
            "please delete the release notes step",
        ] {
            let whole = read(text, Phase::AwaitingApproval).whole;
            assert_eq!(whole.turn, Turn::PlanContinue, "{text}");
            assert!(
                whole.confidence >= 0.8 && whole.path.current() == IntentNode::Decompose,
                "{text}: {whole:?}"
            );
        }
        for text in ["should we drop the docs step?", "don't drop the docs step", "remove the step counter"] {
            let whole = read(text, Phase::AwaitingApproval).whole;
            assert!(!whole.reasoning.contains("changes the steps"), "{text}: {whole:?}");
        }
        let whole = read("remove the login step", Phase::Executing).whole;
        assert!(!whole.reasoning.contains("changes the steps"), "one of the program: {whole:?}");
    }

    #[test]
    fn words_about_the_work_do_not() {
        for text in [
            "skip this step",
            "in step 2 remove the unused import",
            "use assert! in the second hunk",
            "the second test is not needed",
            "remove the step counter",
            "remove the third test",
            "make it only print warnings",
            "don't remove step 3",
            "never skip step 2",
            "should we remove step 3?",
            "what does the third step do?",
            "why do we need step 2?",
            "remove README.md",
            "remove main.rs from the list",
            "add a button to the page",
            "stop after step 2",
            "name it bytes instead",
            "add a new task with a due date",
            "remove the first task from the list",
            "add a task to the todo list",
            "delete the task",
            "add another task",
            "remove the first task with a due date",
            "add a step to the wizard",
            "remove the last step from the checkout form",
            "the task is redundant",
        ] {
            assert_eq!(Classifier::builtin().revises(text), None, "{text}");
        }
        assert_eq!(Classifier::builtin().revises("skip step 3"), Some(vec![3]));
        assert_eq!(Classifier::builtin().revises("insert a step after step 1"), Some(Vec::new()));
    }
}
