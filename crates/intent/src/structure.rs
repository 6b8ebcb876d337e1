//! Cuts a message into clauses and says of each whether it asks, orders, wishes or states.
//!
//! Owns form, operative verb and object of a clause. Never looks at the phase.

mod clause;

use super::{
    lexicon::{Hit, Lexicon, Tag},
    text::{Doc, Kind, Token},
};

/// What a clause does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Form {
    /// An order, bare.
    Order,
    /// An order in the dress of a question or a wish.
    Request,
    /// What the writer wants or needs.
    Wish,
    /// How a thing ought to be.
    Ought,
    /// A question, with the tag that opens it.
    Question(Tag),
    /// Something goes wrong.
    Complaint,
    /// Any other statement.
    Statement,
    /// If, when, because: a frame for another clause.
    Frame,
    /// Fillers or nothing.
    Empty,
}

/// What a verb is applied to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Object {
    /// Nothing follows.
    Missing,
    /// Only "it", "this", "that".
    Pronoun,
    /// A thing inside a file.
    Inner,
    /// A whole thing: file, folder, branch, table.
    Whole,
    /// A kind of thing that gets a file of its own.
    New,
    /// Something else.
    Other,
}

/// One clause.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clause {
    pub start: usize,
    pub end: usize,
    pub form: Form,
    pub verb: Option<Tag>,
    /// First token after fillers and request words.
    pub head: usize,
    /// First token after the verb.
    pub after: usize,
    pub object: Object,
    /// Ends with a question mark.
    pub marked: bool,
    /// Names a fault.
    pub fault: bool,
    /// Says that something inside a named place is meant ("from x", "in x").
    pub located: bool,
    /// Ends a sentence.
    pub last: bool,
    /// The verb was found by a table of languages whose verb stands anywhere.
    pub foreign: bool,
}

/// A message with its clauses.
#[derive(Debug, Default)]
pub(crate) struct Structure {
    pub clauses: Vec<Clause>,
    pub hits: Vec<Hit>,
}

const FRAME: &[&str] = &[
    "if",
    "when",
    "once",
    "since",
    "because",
    "as",
    "after",
    "whenever",
    "while",
    "although",
    "though",
    "given",
    "assuming",
    "unless",
    "until",
    "wenn",
    "falls",
    "weil",
    "nachdem",
    "si",
    "cuando",
    "quand",
    "lorsque",
    "porque",
    "se",
    "quando",
    "если",
    "когда",
    "как",
    "als",
    "omdat",
    "jesli",
    "eger",
];
const PREPOSITIONS: &[&str] = &[
    "from", "in", "inside", "within", "on", "of", "for", "to", "into", "that", "which", "with", "at", "so",
    "by", "when", "if", "because", "where", "using", "like", "and", "we", "aus", "von", "im", "der", "des",
    "de", "del", "du", "da", "do", "dans", "en", "dal", "nel", "из", "в", "uit", "z", "ze",
];
const PLACES: &[&str] = &[
    "from", "in", "inside", "within", "of", "aus", "im", "dans", "del", "dal", "nel", "из", "uit", "to", "on",
];
const AUX: &[&str] = &[
    "is", "are", "was", "were", "has", "have", "does", "doesnt", "isnt", "arent", "should", "looks", "seems",
    "did", "didnt", "will", "wont", "cant", "can", "needs", "must", "keeps", "takes", "gets", "shows",
    "gives", "returns", "wasnt", "hasnt", "had", "would", "works", "comes", "still",
];
const DETERMINERS: &[&str] = &[
    "the",
    "a",
    "an",
    "all",
    "any",
    "some",
    "my",
    "our",
    "your",
    "this",
    "that",
    "these",
    "those",
    "every",
    "each",
    "its",
    "their",
    "no",
    "one",
    "both",
    "me",
    "us",
    "those",
    "of",
    "other",
    "only",
    "also",
    "unused",
    "old",
    "new",
    "legacy",
    "temp",
    "temporary",
    "stale",
    "whole",
    "entire",
    "two",
    "three",
    "just",
    "obsolete",
    "dead",
    "empty",
    "existing",
    "deprecated",
    "merged",
];
const PRONOUNS: &[&str] = &[
    "it",
    "this",
    "that",
    "them",
    "these",
    "those",
    "everything",
    "something",
    "stuff",
    "things",
    "thing",
    "es",
    "das",
    "lo",
    "eso",
    "ca",
    "isso",
    "questo",
    "это",
];

fn is_word(token: Option<&Token>, list: &[&str]) -> bool {
    token.is_some_and(|t| t.kind == Kind::Word && list.contains(&t.text.as_str()))
}

