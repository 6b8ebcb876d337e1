//! What a message says is to be left alone: files by name, and whole kinds of them.
//!
//! Owns the grammar of that: "don't touch", "leave … alone", "only X, not the tests", "no test changes", "hands off". Never decides what is such a file:
//! the session does.

mod freed;
mod gone;
mod kept;
mod stays;
mod wished;

pub(crate) use gone::removes;
pub(crate) use kept::{keeps, names_only};

use std::borrow::Cow;

use pilothouse_shell::FileKind;

use super::{
    Classifier,
    parts::Tables,
    text::{self, Kind, Token},
    words::List,
};

/// The words that mean a kind.
const fn list_of(kind: FileKind) -> List {
    match kind {
        FileKind::Tests => List::SpareTests,
        FileKind::Docs => List::SpareDocs,
        FileKind::Config => List::SpareConfig,
        FileKind::Locks => List::SpareLocks,
    }
}

/// A clause in which something is looked for that is to be left alone.
struct Reader<'a> {
    known: &'a Tables,
    text: &'a str,
    tokens: &'a [Token],
    /// What follows the mark that ends it.
    rest: &'a [Token],
    /// Whether a question mark ends it.
    asks: bool,
}

impl Classifier {
    /// The files that a message says are not to be touched, as it names them, and the kinds of files by the name of the
    /// kind: "do not touch README.md", "leave the tests alone".
    pub fn spares(&self, text: &str) -> Vec<String> {
        self.named_by(text, |reader| reader.left_alone().into_iter().chain(reader.left_of()).collect())
    }

    /// The files and folders that a message names by their names: "README.md", "src/a.rs".
    pub fn files(&self, text: &str) -> Vec<String> {
        let named =
            text::tokenize(text).tokens.into_iter().filter(|t| matches!(t.kind, Kind::File | Kind::Path));
        named
            .filter_map(|t| text.get(t.start..t.end))
            .map(|n| n.trim_start_matches("./").to_owned())
            .collect()
    }

    fn named_by(&self, text: &str, names: impl Fn(&Reader<'_>) -> Vec<String>) -> Vec<String> {
        let doc = text::tokenize(text);
        let mut out: Vec<String> = Vec::new();
        for name in clauses(text, &doc.tokens, self.tables()).flat_map(|reader| names(&reader)) {
            let name = name.trim_start_matches("./").to_owned();
            if !out.contains(&name) {
                out.push(name);
            }
        }
        out
    }
}

/// The clauses of a text, each with what follows it.
fn clauses<'a>(text: &'a str, tokens: &'a [Token], known: &'a Tables) -> impl Iterator<Item = Reader<'a>> {
    let mut left = tokens;
    std::iter::from_fn(move || {
        let end = left.iter().position(ends_clause).unwrap_or(left.len());
        let (tokens, behind) = left.split_at_checked(end).filter(|_| !left.is_empty())?;
        let asks = behind.first().is_some_and(|mark| mark.text == "?");
        left = behind.get(1..).unwrap_or_default();
        Some(Reader { known, text, tokens, rest: left, asks })
    })
}

impl Classifier {
    /// Whether a message negates anything; a "no" at its beginning answers.
    pub fn negates(&self, text: &str) -> bool {
        let doc = text::tokenize(text);
        let not =
            |t: &Token| self.tables().is(List::ForbidNot, &t.text) || self.tables().is(List::Not, &t.text);
        doc.tokens.iter().skip(1).any(not)
    }
}

fn ends_clause(token: &Token) -> bool {
    token.kind == Kind::Punct && token.text != ","
}

