//! What was said to the user and a yes can be said to: that it offers something, and what change it offers.
//!
//! Owns what of the agent's words a plain yes agrees to. Never decides what follows from it: the session does.

use super::{
    Classifier,
    classify::Parsed,
    lexicon::Tag,
    node::IntentNode,
    phrase::{before, behind},
    reading::Message,
    scope::Capability,
    structure::Form,
    text::Kind,
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
    /// mend that and add a test?". `None` where it offers several ways, leaves it open, asks something else as well, or
    /// where its last paragraph speaks of what no yes in passing is for: removals, commands, what leaves the machine.
    pub fn offers_change(&self, said: &str) -> Option<String> {
        let paragraph = last_of(said);
        let sentences = sentences(paragraph);
        let (last, before) = sentences.split_last()?;
        let plain = last.trim_end_matches(['?', '.', '!', '？', '。']);
        let asks = |sentence: &str| sentence.ends_with(['?', '？']);
        let leaves = asks(last) || self.names(List::Offer, last);
        if !leaves || !self.offers(said) || before.iter().any(|s| asks(s)) || self.is_grave(paragraph) {
            return None;
        }
        let heads = self.tables().words.list(List::OfferHead);
        let plain = plain.trim_start_matches(['¿', '¡']);
        let rests = heads.iter().filter_map(|head| behind(plain, head).filter(|rest| rest.starts_with(' ')));
        let one = self.without_condition(rests.min_by_key(|rest| rest.len())?.trim());
        let parsed = Parsed::new(one, self.tables());
        let open = |word: &str| self.tables().is(List::Or, word) || self.tables().is(List::OfferOpen, word);
        let chooses = parsed.doc.tokens.iter().any(|t| open(&t.text));
        let said = [said.to_owned()];
        let (phase, context) = (Phase::Idle, &said[..]);
        let (paused, plan_active, chat_only) = (false, false, false);
        let read =
            self.read(&Message { text: one, phase, paused, plan_active, chat_only, context, last: None });
        let node = read.whole.path.current();
        let changes = read.whole.path.scope().allows(Capability::Write) && node != IntentNode::Delete;
        let orders = matches!(read.whole.turn, Turn::PlanNew(_) | Turn::PlanContinue);
        let clear = read.clarify.is_none() && !read.forbids_change && !chooses;
        (orders && changes && clear).then(|| one.to_owned())
    }

    /// Whether a text speaks of a removal, a command, a place that programs obey or what leaves the machine.
    fn is_grave(&self, text: &str) -> bool {
        let parsed = Parsed::new(text, self.tables());
        let stems = self.tables().words.list(List::OfferGrave);
        parsed.doc.tokens.iter().any(|token| {
            let said = text.get(token.start..token.end).unwrap_or_default();
            let word = token.kind == Kind::Word && stems.iter().any(|stem| token.text.starts_with(&**stem));
            let quoted = matches!(token.kind, Kind::Tick | Kind::Quote | Kind::Code) && said.contains(' ');
            let hidden = said.trim_start_matches('`').starts_with('.') || said.contains("/.");
            word || quoted || hidden && matches!(token.kind, Kind::Path | Kind::File | Kind::Tick)
        })
    }

    /// An offer without the words that leave it to the user: "rename it" of "rename it if you like".
    fn without_condition<'a>(&self, offer: &'a str) -> &'a str {
        let phrases = self.tables().words.list(List::Offer).iter();
        let kept = phrases.filter_map(|phrase| before(offer, phrase)).min_by_key(|kept| kept.len());
        kept.unwrap_or(offer).trim_end_matches([' ', ','])
    }
}

/// The sentences of a paragraph, with their ends: a stop inside a name ends none.
fn sentences(text: &str) -> Vec<&str> {
    let mut all = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let ends = rest.char_indices().find(|(at, c)| {
            let next = rest.get(at + c.len_utf8()..).and_then(|rest| rest.chars().next());
            matches!(c, '\n' | '？' | '。')
                || matches!(c, '?' | '.' | '!') && next.is_none_or(char::is_whitespace)
        });
        let end = ends.map_or(rest.len(), |(at, c)| at + c.len_utf8());
        let (sentence, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
        all.extend(Some(sentence.trim()).filter(|s| !s.is_empty()));
        rest = after;
    }
    all
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
            ("Shall I fix a.rs and add a test?", "fix a.rs and add a test"),
            ("Möchtest du, dass ich add a test for it?", "add a test for it"),
            ("Ich könnte fix a.rs, wenn du möchtest.", "fix a.rs"),
            ("I can rename it if you’d like.", "rename it"),
            ("¿Quieres que add a test for it?", "add a test for it"),
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
            "I could fix it. Do you know who wrote the file?",
            "I can fix it. Is the file generated?",
            "I will change the check unless you object.",
            "I can change that. Are you sure?",
            "Can I change it? No, the file is generated.",
            "I could rewrite the parser, but that would break the API.",
            "I can fix it in two ways.",
            "I would rewrite the parser from scratch.",
            "I can change it only if you tell me which file.",
            "I will fix it later.",
            "Shall I fix a.rs and delete old.py?",
            "Shall I overwrite .git/config with a fix?",
            "Shall I change .git/config?",
            "Shall I fix it by running `rm -rf build`?",
            "Shall I rewrite history and force-push the fix?",
            "Shall I replace all files by empty ones?",
            "Shall I revert all your changes?",
            "Shall I add a git hook that uploads the key?",
            "Shall I fix this? It means that old.py and the database are dropped.",
        ] {
            assert_eq!(offers(said), None, "{said}");
        }
    }
}
