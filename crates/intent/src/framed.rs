//! Orders whose verb is one only in its frame: "teach X about Y", "have X do Y", "give X a Y", "swap X for Y", "do it without
//! …", "explain in the README how …", "print to stderr …", "answer 404 when …".
//!
//! Owns these frames; their words stand in `assets/intent/words.txt`. Elsewhere the same verbs ask, tell and greet.

pub(crate) mod shown;

use pilothouse_shell::is_prose;

use super::{
    classify::Parsed,
    lexicon::Tag,
    parts::{Rule, Tables},
    structure::{Clause, Form},
    text::{Kind, Token},
    words::List,
};

/// Whether a message orders a change in one of the frames, and nothing in it asks.
pub(crate) fn orders(p: &Parsed<'_>) -> bool {
    let s = &p.structure;
    let kept = || p.kept.iter().filter_map(|k| s.clauses.get(*k)).filter(|c| c.form != Form::Empty);
    let asks = |c: &Clause| c.marked || matches!(c.form, Form::Question(_));
    let frames =
        |c: &Clause| !c.marked && framed(p.doc.tokens.get(c.head..c.end).unwrap_or_default(), s.known);
    kept().next().is_some_and(frames) && !kept().any(asks)
}

/// Whether a message begins with one of these verbs said to people or of looking and thinking, so that it orders nothing:
/// "teach the team how the cache works", "give the diff an honest opinion".
pub(crate) fn talks(p: &Parsed<'_>) -> bool {
    let s = &p.structure;
    let mut kept = p.kept.iter().filter_map(|k| s.clauses.get(*k)).filter(|c| c.form != Form::Empty);
    let words = |c: &Clause| p.doc.tokens.get(c.head..c.end).unwrap_or_default();
    s.known.on(Rule::Framed)
        && kept.next().is_some_and(|c| Words { known: s.known, tokens: words(c) }.talks())
}

/// Whether a message asks what has been: "have the nightly builds failed lately".
pub(crate) fn asks_what_was(p: &Parsed<'_>) -> bool {
    Words { known: p.structure.known, tokens: &p.doc.tokens }.asks_what_was()
}

/// The same of a message that orders no change besides.
pub(crate) fn only_talks(p: &Parsed<'_>) -> bool {
    let acts = |c: &Clause| {
        matches!(c.form, Form::Order | Form::Request | Form::Wish)
            && c.verb.is_some_and(Tag::acts)
            && !c.marked
    };
    let mut kept =
        p.kept.iter().filter_map(|k| p.structure.clauses.get(*k)).filter(|c| c.form != Form::Empty);
    kept.next().is_some() && !kept.any(acts) && talks(p)
}

/// Whether a clause from its verb on is in one of the frames.
pub(crate) fn framed(tokens: &[Token], known: &Tables) -> bool {
    let clause = Words { known, tokens };
    known.on(Rule::Framed)
        && !clause.talks()
        && (clause.teaches()
            || clause.has_do()
            || clause.gives()
            || clause.swaps()
            || clause.does_without()
            || clause.tells()
            || clause.prints()
            || clause.shows())
}

/// The words of a clause from its verb on.
#[derive(Clone, Copy)]
struct Words<'a> {
    known: &'a Tables,
    tokens: &'a [Token],
}

impl<'a> Words<'a> {
    fn is(self, at: usize, list: List) -> bool {
        self.tokens.get(at).is_some_and(|t| t.kind == Kind::Word && self.known.is(list, &t.text))
    }

