//! Short lines that go on with the last message: "same for stringify", "now the docs", "still failing", "shorter".
//!
//! Owns which lines only say what is different from the last one, and that the last one says what is to be done with it: an
//! order goes on as an order, a question as a question. Never reads a line that says by itself what it wants.

use super::{
    Classifier, IntentPath,
    node::IntentNode,
    phrase::Words,
    reading::{Last, Message, Reading},
    text::{self, Kind, Token},
    turn::{Phase, Turn},
    words::List,
};
use crate::scope::Capability;

/// Most words of the thing that such a line names.
const LONGEST_THING: usize = 5;
/// How sure a line is that the last message explains.
const CONTINUES: f32 = 0.85;

/// What a line says about the last message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Said {
    /// The same, for this: "same for stringify", "now the docs".
    Also,
    /// What it came to is not enough: "you forgot the changelog", "still failing".
    Lacks,
    /// What was offered, of it: "both", "the first one".
    Picks,
    /// How it is to be told: "shorter", "in German".
    Form,
}

impl Classifier {
    /// A line that only says what is different from the last message is read as that was. What is read for sure stays so,
    /// nothing is an order that was a question, and none goes further than to change files.
    pub(super) fn continued(&self, mut reading: Reading, m: &Message<'_>) -> Reading {
        let Some(last) = m.last.filter(|_| m.phase == Phase::Idle && !reading.forbids_change) else {
            return reading;
        };
        if reading.segments.len() > 1 || !self.unsure(&reading) {
            return reading;
        }
        let Some((said, asks)) = self.said_of_last(&reading.text) else { return reading };
        let Some((turn, node)) = goes_on(said, asks, last, m.context) else { return reading };
        let whole = &mut reading.whole;
        (whole.turn, whole.path) = (turn, IntentPath::to(node));
        whole.confidence = whole.confidence.max(CONTINUES);
        whole.scope_confidence = whole.scope_confidence.max(CONTINUES);
        whole.reasoning.push_str("; goes on with the last message");
        reading.clarify = None;
        if let [only] = reading.segments.as_mut_slice() {
            only.class = reading.whole.clone();
        }
        reading
    }

    /// What a whole line says about the last message, and whether it asks.
    fn said_of_last(&self, line: &str) -> Option<(Said, bool)> {
        let doc = text::tokenize(line);
        let (asks, rest) = Words::of(self, line, &doc).closed();
        let rest = rest.plain();
        Some((rest.said()?, asks))
    }
}

/// What a line is, and how far it goes, by what the last message was.
fn goes_on(said: Said, asks: bool, last: Last, context: &[String]) -> Option<(Turn, IntentNode)> {
    let acts = |c| last.node.scope().allows(c);
    if asks {
        return (said != Said::Form).then_some((Turn::Query(None), IntentNode::Explain));
    }
    let offered = || context.last().is_some_and(|line| line.contains('?'));
    match said {
        Said::Picks if !offered() => None,
        Said::Also | Said::Lacks | Said::Picks if last.order => (acts(Capability::Write)
            && !acts(Capability::Delete))
        .then_some((Turn::PlanNew(None), IntentNode::Modify)),
        Said::Also | Said::Picks | Said::Form if !last.order => {
            let node = if acts(Capability::Execute) { IntentNode::Explain } else { last.node };
            Some((Turn::Query(None), node))
        }
        Said::Also | Said::Lacks | Said::Picks | Said::Form => None,
    }
}

