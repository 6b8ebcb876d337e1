//! The word lists of the rules, by name.
//!
//! Owns the parsed `assets/intent/words.txt`. Never knows what a list is for: that is with the rule.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::Arc,
};

use super::text::fold;

/// The file; its n-th line is the n-th list.
const SOURCE: &str = include_str!("../../../assets/intent/words.txt");

macro_rules! lists {
    ($($name:ident,)*) => {
        /// A list of `words.txt`; the file's lines stand in the same order.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum List { $($name),* }

        impl List {
            /// Every list, in the order of their bits.
            pub(crate) const ALL: &[Self] = &[$(Self::$name),*];
        }
    };
}

lists! {
    Frame, Preposition, Place, Aux, Determiner, Pronoun, English, Else, Everything, Universal, Open,
    General, ChangeStem, KindStem, RunStem, CarryStem, PutOff, Thing, ThingRun, AllRun, ForbidNot, Any,
    Nothing, NotAfter, NotOpens, NotClause, NotOnly, NotRelative, NotThen, NotNone, NothingElse,
    StaysRun, LetAlone, AloneEnd, NotBefore, It, NothingAfter, Wanted, Not, Proof, ProofVerb, Article,
    Particle, ForbidGap, Narrows, ElseBefore, ElseRun, KindRun, Sample, Closed, ReadOnly, ReadOnlyEnd,
    ReadOnlyNoun, Fragment, NounReview, NounDesign, NounDecompose, NounExplain, NounAudit, NounRead,
    NounEnd, KillObject, KillRun, BuildNew, BuildRun, BuildTarget, InnerThing, WholeThing, InnerRun,
    WholeRun, AllThings, SoftRemoval, Join, Answered, Tie, Subject, OughtTail, WereTail, Governed,
    Clause, FaultNoun, NoVerb, Also, Objection, ObjectionGap, ObjectionTail, AtOnce, Almost, Instead,
    Hesitate, First, Correction, Better, PoliteOpens, PoliteRun, PoliteMay, PoliteBit, DoThat, DoObject,
    Summary, Provenance, Detail, Lookup, Compare, Suppose, Predict, Weigh, Fix, Or, Touch, SpareStem,
    SpareTests, SpareDocs, SpareConfig, SpareLocks, SpareNames, SpareEach, SpareNow, SpareNoun,
    SpareMake, SpareNounOf, SpareNever, SpareOff, SpareOut, SpareGap, SpareWant, SpareWish, SpareLed,
    SpareMore, SpareGone, SpareNotIn, SpareOnly, SpareModal, SpareMayNot, SpareSo, SpareStay,
    SparePassive, SpareTaboo, SpareFreeLead, SpareFreeMay, SpareFreeBeside, SpareGrant, SpareFreeNot,
    SpareBut, SpareOther, SpareBefore, SpareWhy, SpareWithout, SpareIn, SpareAs, SpareIs, SpareLeave, SpareLetBe,
    SpareEnd, SpareLast, SpareNot, SpareAny, SpareInside, SpareFirst, SpareParticle, SpareClose,
    SpareStress, LeavePipeline, Decline, Agree, AgreeAct, AgreeBeside, ConsentYes, ConsentLead, ConsentNo, ConsentNot,
    ConsentBut, ConsentWith, ConsentHead, ConsentInstead, ConsentRather, ConsentPlease, ConsentUse, ConsentOff, ConsentRun, ConsentCommit, ConsentChange, ConsentCall, ConsentDo, ConsentWhat, Undo, UndoVerb, UndoSplit,
    UndoBack, UndoThe, UndoLast, UndoWhat, UndoIt, UndoAll, UndoCount, UndoOnly, UndoStep, UndoFile,
    UndoNth, UndoNthDe, UndoAnd, UndoDone, UndoWhich, UndoDid, UndoOwn, UndoOf, UndoLead, UndoTail,
    UndoRest, UndoWas, UndoPut, UndoRestore, UndoWhy, Clear, ShowDiff, ShowOutput, ShowCost, LeaveLead, LeaveNoun, GiveBack, GiveVerb, GiveAgain, FollowLead, FollowTail, FollowFor, FollowNext,
    FollowToo, FollowForgot, FollowLacks, FollowFailed, FollowPick, FollowForm, FollowIn, FollowTongue,
    FollowThe, FollowNot, WhyTell, AgainstLead, AgainstBad, NotJust, NotJustTell, CommitLead,
    CommitVerb, CommitWhat, CommitTail, HandsOn, MessageLead, MessageTold, MessageNo, MessageUse, MessageAs,
    MessageTake, MessageTaken, MessageTakenYes, RewordVerb, RewordGap, RewordNoun, RewordBare,
    RewordTail, RewordSays, RewordMore, RewordThat, RewordWithin, RewordPlace, RewordBe, RewordTells,
    Steer, Step, SteerHead, But, HaltHead, Replace, Prose, SqlPart, Outcome, MadeKnown, TalkOf, TalkBad,
    TalkMade, ReportTells, ReportPast, ReportWhen, ReportNoun, ReportNot,
    ReportVerb, ReportPlural, ReportAfter, ReportMade, Subcommand, ToldPast, ToldAbout,
    ToldWho, ToldChange, ToldLeft, ToldTake, ToldFail, ToldGate, ToldRan, ToldAll, ToldClose, RecapLead,
    Recap, RecapTail, RuleHead, RuleNote, RuleAlways, RuleLead, RuleNot, Offer, OfferHead, OfferOpen,
    OfferGrave, LeaveBe, Halt, HaltPlain, HaltLead, HaltOf, HaltRun, HaltGround, HaltWhy, HaltPast,
    HaltTakes, HaltSelf, HaltWant, HaltTo, AskPolite, AgainNot, AgainTold, AgainDo, AgainEnd,
    AgainReach, AgainNotRun, AgainWhy, AgainCant, AgainYou, AgainOwn, AgainGap, AgainSelf, AgainBefore,
    Hold, Fixed, Resume, ResumeOf, ResumeRun, FramedTeach, FramedTeachTo, FramedSelf, FramedPeople, FramedHave,
    FramedDo, FramedLetNo, FramedGive, FramedGift, FramedNoGift, Seek, SeekParticle, SeekCause,
    FramedSwap, FramedSwapFor, FramedDoIt, FramedWithout, FramedAgent, FramedNobody, FramedMay,
    FramedMayNot, FramedDoing, FramedStop, FramedWait, FramedOther, FramedSays, FramedSpeaker,
    FramedThanks, FramedTell, FramedTellIn, FramedDoc, FramedTells, FramedPrint, FramedStream, FramedShows, FramedPuts, FramedNotice, FramedShownIn, FramedShownAt, FramedShownOf, FramedShownWhen, FramedShownTo, FramedShownAs, FramedShownDigits, FramedShownExactly, FramedShownWith, FramedShownMine,
    FramedMakeTalk, FramedBe, FramedMe, FramedMeOn, FramedMeNo, FramedEver, FramedThat, FramedKnow,
    Leans, LeansOn, Hangs, Proposes, ReviseVerb, ReviseDrop, ReviseTake, ReviseOut, ReviseNeed, ReviseWant,
    ReviseMore, ReviseStep, ReviseTask, ReviseWhich, ReviseAfter, ReviseOrder, ReviseMake, ReviseOnly,
    RevisePlan, ReviseNeedless, NewWork, NewArticle, WorkVerb, BareVerb, BeOrHave, DoOrMay, MessageEdit, MessageOmit, MessageOf, MessagePart,
    MessageLine, MessageTo, MessageReword, PickYes, PickLead, PickVerb, PickNth, PickLast, PickAll,
    PickBoth, PickCount, PickGap, ToldNot, ToldVerb, ToldAble, ToldKeep, ToldAs, ToldAttribute, ReviseWhy,
    ToldBe, ToldWhich, ConsentOnce, LeaveWhat, ToldNoOrder, ClaimOf, ClaimGreen, ClaimHedge, ClaimObject,
    KeepLead, KeepVerb, KeepLeave, KeepNot, KeepIt, KeepTail, SourceVerb, SourceThing, SourceWhich, SourceOf,
    SourceItself, SourceAsk, Document, DocumentPart, RunHow,
}

