//! Phrases of the lists at the beginning and at the end of a line, word by word and letter by letter.
//!
//! Owns how phrases are held against the words of a line. Never knows what they mean.

use super::{
    Classifier,
    text::{Doc, Kind, Token, fold},
    words::List,
};

/// Words of the longest phrase that is known.
const LONGEST: usize = 6;

/// The words of a line that are left to be read.
#[derive(Clone, Copy)]
pub(crate) struct Words<'a> {
    pub of: &'a Classifier,
    pub text: &'a str,
    pub tokens: &'a [Token],
}

impl<'a> Words<'a> {
    /// All of a line.
    pub(crate) fn of(of: &'a Classifier, text: &'a str, doc: &'a Doc) -> Self {
        Self { of, text, tokens: &doc.tokens }
    }

    pub(crate) fn from(self, at: usize) -> Self {
        Self { tokens: self.tokens.get(at..).unwrap_or_default(), ..self }
    }

    pub(crate) fn to(self, end: usize) -> Self {
        Self { tokens: self.tokens.get(..end).unwrap_or_default(), ..self }
    }

    /// How many words of a phrase of a list stand at the beginning.
    pub(crate) fn begins(self, list: List) -> Option<usize> {
        let word = |t: &Token| (t.kind == Kind::Word).then(|| t.text.clone());
        (1..=LONGEST).rev().find(|len| {
            let words: Option<Vec<String>> =
                self.tokens.get(..*len).and_then(|all| all.iter().map(word).collect());
            words.is_some_and(|words| self.of.tables().is(list, &words.join(" ")))
        })
    }

    /// Whether a mark ends the line that asks, and the line without what ends it.
    pub(crate) fn closed(self) -> (bool, Self) {
        let ends = |t: &Token| t.kind == Kind::Punct;
        let end = self.tokens.iter().rposition(|t| !ends(t)).map_or(0, |at| at + 1);
        let marks = self.tokens.get(end..).unwrap_or_default();
        (marks.iter().any(|t| t.text == "?"), self.to(end))
    }

    /// Where the longest phrase of a list begins that stands at the end, behind something else.
    pub(crate) fn ends(self, list: List) -> Option<usize> {
        let from = |len: usize| self.tokens.len().checked_sub(len).filter(|from| *from > 0);
        let tail = |len: usize| from(len).filter(|from| self.from(*from).begins(list) == Some(len));
        (1..=LONGEST).rev().find_map(tail)
    }

    /// Past every phrase of a list that stands at the beginning, with the marks behind each that do not ask; how many words
    /// the longest had.
    pub(crate) fn past(self, list: List) -> (usize, Self) {
        let (mut longest, mut rest) = (0, self);
        while let Some(len) = rest.begins(list) {
            longest = longest.max(len);
            rest = rest.from(len);
            let marks = rest.tokens.iter().take_while(|t| t.kind == Kind::Punct && t.text != "?").count();
            rest = rest.from(marks);
        }
        (longest, rest)
    }

    /// Whether a list holds all of it.
    pub(crate) fn is(self, list: List) -> bool {
        self.begins(list) == Some(self.tokens.len())
    }
}

/// The letters of a text, folded as those of the lists are, each with where it begins and ends.
fn letters(text: &str) -> impl DoubleEndedIterator<Item = (usize, usize, char)> {
    text.char_indices().filter_map(|(at, c)| Some((at, at + c.len_utf8(), folded(c)?)))
}

/// A letter as it is compared: without case, accents and apostrophes.
fn folded(c: char) -> Option<char> {
    fold(c).filter(|c| *c != '\'')
}

/// What of a text stands behind a phrase of a list with which it begins.
pub(crate) fn behind<'a>(text: &'a str, phrase: &str) -> Option<&'a str> {
    let mut said = letters(text);
    let mut end = 0;
    for wanted in phrase.chars().filter_map(folded) {
        let (_, to, _) = said.next().filter(|(.., c)| *c == wanted)?;
        end = to;
    }
    text.get(end..)
}

/// What of a text stands before a phrase of a list with which it ends.
pub(crate) fn before<'a>(text: &'a str, phrase: &str) -> Option<&'a str> {
    let mut said = letters(text).rev();
    let mut start = text.len();
    for wanted in phrase.chars().rev().filter_map(folded) {
        let (from, ..) = said.next().filter(|(.., c)| *c == wanted)?;
        start = from;
    }
    text.get(..start)
}
