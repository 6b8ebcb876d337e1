//! Finds clauses that forbid changes, and tells them from constraints on a change.
//!
//! Owns what counts as a prohibition of everything. Never lets a doubt widen a scope.

mod alone;
mod anywhere;
mod framed;
mod narrow;
mod negation;
mod rest;
mod told;

pub(crate) use alone::{Stays, alone};
pub(crate) use anywhere::anywhere;
pub(crate) use narrow::narrowed;
pub(crate) use negation::negations;
pub(crate) use rest::rest;

use super::{
    lexicon::{Hit, Tag},
    parts::{Rule, Tables},
    spare::{keeps, names_only},
    structure::{Clause, Form, Structure},
    text::{Doc, Kind, Token},
    words::List,
};

/// How far a message forbids.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Ban {
    /// Nothing is forbidden, or only a part of a change.
    #[default]
    None,
    /// Nothing may run; what was ordered to change may change.
    Runs,
    /// No file may change; what was ordered to run may run.
    Changes,
    /// Nothing may change or run.
    All,
}

impl Ban {
    /// What both forbid.
    pub(crate) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Runs, Self::Changes) | (Self::Changes, Self::Runs) => Self::All,
            _ => self.max(other),
        }
    }

    /// Whether no file may change.
    pub(crate) const fn keeps_files(self) -> bool {
        matches!(self, Self::Changes | Self::All)
    }

    /// Its name among the features; what may not run says nothing of the work.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::None | Self::Runs => "none",
            Self::Changes => "changes",
            Self::All => "all",
        }
    }
}

/// Reads the prohibition of a message.
pub(crate) fn read(doc: &Doc, s: &Structure<'_>, text: &str) -> Ban {
    if !s.known.on(Rule::TierProhibition) {
        return Ban::None;
    }
    let orders = |c: &&Clause| {
        matches!(c.form, Form::Order | Form::Request | Form::Wish)
            && c.verb.is_some_and(Tag::acts)
            && !s.hits.iter().any(|h| {
                h.tag == Tag::Forbid && h.start < c.after.max(c.head + 1) && h.start + h.len > c.head
            })
    };
    let commands = s.clauses.first().is_some_and(|c| commands(doc, s, c));
    let mut orders = s.clauses.iter().filter(orders).map(|c| c.verb != Some(Tag::VExecute)).peekable();
    let ordered = commands || orders.peek().is_some();
    let changes = commands || orders.any(|changes| changes);
    let reach = Reach { text, tokens: &doc.tokens, hits: &s.hits, known: s.known, ordered, changes };
    reach.of(|_| true).and(tail(text, s.known))
}

/// Whether a message begins with an order whose verb is not known: "give parse a flag", "teach it about dates".
fn commands(doc: &Doc, s: &Structure<'_>, c: &Clause) -> bool {
    let closed = [
        List::Aux,
        List::Determiner,
        List::Preposition,
        List::Pronoun,
        List::Subject,
        List::Frame,
        List::NoVerb,
    ];
    let is = |lists: &[List], t: &Token| lists.iter().any(|l| s.known.is(*l, &t.text));
    let bare = |t: &Token| {
        let inflected = ["ing", "ed", "ly", "s"].iter().any(|e| t.text.ends_with(e));
        t.kind == Kind::Word && t.text.is_ascii() && t.text.len() > 2 && !inflected && !is(&closed, t)
    };
    // "parse returns None", "parse is wrong" tell of it.
    let told = |t: &Token| {
        t.kind == Kind::Punct || is(&[List::Aux], t) || t.kind == Kind::Word && t.text.ends_with(['s', 'd'])
    };
    let named = s.hits.iter().any(|h| h.start <= c.head && h.start + h.len > c.head);
    let at = |n: usize| doc.tokens.get(c.head + n).filter(|_| c.head + n < c.end);
    let (head, next) = (doc.tokens.get(c.head), at(1));
    !named
        && (c.verb.is_none() || c.form == Form::Ought)
        && matches!(c.form, Form::Order | Form::Request | Form::Wish | Form::Ought | Form::Statement)
        && head.is_some_and(bare)
        && next.is_some_and(|t| !told(t))
        // "login page breaks"
        && (c.form != Form::Statement || at(2).is_none_or(|t| t.kind == Kind::Punct || !told(t)))
}