impl List {
    /// Its name in the file.
    pub(crate) fn name(self) -> &'static str {
        lines().nth(self as usize).map_or("", |(name, _)| name)
    }
}

/// The name of each list in the file, and its words.
fn lines() -> impl Iterator<Item = (&'static str, &'static str)> {
    SOURCE.lines().filter(|l| !l.starts_with('#')).filter_map(|l| l.split_once(": "))
}

/// Lists that one part of a word's bits holds.
const BITS: usize = u128::BITS as usize;
/// Parts in which there is a bit for every list.
const PARTS: usize = List::ALL.len().div_ceil(BITS);

/// Lists, as bits.
type Bits = [u128; PARTS];

/// The parsed lists.
#[derive(Debug, Default)]
pub(crate) struct Words {
    /// Which of the sets below a word has.
    places: HashMap<Arc<str>, u16>,
    /// The sets of lists in which a word stands: few, since most words stand in one.
    sets: Vec<Bits>,
    lists: Vec<Vec<Arc<str>>>,
    /// Words without one of which nothing is left alone.
    keeping: HashSet<Arc<str>>,
}

impl Words {
    /// Reads the file, without the lists that are left out.
    pub(crate) fn parse(left_out: &[List]) -> Self {
        let mut lists = vec![Vec::new(); List::ALL.len()];
        let mut places: HashMap<Arc<str>, Bits> = HashMap::new();
        for (list, (_, line)) in List::ALL.iter().copied().zip(lines()) {
            if left_out.contains(&list) {
                continue;
            }
            for word in line.split(" | ") {
                let word = word.trim().chars().filter_map(fold).collect::<String>();
                // One text for all lists that it stands in.
                let word: Arc<str> =
                    places.get_key_value(&*word).map_or_else(|| word.into(), |(w, _)| Arc::clone(w));
                if let Some(part) = places.entry(Arc::clone(&word)).or_default().get_mut(list as usize / BITS)
                {
                    *part |= 1 << (list as usize % BITS);
                }
                if let Some(own) = lists.get_mut(list as usize) {
                    own.push(word);
                }
            }
        }
        let sets: Vec<Bits> = places.values().copied().collect::<BTreeSet<_>>().into_iter().collect();
        let set = |bits| u16::try_from(sets.partition_point(|known| *known < bits)).unwrap_or_default();
        let places = places.into_iter().map(|(word, bits)| (word, set(bits))).collect();
        let mut words = Self { places, sets, lists, ..Self::default() };
        words.keeping = words.keeping_words();
        words
    }

