//! A message that orders something and asks something else, or wants it explained first: one turn each, in the order of the
//! message.
//!
//! Owns whether a question stands by itself beside an order. Never takes a condition or a prohibition from the order.

use std::borrow::Cow;

use super::{
    Classifier, IntentNode,
    classify::Parsed,
    lexicon::Tag,
    reading::{Message, Reading, Segment, Source},
    scope::Capability,
    structure::{Clause, Form},
    text::{Kind, Token},
    turn::{Control, Turn},
    words::List,
};

/// A message of more parts is a text of its own, with questions that belong to it.
const MOST: usize = 8;
/// From this length on a word that an order and a question share is a name or a noun.
const NOUN_CHARS: usize = 3;

/// What a part of a message is to the rest.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Order,
    Question,
    /// Said beside an order: it goes with that.
    Beside,
}

impl Classifier {
    /// A message that orders something and asks something else, as the texts of two turns in their order: what it orders
    /// with all that is said beside it, and what it asks. `None` for a message that is one turn.
    pub fn sequence(&self, reading: &Reading) -> Option<[String; 2]> {
        let named = matches!(reading.whole.source, Source::Slash | Source::AtNode);
        if named || reading.forbids_change || reading.paused.is_some() || reading.command.is_some() {
            return None;
        }
        let (texts, segments) = match reading.segments.len() {
            2..=MOST => (pieces(reading)?, Cow::Borrowed(reading.segments.as_slice())),
            1 => self.told_first(reading)?,
            _ => return None,
        };
        let parts: Vec<Parsed<'_>> = texts.iter().map(|text| Parsed::new(text, self.tables())).collect();
        let roles: Option<Vec<Role>> = segments.iter().zip(&parts).map(|(s, p)| self.role(s, p)).collect();
        let roles = roles?;
        let first = |role: Role| roles.iter().position(|r| *r == role);
        let (order, question) = (first(Role::Order)?, first(Role::Question)?);
        // What is to be explained behind an order is what came of it.
        if question > order && parts.get(question).is_some_and(tells) {
            return None;
        }
        let graves = segments.iter().zip(&roles).any(|(s, r)| *r == Role::Order && is_grave(s));
        let weighed = roles.iter().zip(&parts).any(|(r, p)| *r == Role::Question && weighs(p));
        if graves && weighed || (1..parts.len()).any(|at| self.leans_back(&roles, &parts, at)) {
            return None;
        }
        let said = |question: bool| -> String {
            let of = texts.iter().zip(&roles).filter(|(_, r)| (**r == Role::Question) == question);
            let text: String = of.map(|(text, _)| *text).collect();
            text.trim().trim_end_matches(';').trim_end().to_owned()
        };
        let (orders, asks) = (said(false), said(true));
        // A question that keeps something from the order, or allows it, binds that.
        let bound = !self.spares(&asks).is_empty() || !self.frees(&asks).is_empty();
        (!bound).then_some(if order < question { [orders, asks] } else { [asks, orders] })
    }

