//! Answers out of facts: which of them a question is about, and how they are told.
//!
//! Owns when a question is one that facts answer whole; every other is for a model.

use std::collections::BTreeSet;

use super::{Fact, FactSource, Facts, Mark, shortened};
use crate::intent::QuerySub;

/// Words of a question that say what is asked, and not of what.
const ASKING: &[&str] = &[
    "a",
    "about",
    "again",
    "all",
    "an",
    "and",
    "any",
    "are",
    "arrive",
    "as",
    "at",
    "be",
    "by",
    "calculate",
    "calculated",
    "came",
    "can",
    "come",
    "comes",
    "compute",
    "computed",
    "conclude",
    "could",
    "derive",
    "derived",
    "detail",
    "details",
    "determine",
    "determined",
    "did",
    "do",
    "does",
    "evidence",
    "exactly",
    "fact",
    "facts",
    "find",
    "found",
    "for",
    "from",
    "get",
    "give",
    "got",
    "has",
    "have",
    "how",
    "i",
    "in",
    "is",
    "it",
    "its",
    "know",
    "known",
    "list",
    "look",
    "looked",
    "makes",
    "me",
    "more",
    "of",
    "on",
    "our",
    "please",
    "prove",
    "proof",
    "say",
    "see",
    "set",
    "show",
    "so",
    "source",
    "sum",
    "summarise",
    "summarize",
    "summary",
    "sure",
    "tell",
    "that",
    "the",
    "there",
    "they",
    "think",
    "this",
    "to",
    "up",
    "us",
    "value",
    "values",
    "was",
    "we",
    "were",
    "what",
    "whats",
    "where",
    "which",
    "who",
    "why",
    "with",
    "would",
    "you",
    "your",
];

/// Facts that answer a question, by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Their names.
    pub names: Vec<String>,
}

impl Facts {
    /// The facts that answer a question whole: it names each, and speaks of nothing else.
    pub fn answering(&self, question: &str, sub: QuerySub) -> Option<Found> {
        let asked: BTreeSet<String> = content(question);
        if asked.is_empty() {
            return self.without_a_name(sub, question);
        }
        let names: Vec<&Fact> = self.iter().filter(|f| is_asked(f, &asked)).collect();
        let covered: BTreeSet<String> =
            names.iter().flat_map(|f| words(&f.name).chain(words(&f.value))).collect();
        let whole = !names.is_empty() && asked.is_subset(&covered);
        whole.then(|| Found { names: names.iter().map(|f| f.name.clone()).collect() })
    }

    fn without_a_name(&self, sub: QuerySub, question: &str) -> Option<Found> {
        let all = words(question).any(|w| w == "facts" || w == "known");
        let names: Vec<String> = match sub {
            QuerySub::Summary if all => self.iter().map(|f| f.name.clone()).collect(),
            QuerySub::Provenance | QuerySub::Detail => {
                self.spoken.iter().filter(|n| self.get(n).is_some()).cloned().collect()
            }
            QuerySub::Summary | QuerySub::Lookup => Vec::new(),
        };
        (!names.is_empty()).then_some(Found { names })
    }

    /// Facts whose name or value holds one of the words of a text, the most first; of those that are `wanted`.
    pub fn relevant(&self, text: &str, most: usize, wanted: impl Fn(&Fact) -> bool) -> Vec<&Fact> {
        let asked = content(text);
        let shares = |f: &Fact| {
            let own: BTreeSet<String> = words(&f.name).chain(words(&f.value)).collect();
            own.intersection(&asked).count()
        };
        let mut all: Vec<(usize, &Fact)> =
            self.iter().filter(|f| wanted(f)).map(|f| (shares(f), f)).collect();
        all.sort_by_key(|(n, f)| (std::cmp::Reverse(*n), std::cmp::Reverse(f.at)));
        all.into_iter().take(most).map(|(_, f)| f).collect()
    }

    /// Facts that hold a word in their name, value or source; all where there is none.
    pub fn holding(&self, word: &str) -> Vec<&Fact> {
        let word = word.to_lowercase();
        let holds = |f: &&Fact| {
            let all = [f.name.as_str(), f.value.as_str(), &f.source.words()].join("\n").to_lowercase();
            all.contains(&word)
        };
        self.iter().filter(holds).collect()
    }