impl Words<'_> {
    /// Without what is said for politeness around it.
    fn plain(self) -> Self {
        let said = self.past(List::FollowLead).1;
        let comma = said.tokens.last().is_some_and(|t| t.kind == Kind::Punct && t.text == ",");
        let rest = said.to(said.tokens.len() - usize::from(comma));
        rest.ends(List::FollowTail).map_or(rest, |from| rest.to(from).plain())
    }

    fn said(self) -> Option<Said> {
        for (list, said) in [
            (List::FollowFailed, Said::Lacks),
            (List::FollowPick, Said::Picks),
            (List::FollowForm, Said::Form),
        ] {
            if self.is(list) {
                return Some(said);
            }
        }
        if self.begins(List::FollowIn).is_some_and(|len| self.from(len).is(List::FollowTongue)) {
            return Some(Said::Form);
        }
        if let Some(len) = self.begins(List::FollowFor) {
            return self.from(len).is_thing(false).then_some(Said::Also);
        }
        if let Some(len) = self.begins(List::FollowForgot) {
            return self.from(len).is_thing(false).then_some(Said::Lacks);
        }
        if let Some(from) = self.ends(List::FollowLacks) {
            return self.to(from).is_thing(true).then_some(Said::Lacks);
        }
        if let Some(from) = self.ends(List::FollowToo) {
            return self.to(from).is_thing(true).then_some(Said::Also);
        }
        let len = self.begins(List::FollowNext)?;
        self.from(len).is_thing(true).then_some(Said::Also)
    }

    /// Whether it names a thing and says nothing of it; `plainly` by its article or as code is named.
    fn is_thing(self, plainly: bool) -> bool {
        let named = |t: &Token| matches!(t.kind, Kind::File | Kind::Path | Kind::Ident | Kind::Tick);
        let word = |t: &Token| t.kind == Kind::Word && !self.of.tables().is(List::FollowNot, &t.text);
        if self.is(List::UndoAll) {
            return true;
        }
        let articles = self.begins(List::FollowThe).unwrap_or(0);
        let rest = self.from(articles).tokens;
        let said = articles > 0 || !plainly || matches!(rest, [one] if named(one));
        said && !rest.is_empty() && rest.len() <= LONGEST_THING && rest.iter().all(|t| named(t) || word(t))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::turn::QuerySub;

    const SAID: [&str; 2] = [
        "fix the parser so that it takes empty lists",
        "Done. Shall I mention it in the docs or the changelog?",
    ];

    fn read(line: &str, last: Option<Last>) -> (bool, Turn, IntentNode) {
        let context = SAID.map(str::to_owned);
        let of = Classifier::builtin();
        let reading = of.read(&Message { text: line, context: &context, last, ..Message::default() });
        (of.unsure(&reading), reading.whole.turn.clone(), reading.whole.path.current())
    }

    const ORDER: Option<Last> = Some(Last { order: true, node: IntentNode::Modify });
    const QUESTION: Option<Last> = Some(Last { order: false, node: IntentNode::Read });

    #[test]
    fn what_only_says_what_is_different_goes_on_as_the_last_message_was() {
        for line in [
            "same for stringify",
            "do the same in lib/utils.js",
            "do that for all of them",
            "now the docs",
            "and the tests",
            "the tests too",
            "dasselbe für stringify",
            "both",
            "the first one",
        ] {
            assert!(read(line, None).0, "{line}: asked about");
            assert_eq!(read(line, ORDER), (false, Turn::PlanNew(None), IntentNode::Modify), "{line}");
            assert_eq!(read(line, QUESTION), (false, Turn::Query(None), IntentNode::Read), "{line}");
        }
        for line in
            ["you forgot the changelog", "the changelog is missing", "still failing", "nope, same error"]
        {
            assert_eq!(read(line, ORDER), (false, Turn::PlanNew(None), IntentNode::Modify), "{line}");
            assert!(read(line, QUESTION).0, "{line}: what it means for an answer is asked");
        }
        for line in ["in German please", "shorter", "as a table"] {
            assert!(read(line, ORDER).0, "{line}: of what was written or of what was said is asked");
            assert_eq!(read(line, QUESTION), (false, Turn::Query(None), IntentNode::Read), "{line}");
        }
    }

    #[test]
    fn nothing_becomes_an_order_that_was_none_and_what_says_what_it_wants_is_left_alone() {
        for line in ["and the tests?", "same for stringify?", "now the docs?"] {
            let (unsure, turn, node) = read(line, ORDER);
            assert!(!unsure && matches!(turn, Turn::Query(_)), "{line}: a question stays one");
            assert_eq!(node, IntentNode::Explain, "{line}");
        }
        // Neither a removal nor a command goes on by a hint, and no order that nothing came of.
        for node in [IntentNode::Delete, IntentNode::Execute] {
            for line in ["same for stringify", "now the docs"] {
                assert!(read(line, Some(Last { order: true, node })).0, "{line} after {node}");
            }
        }
        for line in [
            "the tests are slow",
            "both tests pass now",
            "you forgot nothing",
            "the docs look good",
            "now",
            "stringify is fine",
        ] {
            for last in [ORDER, QUESTION] {
                assert_eq!(read(line, last), read(line, None), "{line}");
            }
        }
        // What forbids goes on with nothing.
        let (_, turn, _) = read("same for stringify, but change nothing", ORDER);
        assert!(matches!(turn, Turn::Query(_)), "{turn:?}");
        // Without a choice that was offered there is none to make.
        let context = ["fix the parser".to_owned(), "Done.".to_owned()];
        let of = Classifier::builtin();
        assert!(of.unsure(&of.read(&Message {
            text: "both",
            context: &context,
            last: ORDER,
            ..Message::default()
        })));
        let detail = of.read(&Message { text: "more detail", last: ORDER, ..Message::default() });
        assert_eq!(detail.whole.turn, Turn::Query(Some(QuerySub::Detail)), "what is read for sure stays");
    }
}