    /// "explain Store and then fix the typo": the two texts of a sentence that wants something told before it orders, each
    /// with its reading.
    fn told_first<'r>(&self, reading: &'r Reading) -> Option<(Vec<&'r str>, Cow<'static, [Segment]>)> {
        let text = reading.text.as_str();
        let parsed = Parsed::new(text, self.tables());
        let tokens = &parsed.doc.tokens;
        let follows = |c: &&Clause| {
            let lead = tokens.get(c.start..c.head).unwrap_or_default();
            let then = |(last, ties): (&Token, &[Token])| {
                self.on(List::Hangs, last) && ties.iter().all(|t| self.on(List::Tie, t))
            };
            is_order(c) && !c.marked && lead.split_last().is_some_and(then)
        };
        let order = parsed.structure.clauses.iter().skip(1).find(follows)?;
        let ties = |t: &Token| t.kind == Kind::Punct || self.on(List::Tie, t);
        let told = tokens.get(..order.start)?.iter().rfind(|t| !ties(t))?;
        let texts = vec![text.get(..told.end)?, text.get(tokens.get(order.head)?.start..)?];
        let segment = |text: &&str| {
            let class = self.read(&Message { text, ..Message::default() }).whole;
            Segment { text: (*text).to_owned(), class, dropped: false }
        };
        let segments = texts.iter().map(segment).collect();
        Some((texts, Cow::Owned(segments)))
    }

    /// `None` for a part with which the message is one.
    fn role(&self, segment: &Segment, part: &Parsed<'_>) -> Option<Role> {
        let acts = |c: Capability| segment.class.scope().allows(c);
        if segment.dropped {
            return None;
        }
        match &segment.class.turn {
            Turn::Control(Control::Other(name)) if name == Control::MANNER => Some(Role::Beside),
            Turn::Control(_) => None,
            Turn::PlanNew(_) | Turn::PlanContinue if acts(Capability::Write) || acts(Capability::Execute) => {
                // What is only stated, or reported, is no order of its own.
                part.structure.clauses.iter().any(is_order).then_some(Role::Order)
            }
            Turn::PlanNew(_) | Turn::PlanContinue => Some(Role::Beside),
            Turn::Query(_) if self.asks_by_itself(part) => Some(Role::Question),
            Turn::Query(_) => (!part.asks()).then_some(Role::Beside),
        }
    }

    /// Whether a part asks about a thing that it names, and nothing else.
    fn asks_by_itself(&self, part: &Parsed<'_>) -> bool {
        let spoken: Vec<&Clause> = part.structure.clauses.iter().filter(|c| c.form != Form::Empty).collect();
        let Some(first) = spoken.first() else { return false };
        let whole = part.doc.tokens.get(first.head..first.end).unwrap_or_default();
        let object = part.doc.tokens.get(first.after..first.end).unwrap_or_default();
        let leans = |t: &Token| self.on(List::Leans, t) || self.on(List::LeansOn, t);
        spoken.iter().all(|c| is_question(c) || explains(part, c))
            && !whole.iter().any(leans)
            && !object.first().is_some_and(|t| self.on(List::Proposes, t))
            && object.iter().any(|t| self.is_noun(t))
    }

    /// Whether the part at this place is said of the one before it: on a condition, of what is meant without a name, "or …?",
    /// or of what a yes to the question beside it would have done.
    fn leans_back(&self, roles: &[Role], parts: &[Parsed<'_>], at: usize) -> bool {
        let part = |at: usize| parts.get(at).zip(roles.get(at));
        let Some(((before, first), (part, second))) = at.checked_sub(1).and_then(part).zip(part(at)) else {
            return false;
        };
        let asks = |role: &Role| *role == Role::Question;
        let hangs = part.doc.tokens.iter().filter(|t| t.kind != Kind::Punct).take(2);
        // Behind what is only to be told "then" names no condition.
        let hangs = hangs
            .into_iter()
            .any(|t| self.on(List::Hangs, t) && !(tells(before) && self.on(List::FollowNext, t)));
        let shares = |asked: &Parsed<'_>, order: &Parsed<'_>| {
            (asks_yes(asked) || tells(asked)) && self.share(asked, order)
        };
        match (asks(first), asks(second)) {
            (true, false) => {
                let framed = part.structure.clauses.iter().any(|c| c.form == Form::Frame);
                let leans = part.doc.tokens.iter().any(|t| self.on(List::Leans, t));
                framed || leans || hangs || shares(before, part)
            }
            (false, true) => hangs || shares(part, before),
            (true, true) | (false, false) => false,
        }
    }

    /// Whether two parts name the same thing: "Store" and "src/store.rs" do.
    fn share(&self, one: &Parsed<'_>, other: &Parsed<'_>) -> bool {
        let nouns = |p: &Parsed<'_>| -> Vec<String> {
            p.doc.tokens.iter().filter(|t| self.is_noun(t)).map(|t| stem(&t.text)).collect()
        };
        let others = nouns(other);
        nouns(one).iter().any(|noun| others.contains(noun))
    }

    fn is_noun(&self, token: &Token) -> bool {
        let small =
            [List::Aux, List::Determiner, List::Pronoun, List::Preposition, List::Leans, List::LeansOn];
        token.kind != Kind::Punct
            && !small.iter().any(|list| self.on(*list, token))
            && (token.kind != Kind::Word || token.text.chars().count() >= NOUN_CHARS)
    }

    fn on(&self, list: List, token: &Token) -> bool {
        token.kind == Kind::Word && self.tables().is(list, &token.text)
    }
}