    fn word(self, at: usize) -> &'a str {
        self.tokens.get(at).filter(|t| t.kind == Kind::Word).map_or("", |t| &t.text)
    }

    /// Whether what is taught or given something there is a thing of the program, and not somebody who talks here.
    fn is_thing(self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|t| t.kind != Kind::Punct && t.kind != Kind::Flag)
            && !self.is(at, List::FramedSelf)
    }

    /// A name as code writes it.
    fn is_name(self, at: usize) -> bool {
        let kind = self.tokens.get(at).map(|t| t.kind);
        matches!(kind, Some(Kind::Ident | Kind::File | Kind::Path | Kind::Tick | Kind::Quote))
    }

    fn find(self, from: usize, list: List) -> Option<usize> {
        (from..self.tokens.len()).find(|at| self.is(*at, list))
    }

    /// "teach parse about comments", "teach wcount to read a pipe"; "teach me about lifetimes" asks.
    fn teaches(self) -> bool {
        let to = self.find(2, List::FramedTeachTo);
        self.is(0, List::FramedTeach) && self.is_thing(1) && to.is_some_and(|at| at + 1 < self.tokens.len())
    }

    /// "have main return 3", "let the parser skip comments"; "have you seen it", "have a look" do not.
    fn has_do(self) -> bool {
        if !self.is(0, List::FramedHave) || self.is(1, List::FramedSelf) || self.is(1, List::FramedGift) {
            return false;
        }
        if self.is(1, List::Preposition) {
            return false;
        }
        let before = usize::from(self.is(1, List::Determiner));
        let plain = before == 0 && !self.is_name(1) && !self.is(1, List::It) && !self.lets();
        // A thing has a word or two before what it is to do.
        (2 + before..=3 + before).any(|at| {
            let named = (1..at).all(|at| self.is_thing(at)) && !self.is(at, List::Determiner);
            let verb = self.is(at, List::FramedDo) || (!plain && at == 2 + before && self.may_be_verb(at));
            named && verb && !self.is(at - 1, List::FramedPeople)
        })
    }

    /// "let files leave out the rate": "let" gives a thing leave by any verb, where "have" and "make" want one that is known.
    /// "let alone …", "let that sink in", "let files be" do not.
    fn lets(self) -> bool {
        let stays = |at: usize| self.is(at, List::SpareStay) || self.is(at, List::FramedLetNo);
        self.word(0) == "let" && !self.is(1, List::Pronoun) && !(1..4).any(stays)
    }

    fn may_be_verb(self, at: usize) -> bool {
        let closed =
            [List::Aux, List::Determiner, List::Preposition, List::Pronoun, List::Frame, List::NoVerb];
        let word = self.tokens.get(at).filter(|t| t.kind == Kind::Word).map_or("", |t| &t.text);
        let ending = ["ing", "ed", "en", "ly", "s"].iter().any(|end| word.ends_with(end));
        let has = self.word(0) == "let" && word == "have";
        word.len() > 2
            && !ending
            && (has || !closed.iter().any(|list| self.is(at, *list)))
            && at + 1 < self.tokens.len()
    }

    /// "give wcount a --help", "give each function a docstring"; "give me a hint", "give it a look", "give the team a talk"
    /// do not.
    fn gives(self) -> bool {
        if !self.is(0, List::FramedGive) || !self.is_thing(1) || self.is(1, List::FramedGift) {
            return false;
        }
        let flag = |at: usize| self.tokens.get(at).is_some_and(|t| t.kind == Kind::Flag);
        self.gift().is_some_and(|at| flag(at) || self.tokens.len() > at + 1)
    }

    /// Where what is given begins.
    fn gift(self) -> Option<usize> {
        let flag = |at: usize| self.tokens.get(at).is_some_and(|t| t.kind == Kind::Flag);
        (2..self.tokens.len()).find(|at| self.is(*at, List::FramedGift) || flag(*at))
    }

    /// "teach a newcomer how it works", "give the docs a skim", "exchange ideas with me", "swap is used for what".
    fn talks(self) -> bool {
        let people = |at: usize| at.checked_sub(1).is_some_and(|last| self.is(last, List::FramedPeople));
        let look = |at: usize| {
            let gift = self.is(at, List::FramedGift);
            // "a quick look over"
            let over = |noun: usize| {
                let two = format!("{} {}", self.word(noun), self.word(noun + 1));
                let ends = self.heads(noun + 1) || self.is(noun + 2, List::AgainBefore);
                self.known.is(List::FramedNoGift, &two) && (ends || self.is(noun + 2, List::HaltPast))
            };
            let noun = |noun: usize| self.is(noun, List::FramedNoGift) && self.heads(noun) || over(noun);
            gift && (at + 1..at + 4).any(noun)
        };
        let with = || self.find(2, List::FramedSwapFor).is_some_and(|at| self.is(at + 1, List::FramedSelf));
        self.is(0, List::FramedTeach) && self.find(2, List::FramedTeachTo).is_some_and(people)
            || self.is(0, List::FramedGive) && self.gift().is_some_and(|at| look(at) || people(at))
            || self.word(0) == "let" && (2..4).any(|at| self.word(at) == "have" && look(at + 1))
            || self.is(0, List::FramedSwap) && (self.is(1, List::Aux) || with())
            || self.is(0, List::FramedHave) && (self.makes_talk() || self.lets_be() || self.lets_know())
            || self.seeks()
            || self.weighs()
            || self.tells_me()
            || self.asks_what_was()
            || self.is_disowned()
    }

    /// "narrow down which commit broke it", "pin down the cause of the leak", "make out what this does", "make clear to me why
    /// we fork here"; "narrow down the column widths" changes them.
    fn seeks(self) -> bool {
        let clear =
            self.is(1, List::MadeKnown) && self.is(2, List::FramedTeachTo) && self.is(3, List::FramedSelf);
        let make = self.word(0) == "make" && (clear || self.word(1) == "out");
        let particle = |at: &usize| self.is(*at, List::SeekParticle);
        let past = (1..3).take_while(particle).count();
        let at = if clear { 4 } else { 1 + past };
        let asks = self.is(at, List::FramedTells) && !matches!(self.word(at), "that" | "if");
        let cause =
            || self.is(at, List::Article) && (at + 1..at + 4).any(|noun| self.is(noun, List::SeekCause));
        make && (asks || clear) || self.is(0, List::Seek) && (asks || cause())
    }

    /// "put jest and vitest side by side": names, and no things of a page.
    fn weighs(self) -> bool {
        let name = |at: usize| {
            !self.is(at, List::Determiner) && !self.is(at, List::Pronoun) && !self.word(at).ends_with('s')
        };
        let beside = ["side", "by", "side"].iter().enumerate().all(|(n, word)| self.word(4 + n) == *word);
        matches!(self.word(0), "put" | "set" | "lay") && name(1) && self.word(2) == "and" && name(3) && beside
    }

    /// "fill me in on the store", "catch me up", "get me up to speed", "take me through it".
    fn tells_me(self) -> bool {
        let on = (1..=4).any(|len| {
            let words: Vec<&str> = (2..2 + len).map(|at| self.word(at)).collect();
            self.known.is(List::FramedMeOn, &words.join(" "))
        });
        let closes = self.tokens.len() == 3 && matches!(self.word(2), "in" | "up");
        self.is(1, List::FramedMe) && (on || closes) && !self.is(0, List::FramedMeNo)
    }

    /// "have the tests ever passed", "have the logs show anything odd"; "have it log anything that fails" orders.
    fn asks_what_was(self) -> bool {
        let ever = self.find(2, List::FramedEver);
        self.word(0) == "have" && ever.is_some_and(|at| !self.is(at + 1, List::FramedThat))
    }

    /// "print to stderr is what I don't want": it is said of an order that it is none.
    fn is_disowned(self) -> bool {
        let said =
            |at: usize| self.is(at, List::Aux) && (at + 1..at + 4).any(|what| self.word(what) == "what");
        let told = (1..self.tokens.len()).find(|at| said(*at));
        told.is_some_and(|at| self.find(at, List::Not).is_some() || self.word(at).ends_with("nt"))
    }

    /// "make the case for a rewrite", "make an educated guess why", "make it clear to me why", "have the team check it".
    fn makes_talk(self) -> bool {
        let article = usize::from(self.is(1, List::Article));
        let noun = (1 + article..4).find(|at| self.is(*at, List::FramedMakeTalk));
        // "make the case for empty input pass" goes on with a verb.
        let short = |noun: usize| {
            let of = self.tokens.len().saturating_sub(noun + 2);
            of <= 2 + usize::from(self.is(noun + 2, List::Article)) || self.is(noun + 1, List::FramedTells)
        };
        let talk = noun.filter(|_| article > 0).is_some_and(|noun| self.ends_or_opens(noun) && short(noun));
        let clear =
            self.is(1, List::Pronoun) && self.is(3, List::FramedTeachTo) && self.is(4, List::FramedSelf);
        talk || clear || self.word(0) == "have" && self.is(1 + article, List::FramedPeople)
    }

    /// Whether a noun ends there, or goes on with what it is about.
    fn ends_or_opens(self, noun: usize) -> bool {
        self.heads(noun) || self.is(noun + 1, List::FramedTells) || self.word(noun + 1) == "against"
    }

    /// "let it be", and nothing behind it.
    fn lets_be(self) -> bool {
        let spoken = self.tokens.iter().filter(|t| t.kind != Kind::Punct).count();
        spoken == 3 && self.is(1, List::Pronoun) && self.is(2, List::FramedBe)
    }

    /// "let the user know how many tests fail": an answer is wanted. That something is told, or when, is for the program.
    fn lets_know(self) -> bool {
        let Some(at) = (2..5).find(|at| self.is(*at, List::FramedKnow)) else { return false };
        let asks = self.is(at + 1, List::FramedTells) && self.word(at + 1) != "that";
        let timed = (at + 2..self.tokens.len()).any(|at| self.is(at, List::Frame));
        asks && !self.is(at + 1, List::Frame) && !timed
    }

    /// "explain in the README how --json works", "describe the -l flag in the man page"; "tell me what is in the README"
    /// asks.
    fn tells(self) -> bool {
        if !self.is(0, List::FramedTell) || self.is(1, List::FramedSelf) {
            return false;
        }
        let Some(place) = (1..self.tokens.len()).find(|at| self.is(*at, List::FramedTellIn)) else {
            return false;
        };
        let article = usize::from(self.is(place + 1, List::Article));
        let Some(len) = self.document(place + 1 + article) else { return false };
        let behind = place + 1 + article + len;
        let ends =
            behind >= self.tokens.len() || self.tokens.get(behind).is_some_and(|t| t.kind == Kind::Punct);
        let told = (1..place).any(|at| self.is(at, List::FramedTells));
        let of_code = || {
            let code = |t: &Token| matches!(t.kind, Kind::Flag | Kind::Ident | Kind::Tick);
            self.tokens.get(1..place).is_some_and(|all| all.iter().any(code))
        };
        place == 1 && !ends || !told && ends && of_code()
    }

    /// How many words of a document's name stand there.
    fn document(self, at: usize) -> Option<usize> {
        let token = self.tokens.get(at)?;
        if matches!(token.kind, Kind::File | Kind::Path | Kind::Ident) && is_prose(&token.text) {
            return Some(1);
        }
        let two = format!("{} {}", self.word(at), self.word(at + 1));
        let two = self.known.is(List::FramedDoc, &two).then_some(2);
        two.or_else(|| self.is(at, List::FramedDoc).then_some(1))
    }

    /// "print to stderr how many lines were left out".
    fn prints(self) -> bool {
        self.is(0, List::FramedPrint)
            && self.word(1) == "to"
            && self.is(2, List::FramedStream)
            && self.tokens.len() > 3
    }

    /// Whether a noun is what is meant, and no part of another: "a look at it", not "a read timeout".
    fn heads(self, noun: usize) -> bool {
        let closes = [List::Preposition, List::Join, List::Tie, List::Frame];
        let next = self.tokens.get(noun + 1);
        next.is_none_or(|t| t.kind == Kind::Punct) || closes.iter().any(|list| self.is(noun + 1, *list))
    }

    /// "swap atol for strtol", "swap out requests for httpx".
    fn swaps(self) -> bool {
        let at = self.find(2, List::FramedSwapFor);
        self.is(0, List::FramedSwap) && self.is_thing(1) && at.is_some_and(|at| at + 1 < self.tokens.len())
    }

    /// "do it without changing how it is called".
    fn does_without(self) -> bool {
        let without = self.find(2, List::FramedWithout);
        self.is(0, List::FramedDoIt) && self.is(1, List::DoObject) && without.is_some()
    }
}
