//! Cuts a message into clauses and says of each whether it asks, orders, wishes or states.
//!
//! Owns form, operative verb and object of a clause. Never looks at the phase.

mod clause;

use super::{
    lexicon::{Hit, Tag},
    parts::{Rule, Tables},
    text::{Doc, Kind, Token},
    words::List,
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

impl Form {
    /// Its name among the features; of a question that of the tag that opens it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Order => "order",
            Self::Request => "request",
            Self::Wish => "wish",
            Self::Ought => "ought",
            Self::Question(tag) => tag.name(),
            Self::Complaint => "complaint",
            Self::Statement => "statement",
            Self::Frame => "frame",
            Self::Empty => "empty",
        }
    }
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

impl Object {
    /// Its name among the features.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Pronoun => "pronoun",
            Self::Inner => "inner",
            Self::Whole => "whole",
            Self::New => "new",
            Self::Other => "other",
        }
    }
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

impl Clause {
    /// Its words and marks.
    pub(crate) fn tokens<'d>(&self, doc: &'d Doc) -> &'d [Token] {
        doc.tokens.get(self.start..self.end).unwrap_or_default()
    }
}

/// Most words and marks of one clause. Nobody says more in one; what does is no language, and is read piece by piece.
const LONGEST: usize = 250;

/// A message with its clauses.
#[derive(Debug)]
pub(crate) struct Structure<'t> {
    pub clauses: Vec<Clause>,
    pub hits: Vec<Hit>,
    /// The tables by which it was read.
    pub known: &'t Tables,
}

/// Reads the structure of a message.
pub(crate) fn analyze<'t>(doc: &Doc, known: &'t Tables) -> Structure<'t> {
    let english = known.on(Rule::EnglishFirst)
        && doc.tokens.iter().any(|t| t.kind == Kind::Word && known.is(List::English, &t.text));
    let mut hits = known.lexicon.find(&doc.tokens);
    let forbidden = super::forbid::negations(&doc.tokens, &hits, known);
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
    let mut out = Structure { clauses: Vec::new(), hits, known };
    let mut by_start: Vec<Vec<Hit>> = vec![Vec::new(); doc.tokens.len()];
    for hit in &out.hits {
        if let Some(slot) = by_start.get_mut(hit.start) {
            slot.push(*hit);
        }
    }
    let reader = Reader { tokens: &doc.tokens, at: &by_start, known };
    for (start, end, last) in reader.bounds() {
        let mut clause = reader.clause(start, end, last);
        let tied =
            known.on(Rule::Tied) && reader.tokens.get(start).is_some_and(|t| known.is(List::Tie, &t.text));
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
        out.clauses.push(clause);
    }
    out
}

struct Reader<'a> {
    tokens: &'a [Token],
    at: &'a [Vec<Hit>],
    known: &'a Tables,
}

impl Reader<'_> {
    /// Whether a word of a list stands there.
    fn is(&self, i: usize, list: List) -> bool {
        self.tokens.get(i).is_some_and(|t| t.kind == Kind::Word && self.known.is(list, &t.text))
    }

    fn word(&self, i: usize) -> &str {
        self.tokens.get(i).filter(|t| t.kind == Kind::Word).map_or("", |t| &t.text)
    }

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
                (Kind::Word, word)
                    if i > start
                        && self.known.is(List::Join, word)
                        && self.opens(i + 1)
                        && !self.listing(start, i)
                        && !self.answered(start) =>
                {
                    Some(false)
                }
                (Kind::Word, _) if i == start + 2 && self.answered(start) => Some(false),
                _ if i >= start + LONGEST => Some(false),
                _ => None,
            };
            if let Some(last) = cut {
                if i > start {
                    out.push((start, i, last));
                } else if last && let Some(prev) = out.last_mut() {
                    prev.2 = true;
                }
                let stays = token.kind == Kind::Word || i >= start + LONGEST;
                start = if stays { i } else { i + 1 };
            }
        }
        if start < self.tokens.len() {
            out.push((start, self.tokens.len(), true));
        }
        out
    }

    /// "is it used? if not delete it": behind a question, a frame without a comma and an order.
    fn answered(&self, start: usize) -> bool {
        let asked = start.checked_sub(1).and_then(|at| self.tokens.get(at)).is_some_and(|t| t.text == "?");
        let frame = format!("{} {}", self.word(start), self.word(start + 1));
        let at = self.skip_fillers(start + 2, self.tokens.len());
        asked && self.known.is(List::Answered, &frame) && self.hits(at).iter().any(|h| h.tag.acts())
    }

    /// "the difference between merge and rebase": nouns, when a question runs and nothing follows.
    fn listing(&self, start: usize, i: usize) -> bool {
        let at = self.skip_fillers(start, i);
        let asks = self.hits(at).iter().any(|h| h.tag.asks());
        let next = self.skip_fillers(i + 1, self.tokens.len().min(i + LONGEST));
        let verb = self.longest(next, self.tokens.len(), Tag::is_verb);
        let bound = |h: Hit| {
            h.len > 1 || self.is(h.start + h.len, List::Determiner) || self.is(h.start + h.len, List::Pronoun)
        };
        self.known.on(Rule::Listing) && asks && verb.is_some_and(|h| !bound(h))
    }

    /// Whether a clause can open here: a verb, a request or a question word.
    fn opens(&self, i: usize) -> bool {
        let end = self.tokens.len().min(i + LONGEST);
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
