//! Reads one clause: its form, its operative verb and what the verb is applied to.
//!
//! Owns the reading of a single clause. Never looks at the clauses around it.

use super::{Clause, Form, Object, Reader};
use crate::{
    framed::framed,
    lexicon::{Hit, Tag},
    parts::Rule,
    text::Kind,
    words::List,
};

impl Reader<'_> {
    pub(super) fn clause(&self, start: usize, end: usize, last: bool) -> Clause {
        let next = self.tokens.get(end);
        let marked = next.is_some_and(|t| t.text == "?" && t.kind == Kind::Punct);
        let fault = self.hits_in(start, end).any(|h| h.tag == Tag::Fault);
        let mut c = Clause {
            start,
            end,
            form: Form::Statement,
            verb: None,
            head: start,
            after: end,
            object: Object::Missing,
            marked,
            fault,
            located: false,
            last,
            foreign: false,
        };
        let mut i = self.skip_fillers(start, end);
        if i >= end {
            c.form = Form::Empty;
            return c;
        }
        let (at, framing, frame) = self.strip_framing(i, end);
        i = at;
        c.head = i;
        if frame && marked {
            c.form = Form::Question(Tag::QWay);
            return c;
        }
        if !marked && self.doing(&mut c, i, end, framing) {
            return c;
        }
        if frame {
            c.form = if self.hits_in(start, end).any(|h| h.tag == Tag::Shall) || self.embedded(i, end) {
                Form::Ought
            } else {
                Form::Frame
            };
            self.foreign(&mut c, start, end);
            return c;
        }
        self.operative(&mut c, i, end, framing);
        c
    }

    /// Steps over request and wish words; says what they were and whether a frame ("if") opens.
    fn strip_framing(&self, mut i: usize, end: usize) -> (usize, Option<Form>, bool) {
        let mut framing: Option<Form> = None;
        if let Some(verb) = self.would_you(i, end) {
            return (verb, Some(Form::Request), false);
        }
        for _ in 0..6 {
            let wrap = self.longest(i, end, |t| matches!(t, Tag::Req | Tag::Want));
            let rival = self.longest(i, end, |t| t.is_verb() || t.asks());
            let Some(w) = wrap.filter(|w| rival.is_none_or(|r| r.len <= w.len)) else {
                let frame = self.is(i, List::Frame) && framing.is_none() && rival.is_none_or(|r| r.len < 2);
                return (i, framing, frame);
            };
            framing = Some(match (w.tag, framing) {
                (Tag::Req, _) | (_, Some(Form::Request)) => Form::Request,
                _ => Form::Wish,
            });
            i = self.skip_fillers(i + w.len, end);
        }
        (i, framing, false)
    }

    /// "would you run it", "would you fix the typo in README": where the verb of the request stands.
    /// "would you use a queue here", "would you delete this file" ask for advice.
    fn would_you(&self, i: usize, end: usize) -> Option<usize> {
        if self.word(i) != "would" || self.word(i + 1) != "you" || !self.known.on(Rule::WouldYou) {
            return None;
        }
        let at = self.skip_fillers(i + 2, end);
        let verb = self.longest(at, end, Tag::is_verb)?;
        let polite = self
            .tokens
            .get(i..end)
            .unwrap_or(&[])
            .iter()
            .any(|t| matches!(t.text.as_str(), "please" | "pls"))
            || (self.word(end.wrapping_sub(1)) == "me" && self.word(end.wrapping_sub(2)) == "for");
        let plain = matches!(verb.tag, Tag::VExecute | Tag::VRead | Tag::VExplain | Tag::VAudit);
        let wanted = polite || self.names_work(verb, end);
        (plain || (wanted && !self.hits_in(i, end).any(|h| h.tag == Tag::QWhat))).then_some(at)
    }

    /// "fix the typo in README", "add a test for login": a verb that changes something, and what that is by its name. What
    /// points at it ("this", "here") or weighs two ways ("before or after") asks what one would do.
    fn names_work(&self, verb: Hit, end: usize) -> bool {
        let changes = matches!(verb.tag, Tag::VModify | Tag::VAdd | Tag::VDelete);
        let after = verb.start + verb.len;
        let named = !matches!(self.object(after, end), Object::Missing | Object::Pronoun);
        let weighs = |i: usize| self.is(i, List::Leans) || self.is(i, List::Or);
        changes && self.is(verb.start, List::WorkVerb) && named && !(after..end).any(weighs)
    }

    /// "do the same", "don't escape it": orders whose verb the tables do not know.
    fn doing(&self, c: &mut Clause, i: usize, end: usize, framing: Option<Form>) -> bool {
        let word = |i: usize| self.word(i);
        if !self.known.on(Rule::DoAndDont) || self.longest(i, end, Tag::is_verb).is_some() {
            return false;
        }
        if word(i) == "do" && i + 1 < end && self.is(i + 1, List::DoObject) {
            c.form = framing.unwrap_or(Form::Order);
            c.after = i + 1;
            c.object = self.object(i + 1, end);
            // "do it without changing how it is called"
            let framed = !c.marked && framed(self.tokens.get(i..end).unwrap_or(&[]), self.known);
            c.verb = framed.then_some(Tag::VModify);
            return true;
        }
        let negative = matches!(word(i), "dont" | "never") || (word(i) == "do" && word(i + 1) == "not");
        if negative && framing.is_none() {
            let forbids = self.hits_in(i, end).any(|h| h.tag == Tag::Forbid && h.start == i);
            c.form = if forbids { Form::Statement } else { Form::Ought };
            return true;
        }
        false
    }

    /// The verb or question word that opens a clause there: the longest.
    fn opener(&self, i: usize, end: usize) -> Option<Hit> {
        self.hits(i)
            .iter()
            .copied()
            .filter(|h| {
                h.bytes == 0
                    && h.start + h.len <= end
                    && (h.tag.is_verb() || h.tag.asks())
                    && (!h.anywhere || h.len > 1 || h.tag.is_verb())
            })
            .max_by_key(|h| (h.len, u8::from(h.tag.is_verb()), u8::from(!h.anywhere)))
    }

    fn operative(&self, c: &mut Clause, i: usize, end: usize, framing: Option<Form>) {
        let best = self.opener(i, end);
        let asked = c.marked && framing != Some(Form::Request);
        let framed = || !asked && framed(self.tokens.get(i..end).unwrap_or(&[]), self.known);
        match best {
            _ if framed() => {
                (c.verb, c.after) = (Some(Tag::VModify), i + 1);
                c.form = framing.unwrap_or(Form::Order);
            }
            // "have the tests passed?"
            Some(h) if h.tag == Tag::VModify && c.marked && self.word(i) == "have" => {
                c.form = framing.unwrap_or(Form::Question(Tag::QAux));
                c.after = h.start + h.len;
            }
            Some(h) if h.tag.is_verb() && !(framing.is_none() && self.is_noun_here(h, end)) => {
                c.verb = Some(h.tag);
                c.after = h.start + h.len;
                c.foreign = h.anywhere;
                c.form = framing.unwrap_or(Form::Order);
            }
            Some(h) if h.tag == Tag::QAux && !c.marked && framing.is_none() && self.states(h) => {
                c.after = h.start + h.len;
                c.form = if self.tokens.get(i).is_some_and(|t| t.text.starts_with("should")) {
                    Form::Ought
                } else {
                    Form::Statement
                };
            }
            Some(h) if h.tag.asks() => {
                c.form = framing.filter(|d| *d == Form::Request).unwrap_or(Form::Question(h.tag));
                c.after = h.start + h.len;
                if c.form == Form::Request {
                    c.verb = Some(Tag::VExplain);
                }
                c.foreign = h.anywhere;
            }
            _ => {
                c.after = i;
                self.foreign(c, c.start, end);
                if c.form == Form::Statement {
                    let shall = self.hits_in(c.start, end).any(|h| h.tag == Tag::Shall);
                    c.form = match framing {
                        Some(d) => d,
                        None if !shall && self.bare_verb(i, end) => Form::Order,
                        None if shall => Form::Ought,
                        None if c.fault => Form::Complaint,
                        None if c.marked => Form::Question(Tag::QOther),
                        None => Form::Statement,
                    };
                }
            }
        }
        c.object = self.object(c.after, end);
        c.located = (c.after..end)
            .any(|j| self.is(j, List::Place) && j > c.after && self.tokens.get(j + 1).is_some());
    }

    /// "should stay open", "we're on 3.11": no subject follows, so nothing is asked.
    fn states(&self, h: Hit) -> bool {
        let next = h.start + h.len;
        match self.word(h.start) {
            _ if !self.known.on(Rule::States) => false,
            "should" | "shouldnt" => {
                let tail = self.is(next, List::OughtTail);
                let closed = [List::Determiner, List::Pronoun, List::Subject];
                tail || (h.start > 0
                    && !self.word(next).is_empty()
                    && !closed.iter().any(|l| self.is(next, *l)))
            }
            "were" => self.is(next, List::WereTail),
            _ => false,
        }
    }

    /// "if it is none make one": an order inside the frame, without a comma.
    fn embedded(&self, i: usize, end: usize) -> bool {
        let closed = [List::Determiner, List::Preposition, List::Aux, List::Subject];
        self.known.on(Rule::Embedded)
            && (i + 3..end).any(|j| {
                let order = self.hits(j).iter().any(|h| h.tag.acts() && !h.anywhere && h.bytes == 0);
                order
                    && !closed.iter().any(|l| self.is(j - 1, *l))
                    && (self.is(j + 1, List::Governed) || matches!(self.word(j + 1), "one" | "that"))
            })
    }

    /// A verb or question word of a language whose verb may stand anywhere.
    fn foreign(&self, c: &mut Clause, start: usize, end: usize) {
        let hits: Vec<Hit> = self
            .hits_in(start, end)
            .filter(|h| {
                h.anywhere && (h.tag.is_verb() || h.tag.asks() || matches!(h.tag, Tag::Req | Tag::Want))
            })
            .collect();
        let ask = hits.iter().filter(|h| h.tag.asks()).max_by_key(|h| (h.bytes, h.len));
        let request = hits.iter().any(|h| h.tag == Tag::Req);
        let verbs = hits.iter().filter(|h| h.tag.is_verb());
        let verb = verbs.min_by_key(|h| (h.start, usize::MAX - h.bytes, h.offset, usize::MAX - h.len));
        match (ask, verb) {
            (Some(q), v) if !request || v.is_none() => {
                c.form = Form::Question(q.tag);
                c.verb = v.map(|v| v.tag);
                c.foreign = true;
            }
            (_, Some(v)) => {
                c.form = if request { Form::Request } else { Form::Order };
                c.verb = Some(v.tag);
                c.after = v.start + v.len;
                c.foreign = true;
            }
            _ => {}
        }
    }

    /// A head such as "build" or "plan" that is a noun here: something is said about it.
    fn is_noun_here(&self, h: Hit, end: usize) -> bool {
        let after = h.start + h.len;
        let stop = (after + 4).min(end);
        if self.is(after, List::Determiner) || h.anywhere || h.len > 1 || !self.known.on(Rule::NounHere) {
            return false;
        }
        (after..stop).any(|j| self.is(j, List::Aux) && !self.is(j.wrapping_sub(1), List::Clause))
            || (self.hits(after).iter().any(|h| h.tag == Tag::Fault) && !self.is(after, List::FaultNoun))
    }

    /// An unknown word that governs an object: "lowercase the emails".
    fn bare_verb(&self, i: usize, end: usize) -> bool {
        let word = self.word(i);
        let closed =
            [List::Aux, List::Determiner, List::Preposition, List::Pronoun, List::Frame, List::NoVerb];
        let ending = ["ing", "ed", "ly", "s"].iter().any(|e| word.ends_with(e));
        self.known.on(Rule::BareVerb)
            && word.len() > 2
            && word.is_ascii()
            && !ending
            && !closed.iter().any(|l| self.is(i, *l))
            && i + 1 < end
            && self.is(i + 1, List::Governed)
    }

    /// What stands after the verb, up to the first preposition.
    fn object(&self, after: usize, end: usize) -> Object {
        if !self.known.on(Rule::Object) {
            return if after < end { Object::Other } else { Object::Missing };
        }
        let mut i = after;
        while self.is(i, List::Determiner) && i < end && self.tokens.get(i + 1).is_some() && i + 1 < end {
            i += 1;
        }
        if i >= end {
            return Object::Missing;
        }
        let mut stop = i;
        while stop < end && !(stop > i && self.is(stop, List::Preposition)) {
            stop += 1;
        }
        if stop == i + 1 && self.is(i, List::Pronoun) {
            return Object::Pronoun;
        }
        let named =
            self.tokens.get(i..stop).unwrap_or(&[]).iter().any(|t| matches!(t.kind, Kind::File | Kind::Path));
        let place = |tag: Tag| {
            self.hits_in(i, stop).filter(|h| h.tag == tag).map(|h| h.start + h.len).max().unwrap_or(0)
        };
        // "delete the print() in a.py": a call stands in a file.
        let call =
            |at: &usize| self.tokens.get(*at).is_some_and(|t| t.kind == Kind::Ident && t.text.contains("()"));
        let call = (i..stop).rfind(call).map_or(0, |at| at + 1);
        let (inner, whole, new) = (place(Tag::OInner).max(call), place(Tag::OWhole), place(Tag::ONew));
        if named && inner == 0 {
            return Object::Whole;
        }
        let head = inner.max(whole).max(new);
        if head == 0 {
            return Object::Other;
        }
        if inner == head {
            Object::Inner
        } else if whole == head {
            Object::Whole
        } else {
            Object::New
        }
    }
}
