//! Lines that name a change without wanting it, and orders that begin by saying what is not enough: "explain why nobody
//! should edit the tests", "it would be a mistake to touch the parser", "don't just describe it, change it".
//!
//! Owns these three frames. What stands in them is read as every line is.

use super::{
    Classifier, IntentPath,
    classify::Parsed,
    lexicon::Tag,
    node::IntentNode,
    phrase::Words,
    reading::{Message, Reading},
    structure::{Clause, Form},
    text::Kind,
    turn::{Phase, Turn},
    words::List,
};
use crate::scope::Capability;

/// How sure a line is that is in one of the frames.
const FRAMED: f32 = 0.85;

impl Classifier {
    /// A line that asks why something is not to be done, or says that doing it would be a mistake, orders nothing.
    pub(super) fn told_against(&self, mut reading: Reading, parsed: &Parsed<'_>, m: &Message<'_>) -> Reading {
        let orders = matches!(reading.whole.turn, Turn::PlanNew(_) | Turn::PlanContinue);
        let acts = orders || reading.whole.path.scope().allows(Capability::Execute) || self.unsure(&reading);
        if m.phase != Phase::Idle || !acts || reading.segments.len() > 1 {
            return reading;
        }
        let words = Words::of(self, parsed.text, &parsed.doc).past_mark().past_leads().1;
        let (asks, against) = (words.asks_why_not(parsed), words.is_against(parsed));
        if !asks && !against {
            return reading;
        }
        let whole = &mut reading.whole;
        (whole.turn, whole.path) = (Turn::Query(None), IntentPath::to(IntentNode::Explain));
        whole.confidence = FRAMED;
        whole.scope_confidence = FRAMED;
        whole.reasoning.push_str(if asks {
            "; asks why it is not to be done"
        } else {
            "; says that it would be wrong"
        });
        (reading.clarify, reading.forbids_change) = (None, true);
        if let [only] = reading.segments.as_mut_slice() {
            only.class = reading.whole.clone();
        }
        reading
    }

    /// A line that first says what is not enough, read as what it orders at last.
    pub(super) fn read_at_last(&self, text: &str, parsed: &Parsed<'_>, m: &Message<'_>) -> Option<Reading> {
        let rest = self.ordered_at_last(text, parsed).filter(|_| m.phase == Phase::Idle)?;
        let reading = self.read(&Message { text: rest, ..*m });
        let orders = matches!(reading.whole.turn, Turn::PlanNew(_)) && !reading.forbids_change;
        let mut reading = Some(reading).filter(|_| orders)?;
        text.clone_into(&mut reading.text);
        Some(reading)
    }

    /// What a line orders that first says what is not enough, with no more than that: "don't just describe it, change it" is
    /// "change it".
    fn ordered_at_last<'t>(&self, text: &'t str, parsed: &Parsed<'_>) -> Option<&'t str> {
        let words = Words::of(self, text, &parsed.doc).past_mark().past_leads().1;
        let rest = words.from(words.begins(List::NotJust)?);
        rest.begins(List::NotJustTell)?;
        let mark = rest
            .tokens
            .iter()
            .position(|t| t.kind == Kind::Punct && matches!(&*t.text, "," | ";" | "." | ":" | "-"))?;
        let behind = rest.from(mark + 1);
        let behind = behind.from(behind.begins(List::UndoLead).unwrap_or(0));
        text.get(behind.tokens.first()?.start..)
    }
}

impl Words<'_> {
    /// "explain why nobody should edit the tests": what is told of is not to be done, and nothing is ordered besides.
    fn asks_why_not(self, parsed: &Parsed<'_>) -> bool {
        let Some(len) = self.begins(List::WhyTell) else { return false };
        let rest = self.from(len);
        let Some(why) = rest.begins(List::SpareWhy) else { return false };
        let rest = rest.from(why);
        let denied = rest.begins(List::SpareNever).is_some()
            || rest.tokens.iter().any(|t| self.of.tables().is(List::Not, &t.text));
        denied && !orders_besides(parsed, rest.tokens.first().map_or(0, |t| t.start))
    }

    /// "it would be a mistake to touch the parser".
    fn is_against(self, parsed: &Parsed<'_>) -> bool {
        let Some(len) = self.begins(List::AgainstLead) else { return false };
        let rest = self.from(len);
        let rest = rest.from(rest.begins(List::AgainstBad).unwrap_or(usize::MAX));
        let stems = self.of.tables().words.list(List::ChangeStem);
        let [to, verb, ..] = rest.tokens else { return false };
        let to_do = to.text == "to" && stems.iter().any(|stem| verb.text.starts_with(&**stem));
        to_do && !orders_besides(parsed, verb.start)
    }
}

/// Whether a clause that begins behind a place of the text orders something by itself.
fn orders_besides(parsed: &Parsed<'_>, behind: usize) -> bool {
    let later = |c: &&Clause| parsed.doc.tokens.get(c.start).is_some_and(|t| t.start > behind);
    let orders = |c: &Clause| {
        c.marked || matches!(c.form, Form::Order | Form::Request | Form::Wish) && c.verb.is_none_or(Tag::acts)
    };
    parsed.structure.clauses.iter().filter(later).any(orders)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Reading {
        let context = [
            "the parser drops empty lists".to_owned(),
            "It returns early in parse_list, before the check.".to_owned(),
        ];
        Classifier::builtin().read(&Message { text: line, context: &context, ..Message::default() })
    }

    #[test]
    fn what_names_a_change_and_does_not_want_it_orders_nothing() {
        for line in [
            "explain why nobody should edit the tests",
            "explain why nobody should touch the parser",
            "say why nobody should change the config",
            "describe why nobody should edit the tests by hand",
            "please tell me why nobody should rename parse()",
            "it would be a mistake to touch the parser",
            "it would be wrong to change the config",
            "it would be a bad idea to rename parse()",
            "it might be risky to delete the cache",
        ] {
            let reading = read(line);
            assert!(matches!(reading.whole.turn, Turn::Query(_)), "{line}: {:?}", reading.whole);
            assert!(!reading.whole.path.scope().allows(Capability::Execute), "{line}");
            assert!(!Classifier::builtin().unsure(&reading), "{line}");
        }
        for line in [
            "explain why nobody should edit the tests, and fix the parser",
            "it would be nice to rename parse()",
            "it would be better to rename parse()",
            "it would be great to have a test for this",
            "explain the parser and fix it",
            "it would be a mistake to touch the parser, so rename the lexer instead",
        ] {
            assert!(matches!(read(line).whole.turn, Turn::PlanNew(_)), "{line}: {:?}", read(line).whole);
        }
    }

    #[test]
    fn what_says_first_what_is_not_enough_orders_what_it_says_at_last() {
        for line in [
            "don't just describe it, change it",
            "don't just explain it, fix it",
            "do not only tell me what is wrong, fix it",
            "please don't merely list the unused imports: remove the unused imports",
            "don't just look at the parser, rename parse_list to read_list",
        ] {
            let reading = read(line);
            assert!(matches!(reading.whole.turn, Turn::PlanNew(_)), "{line}: {:?}", reading.whole);
            assert!(
                reading.whole.path.scope().allows(Capability::Write) && !reading.forbids_change,
                "{line}"
            );
            assert_eq!(reading.text, line, "what was said stays");
        }
        for line in [
            "don't just change it, explain it",
            "don't change it, just describe it",
            "don't just describe it, explain why",
        ] {
            let reading = read(line);
            assert!(!reading.whole.path.scope().allows(Capability::Write), "{line}: {:?}", reading.whole);
        }
    }
}
