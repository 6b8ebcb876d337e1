//! What a message says that outlasts its turn: questions about what a session did, and rules that are to hold from now on.
//!
//! Owns these two readings. Never answers, and never keeps anything: the session does.

use super::{
    Classifier,
    parts::Tables,
    phrase::Words,
    text::{self, Kind, fold},
    words::List,
};

/// Fewer words say no rule.
const LEAST_WORDS: usize = 3;

/// What a question about the session itself is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Recorded {
    /// What was changed.
    Changes,
    /// What was not taken.
    Left,
    /// What failed, and why.
    Failure,
    /// How its gates stand.
    Gates,
    /// Which commands ran.
    Commands,
    /// All of it.
    All,
    /// What it was about, and what of that is open.
    Thread,
}

/// A question that the record of a session answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordQuestion {
    /// What it is about.
    pub about: Recorded,
    /// Names of files that it asks for alone.
    pub names: Vec<String>,
    /// Whether it asks to know closely.
    pub closely: bool,
    /// Whether it names the user or the agent: then nothing is an answer too.
    pub of_us: bool,
}

impl Classifier {
    /// The question about what the session did that a text is, if it asks for nothing else.
    pub fn asks_record(&self, text: &str) -> Option<RecordQuestion> {
        let known = self.tables();
        let doc = text::tokenize(text);
        let (mut words, mut names) = (Vec::new(), Vec::new());
        for token in doc.tokens.iter().filter(|t| t.kind != Kind::Punct) {
            let named = matches!(token.kind, Kind::File | Kind::Path | Kind::Ident | Kind::Tick);
            if named {
                names.extend(text.get(token.start..token.end).map(|n| n.trim_matches('`').to_owned()));
            } else {
                let bare = token.text.split(['\'', '’', '-']).filter(|w| !w.is_empty());
                words.extend(bare.map(str::to_owned));
            }
        }
        let thread = Words::of(self, text, &doc).asks_thread().then_some(Recorded::Thread);
        let about = thread.or_else(|| about(&words, known))?;
        let any = |list| words.iter().any(|w| known.is(list, w));
        let closely = any(List::ToldClose);
        Some(RecordQuestion { about, names, closely, of_us: any(List::ToldWho) })
    }

    /// The sentence of a message that is to hold from now on, as it is kept: "always use tabs".
    pub fn standing_rule(&self, text: &str) -> Option<String> {
        sentences(text).find_map(|sentence| rule(sentence, self.tables()))
    }
}

impl Words<'_> {
    /// Whether a whole line asks where the session was left: "where were we?", "ok, remind me what we did yesterday".
    fn asks_thread(self) -> bool {
        let marks = self.tokens.iter().take_while(|t| t.kind == Kind::Punct).count();
        let mut rest = self.from(marks).past(List::RecapLead).1.closed().1;
        // "now" leads and ends.
        while let Some(from) = rest.ends(List::RecapTail).filter(|_| !rest.is(List::Recap)) {
            rest = rest.to(from).closed().1;
        }
        rest.is(List::Recap)
    }
}

/// What words ask for, where every one of them is known.
fn about(words: &[String], known: &Tables) -> Option<Recorded> {
    use List::{
        Not, ToldAbout, ToldAll, ToldChange, ToldClose, ToldFail, ToldGate, ToldLeft, ToldPast, ToldRan,
        ToldTake,
    };
    let any = |list| words.iter().any(|w| known.is(list, w));
    let topics = [ToldChange, ToldLeft, ToldTake, ToldFail, ToldGate, ToldRan, ToldAll];
    let told = |w: &String| {
        let other = [ToldPast, ToldAbout, ToldClose, Not];
        topics.iter().chain(&other).any(|list| known.is(*list, w))
    };
    if !any(ToldPast) || !words.iter().all(told) {
        return None;
    }
    let why = words.iter().any(|w| matches!(w.as_str(), "why" | "warum" | "wieso" | "pourquoi" | "perche"))
        || words.windows(2).any(|w| matches!(w, [a, b] if a == "por" && b == "que"));
    let asked_of = any(List::ToldWho) || any(ToldTake);
    let left = (any(ToldLeft) && asked_of) || (any(ToldTake) && any(Not));
    let (fails, gates) = (any(ToldFail), any(ToldGate));
    match (left, fails, gates) {
        (true, false, false) if !why => Some(Recorded::Left),
        (false, true, _) if why || !gates => Some(Recorded::Failure),
        _ if why || left || any(Not) => None,
        (_, _, true) => Some(Recorded::Gates),
        _ if any(ToldChange) || any(ToldTake) => Some(Recorded::Changes),
        _ if any(ToldRan) => Some(Recorded::Commands),
        _ => any(ToldAll).then_some(Recorded::All),
    }
}

/// A rule that a sentence says, without what only introduces it.
fn rule(sentence: &str, known: &Tables) -> Option<String> {
    if sentence.ends_with(['?', '？']) {
        return None;
    }
    let words: Vec<(String, usize)> = spaced(sentence);
    let lead = words.iter().take_while(|(w, _)| known.is(List::RuleLead, w)).count();
    let said = words.get(lead..).filter(|w| w.len() >= LEAST_WORDS)?;
    let heads = |list: List| known.words.list(list).iter().filter_map(|p| begins(said, p)).max();
    let from = if let Some(n) = heads(List::RuleNote) {
        said.get(n..).filter(|rest| rest.len() >= LEAST_WORDS - 1)?.first()?.1
    } else if heads(List::RuleHead).is_some() || orders_always(said, known) {
        said.first()?.1
    } else {
        return None;
    };
    let kept = sentence.get(from..)?.trim().trim_end_matches(['.', '!']).trim();
    let mut letters = kept.chars();
    let first = letters.next()?;
    Some(first.to_uppercase().chain(letters).collect())
}

/// Whether it is "always" or "never" with an order behind it: what only tells of a habit or a fault is none.
fn orders_always(said: &[(String, usize)], known: &Tables) -> bool {
    let [(first, _), (next, _), ..] = said else { return false };
    let english = matches!(first.as_str(), "always" | "never");
    let tells = english && (next.ends_with("ed") || (next.ends_with('s') && !next.ends_with("ss")));
    known.is(List::RuleAlways, first) && !known.is(List::RuleNot, next) && !tells
}

/// How many words a phrase takes at the beginning of others.
fn begins(said: &[(String, usize)], phrase: &str) -> Option<usize> {
    let phrase: Vec<&str> = phrase.split(' ').collect();
    let begins = phrase.len() <= said.len() && phrase.iter().zip(said).all(|(p, (w, _))| p == w);
    begins.then_some(phrase.len())
}

/// The words of a sentence, folded, with where each begins.
fn spaced(sentence: &str) -> Vec<(String, usize)> {
    let mut words: Vec<(String, usize)> = Vec::new();
    let mut inside = false;
    for (at, c) in sentence.char_indices() {
        let part = c.is_alphanumeric();
        match (part, inside, words.last_mut()) {
            (true, true, Some((word, _))) => word.extend(fold(c)),
            (true, ..) => words.push((fold(c).into_iter().collect(), at)),
            (false, ..) => {}
        }
        inside = part;
    }
    words
}

/// The sentences of a text: a mark ends one where a blank or nothing follows.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut after = text.chars().skip(1).chain(std::iter::once(' '));
    let ends = move |c: char| {
        let next = after.next().unwrap_or(' ');
        c == '\n' || (matches!(c, '.' | '!' | '?' | ';' | '？') && next.is_whitespace())
    };
    text.split_inclusive(ends).map(str::trim).filter(|s| !s.is_empty())
}

#[cfg(test)]
mod tests;