    fn keeping_words(&self) -> HashSet<Arc<str>> {
        let alone = [
            List::Not,
            List::ForbidNot,
            List::SpareNot,
            List::SpareMayNot,
            List::SpareWithout,
            List::SpareLeave,
            List::SpareStay,
            List::FramedStop,
            List::FramedNobody,
        ];
        let phrases = [List::SpareNever, List::SpareOff, List::SpareOut, List::SpareTaboo];
        let longest = |phrase: &str| phrase.split(' ').max_by_key(|word| word.len()).map(Arc::from);
        let alone = alone.iter().flat_map(|list| self.list(*list).iter().cloned());
        let phrases = phrases.iter().flat_map(|list| self.list(*list)).filter_map(|phrase| longest(phrase));
        alone.chain(phrases).chain(["let".into(), "not".into()]).collect()
    }

    /// Whether a word may say that something is left alone: a negation, "leave", "stay", "off".
    pub(crate) fn may_keep(&self, word: &str) -> bool {
        self.keeping.contains(word)
    }

    /// Whether a word stands in a list.
    pub(crate) fn has(&self, list: List, word: &str) -> bool {
        let bits = self.places.get(word).and_then(|set| self.sets.get(usize::from(*set)));
        let part = bits.and_then(|bits| bits.get(list as usize / BITS));
        part.is_some_and(|part| part >> (list as usize % BITS) & 1 == 1)
    }

    /// The words of a list.
    pub(crate) fn list(&self, list: List) -> &[Arc<str>] {
        self.lists.get(list as usize).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests;