    /// A fact in one line: name, value, where it comes from, whether that was seen and still stands.
    pub fn line(&self, fact: &Fact) -> String {
        self.line_within(fact, usize::MAX)
    }

    /// As [`Facts::line`], where name, value and source have at most so many characters together.
    pub fn line_within(&self, fact: &Fact, most: usize) -> String {
        let because = match fact.because.as_slice() {
            [] => String::new(),
            names => format!(", from {}", names.join(", ")),
        };
        // How a command ended is called by its line already.
        let by_itself = matches!(&fact.source, FactSource::Command { command, text, .. }
            if text.is_empty() && *command == fact.name);
        let source = if by_itself {
            String::new()
        } else {
            format!("{}{because}; ", shortened(&fact.source.words(), most / 2))
        };
        let value =
            shortened(&format!("{}: {}", fact.name, fact.value), most - source.chars().count().min(most / 2));
        format!("{value} ({source}{})", self.standing(fact))
    }

    fn standing(&self, fact: &Fact) -> String {
        match self.stale(&fact.name) {
            Some(why) => format!("stale: {why}"),
            None if self.is_proven(&fact.name) && fact.source == FactSource::Derived => {
                "what it follows from is checked; that it follows is not".to_owned()
            }
            None if self.is_proven(&fact.name) => "checked".to_owned(),
            None => "not checked".to_owned(),
        }
    }

    /// What is answered: the facts and, where that is asked, the chain below each.
    pub fn told(&self, names: &[String], sub: QuerySub) -> String {
        let mut lines = Vec::new();
        for fact in names.iter().filter_map(|n| self.get(n)) {
            match sub {
                QuerySub::Lookup | QuerySub::Summary => lines.push(self.line(fact)),
                QuerySub::Provenance | QuerySub::Detail => self.chain(fact, 0, &mut lines),
            }
        }
        lines.join("\n")
    }

    fn chain(&self, fact: &Fact, depth: usize, lines: &mut Vec<String>) {
        lines.push(format!("{}{}", "  ".repeat(depth), self.line(fact)));
        if let FactSource::File { hash, .. } = &fact.source {
            lines.push(format!("{}  the file as of {}", "  ".repeat(depth), hash.short(12)));
        }
        if depth < 8 {
            for below in fact.because.iter().filter_map(|b| self.get(b)) {
                self.chain(below, depth + 1, lines);
            }
        }
    }
}

/// An answer with each mark beside its line.
pub fn marked(answer: &str, marks: &[Mark]) -> String {
    let lines = answer.lines().enumerate().map(|(n, line)| {
        let mine = marks.iter().filter(|m| m.line == n + 1).map(|m| format!("  ⚠ not proven: {}", m.why));
        format!("{line}{}", mine.collect::<String>())
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The words of a text that say what it is about.
pub(crate) fn content(text: &str) -> BTreeSet<String> {
    content_words(text).collect()
}

fn content_words(text: &str) -> impl Iterator<Item = String> {
    words(text).filter(|w| !ASKING.contains(&w.as_str()))
}

/// The words of a text, in small letters.
pub(super) fn words(text: &str) -> impl Iterator<Item = String> {
    let spaced = text.replace(['\'', '’'], "").to_lowercase();
    let parts: Vec<String> =
        spaced.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).map(str::to_owned).collect();
    parts.into_iter()
}

/// Whether a text names what is called so: all words of the name, one behind the other.
pub fn is_named(name: &str, text: &str) -> bool {
    let (name, all): (Vec<String>, Vec<String>) = (words(name).collect(), words(text).collect());
    !name.is_empty() && all.windows(name.len()).any(|some| some == name)
}

/// Whether a question names all of a fact's name.
fn is_asked(fact: &Fact, asked: &BTreeSet<String>) -> bool {
    let mut name = content_words(&fact.name).peekable();
    name.peek().is_some() && name.all(|w| asked.contains(&w))
}
