//! Prohibitions that no table lists: a negation beside a verb of change.
//!
//! Owns where they stand. How far they reach is for the module above.

use super::super::{
    lexicon::{Hit, Tag},
    parts::{Rule, Tables},
    text::{Kind, Token},
    words::List,
};

/// A message whose negations are looked for.
struct Reader<'a> {
    tokens: &'a [Token],
    hits: &'a [Hit],
    known: &'a Tables,
}

/// Prohibitions that no table lists: a negation, a verb of change, and "anything", "it yet", "a line".
pub(crate) fn negations(tokens: &[Token], hits: &[Hit], known: &Tables) -> Vec<Hit> {
    if !known.on(Rule::ForbidNegation) {
        return Vec::new();
    }
    let reader = Reader { tokens, hits, known };
    let mut out = reader.nothing();
    out.extend(reader.negated());
    out.extend(reader.english());
    out.extend(reader.behind());
    out.extend(reader.left_alone());
    out.extend(reader.put_off());
    out
}

fn forbids(start: usize, len: usize, anywhere: bool) -> Hit {
    Hit { tag: Tag::Forbid, anywhere, start, len, bytes: 0, offset: 0 }
}

impl Reader<'_> {
    fn word(&self, i: usize) -> &str {
        self.tokens.get(i).filter(|t| t.kind == Kind::Word).map_or("", |t| &t.text)
    }

    fn is(&self, i: usize, list: List) -> bool {
        self.known.is(list, self.word(i))
    }

    /// Whether a verb there runs something.
    fn runs(&self, at: usize) -> bool {
        self.known.words.list(List::RunStem).iter().any(|stem| self.word(at).starts_with(&**stem))
    }

    /// "don't touch anything", "never rewrite a single line".
    fn english(&self) -> Vec<Hit> {
        let stems = self.known.words.list(List::ChangeStem);
        let changes = |i: usize| stems.iter().any(|stem| self.word(i).starts_with(&**stem));
        let mut out = Vec::new();
        for start in (0..self.tokens.len()).filter(|i| self.is(*i, List::ForbidNot)) {
            let verb = (start + 1..start + 4).find(|i| !self.is(*i, List::ForbidGap));
            let Some(verb) = verb.filter(|v| changes(*v)) else { continue };
            if self.word(start) == "no" && !self.word(verb).ends_with("ing") {
                continue;
            }
            // "don't run it"
            if self.runs(verb) && self.is(verb + 1, List::Pronoun) && self.word(verb + 2).is_empty() {
                out.push(forbids(start, verb + 2 - start, false));
            }
            let reach = (verb + 1..verb + 4).take_while(|i| !self.word(*i).is_empty());
            if let Some(end) = reach.filter(|i| self.is(*i, List::Any)).last() {
                out.push(forbids(start, end + 1 - start, false));
            }
        }
        out
    }

    /// "lösche sie nicht", "не удаляй его": a verb of change that is negated, with "it" or nothing.
    fn negated(&self) -> Vec<Hit> {
        let mut out = Vec::new();
        let runs = |h: &Hit| self.runs(h.start);
        let changes =
            |h: &&Hit| h.bytes == 0 && h.anywhere && h.tag.acts() && (h.tag != Tag::VExecute || runs(h));
        for h in self.hits.iter().filter(changes) {
            let end = h.start + h.len;
            let mut after = (end..end + 3).take_while(|i| !self.word(*i).is_empty());
            let last = after.find(|i| self.is(*i, List::NotAfter) && self.word(i + 1).is_empty());
            let mut before = (1..=2).filter_map(|d| h.start.checked_sub(d));
            let back = before.find(|i| self.is(*i, List::NotBefore));
            let it = self.is(end, List::It) && self.word(end + 1).is_empty();
            let closed = self.word(end).is_empty() || it;
            let bound = back.filter(|b| {
                let between = b + 1 < h.start;
                (between && self.is(b + 1, List::It)) || (!between && closed)
            });
            match (last, bound) {
                (Some(last), _) => out.push(forbids(h.start, last + 1 - h.start, true)),
                (None, Some(back)) => out.push(forbids(back, end - back, true)),
                (None, None) => {}
            }
        }
        out
    }

    /// Whether a clause begins there, past what only opens it.
    fn opens(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1) else { return true };
        self.word(before).is_empty() || self.is(before, List::NotOpens) && self.opens(before)
    }

    /// The same, past "but", "and", "do" as well.
    fn begins(&self, at: usize) -> bool {
        let small = |i: usize| {
            self.word(i) == "do"
                || [List::But, List::Tie, List::NotOpens].iter().any(|list| self.is(i, *list))
        };
        let from = (0..at).rev().take_while(|i| small(*i)).last().unwrap_or(at);
        from.checked_sub(1).is_none_or(|i| self.word(i).is_empty())
            || (from..at).any(|i| self.word(i) != "do")
    }

    /// "ersetze atol nicht durch strtol", "füge kein Flag hinzu": an order whose negation stands behind its verb and what it
    /// is done to. Of "ersetze alles, was nicht geht" it stands in another clause.
    fn behind(&self) -> Vec<Hit> {
        let framed = [List::FramedTeach, List::FramedGive, List::FramedSwap, List::FramedHave];
        let acts = |h: &Hit| h.bytes == 0 && h.anywhere && h.tag.acts() && h.tag != Tag::VExecute;
        let verb = |at: usize| {
            self.hits.iter().any(|h| h.start == at && acts(h)) || framed.iter().any(|list| self.is(at, *list))
        };
        let heads = (0..self.tokens.len()).filter(|at| verb(*at) && self.opens(*at));
        heads.filter_map(|at| self.negation(at + 1).map(|end| forbids(at, end + 1 - at, true))).collect()
    }

    /// Where the negation of a verb stands that ends before.
    fn negation(&self, from: usize) -> Option<usize> {
        let ends = |at: &usize| {
            let token = self.tokens.get(*at);
            token.is_none_or(|t| t.kind == Kind::Punct) || self.is(*at, List::NotClause)
        };
        let mut near = (from..from + 7).take_while(|at| !ends(at));
        near.find(|at| {
            let another = self.is(at + 1, List::NotOnly) || *at > from && self.is(at - 1, List::NotRelative);
            let whole = ends(&(at + 1)) || self.is(at + 1, List::NotThen);
            !another && (self.is(*at, List::NotNone) || self.is(*at, List::NotAfter) && whole)
        })
    }

    /// "do not execute until I say so", "fang noch nicht an": the order itself is not to be carried out yet.
    fn put_off(&self) -> Vec<Hit> {
        let small =
            [List::Not, List::NotAfter, List::Nothing, List::It, List::Pronoun, List::ForbidGap, List::Any];
        let late = |at: usize| late(self.tokens, at, self.known);
        let small = |at: usize| !self.word(at).is_empty() && small.iter().any(|list| self.is(at, *list));
        let denies = |at: usize| self.is(at, List::Not) || self.is(at, List::NotAfter);
        let stems = self.known.words.list(List::CarryStem);
        let carries = |at: &usize| stems.iter().any(|stem| self.word(*at).starts_with(&**stem));
        let hit = |verb: usize| {
            let back = (0..verb).rev().take_while(|at| small(*at) || late(*at)).last().unwrap_or(verb);
            let on =
                (verb + 1..self.tokens.len()).take_while(|at| small(*at) || late(*at)).last().unwrap_or(verb);
            let said = || back..=on;
            (self.begins(back) && said().any(denies) && said().any(late))
                .then(|| forbids(back, on + 1 - back, true))
        };
        (0..self.tokens.len()).filter(carries).filter_map(hit).collect()
    }

    /// "lass die Tests in Ruhe".
    fn left_alone(&self) -> Vec<Hit> {
        let heads = (0..self.tokens.len()).filter(|at| self.is(*at, List::LetAlone) && self.opens(*at));
        let hit = |at: usize| {
            let words = |at: &usize| !self.word(*at).is_empty() || self.tokens.get(*at).is_some_and(is_name);
            let end = (at + 1..at + 8).take_while(words).find(|at| self.is(*at, List::AloneEnd))?;
            Some(forbids(at, end - at, true))
        };
        heads.filter_map(hit).collect()
    }

    /// "nichts umbauen", "no reorganices nada": the word for nothing beside a verb of change; in English
    /// ("add nothing", "commit none of it") right behind it, and not behind one that only tells of
    /// something ("it saves nothing yet").
    fn nothing(&self) -> Vec<Hit> {
        let mut out = Vec::new();
        for at in 0..self.tokens.len() {
            let english = self.is(at, List::NothingAfter);
            if !english && !self.is(at, List::Nothing) {
                continue;
            }
            let apart = |a: usize, b: usize| {
                let between = self.tokens.get(a.min(b)..a.max(b)).unwrap_or(&[]);
                between.iter().any(|t| t.kind == Kind::Punct)
            };
            let near = self.hits.iter().filter(|h| h.bytes == 0 && h.tag.acts() && h.tag != Tag::VExecute);
            let tells = |h: &Hit| {
                let verb = self.word(h.start);
                verb.ends_with('s') && !verb.ends_with("ss")
            };
            let close = |h: &&Hit| {
                if english { h.start + h.len == at && !tells(h) } else { h.start.abs_diff(at) <= 2 }
            };
            for h in near.filter(close).filter(|h| !apart(h.start, at)) {
                let start = h.start.min(at);
                out.push(forbids(start, (h.start + h.len).max(at + 1) - start, true));
            }
        }
        out
    }
}

fn is_name(token: &Token) -> bool {
    !matches!(token.kind, Kind::Punct | Kind::Code)
}

/// Whether words that put something off stand there: "yet", "until", "por ahora".
pub(super) fn late(tokens: &[Token], at: usize, known: &Tables) -> bool {
    let words: Vec<&str> = tokens.iter().skip(at).take(3).map(|t| t.text.as_str()).collect();
    (1..=words.len()).any(|n| words.get(..n).is_some_and(|w| known.is(List::PutOff, &w.join(" "))))
}