impl Reader<'_> {
    /// What it says is to be left alone, and does not order removed in the same breath.
    fn left_alone(&self) -> Vec<String> {
        let names = self.kept_by_word();
        if self.removes(&names) { Vec::new() } else { names }
    }

    /// Whether any word may say so: most clauses have none, and need not be read for it.
    fn may_keep(&self) -> bool {
        self.tokens.iter().any(|t| t.kind == Kind::Word && self.known.words.may_keep(&t.text))
    }

    fn kept_by_word(&self) -> Vec<String> {
        if !self.may_keep() {
            return Vec::new();
        }
        let told = self.forbidden().into_iter().chain(self.left()).chain(self.kept_from());
        told.chain(self.staying()).chain(self.unwanted()).collect()
    }

    fn word(&self, at: usize) -> &str {
        self.tokens.get(at).filter(|t| t.kind == Kind::Word).map_or("", |t| &t.text)
    }

    fn is(&self, at: usize, list: List) -> bool {
        self.known.is(list, self.word(at))
    }

    fn stem(&self, at: usize, list: List) -> bool {
        let word = self.word(at);
        self.known.words.list(list).iter().any(|stem| word.starts_with(&**stem))
    }

    /// What a token names as a file.
    fn file(&self, at: usize) -> Option<&str> {
        let token = self.tokens.get(at)?;
        let said = self.text.get(token.start..token.end)?;
        match token.kind {
            Kind::File | Kind::Path => Some(said),
            Kind::Tick | Kind::Quote => Some(said.trim_matches(['`', '"', '\'', '“', '”'])),
            Kind::Word | Kind::Ident if self.is_capital(said) || self.is(at, List::SpareNames) => Some(said),
            Kind::Word
            | Kind::Cjk
            | Kind::Number
            | Kind::Url
            | Kind::Ident
            | Kind::Code
            | Kind::Flag
            | Kind::Punct => None,
        }
    }

    /// The kind of files that words name, and how many words.
    fn kind(&self, at: usize) -> Option<(FileKind, usize)> {
        let several = |len: usize| Some((self.kind_of(&self.words(at, len)?)?, len));
        let each = || at.checked_sub(1).is_some_and(|before| self.is(before, List::SpareEach));
        let each = || each() || at > 1 && self.is(at - 1, List::SpareNow) && self.is(at - 2, List::SpareEach);
        (1..=3).rev().find_map(several).or_else(|| Some((self.kind_of_one(at).filter(|_| each())?, 1)))
    }

    fn kind_of(&self, words: &str) -> Option<FileKind> {
        FileKind::ALL.into_iter().find(|kind| self.known.is(list_of(*kind), words))
    }

    /// The kind that one thing of it names: "every test", "no doc changes".
    fn kind_of_one(&self, at: usize) -> Option<FileKind> {
        let word = self.word(at);
        self.kind_of(word).or_else(|| self.kind_of(&format!("{word}s"))).filter(|_| !word.is_empty())
    }

    /// So many words as one phrase, where each of them is a word.
    fn words(&self, at: usize, len: usize) -> Option<Cow<'_, str>> {
        if len == 1 {
            return Some(Cow::Borrowed(self.word(at)));
        }
        let mut phrase = String::new();
        for at in at..at + len {
            let word = Some(self.word(at)).filter(|word| !word.is_empty())?;
            if !phrase.is_empty() {
                phrase.push(' ');
            }
            phrase.push_str(word);
        }
        Some(Cow::Owned(phrase))
    }

    /// How many words of a phrase of a list stand there.
    fn phrase(&self, at: usize, list: List) -> Option<usize> {
        (1..=3).rev().find(|len| self.words(at, *len).is_some_and(|words| self.known.is(list, &words)))
    }

    fn ties(&self, at: usize) -> bool {
        // "of" is a Dutch "or".
        let or = self.is(at, List::Or) && !self.is(at, List::SpareBefore);
        self.is(at, List::Tie) || or || self.is_comma(at)
    }

    fn is_comma(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|t| t.kind == Kind::Punct)
    }

    fn named(&self, at: usize) -> Option<(String, usize)> {
        let kind = self.kind(at).map(|(kind, len)| (kind.name().to_owned(), len));
        kind.or_else(|| self.file(at).map(|file| (file.to_owned(), 1)))
    }

    /// Whether a word is written in capitals, as files like README and LICENSE are named; where all of a message is, that
    /// says nothing.
    fn is_capital(&self, word: &str) -> bool {
        let shouts = !self.text.contains(char::is_lowercase);
        !shouts && word.len() > 3 && word.chars().all(|c| c.is_ascii_uppercase() || c == '_')
    }

    /// Past "anything in", "any file of", where that opens what is named.
    fn past_inside(&self, from: usize) -> usize {
        let opens = |at: &usize| self.is(*at, List::SpareAny) || self.is(*at, List::SpareBefore);
        let at = (from..self.tokens.len()).find(|at| !opens(at)).unwrap_or(from);
        if at > from && self.is(at, List::SpareInside) { at + 1 } else { from }
    }

    fn past_articles(&self, at: usize) -> usize {
        let narrows = |at: &usize| !self.is(*at, List::SpareBefore) && !self.is(*at, List::SpareNow);
        (at..self.tokens.len()).find(narrows).unwrap_or(self.tokens.len())
    }

    /// Files and kinds that stand right there, tied to each other, and where they end.
    fn object(&self, from: usize) -> (Vec<String>, usize) {
        let (mut names, mut at) = (Vec::new(), self.past_inside(from));
        while let Some((name, len)) = self.named(self.past_articles(at)) {
            names.push(name);
            at = self.past_articles(at) + len;
            let next = self.past_articles(at + 1);
            if !self.ties(at) || self.named(next).is_none() {
                break;
            }
            at += 1;
        }
        (names, at)
    }

    /// Past what stands before how something stays: "exactly as", ", so wie", "the way".
    fn past_so(&self, at: usize) -> usize {
        let so = |at: &usize| self.is(*at, List::SpareSo) || self.is_comma(*at);
        (at..self.tokens.len()).find(|at| !so(at)).unwrap_or(self.tokens.len())
    }

    /// Past what only stresses: "the tests themselves", "… at all", "… please".
    fn past_stress(&self, at: usize) -> usize {
        let stress = self.phrase(at, List::SpareStress);
        stress.map_or(at, |len| self.past_stress(at + len))
    }

    /// Whether what was named is all of it: nothing follows that narrows it ("the tests of the parser", "… by hand"). A
    /// reason, a time or a condition does not ("… because they are right", "… until I say so").
    fn ends(&self, at: usize) -> bool {
        let at = self.past_stress(at);
        at >= self.tokens.len() || self.ties(at) || self.is(at, List::But) || self.is(at, List::SpareClose)
    }

    /// "don't touch a.rs and b.rs", "without changing the tests"; where the verb comes last, "die Tests nicht anfassen".
    fn forbidden(&self) -> Vec<String> {
        let mut out = Vec::new();
        for at in 1..self.tokens.len() {
            // Of a kind only what changes it counts: "don't run the tests" leaves them as open as before.
            let changes = self.is(at, List::Touch) || self.stem(at, List::SpareStem);
            let verbs = self.past_verbs(at);
            let (names, end) = self.object(verbs + usize::from(self.word(verbs) == "pas"));
            if changes && self.negates(at - 1) && self.ends(end) {
                out.extend(names);
            }
        }
        for at in 0..self.tokens.len() {
            out.extend(self.verb_last(at));
            out.extend(self.verb_first(at));
        }
        out
    }

    /// "die Tests nicht anfassen", "ohne die Tests zu ändern".
    fn verb_last(&self, at: usize) -> Vec<String> {
        let asked = self.asks && self.is(0, List::SpareWhy);
        let without = self.is(at, List::SpareWithout);
        let (names, end) = self.object(at + usize::from(without));
        let end = if self.not_at(end).is_some() { end } else { self.past_stress(end) };
        let not = self.not_at(end).is_some() || without || self.led(at);
        let verb = (end..end + 4).find(|at| self.is(*at, List::SpareLast));
        let over = |verb: usize| self.ends(verb + 1 + usize::from(self.is(verb + 1, List::SparePassive)));
        verb.filter(|verb| not && !asked && over(*verb)).map_or_else(Vec::new, |_| names)
    }

    /// "fass die Tests nicht an", "ändere die Tests bitte nicht".
    fn verb_first(&self, at: usize) -> Vec<String> {
        if !self.is(at, List::SpareFirst) {
            return Vec::new();
        }
        let (names, end) = self.object(at + 1);
        let Some(not) = self.not_at(end).or_else(|| self.not_at(self.past_stress(end))) else {
            return Vec::new();
        };
        let behind = not + usize::from(self.is(not, List::SpareParticle));
        if self.ends(behind) { names } else { Vec::new() }
    }

    /// The end of a negation behind what is named.
    fn not_at(&self, at: usize) -> Option<usize> {
        let never = || self.phrase(at, List::SpareNever).map(|len| at + len);
        self.is(at, List::SpareNot).then_some(at + 1).or_else(never)
    }

    /// "hands off the tests", "no test changes", "only change src, not the tests".
    fn kept_from(&self) -> Vec<String> {
        let mut out = Vec::new();
        for at in 0..self.tokens.len() {
            let off = || self.phrase(at, List::SpareOut).filter(|_| self.opens(at));
            if let Some(len) = self.phrase(at, List::SpareOff).or_else(off) {
                let (names, end) = self.object(at + len);
                out.extend(names.into_iter().filter(|_| self.ends(end)));
            }
            out.extend(self.no_change(at));
            out.extend(self.contrasted(at));
        }
        out
    }

    /// "no test changes", "with no changes to the docs", "keine Änderungen an den Tests"; of "no test changes the data" and
    /// "there were no test changes" it is told.
    fn no_change(&self, at: usize) -> Vec<String> {
        let shall =
            |be: usize| self.is(be, List::SparePassive) && be > 0 && self.is(be - 1, List::SpareModal);
        let opens = || {
            at == 0
                || self.ties(at - 1)
                || self.is(at - 1, List::But)
                || self.is(at - 1, List::SpareMake)
                || shall(at - 1)
        };
        if !self.is(at, List::Not) || !(self.is(at, List::ForbidNot) && self.word(at) == "without" || opens())
        {
            return Vec::new();
        }
        let first = self.past_articles(at + 1 + usize::from(self.is(at + 1, List::SpareMore)));
        if let Some(kind) = self.kind_of_one(first).filter(|_| self.is(first + 1, List::SpareNoun)) {
            return if self.ends(first + 2) { vec![kind.name().to_owned()] } else { Vec::new() };
        }
        let of = first + 1 + usize::from(self.is(first + 1, List::SpareMore));
        if !self.is(first, List::SpareNoun) || !self.is(of, List::SpareNounOf) {
            return Vec::new();
        }
        let (names, end) = self.object(of + 1);
        if self.ends(end) { names } else { Vec::new() }
    }

    /// "only change src, not the tests", "fix it in the code and not in the tests": what is changed is one thing, and not
    /// the other. "run the linter, not the tests" spares nothing, and neither does a question.
    fn contrasted(&self, at: usize) -> Vec<String> {
        let apart =
            at > 1 && (self.is_comma(at - 1) || self.is(at - 1, List::But) || self.is(at - 1, List::Tie));
        let not = (self.is(at, List::SpareNot) || self.word(at) == "not") && !self.is(at, List::SpareEach);
        if self.asks || !apart || !not || !self.changes_before(at) {
            return Vec::new();
        }
        let (names, end) = self.object(at + 1 + usize::from(self.is(at + 1, List::SpareNotIn)));
        if self.ends(end) { names } else { Vec::new() }
    }

    /// Whether what stands before is an order to change something, or names the only thing that may be changed.
    fn changes_before(&self, end: usize) -> bool {
        let orders = |at: usize| {
            let told = |word: &str| ["ed", "s"].iter().any(|end| word.ends_with(end));
            let noun = at > 0
                && (self.is(at - 1, List::Article)
                    || self.is(at - 1, List::Preposition) && self.word(at - 1) != "to");
            let verb =
                self.stem(at, List::SpareStem) && !told(self.word(at)) || self.is(at, List::SpareFirst);
            verb && !noun
        };
        let only = || {
            self.is(0, List::SpareOnly) && {
                let (_, end_of) = self.object(1);
                let plain = self.past_articles(1) + 1;
                [end_of, plain]
                    .iter()
                    .any(|at| at + 1 == end && (self.is_comma(*at) || self.is(*at, List::But)))
            }
        };
        (0..end).any(orders) || only()
    }

    /// "leave the tests alone", "keep README.md as it is", "lass die Tests in Ruhe".
    fn left(&self) -> Vec<String> {
        let mut out = Vec::new();
        for at in 0..self.tokens.len() {
            if !self.is(at, List::SpareLeave) && self.word(at) != "let" {
                continue;
            }
            let (names, end) = self.object(at + 1);
            // "nein, lass die Tests": nothing is said of what they are to do.
            let led = || (0..at).all(|before| self.is_comma(before) || self.is(before, List::UndoLead));
            if self.is(at, List::SpareLetBe) && (self.opens(at) || led()) && self.ends(end) {
                out.extend(names);
                continue;
            }
            let end = self.past_stress(end);
            // "let the tests be green" wants something of them.
            if self.word(end) == "be" && self.ends(end + 1) {
                out.extend(names);
                continue;
            }
            let end = self.past_so(end + usize::from(self.is(end, List::SpareIn)));
            // "as" alone goes on with another thing.
            let whole = !self.is(end, List::SpareAs) || self.is(end + 1, List::SpareIs);
            if self.is(end, List::SpareEnd) && whole {
                out.extend(names);
            }
        }
        out
    }
}

#[cfg(test)]
mod tests;
