//! Reads one clause: its form, its operative verb and what the verb is applied to.
//!
//! Owns the reading of a single clause. Never looks at the clauses around it.

use super::{AUX, Clause, DETERMINERS, FRAME, Form, Object, PLACES, PREPOSITIONS, PRONOUNS, Reader, is_word};
use crate::{
    lexicon::{Hit, Lexicon, Tag},
    text::Kind,
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
        let (at, dress, frame) = self.undress(i, end);
        i = at;
        c.head = i;
        if frame && marked {
            c.form = Form::Question(Tag::QWay);
            return c;
        }
        if !marked && self.doing(&mut c, i, end, dress) {
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
        self.operative(&mut c, i, end, dress);
        c
    }

    /// Steps over request and wish words; says what they were and whether a frame ("if") opens.
    fn undress(&self, mut i: usize, end: usize) -> (usize, Option<Form>, bool) {
        let mut dress: Option<Form> = None;
        if let Some(verb) = self.would_you(i, end) {
            return (verb, Some(Form::Request), false);
        }
        for _ in 0..6 {
            let wrap = self.longest(i, end, |t| matches!(t, Tag::Req | Tag::Want));
            let rival = self.longest(i, end, |t| t.is_verb() || t.asks());
            let Some(w) = wrap.filter(|w| rival.is_none_or(|r| r.len <= w.len)) else {
                let frame =
                    is_word(self.tokens.get(i), FRAME) && dress.is_none() && rival.is_none_or(|r| r.len < 2);
                return (i, dress, frame);
            };
            dress = Some(match (w.tag, dress) {
                (Tag::Req, _) | (_, Some(Form::Request)) => Form::Request,
                _ => Form::Wish,
            });
            i = self.skip_fillers(i + w.len, end);
        }
        (i, dress, false)
    }

    /// "would you run it", "would you fix it please": where the verb of the request stands.
    /// "would you use a queue here" asks for advice.
    fn would_you(&self, i: usize, end: usize) -> Option<usize> {
        if !is_word(self.tokens.get(i), &["would"]) || !is_word(self.tokens.get(i + 1), &["you"]) {
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
            || (is_word(self.tokens.get(end.wrapping_sub(1)), &["me"])
                && is_word(self.tokens.get(end.wrapping_sub(2)), &["for"]));
        let plain = matches!(verb.tag, Tag::VExecute | Tag::VRead | Tag::VExplain | Tag::VAudit);
        (plain || (polite && !self.hits_in(i, end).any(|h| h.tag == Tag::QWhat))).then_some(at)
    }

    /// "do the same", "don't escape it": orders whose verb the tables do not know.
    fn doing(&self, c: &mut Clause, i: usize, end: usize, dress: Option<Form>) -> bool {
        let word = |i: usize| self.tokens.get(i).map_or("", |t| t.text.as_str());
        if self.longest(i, end, Tag::is_verb).is_some() {
            return false;
        }
        let objects = "the it this that them all both so one just something everything what as";
        if word(i) == "do" && i + 1 < end && objects.split(' ').any(|o| o == word(i + 1)) {
            c.form = dress.unwrap_or(Form::Order);
            c.after = i + 1;
            c.object = self.object(i + 1, end);
            return true;
        }
        let negative = matches!(word(i), "dont" | "never") || (word(i) == "do" && word(i + 1) == "not");
        if negative && dress.is_none() {
            let forbids = self.hits_in(i, end).any(|h| h.tag == Tag::Forbid && h.start == i);
            c.form = if forbids { Form::Statement } else { Form::Ought };
            return true;
        }
        false
    }

    fn operative(&self, c: &mut Clause, i: usize, end: usize, dress: Option<Form>) {
        let best = self
            .hits(i)
            .iter()
            .copied()
            .filter(|h| {
                h.bytes == 0
                    && h.start + h.len <= end
                    && (h.tag.is_verb() || h.tag.asks())
                    && (!h.anywhere || h.len > 1 || h.tag.is_verb())
            })
            .max_by_key(|h| (h.len, u8::from(h.tag.is_verb()), u8::from(!h.anywhere)));
        let gerund = if best.is_none() { self.gerund(i) } else { None };
        match (best, gerund) {
            (Some(h), _) if h.tag.is_verb() && !(dress.is_none() && self.is_noun_here(h, end)) => {
                c.verb = Some(h.tag);
                c.after = h.start + h.len;
                c.foreign = h.anywhere;
                c.form = dress.unwrap_or(Form::Order);
            }
            (Some(h), _) if h.tag == Tag::QAux && !c.marked && dress.is_none() && self.states(h) => {
                c.after = h.start + h.len;
                c.form = if self.tokens.get(i).is_some_and(|t| t.text.starts_with("should")) {
                    Form::Ought
                } else {
                    Form::Statement
                };
            }
            (Some(h), _) if h.tag.asks() => {
                c.form = dress.filter(|d| *d == Form::Request).unwrap_or(Form::Question(h.tag));
                c.after = h.start + h.len;
                if c.form == Form::Request {
                    c.verb = Some(Tag::VExplain);
                }
                c.foreign = h.anywhere;
            }
            (None, Some(tag)) if dress.is_some() => {
                c.verb = Some(tag);
                c.after = i + 1;
                c.form = dress.unwrap_or(Form::Order);
            }
            _ => {
                c.after = i;
                self.foreign(c, c.start, end);
                if c.form == Form::Statement {
                    let shall = self.hits_in(c.start, end).any(|h| h.tag == Tag::Shall);
                    c.form = match dress {
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
            .any(|j| is_word(self.tokens.get(j), PLACES) && j > c.after && self.tokens.get(j + 1).is_some());
    }

    /// "should stay open", "we're on 3.11": no subject follows, so nothing is asked.
    fn states(&self, h: Hit) -> bool {
        let next = self.tokens.get(h.start + h.len);
        match self.tokens.get(h.start).map_or("", |t| t.text.as_str()) {
            "should" | "shouldnt" => next.is_some_and(|t| {
                t.kind == Kind::Word
                    && !DETERMINERS.contains(&t.text.as_str())
                    && !PRONOUNS.contains(&t.text.as_str())
                    && !matches!(
                        t.text.as_str(),
                        "i" | "we" | "you" | "he" | "she" | "they" | "there" | "users"
                    )
                    && (matches!(
                        t.text.as_str(),
                        "be" | "not" | "only" | "also" | "have" | "always" | "never" | "just"
                    ) || h.start > 0)
            }),
            "were" => next.is_some_and(|t| {
                matches!(t.text.as_str(), "on" | "using" | "in" | "at" | "still" | "not" | "now")
            }),
            _ => false,
        }
    }

    /// "if it is none make one": an order inside the frame, without a comma.
    fn embedded(&self, i: usize, end: usize) -> bool {
        (i + 3..end).any(|j| {
            let order = self.hits(j).iter().any(|h| h.tag.acts() && !h.anywhere && h.bytes == 0);
            let free = self.tokens.get(j - 1).is_some_and(|t| {
                !DETERMINERS.contains(&t.text.as_str())
                    && !PREPOSITIONS.contains(&t.text.as_str())
                    && !AUX.contains(&t.text.as_str())
                    && !matches!(
                        t.text.as_str(),
                        "i" | "you" | "we" | "they" | "users" | "people" | "not" | "user"
                    )
            });
            order
                && free
                && self.tokens.get(j + 1).is_some_and(|t| {
                    matches!(t.text.as_str(), "one" | "it" | "the" | "a" | "an" | "them" | "that")
                })
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
        let cjk_tail = hits
            .iter()
            .filter(|h| h.tag.is_verb() && h.bytes > 0)
            .max_by_key(|h| (h.start, h.offset + h.bytes, h.bytes));
        let verb = if cjk_tail.is_some_and(|_| self.verb_final(start, end)) {
            cjk_tail
        } else {
            hits.iter()
                .filter(|h| h.tag.is_verb())
                .min_by_key(|h| (h.start, h.offset, usize::MAX - h.bytes - h.len))
        };
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

    /// Japanese and Korean put the verb last.
    fn verb_final(&self, start: usize, end: usize) -> bool {
        self.tokens
            .get(start..end)
            .unwrap_or(&[])
            .iter()
            .filter(|t| t.kind == Kind::Cjk)
            .any(|t| t.text.chars().any(|c| matches!(c, '\u{3040}'..='\u{30ff}' | '\u{ac00}'..='\u{d7af}')))
    }

    /// A head such as "build" or "plan" that is a noun here: something is said about it.
    fn is_noun_here(&self, h: Hit, end: usize) -> bool {
        let after = h.start + h.len;
        let stop = (after + 4).min(end);
        if is_word(self.tokens.get(after), DETERMINERS) || h.anywhere || h.len > 1 {
            return false;
        }
        (after..stop).any(|j| {
            is_word(self.tokens.get(j), AUX)
                && !is_word(
                    self.tokens.get(j.wrapping_sub(1)),
                    &[
                        "that", "which", "what", "it", "they", "who", "there", "if", "how", "why", "where",
                        "to", "whatever",
                    ],
                )
        }) || self.hits(after).iter().any(|h| {
            h.tag == Tag::Fault
                && h.len >= 1
                && !is_word(
                    self.tokens.get(after),
                    &[
                        "wrong",
                        "missing",
                        "empty",
                        "broken",
                        "error",
                        "errors",
                        "failing",
                        "incorrect",
                        "null",
                        "exception",
                        "exceptions",
                        "undefined",
                        "not",
                        "duplicated",
                        "issue",
                        "issues",
                        "bug",
                        "problem",
                    ],
                )
        })
    }

    /// An unknown word that governs an object: "lowercase the emails".
    fn bare_verb(&self, i: usize, end: usize) -> bool {
        let Some(word) =
            self.tokens.get(i).filter(|t| t.kind == Kind::Word && t.text.len() > 2 && t.text.is_ascii())
        else {
            return false;
        };
        let closed = AUX.contains(&word.text.as_str())
            || DETERMINERS.contains(&word.text.as_str())
            || PREPOSITIONS.contains(&word.text.as_str())
            || PRONOUNS.contains(&word.text.as_str())
            || FRAME.contains(&word.text.as_str());
        let other = [
            "you",
            "they",
            "she",
            "he",
            "we",
            "not",
            "there",
            "here",
            "never",
            "always",
            "almost",
            "both",
            "same",
            "more",
            "less",
            "than",
            "without",
            "maybe",
            "about",
            "what",
            "got",
            "love",
            "like",
            "hate",
            "know",
            "think",
            "see",
            "understand",
            "yes",
            "thats",
            "its",
            "having",
            "being",
            "same",
            "see",
            "half",
            "nearly",
            "most",
            "many",
            "had",
            "saw",
        ]
        .contains(&word.text.as_str());
        let suffix = word.text.ends_with("ing")
            || word.text.ends_with("ed")
            || word.text.ends_with("ly")
            || word.text.ends_with('s');
        let next = self.tokens.get(i + 1).filter(|_| i + 1 < end);
        let governs = next.is_some_and(|t| {
            matches!(
                t.text.as_str(),
                "the"
                    | "a"
                    | "an"
                    | "it"
                    | "them"
                    | "all"
                    | "each"
                    | "every"
                    | "my"
                    | "our"
                    | "both"
                    | "any"
                    | "these"
                    | "those"
                    | "its"
            )
        });
        !closed && !other && !suffix && governs
    }

    /// The verb behind a form in -ing.
    fn gerund(&self, i: usize) -> Option<Tag> {
        let word = self.tokens.get(i).filter(|t| t.kind == Kind::Word)?.text.strip_suffix("ing")?;
        let mut stems = vec![word.to_owned(), format!("{word}e")];
        if let Some((cut, last)) = word.char_indices().next_back()
            && word.get(..cut).is_some_and(|w| w.ends_with(last))
        {
            stems.push(word.get(..cut).unwrap_or("").to_owned());
        }
        let mut token = self.tokens.get(i)?.clone();
        for stem in stems {
            token.text = stem;
            let mut phrase = vec![token.clone()];
            phrase.extend(self.tokens.get(i + 1..i + 3).unwrap_or(&[]).iter().cloned());
            let hit = Lexicon::builtin()
                .find(&phrase)
                .into_iter()
                .filter(|h| h.start == 0 && h.tag.is_verb())
                .max_by_key(|h| h.len);
            if let Some(hit) = hit {
                return Some(hit.tag);
            }
        }
        None
    }

    /// What stands after the verb, up to the first preposition.
    fn object(&self, after: usize, end: usize) -> Object {
        let mut i = after;
        while is_word(self.tokens.get(i), DETERMINERS)
            && i < end
            && self.tokens.get(i + 1).is_some()
            && i + 1 < end
        {
            i += 1;
        }
        if i >= end {
            return Object::Missing;
        }
        let mut stop = i;
        while stop < end && !(stop > i && is_word(self.tokens.get(stop), PREPOSITIONS)) {
            stop += 1;
        }
        if stop == i + 1 && is_word(self.tokens.get(i), PRONOUNS) {
            return Object::Pronoun;
        }
        let named =
            self.tokens.get(i..stop).unwrap_or(&[]).iter().any(|t| matches!(t.kind, Kind::File | Kind::Path));
        let place = |tag: Tag| {
            self.hits_in(i, stop).filter(|h| h.tag == tag).map(|h| h.start + h.len).max().unwrap_or(0)
        };
        let (inner, whole, new) = (place(Tag::OInner), place(Tag::OWhole), place(Tag::ONew));
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