/// The same for the end of a text, read without regard to quotes and code.
fn tail(text: &str, known: &Tables) -> Ban {
    if !known.on(Rule::ForbidTail) {
        return Ban::None;
    }
    let outside = super::text::outside_fences(text).collect::<Vec<_>>().join(" ");
    let from = outside.ceil_char_boundary(outside.len().saturating_sub(120));
    let quotes = ['`', '"', '“', '”', '«', '»', '「', '」', '\n', '/'];
    let plain = outside.get(from..).unwrap_or("").replace(quotes, " ");
    let doc = super::text::tokenize(&plain);
    let hits = known.lexicon.find(&doc.tokens);
    let end = doc.tokens.iter().rposition(|t| t.kind != Kind::Punct).map_or(0, |i| i + 1);
    let reach = Reach { text: &plain, tokens: &doc.tokens, hits: &hits, known, ordered: true, changes: true };
    reach.said(|h| (h.start + h.len + 4 >= end) && reach.universal(h))
}

/// How far the prohibitions of a text reach.
struct Reach<'a> {
    text: &'a str,
    tokens: &'a [Token],
    hits: &'a [Hit],
    known: &'a Tables,
    /// Something is ordered beside them.
    ordered: bool,
    /// A change is.
    changes: bool,
}

impl Reach<'_> {
    /// The strongest of the phrases that count.
    fn of(&self, counts: impl Fn(&Hit) -> bool) -> Ban {
        let whole = |h: &Hit| h.tag == Tag::ForbidAll && !self.narrowed(h);
        let whole = self.hits.iter().any(|h| whole(h) && !self.bans_runs(h));
        self.said(counts).and(if whole { Ban::Changes } else { Ban::None })
    }

    /// The same of the phrases that may be narrowed, without whole sentences.
    fn said(&self, counts: impl Fn(&Hit) -> bool) -> Ban {
        let forbids = |h: &&Hit| h.tag == Tag::Forbid && counts(h);
        let found = self.hits.iter().filter(forbids).map(|h| self.strength(h));
        found.fold(Ban::None, Ban::and)
    }

    fn is(&self, list: List, token: Option<&Token>) -> bool {
        token.is_some_and(|t| self.known.is(list, &t.text))
    }

    fn words(&self, h: &Hit) -> impl Iterator<Item = &str> {
        self.tokens.get(h.start..h.start + h.len).unwrap_or(&[]).iter().map(|t| t.text.as_str())
    }

    fn any(&self, list: List, h: &Hit) -> bool {
        self.words(h).any(|w| self.known.is(list, w))
    }

    fn stem(&self, list: List, word: &str) -> bool {
        self.known.words.list(list).iter().any(|stem| word.starts_with(&**stem))
    }

    fn changes(&self, word: &str) -> bool {
        self.known.is(List::Touch, word)
            || self.known.is(List::SpareLeave, word)
            || self.stem(List::ChangeStem, word)
    }

    /// "don't run anything", "n'exécute rien": no word of it is of anything but running.
    fn only_runs(&self, h: &Hit) -> bool {
        if h.bytes > 0 {
            let said = self.tokens.get(h.start).and_then(|t| t.text.get(h.offset..h.offset + h.bytes));
            return said.is_some_and(|said| {
                self.known.words.list(List::RunStem).iter().any(|w| said.contains(&**w))
            });
        }
        let runs = |w: &str| self.stem(List::RunStem, w);
        let other =
            |w: &str| !runs(w) && w != "do" && (self.known.is(List::Everything, w) || self.changes(w));
        self.words(h).any(runs) && !self.words(h).any(other)
    }

    /// Whether it keeps from running alone. "don't execute it yet" puts off the order itself: that is not carried out.
    fn bans_runs(&self, h: &Hit) -> bool {
        self.changes && self.only_runs(h) && !self.puts_off(h)
    }

    fn puts_off(&self, h: &Hit) -> bool {
        let run = self.tokens.get(h.start).map_or("", |t| t.text.as_str());
        if h.bytes > 0 {
            let says = |list| self.known.words.list(list).iter().any(|w| run.contains(&**w));
            return says(List::CarryStem) && says(List::PutOff);
        }
        let cuts = |t: &Token| t.kind == Kind::Punct || self.is(List::But, Some(t));
        let from = self.tokens.get(..h.start).unwrap_or(&[]).iter().rposition(cuts).map_or(0, |at| at + 1);
        let behind = self.tokens.get(h.start + h.len..).unwrap_or(&[]);
        let to = h.start + h.len + behind.iter().position(cuts).unwrap_or(behind.len());
        self.words(h).any(|w| self.stem(List::CarryStem, w))
            && (from..to).any(|at| negation::late(self.tokens, at, self.known))
    }

    /// "don't execute for now", "do not start until …": what follows is when, and no object.
    fn says_when(&self, h: &Hit) -> bool {
        let end = h.start + h.len;
        let late = |at| negation::late(self.tokens, at, self.known);
        self.words(h).any(|w| self.stem(List::CarryStem, w)) && (late(end) || (h.start..end).any(late))
    }

    fn before(&self, h: &Hit) -> Option<&Token> {
        h.start.checked_sub(1).and_then(|i| self.tokens.get(i))
    }

    /// Words behind a phrase, up to the end of its clause; a comma stays.
    fn after(&self, h: &Hit) -> Vec<&Token> {
        self.tokens
            .get(h.start + h.len..)
            .unwrap_or(&[])
            .iter()
            .take(5)
            .take_while(|t| t.kind != Kind::Punct || t.text == ",")
            .skip_while(|t| matches!(t.text.as_str(), "pas" | "plus"))
            .collect()
    }

    /// "keine Änderungen an der API", "sonst nichts ändern": beside an order only a part is kept from it.
    fn narrowed(&self, h: &Hit) -> bool {
        let word = |t: Option<&Token>, list| t.is_some_and(|t| t.kind == Kind::Word) && self.is(list, t);
        h.bytes == 0
            && self.ordered
            && (word(self.tokens.get(h.start + h.len), List::Narrows)
                || word(self.before(h), List::ElseBefore)
                || self.any(List::Else, h))
    }

    /// Whether a phrase says that everything is meant.
    fn universal(&self, h: &Hit) -> bool {
        let behind = self.tokens.get(h.start + h.len..).unwrap_or(&[]).iter();
        let mut next = behind.take(3).take_while(|t| t.kind != Kind::Punct);
        h.bytes > 0 || self.any(List::Universal, h) || next.any(|t| self.is(List::Universal, Some(t)))
    }

    fn strength(&self, h: &Hit) -> Ban {
        if h.bytes > 0 {
            return self.run(h);
        }
        let after = self.after(h);
        // "don't touch the code" keeps from changes; "no code" from all that makes some.
        let touches = self.words(h).any(|w| self.changes(w));
        let all =
            |w: &str| self.known.is(List::Everything, w) && !(touches && matches!(w, "code" | "coding"));
        let ban = match self.words(h).any(all) {
            _ if self.bans_runs(h) => Ban::Runs,
            true => Ban::All,
            false => Ban::Changes,
        };
        if !self.known.on(Rule::ForbidReach) {
            return ban;
        }
        let partial = || {
            self.but(h, &after)
                || self.constrains(h, &after)
                || self.of_kind(h, &after)
                || self.names_files(h)
                || self.names_thing(h)
        };
        if self.describes(h) || (self.ordered && partial()) {
            return Ban::None;
        }
        let general = |t: &&Token| self.is(List::General, Some(t));
        if !self.ordered || self.universal(h) {
            // "no changes to the api" beside an ordered change only narrows it
            let to = |t: &&Token| matches!(t.text.as_str(), "to" | "in" | "on" | "of" | "about");
            let narrowed = self.ordered
                && after.first().is_some_and(to)
                && !after.iter().copied().skip(1).any(|t| general(&t));
            return if narrowed { Ban::None } else { ban };
        }
        let closed = self.words(h).last().is_some_and(|w| self.known.is(List::Closed, w));
        match after.first() {
            None => ban,
            Some(t) if t.text == "," => ban,
            Some(t) if closed && self.is(List::Open, Some(t)) => ban,
            // "не запускай его"
            Some(t) if self.only_runs(h) && self.is(List::It, Some(t)) => ban,
            Some(_) if self.says_when(h) => ban,
            Some(_) if after.iter().copied().take(3).any(|t| general(&t)) => ban,
            Some(_) => Ban::None,
        }
    }

    /// "nothing else", "sonst nichts": what is not ordered is kept from it.
    fn but(&self, h: &Hit, after: &[&Token]) -> bool {
        let near = after.iter().take(4).take_while(|t| t.text != ",");
        let within = self.words(h).any(|w| w != "but" && self.known.is(List::Else, w));
        let before = self.tokens.get(h.start.saturating_sub(2)..h.start).unwrap_or(&[]);
        within
            || near.clone().any(|t| t.text != "but" && self.is(List::Else, Some(t)))
            || after.first().is_some_and(|t| t.text == "but")
            || before.iter().any(|t| self.is(List::ElseBefore, Some(t)))
    }

    /// "the read-only mode", "a frozen row": an adjective of something, no prohibition.
    fn describes(&self, h: &Hit) -> bool {
        if !self.words(h).all(|w| self.known.is(List::ReadOnly, w)) {
            return false;
        }
        let opens = self.before(h).is_none_or(|t| {
            t.kind == Kind::Punct || matches!(t.text.as_str(), "please" | "and" | "but" | "mode")
        });
        let next = self.tokens.get(h.start + h.len);
        let closes = next.is_none_or(|t| t.kind == Kind::Punct) || self.is(List::ReadOnlyEnd, next);
        !closes || (!opens && self.is(List::ReadOnlyNoun, self.before(h)))
    }

    /// "without installing anything", "don't commit": one kind of change is kept from an order, and no other. What runs is
    /// no kind of change.
    fn of_kind(&self, h: &Hit, after: &[&Token]) -> bool {
        let kind = |word: &str| self.stem(List::KindStem, word);
        let near = after.iter().map(|t| t.text.as_str());
        let other = self.words(h).chain(near).any(|w| self.stem(List::ChangeStem, w) && !kind(w));
        self.words(h).any(kind) && !other
    }

    /// "hands off the tests", "die Tests nicht anfassen": files that are named, and no others.
    fn names_files(&self, h: &Hit) -> bool {
        let ends = |t: &Token| t.kind == Kind::Punct;
        let opens = |t: &Token| self.is(List::But, Some(t)) || self.is(List::Tie, Some(t));
        let before = self.tokens.get(..h.start).unwrap_or(&[]);
        let from = before.iter().rposition(|t| ends(t) || opens(t)).map_or(0, |at| at + 1);
        // "die Tests nicht anfassen": what is named stands before the phrase.
        let first =
            self.tokens.get(from..h.start).is_some_and(|named| names_only(self.text, named, self.known));
        let clause = self.tokens.get(if first { from } else { h.start }..).unwrap_or(&[]);
        let clause = clause.get(..clause.iter().position(ends).unwrap_or(clause.len())).unwrap_or(&[]);
        let more = [List::Else, List::SpareAny, List::Nothing, List::Pronoun];
        let more = clause.iter().any(|t| more.iter().any(|list| self.is(*list, Some(t))) || t.text == "rest");
        let tied = clause.iter().position(|t| self.is(List::Tie, Some(t))).unwrap_or(clause.len());
        let clause = clause.get(..tied).unwrap_or(&[]);
        !more && keeps(self.text, clause, self.known).is_some_and(|at| first || at < h.len)
    }

    /// "behaviour must not change", "ändere die Signatur nicht": a part of the program that is named, and nothing that is
    /// ordered in the same breath.
    fn names_thing(&self, h: &Hit) -> bool {
        let cuts =
            |t: &Token| t.kind == Kind::Punct || self.is(List::But, Some(t)) || self.is(List::Tie, Some(t));
        let end = h.start + h.len;
        let from = self.tokens.get(..h.start).unwrap_or(&[]).iter().rposition(cuts).map_or(0, |at| at + 1);
        let to = self
            .tokens
            .get(end..)
            .unwrap_or(&[])
            .iter()
            .position(cuts)
            .map_or(self.tokens.len(), |n| end + n);
        let said = self.tokens.get(from..to).unwrap_or(&[]);
        let thing = |t: &Token| is_name(t) || self.stem(List::Thing, &t.text);
        let all = |t: &Token| self.is(List::Universal, Some(t)) && !self.stem(List::ChangeStem, &t.text);
        let general =
            |t: &Token| all(t) || self.is(List::General, Some(t)) || self.is(List::Nothing, Some(t));
        let beside =
            |o: &Hit| o.tag.acts() && o.start >= from && o.start < to && !(h.start..end).contains(&o.start);
        // "fix the config, no, leave the config": the same thing is ordered and kept.
        let elsewhere = |t: &Token| {
            let mut rest = self.tokens.iter().take(from).chain(self.tokens.iter().skip(to));
            rest.any(|o| o.text == t.text)
        };
        let mut things = said.iter().filter(|t| thing(t)).peekable();
        things.peek().is_some()
            && !things.any(elsewhere)
            && !said.iter().any(general)
            && !self.hits.iter().any(beside)
    }

    /// "leave the code alone", "without changing the interface", "no code samples": a constraint on what
    /// is ordered.
    fn constrains(&self, h: &Hit, after: &[&Token]) -> bool {
        let first = self.words(h).next().unwrap_or("");
        let all = |w: &str| matches!(w, "everything" | "things" | "it");
        let leaves = first == "leave" && !self.words(h).any(all);
        let object: Vec<&Token> = after.iter().copied().take_while(|t| t.text != ",").take(3).collect();
        // "without changing what it prints", "its results": a thing of its own.
        let own = ["the", "what", "how", "whether", "which", "its", "their", "my", "our", "your"];
        let clause = object.first().is_some_and(|t| matches!(t.text.as_str(), "what" | "how" | "whether"));
        let lists = [List::General, List::Universal];
        let without = first == "without"
            && h.len == 2
            && object
                .first()
                .is_some_and(|t| own.contains(&t.text.as_str()) || !self.is(List::Open, Some(t)))
            && (clause || !object.iter().any(|t| lists.iter().any(|l| self.is(*l, Some(t)))));
        leaves || without || self.is(List::Sample, after.first().copied())
    }

    /// Scripts without spaces: the words around decide.
    fn run(&self, h: &Hit) -> Ban {
        let Some(run) = self.tokens.get(h.start).map(|t| t.text.as_str()) else { return Ban::None };
        let (from, to) = (h.offset, h.offset + h.bytes);
        let holds = |list, part: Option<&str>| {
            let words = self.known.words.list(list);
            part.is_some_and(|part| words.iter().any(|w| part.contains(&**w)))
        };
        let other = holds(List::ElseRun, run.get(..from)) || holds(List::ElseRun, run.get(to..));
        // "APIは変えないで": what is named may be written in another script.
        let named = |t: &Token| is_name(t) || t.kind == Kind::Word && self.stem(List::Thing, &t.text);
        let named = holds(List::ThingRun, Some(run)) || from > 0 && self.before(h).is_some_and(named);
        let thing = named && !holds(List::AllRun, Some(run));
        // "ログは消して、設定は削除しないで": one kind of change is kept from one thing
        let kind = holds(List::KindRun, run.get(from..to));
        let narrowed = self.ordered && (other || kind || thing) && self.known.on(Rule::ForbidReach);
        match narrowed {
            true => Ban::None,
            false if self.bans_runs(h) => Ban::Runs,
            false => Ban::Changes,
        }
    }
}

/// Whether a token names a file or something of the code as it is written there.
fn is_name(token: &Token) -> bool {
    matches!(token.kind, Kind::File | Kind::Path | Kind::Ident | Kind::Tick)
}
