//! The tables of the classifier, and the parts of it that can be left out to measure what each earns.
//!
//! Owns the names of the parts. Leaving one out is for `examples/ablate-intent.rs` and tests: the built-in
//! classifier has them all.

use std::sync::LazyLock;

use super::{
    lexicon::{Lexicon, Tag},
    words::{List, Words},
};

macro_rules! rules {
    ($($name:ident = $text:literal,)*) => {
        /// A tier, or a family of rules, that can be left out.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Rule { $($name),* }

        impl Rule {
            const ALL: &[Self] = &[$(Self::$name),*];

            const fn name(self) -> &'static str {
                match self { $(Self::$name => $text),* }
            }
        }
    };
}

rules! {
    TierShort = "tier: short answers",
    TierShell = "tier: shell lines",
    TierStructure = "tier: structure",
    TierStatistics = "tier: statistics",
    TierGuards = "tier: learned guards",
    TierProhibition = "tier: prohibitions",
    TierSimilar = "tier: exemplars",
    ForbidTail = "forbid: the end of an open quote",
    ForbidAnywhere = "forbid: the whole message",
    ForbidNegation = "forbid: negated verbs",
    ForbidReach = "forbid: how far a phrase reaches",
    ForbidRest = "forbid: what is said beside it",
    Withdrawal = "withdrawal",
    EnglishFirst = "clause: English before other tables",
    WouldYou = "clause: would you",
    DoAndDont = "clause: do and don't",
    Tied = "clause: tied to the one before",
    Listing = "clause: nouns in a question",
    States = "clause: should without a subject",
    Embedded = "clause: an order in a frame",
    NounHere = "clause: a verb that is a noun here",
    BareVerb = "clause: unknown verbs",
    Object = "clause: objects",
    Gone = "leaf: is not needed any more",
    WantedNoun = "leaf: nouns of answers",
    Stated = "leaf: statements",
    Kills = "leaf: kill",
    Builds = "leaf: build and make",
    DeleteObject = "leaf: objects of a removal",
    QuestionKinds = "leaf: kinds of questions",
    FreeControl = "vote: words to the workbench",
    YesGuard = "vote: no yes beside a negation",
    ModeSwitch = "vote: modes",
    RedoAfterFailure = "vote: again after a failure",
    Destroys = "vote: removals before shares",
    Removes = "vote: half a removal is one",
    TaskNotYes = "vote: a task is no yes",
    OrderedRun = "vote: an ordered run beside a prohibition",
    Weighs = "vote: work that only weighs",
    Framed = "vote: verbs in their frames",
    HaltsPart = "vote: a word that stops said of a part",
    HaltsRun = "vote: a word that stops said of the run",
    Resumes = "vote: what takes work up again",
    Openers = "features: openers of sentences",
    Letters = "features: letters",
    Shape = "features: shape",
    Pairs = "features: pairs of words",
    ByPhase = "features: each phase by itself",
    GuardOrder = "features: order of words for the guards",
    PausedWords = "paused: words that leave",
}

/// A part of the classifier that can be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part(Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Rule(Rule),
    Phrases(Tag),
    Words(List),
}

impl Part {
    /// Every part: tiers and rules, phrases of the lexicon, word lists.
    pub fn all() -> impl Iterator<Item = Self> {
        let rules = Rule::ALL.iter().copied().map(Kind::Rule);
        let phrases = Tag::ALL.iter().copied().map(Kind::Phrases);
        let words = List::ALL.iter().copied().map(Kind::Words);
        rules.chain(phrases).chain(words).map(Self)
    }

    /// What kind of part it is, for a table.
    pub const fn kind(self) -> &'static str {
        match self.0 {
            Kind::Rule(_) => "tiers and rules",
            Kind::Phrases(_) => "phrases",
            Kind::Words(_) => "words",
        }
    }

    /// Its name within its kind.
    pub fn name(self) -> &'static str {
        match self.0 {
            Kind::Rule(rule) => rule.name(),
            Kind::Phrases(tag) => tag.name(),
            Kind::Words(list) => list.name(),
        }
    }
}

/// What the rules look things up in.
#[derive(Debug)]
pub(crate) struct Tables {
    pub(crate) lexicon: Lexicon,
    pub(crate) words: Words,
    left_out: Vec<Rule>,
}

static BUILTIN: LazyLock<Tables> = LazyLock::new(|| Tables::without(&[]));

impl Tables {
    /// The tables in the binary, all of them.
    pub(crate) fn builtin() -> &'static Self {
        &BUILTIN
    }

    /// The tables without some parts.
    pub(crate) fn without(parts: &[Part]) -> Self {
        let (mut left_out, mut tags, mut lists) = (Vec::new(), Vec::new(), Vec::new());
        for part in parts {
            match part.0 {
                Kind::Rule(rule) => left_out.push(rule),
                Kind::Phrases(tag) => tags.push(tag),
                Kind::Words(list) => lists.push(list),
            }
        }
        let words = Words::parse(&lists);
        Self { lexicon: Lexicon::parse(&tags, &words), words, left_out }
    }

    /// Whether a rule is in force.
    pub(crate) fn on(&self, rule: Rule) -> bool {
        self.left_out.is_empty() || !self.left_out.contains(&rule)
    }

    /// Whether a word stands in a list.
    pub(crate) fn is(&self, list: List, word: &str) -> bool {
        self.words.has(list, word)
    }
}