/// Whether a part removes or runs something: that is not done before what is asked beside it is known.
fn is_grave(segment: &Segment) -> bool {
    matches!(segment.class.path.current(), IntentNode::Delete | IntentNode::Execute)
}

/// Whether the answer to a part may decide on an order: a yes, a no, a number.
fn weighs(asked: &Parsed<'_>) -> bool {
    asks_yes(asked) || asked.structure.clauses.iter().any(|c| c.form == Form::Question(Tag::QCount))
}

/// Whether a part orders that something is explained.
fn tells(part: &Parsed<'_>) -> bool {
    part.structure.clauses.iter().any(|c| !c.marked && explains(part, c))
}

/// "explain the cache", "explain how the cache works".
fn explains(part: &Parsed<'_>, clause: &Clause) -> bool {
    let hit = |at: usize, tag: fn(Tag) -> bool| {
        part.structure.hits.iter().any(|h| h.start == at && h.bytes == 0 && tag(h.tag))
    };
    let told = || hit(clause.head, |tag| tag == Tag::VExplain) && hit(clause.head + 1, Tag::asks);
    match clause.form {
        Form::Order | Form::Request => clause.verb == Some(Tag::VExplain),
        // "works" behind it looks like the verb of a sentence that only states.
        Form::Statement => !clause.marked && told(),
        Form::Question(_) | Form::Wish | Form::Ought | Form::Complaint | Form::Frame | Form::Empty => false,
    }
}

fn asks_yes(asked: &Parsed<'_>) -> bool {
    let last = asked.structure.clauses.iter().rfind(|c| c.form != Form::Empty);
    last.is_some_and(|c| matches!(c.form, Form::Question(Tag::QAux | Tag::QExist)))
}

/// The name of a file without its folder and its kind, folded.
fn stem(word: &str) -> String {
    let name = word.trim_matches('`').rsplit(['/', '\\']).next().unwrap_or(word);
    let stem = name.split('.').find(|part| !part.is_empty()).unwrap_or(name);
    stem.to_lowercase()
}

/// The message cut where its parts begin.
fn pieces(reading: &Reading) -> Option<Vec<&str>> {
    let (mut starts, mut from) = (Vec::new(), 0);
    for segment in &reading.segments {
        let at = from + reading.text.get(from..)?.find(&segment.text)?;
        from = at + segment.text.len();
        starts.push(if starts.is_empty() { 0 } else { at });
    }
    let ends = starts.iter().skip(1).copied().chain([reading.text.len()]);
    starts.iter().zip(ends).map(|(start, end)| reading.text.get(*start..end)).collect()
}

fn is_order(clause: &Clause) -> bool {
    matches!(clause.form, Form::Order | Form::Request | Form::Wish | Form::Ought)
}

