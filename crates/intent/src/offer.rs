//! What was said to the user and a yes can be said to: that it offers something, and what change it offers.
//!
//! Owns what of the agent's words a plain yes agrees to. Never decides what follows from it: the session does.

use super::{
    Classifier,
    classify::Parsed,
    lexicon::Tag,
    node::IntentNode,
    reading::Message,
    scope::Capability,
    structure::Form,
    turn::{Phase, Turn},
    words::List,
};

impl Classifier {
    /// Whether a text of the agent ends with what a yes can be said to: its last paragraph asks yes or no, or offers to do
    /// something.
    pub fn offers(&self, said: &str) -> bool {
        let last = last_of(said);
        let parsed = Parsed::new(last, self.tables());
        let open = |form| {
            use Tag::{QCount, QEffort, QHow, QWhat, QWhen, QWhere, QWhich, QWho, QWhy};
            let tags = [QCount, QEffort, QHow, QWhat, QWhen, QWhere, QWhich, QWho, QWhy];
            matches!(form, Form::Question(tag) if tags.contains(&tag))
        };
        parsed.structure.clauses.iter().any(|c| c.marked && !open(c.form)) || self.names(List::Offer, last)
    }

    /// The change that a text of the agent offers with its last words, as an order: "mend that and add a test" of "Shall I
    /// mend that and add a test?". `None` where it offers several ways, a removal, or something else than a change.
    pub fn offers_change(&self, said: &str) -> Option<String> {
        let sentences = last_of(said).split_inclusive(['?', '.', '!', '\n', '？', '。']);
        let heads = self.tables().words.list(List::OfferHead);
        let or = |sentence: &str| {
            let first = sentence.split_whitespace().next().unwrap_or_default().to_lowercase();
            self.tables().is(List::Or, &first)
        };
        if sentences.clone().any(or) {
            return None;
        }
        let mut offered = sentences.filter_map(|sentence| {
            let plain = sentence.trim().trim_end_matches(['?', '.', '!', '？', '。']);
            let folded = plain.to_lowercase();
            let begins = |head: &&str| {
                let rest = folded.strip_prefix(*head);
                rest.is_some_and(|rest| rest.starts_with(' '))
            };
            let head = heads.iter().map(AsRef::as_ref).filter(begins).max_by_key(|head| head.len())?;
            Some(plain.get(head.len()..)?.trim())
        });
        let one = offered.next().filter(|_| offered.next().is_none())?;
        let one = self.without_condition(one);
        let parsed = Parsed::new(one, self.tables());
        let chooses = parsed.doc.tokens.iter().any(|t| self.tables().is(List::Or, &t.text));
        let said = [said.to_owned()];
        let (phase, context) = (Phase::Idle, &said[..]);
        let (paused, plan_active, chat_only) = (false, false, false);
        let read = self.read(&Message { text: one, phase, paused, plan_active, chat_only, context });
        let node = read.whole.path.current();
        let changes = read.whole.path.scope().allows(Capability::Write) && node != IntentNode::Delete;
        let orders = matches!(read.whole.turn, Turn::PlanNew(_) | Turn::PlanContinue);
        let clear = read.clarify.is_none() && !read.forbids_change && !chooses;
        (orders && changes && clear).then(|| one.to_owned())
    }

    /// An offer without the words that leave it to the user: "rename it" of "rename it if you like".
    fn without_condition<'a>(&self, offer: &'a str) -> &'a str {
        let folded = offer.to_lowercase();
        let ends = |phrase: &str| folded.strip_suffix(phrase).map(str::len);
        let rest = self.tables().words.list(List::Offer).iter().find_map(|phrase| ends(phrase));
        let kept = rest.and_then(|to| offer.get(..to)).unwrap_or(offer);
        kept.trim_end_matches([' ', ','])
    }
}

/// The last paragraph of a text.
fn last_of(said: &str) -> &str {
    said.trim_end().rsplit("\n\n").next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ends_with_a_question_or_an_offer_can_be_agreed_to_and_nothing_else_can() {
        let offers = |said: &str| Classifier::builtin().offers(said);
        for said in [
            "It could be typed. Shall I change it?",
            "The check is wrong.\n\nDo you want me to mend it?",
            "I can rename it if you like.",
            "Let me know if I should go on.",
            "How about a cache?",
            "Soll ich das ändern?",
            "Ich kann es umbenennen, wenn du willst.",
            "¿Quieres que lo cambie?",
            "要我修改吗？",
        ] {
            assert!(offers(said), "{said}");
        }
        for said in [
            "",
            "It is typed already.",
            "Shall I change it?\n\nNo: it is right as it is.",
            "Why does it fail? The check takes the first letter.",
            "Which of the two files do you mean?",
            "`a ? b : c` chooses one of them.",
            "Done: the parser takes both forms now.",
        ] {
            assert!(!offers(said), "{said}");
        }
    }

    #[test]
    fn the_change_that_is_offered_is_known_as_an_order() {
        let offers = |said: &str| Classifier::builtin().offers_change(said);
        for (said, order) in [
            ("It should be -1st.\n\nShall I mend that and add a test?", "mend that and add a test"),
            ("The check is wrong. Do you want me to fix it?", "fix it"),
            ("I can rename it if you like.", "rename it"),
            ("Want me to add a test for it?", "add a test for it"),
            ("Should I change `parse` to take both?", "change `parse` to take both"),
        ] {
            assert_eq!(offers(said).as_deref(), Some(order), "{said}");
        }
        for said in [
            "Shall I explain how it works?",
            "Shall I look at the other callers as well?",
            "Shall I run the tests?",
            "Shall I delete old.py?",
            "Shall I fix the test or change the code?",
            "Shall I fix the test? Or should I change the code?",
            "I can show you where.",
            "It is wrong. Shall I?",
            "You should change the check.",
            "Is it right that it changes the file?",
        ] {
            assert_eq!(offers(said), None, "{said}");
        }
    }
}
