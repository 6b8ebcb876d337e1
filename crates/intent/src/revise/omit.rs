//! Lines that leave steps out of the plan: "skip step 4", "leave out the last step, we have no docs".
//!
//! Owns their grammar: the whole line says so, and at most why. Never knows the plan.

use super::super::{Classifier, Nth, TakenBack, classify::Parsed, phrase::Words, structure::Form, text};
use crate::{text::Kind, words::List};

impl Classifier {
    /// The steps that a whole line leaves out of the plan, where it wants nothing else.
    pub fn leaves_out(&self, line: &str) -> Option<Vec<Nth>> {
        let doc = text::tokenize(line);
        let (asked, rest) = Words::of(self, line, &doc).past_mark().closed();
        let (lead, rest) = rest.past_leads();
        if asked && !lead {
            return None;
        }
        let marks = |at: &usize| rest.tokens.get(*at).is_some_and(|t| t.kind == Kind::Punct);
        let ends =
            (1..rest.tokens.len()).filter(|at| marks(at) || rest.from(*at).begins(List::ReviseWhy).is_some());
        let whole = || rest.without_tails().omitted();
        let before = |at: usize| rest.to(at).without_tails().omitted().filter(|_| rest.from(at).says_why());
        whole().or_else(|| ends.into_iter().find_map(before))
    }
}

impl Words<'_> {
    /// "skip step 4", "drop steps 2 and 3", "leave the last step out".
    fn omitted(self) -> Option<Vec<Nth>> {
        let first = self.begins(List::ReviseDrop).map(|len| self.from(len));
        let split = || {
            let len = self.begins(List::ReviseTake)?;
            let end = self.tokens.len().checked_sub(1).filter(|end| *end > len)?;
            self.from(end).begins(List::ReviseOut)?;
            Some(self.to(end).from(len))
        };
        let steps = first.or_else(split)?;
        let counted = steps.from(steps.begins(List::UndoThe).unwrap_or(0)).counted()?;
        if let TakenBack::Steps(steps) = counted { Some(steps) } else { None }
    }

    /// Whether nothing is ordered, wanted or asked here.
    fn says_why(self) -> bool {
        let mark = self.tokens.first().is_some_and(|t| t.kind == Kind::Punct);
        let rest = self.from(usize::from(mark));
        let rest = rest.from(rest.begins(List::ReviseWhy).unwrap_or(0));
        let Some(first) = rest.tokens.first() else { return true };
        let plain = |form: Form| matches!(form, Form::Complaint | Form::Statement | Form::Empty);
        let text = self.text.get(first.start..).unwrap_or_default();
        let parsed = Parsed::new(text, self.of.tables());
        parsed.structure.clauses.iter().all(|clause| plain(clause.form))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_line_leaves_steps_out_and_says_at_most_why() {
        let of = |line: &str| Classifier::builtin().leaves_out(line);
        for (line, steps) in [
            ("skip step 4", vec![Nth::At(4)]),
            ("drop step 4", vec![Nth::At(4)]),
            ("leave out step 4", vec![Nth::At(4)]),
            ("leave step 2 out please", vec![Nth::At(2)]),
            ("please skip the last step", vec![Nth::Last]),
            ("can you remove the third step?", vec![Nth::At(3)]),
            ("cancel steps 2, 3 and 4", vec![Nth::At(2), Nth::At(3), Nth::At(4)]),
            ("forget step 2", vec![Nth::At(2)]),
            ("skip step 4, we have no docs", vec![Nth::At(4)]),
            ("drop step 2 because that is done already", vec![Nth::At(2)]),
            ("no, skip step 3. It is not needed.", vec![Nth::At(3)]),
        ] {
            assert_eq!(of(line), Some(steps), "{line}");
        }
        for line in [
            "skip this step",
            "skip step 4?",
            "don't skip step 4",
            "skip step 4 and add a test for it",
            "skip step 4, add a test instead",
            "skip step 4, but write the docs in step 3",
            "in step 2 remove the unused import",
            "remove the step counter",
            "remove step 2 from the wizard",
            "do step 3 first",
            "should we skip step 4?",
            "skip the last file",
        ] {
            assert_eq!(of(line), None, "{line}");
        }
    }
}