/// Whether a clause asks about a thing; what is asked about doing something belongs to that.
fn is_question(clause: &Clause) -> bool {
    use Tag::{QAux, QCount, QExist, QHow, QWhat, QWhen, QWhere, QWhich, QWho, QWhy};
    match clause.form {
        Form::Question(QWhat | QWhy | QHow | QWhere | QWhich | QWho | QWhen | QCount) => true,
        Form::Question(QAux | QExist) => clause.marked,
        Form::Question(_)
        | Form::Request
        | Form::Order
        | Form::Wish
        | Form::Ought
        | Form::Complaint
        | Form::Statement
        | Form::Frame
        | Form::Empty => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::{Classifier, Message, Phase};

    fn turns(text: &str, phase: Phase) -> Option<[String; 2]> {
        let classifier = Classifier::builtin();
        let plan_active = phase != Phase::Idle;
        classifier.sequence(&classifier.read(&Message { text, phase, plan_active, ..Message::default() }))
    }

    #[test]
    fn an_order_and_a_question_that_stands_by_itself_are_two_turns() {
        for (text, first, second) in [
            ("fix the typo in README.md; what is Store?", "fix the typo in README.md", "what is Store?"),
            ("add a line to README.md. what is Store?", "add a line to README.md.", "what is Store?"),
            ("remove src/note.rs; what is Store?", "remove src/note.rs", "what is Store?"),
            ("what is Store? fix the typo in README.md", "what is Store?", "fix the typo in README.md"),
            ("where is Store? run the tests", "where is Store?", "run the tests"),
            (
                "where is Store defined? rename find_notes to search_notes",
                "where is Store defined?",
                "rename find_notes to search_notes",
            ),
            (
                "fix the typo in README.md\nhow many tests are there?",
                "fix the typo in README.md",
                "how many tests are there?",
            ),
            (
                "rename find_notes to search_notes. can you explain what Store is?",
                "rename find_notes to search_notes.",
                "can you explain what Store is?",
            ),
            (
                "Fix the typo in README.md. What is Store? Don't touch the tests.",
                "Fix the typo in README.md. Don't touch the tests.",
                "What is Store?",
            ),
            ("explain Store; fix the typo in README.md", "explain Store", "fix the typo in README.md"),
            (
                "explain Store and then fix the typo in README.md",
                "explain Store",
                "fix the typo in README.md",
            ),
            (
                "what is Store, and then fix the typo in README.md",
                "what is Store",
                "fix the typo in README.md",
            ),
            (
                "explain how the parser works, then rename find_notes to search_notes",
                "explain how the parser works",
                "rename find_notes to search_notes",
            ),
            (
                "describe src/store.rs. Then add a cache to src/notes.rs",
                "describe src/store.rs.",
                "Then add a cache to src/notes.rs",
            ),
        ] {
            let wanted = Some([first.to_owned(), second.to_owned()]);
            assert_eq!(turns(text, Phase::Idle), wanted, "{text}");
        }
        let beside = "also add a doc comment to the two methods; what is Store?";
        assert!(turns(beside, Phase::Executing).is_some());
    }

    #[test]
    fn a_question_that_belongs_to_the_order_stays_with_it() {
        for text in [
            "fix the parser, why is it broken?",
            "fix the parser. why is it broken?",
            "can you fix the parser? it is broken",
            "fix the typo. why?",
            "what is in src? the fact is 4711",
            "fix the typo. what does this do?",
            "add a cache. what about tests?",
            "add a cache. should we also add tests?",
            "add a cache. what did you change?",
            "is src/note.rs used? if not, remove src/note.rs",
            "is src/note.rs used anywhere? remove src/note.rs",
            "what is Store? rename it to Shelf",
            "How many callers are left? Delete src/store.rs when there are none",
            "Is the Store still used anywhere? otherwise remove src/store.rs",
            "Is Store unused? only then delete src/store.rs",
            "Is Store still used anywhere? rename src/store.rs to src/shelf.rs",
            "delete src/cache.rs. or is Store still using the cache?",
            "add a cache to src/store.rs. or is there a shelf in lib.rs?",
            "remove src/note.rs. is src/note.rs used anywhere?",
            "remove src/note.rs. is the Note type used anywhere?",
            "how many tests are there? delete src/store.rs",
            "are there any open connections? run the migration",
            "what is Store? fix the typo in README.md if there is one",
            "wird Store noch benutzt? sonst lösche src/store.rs",
            "Store est encore utilisé quelque part ? sinon supprime src/store.rs",
            "fix the typo in README.md. ok?",
            "fix the typo in README.md. does that work?",
            "what is Store? change nothing. fix the typo in README.md",
            "what is Store; where is Shelf?",
            "fix the typo in README.md; add a test",
            "Look at store.rs. Fix the bug you find.",
            "@explain fix the typo in README.md; what is Store?",
            "/plan fix the typo in README.md; what is Store?",
            "fix the typo in README.md. no wait, what is Store?",
            "explain the parser and then fix it",
            "explain why the test fails and then fix the test",
            "look at store.rs and then fix the bug you find",
            "fix the parser and then explain the change",
            "fix the parser; explain Store",
            "explain Store, then change nothing",
            "explain Store; otherwise fix the typo in README.md",
            "add a cache, then fix the typo in README.md",
            "explain Store without touching src/lib.rs and then fix the typo",
        ] {
            assert_eq!(turns(text, Phase::Idle), None, "{text}");
        }
    }
}