/// Reads the structure of a message.
pub(crate) fn analyze(doc: &Doc) -> Structure {
    let english = doc.tokens.iter().any(|t| t.kind == Kind::Word && ENGLISH.contains(&t.text.as_str()));
    let mut hits = Lexicon::builtin().find(&doc.tokens);
    let forbidden = super::forbid::negations(&doc.tokens, &hits);
    hits.extend(forbidden);
    if english {
        // tables of other languages share many spellings with English words
        hits.retain(|h| {
            !h.anywhere
                || h.bytes > 0
                || matches!(h.tag, Tag::Forbid | Tag::ForbidAll)
                || h.tag == Tag::Filler
                || doc.tokens.get(h.start).is_some_and(|t| !t.text.is_ascii())
        });
    }
    let mut out = Structure { clauses: Vec::new(), hits };
    let mut by_start: Vec<Vec<Hit>> = vec![Vec::new(); doc.tokens.len()];
    for hit in &out.hits {
        if let Some(slot) = by_start.get_mut(hit.start) {
            slot.push(*hit);
        }
    }
    let reader = Reader { tokens: &doc.tokens, at: &by_start };
    for (start, end, last) in reader.bounds() {
        let mut clause = reader.clause(start, end, last);
        let tied = reader.tokens.get(start).is_some_and(|t| {
            matches!(t.text.as_str(), "and" | "then" | "or" | "und" | "et" | "y" | "e" | "и")
        });
        if let Some(prev) = out.clauses.last().filter(|c| !c.last && tied && clause.form == Form::Order) {
            clause.form = match prev.form {
                Form::Wish => Form::Wish,
                Form::Question(
                    tag @ (Tag::QHow | Tag::QWay | Tag::QAux | Tag::QHowDesign | Tag::QEffort | Tag::QOther),
                ) => Form::Question(tag),
                Form::Order
                | Form::Request
                | Form::Ought
                | Form::Question(_)
                | Form::Complaint
                | Form::Statement
                | Form::Frame
                | Form::Empty => clause.form,
            };
        }
        // "…, which checks that": no question but a tail of the order before
        let tail =
            matches!(clause.form, Form::Question(Tag::QWhich | Tag::QWho | Tag::QWhen)) && !clause.marked;
        if tail
            && out.clauses.last().is_some_and(|c: &Clause| {
                !c.last && matches!(c.form, Form::Order | Form::Request | Form::Wish)
            })
        {
            clause.form = Form::Statement;
        }
        out.clauses.push(clause);
    }
    out
}

struct Reader<'a> {
    tokens: &'a [Token],
    at: &'a [Vec<Hit>],
}

/// Words that only English has.
const ENGLISH: &[&str] = &[
    "the", "this", "that", "it", "its", "you", "with", "and", "when", "what", "my", "are", "not", "from",
    "can", "does", "should", "if", "where", "get", "but", "dont", "have", "was", "how", "why", "there",
    "your", "our", "these", "those", "them", "which", "who", "isnt", "doesnt", "im", "ive", "id", "lets",
    "please", "into", "would", "could", "any", "because", "they", "their",
];

impl Reader<'_> {
    fn hits(&self, i: usize) -> &[Hit] {
        self.at.get(i).map_or(&[], Vec::as_slice)
    }

    fn hits_in(&self, start: usize, end: usize) -> impl Iterator<Item = Hit> + '_ {
        self.at
            .get(start..end.max(start))
            .unwrap_or(&[])
            .iter()
            .flatten()
            .copied()
            .filter(move |h| h.start + h.len <= end)
    }

    fn longest(&self, i: usize, end: usize, want: impl Fn(Tag) -> bool) -> Option<Hit> {
        self.hits(i)
            .iter()
            .copied()
            .filter(|h| want(h.tag) && h.bytes == 0 && h.start + h.len <= end)
            .max_by_key(|h| h.len)
    }

    /// Clause bounds: start, end, and whether a sentence ends there.
    fn bounds(&self) -> Vec<(usize, usize, bool)> {
        let mut out = Vec::new();
        let mut start = 0;
        for (i, token) in self.tokens.iter().enumerate() {
            let cut = match (token.kind, token.text.as_str()) {
                (Kind::Punct, "." | "!" | "?" | ";" | "\n") | (Kind::Code, _) => Some(true),
                (Kind::Punct, "," | ":" | "-" | "(" | ")" | "|") => Some(false),
                (
                    Kind::Word,
                    "and" | "then" | "but" | "so" | "und" | "et" | "aber" | "pero" | "mais" | "mas" | "ma"
                    | "и" | "но" | "y" | "e",
                ) if i > start && self.opens(i + 1) && !self.listing(start, i) => Some(false),
                _ => None,
            };
            if let Some(last) = cut {
                if i > start {
                    out.push((start, i, last));
                } else if last && let Some(prev) = out.last_mut() {
                    prev.2 = true;
                }
                start = if token.kind == Kind::Word { i } else { i + 1 };
            }
        }
        if start < self.tokens.len() {
            out.push((start, self.tokens.len(), true));
        }
        out
    }

    /// "the difference between merge and rebase": nouns, when a question runs and nothing follows.
    fn listing(&self, start: usize, i: usize) -> bool {
        let at = self.skip_fillers(start, i);
        let asks = self.hits(at).iter().any(|h| h.tag.asks());
        let next = self.skip_fillers(i + 1, self.tokens.len());
        let verb = self.longest(next, self.tokens.len(), Tag::is_verb);
        let bound = |h: Hit| {
            h.len > 1
                || is_word(self.tokens.get(h.start + h.len), DETERMINERS)
                || is_word(self.tokens.get(h.start + h.len), PRONOUNS)
        };
        asks && verb.is_some_and(|h| !bound(h))
    }

    /// Whether a clause can open here: a verb, a request or a question word.
    fn opens(&self, i: usize) -> bool {
        let end = self.tokens.len();
        let at = self.skip_fillers(i, end);
        self.hits(at).iter().any(|h| {
            h.tag.is_verb()
                || matches!(h.tag, Tag::Req | Tag::Want | Tag::QWhy | Tag::QWhat | Tag::QHow | Tag::Forbid)
        })
    }

    fn skip_fillers(&self, mut i: usize, end: usize) -> usize {
        while i < end {
            let Some(filler) = self.longest(i, end, |t| t == Tag::Filler) else { break };
            let rival =
                self.longest(i, end, |t| t.is_verb() || t.asks() || matches!(t, Tag::Req | Tag::Want));
            if rival
                .is_some_and(|r| r.len > filler.len || (r.len == filler.len && !filler.anywhere && r.len > 1))
            {
                break;
            }
            i += filler.len;
        }
        i
    }
}
