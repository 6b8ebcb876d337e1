//! The word lists of the rules, by name.
//!
//! Owns the parsed `assets/intent/words.txt`. Never knows what a list is for: that is with the rule.

use std::collections::{HashMap, HashSet};

use super::text::fold;

macro_rules! lists {
    ($($name:ident = $text:literal,)*) => {
        /// A list of `words.txt`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum List { $($name),* }

        impl List {
            /// Every list, in the order of their bits.
            pub(crate) const ALL: &[Self] = &[$(Self::$name),*];

            /// Its name in the file.
            pub(crate) const fn name(self) -> &'static str {
                match self { $(Self::$name => $text),* }
            }
        }
    };
}

lists! {
    Frame = "frame",
    Preposition = "preposition",
    Place = "place",
    Aux = "aux",
    Determiner = "determiner",
    Pronoun = "pronoun",
    English = "english",
    Else = "else",
    Everything = "everything",
    Universal = "universal",
    Open = "open",
    General = "general",
    ChangeStem = "change_stem",
    KindStem = "kind_stem",
    RunStem = "run_stem",
    Thing = "thing",
    ThingRun = "thing_run",
    AllRun = "all_run",
    ForbidNot = "forbid_not",
    Any = "any",
    Nothing = "nothing",
    NotAfter = "not_after",
    NotOpens = "not_opens",
    NotClause = "not_clause",
    NotOnly = "not_only",
    NotRelative = "not_relative",
    NotThen = "not_then",
    NotNone = "not_none",
    NothingElse = "nothing_else",
    StaysRun = "stays_run",
    LetAlone = "let_alone",
    AloneEnd = "alone_end",
    NotBefore = "not_before",
    It = "it",
    NothingAfter = "nothing_after",
    Wanted = "wanted",
    Not = "not",
    Proof = "proof",
    ProofVerb = "proof_verb",
    Article = "article",
    Particle = "particle",
    ForbidGap = "forbid_gap",
    Narrows = "narrows",
    ElseBefore = "else_before",
    ElseRun = "else_run",
    KindRun = "kind_run",
    Sample = "sample",
    Closed = "closed",
    ReadOnly = "read_only",
    ReadOnlyEnd = "read_only_end",
    ReadOnlyNoun = "read_only_noun",
    Fragment = "fragment",
    NounReview = "noun_review",
    NounDesign = "noun_design",
    NounDecompose = "noun_decompose",
    NounExplain = "noun_explain",
    NounAudit = "noun_audit",
    NounRead = "noun_read",
    NounEnd = "noun_end",
    KillObject = "kill_object",
    KillRun = "kill_run",
    BuildNew = "build_new",
    BuildRun = "build_run",
    BuildTarget = "build_target",
    InnerThing = "inner_thing",
    WholeThing = "whole_thing",
    InnerRun = "inner_run",
    WholeRun = "whole_run",
    AllThings = "all_things",
    SoftRemoval = "soft_removal",
    Join = "join",
    Answered = "answered",
    Tie = "tie",
    Subject = "subject",
    OughtTail = "ought_tail",
    WereTail = "were_tail",
    Governed = "governed",
    Clause = "clause",
    FaultNoun = "fault_noun",
    NoVerb = "no_verb",
    Also = "also",
    Objection = "objection",
    ObjectionTail = "objection_tail",
    AtOnce = "at_once",
    Almost = "almost",
    Instead = "instead",
    Hesitate = "hesitate",
    First = "first",
    Correction = "correction",
    Better = "better",
    PoliteOpens = "polite_opens",
    PoliteRun = "polite_run",
    PoliteMay = "polite_may",
    PoliteBit = "polite_bit",
    DoThat = "do_that",
    DoObject = "do_object",
    Summary = "summary",
    Provenance = "provenance",
    Detail = "detail",
    Lookup = "lookup",
    Compare = "compare",
    Suppose = "suppose",
    Predict = "predict",
    Weigh = "weigh",
    Fix = "fix",
    Or = "or",
    Touch = "touch",
    SpareStem = "spare_stem",
    SpareTests = "spare_tests",
    SpareDocs = "spare_docs",
    SpareConfig = "spare_config",
    SpareLocks = "spare_locks",
    SpareNames = "spare_names",
    SpareEach = "spare_each",
    SpareNow = "spare_now",
    SpareNoun = "spare_noun",
    SpareMake = "spare_make",
    SpareNounOf = "spare_noun_of",
    SpareNever = "spare_never",
    SpareOff = "spare_off",
    SpareOut = "spare_out",
    SpareGap = "spare_gap",
    SpareWant = "spare_want",
    SpareWish = "spare_wish",
    SpareLed = "spare_led",
    SpareMore = "spare_more",
    SpareGone = "spare_gone",
    SpareNotIn = "spare_not_in",
    SpareOnly = "spare_only",
    SpareModal = "spare_modal",
    SpareMayNot = "spare_may_not",
    SpareSo = "spare_so",
    SpareStay = "spare_stay",
    SparePassive = "spare_passive",
    SpareTaboo = "spare_taboo",
    SpareFreeLead = "spare_free_lead",
    SpareFreeMay = "spare_free_may",
    SpareFreeBeside = "spare_free_beside",
    SpareGrant = "spare_grant",
    SpareFreeNot = "spare_free_not",
    SpareBut = "spare_but",
    SpareOther = "spare_other",
    SpareBefore = "spare_before",
    SpareWhy = "spare_why",
    SpareWithout = "spare_without",
    SpareIn = "spare_in",
    SpareAs = "spare_as",
    SpareIs = "spare_is",
    SpareLeave = "spare_leave",
    SpareEnd = "spare_end",
    SpareLast = "spare_last",
    SpareNot = "spare_not",
    SpareAny = "spare_any",
    SpareInside = "spare_inside",
    SpareFirst = "spare_first",
    SpareParticle = "spare_particle",
    SpareClose = "spare_close",
    SpareStress = "spare_stress",
    LeavePipeline = "leave_pipeline",
    Decline = "decline",
    Agree = "agree",
    AgreeAct = "agree_act",
    AgreeBeside = "agree_beside",
    Undo = "undo",
    UndoVerb = "undo_verb",
    UndoSplit = "undo_split",
    UndoBack = "undo_back",
    UndoThe = "undo_the",
    UndoLast = "undo_last",
    UndoWhat = "undo_what",
    UndoIt = "undo_it",
    UndoAll = "undo_all",
    UndoCount = "undo_count",
    UndoOnly = "undo_only",
    UndoStep = "undo_step",
    UndoFile = "undo_file",
    UndoNth = "undo_nth",
    UndoNthDe = "undo_nth_de",
    UndoAnd = "undo_and",
    UndoDone = "undo_done",
    UndoWhich = "undo_which",
    UndoDid = "undo_did",
    UndoOwn = "undo_own",
    UndoOf = "undo_of",
    UndoLead = "undo_lead",
    UndoTail = "undo_tail",
    UndoRest = "undo_rest",
    UndoWas = "undo_was",
    UndoPut = "undo_put",
    UndoRestore = "undo_restore",
    UndoWhy = "undo_why",
    FollowLead = "follow_lead",
    FollowTail = "follow_tail",
    FollowFor = "follow_for",
    FollowNext = "follow_next",
    FollowToo = "follow_too",
    FollowForgot = "follow_forgot",
    FollowLacks = "follow_lacks",
    FollowFailed = "follow_failed",
    FollowPick = "follow_pick",
    FollowForm = "follow_form",
    FollowIn = "follow_in",
    FollowTongue = "follow_tongue",
    FollowThe = "follow_the",
    FollowNot = "follow_not",
    WhyTell = "why_tell",
    AgainstLead = "against_lead",
    AgainstBad = "against_bad",
    NotJust = "not_just",
    NotJustTell = "not_just_tell",
    CommitLead = "commit_lead",
    CommitVerb = "commit_verb",
    CommitWhat = "commit_what",
    CommitTail = "commit_tail",
    MessageLead = "message_lead",
    MessageTold = "message_told",
    MessageNo = "message_no",
    MessageUse = "message_use",
    MessageAs = "message_as",
    MessageTake = "message_take",
    MessageTaken = "message_taken",
    MessageTakenYes = "message_taken_yes",
    RewordVerb = "reword_verb",
    RewordGap = "reword_gap",
    RewordNoun = "reword_noun",
    RewordBare = "reword_bare",
    RewordTail = "reword_tail",
    RewordSays = "reword_says",
    RewordMore = "reword_more",
    RewordThat = "reword_that",
    RewordWithin = "reword_within",
    RewordPlace = "reword_place",
    RewordBe = "reword_be",
    RewordTells = "reword_tells",
    Steer = "steer",
    Step = "step",
    SteerHead = "steer_head",
    But = "but",
    HaltHead = "halt_head",
    Replace = "replace",
    Prose = "prose",
    SqlPart = "sql_part",
    Outcome = "outcome",
    MadeKnown = "made_known",
    TalkOf = "talk_of",
    TalkBad = "talk_bad",
    TalkMade = "talk_made",
    ReportTells = "report_tells",
    ReportPast = "report_past",
    ReportWhen = "report_when",
    ReportNoun = "report_noun",
    ReportNot = "report_not",
    ReportVerb = "report_verb",
    ReportPlural = "report_plural",
    ReportAfter = "report_after",
    ReportMade = "report_made",
    Subcommand = "subcommand",
    ToldPast = "told_past",
    ToldAbout = "told_about",
    ToldWho = "told_who",
    ToldChange = "told_change",
    ToldLeft = "told_left",
    ToldTake = "told_take",
    ToldFail = "told_fail",
    ToldGate = "told_gate",
    ToldRan = "told_ran",
    ToldAll = "told_all",
    ToldClose = "told_close",
    RecapLead = "recap_lead",
    Recap = "recap",
    RecapTail = "recap_tail",
    RuleHead = "rule_head",
    RuleNote = "rule_note",
    RuleAlways = "rule_always",
    RuleLead = "rule_lead",
    RuleNot = "rule_not",
    Offer = "offer",
    OfferHead = "offer_head",
    OfferOpen = "offer_open",
    OfferGrave = "offer_grave",
    LeaveBe = "leave_be",
    Halt = "halt",
    HaltPlain = "halt_plain",
    HaltLead = "halt_lead",
    HaltOf = "halt_of",
    HaltRun = "halt_run",
    HaltGround = "halt_ground",
    HaltWhy = "halt_why",
    HaltPast = "halt_past",
    HaltTakes = "halt_takes",
    HaltSelf = "halt_self",
    HaltWant = "halt_want",
    HaltTo = "halt_to",
    AskPolite = "ask_polite",
    AgainNot = "again_not",
    AgainTold = "again_told",
    AgainDo = "again_do",
    AgainEnd = "again_end",
    AgainReach = "again_reach",
    AgainNotRun = "again_not_run",
    AgainWhy = "again_why",
    AgainCant = "again_cant",
    AgainYou = "again_you",
    AgainOwn = "again_own",
    AgainGap = "again_gap",
    AgainSelf = "again_self",
    AgainBefore = "again_before",
    Hold = "hold",
    Resume = "resume",
    ResumeOf = "resume_of",
    ResumeRun = "resume_run",
    FramedTeach = "framed_teach",
    FramedTeachTo = "framed_teach_to",
    FramedSelf = "framed_self",
    FramedPeople = "framed_people",
    FramedHave = "framed_have",
    FramedDo = "framed_do",
    FramedGive = "framed_give",
    FramedGift = "framed_gift",
    FramedNoGift = "framed_no_gift",
    Seek = "seek",
    SeekParticle = "seek_particle",
    SeekCause = "seek_cause",
    FramedSwap = "framed_swap",
    FramedSwapFor = "framed_swap_for",
    FramedDoIt = "framed_do_it",
    FramedWithout = "framed_without",
    FramedAgent = "framed_agent",
    FramedNobody = "framed_nobody",
    FramedMay = "framed_may",
    FramedMayNot = "framed_may_not",
    FramedDoing = "framed_doing",
    FramedStop = "framed_stop",
    FramedWait = "framed_wait",
    FramedOther = "framed_other",
    FramedSays = "framed_says",
    FramedSpeaker = "framed_speaker",
    FramedThanks = "framed_thanks",
    FramedTell = "framed_tell",
    FramedTellIn = "framed_tell_in",
    FramedDoc = "framed_doc",
    FramedTells = "framed_tells",
    FramedPrint = "framed_print",
    FramedStream = "framed_stream",
    FramedMakeTalk = "framed_make_talk",
    FramedBe = "framed_be",
    FramedMe = "framed_me",
    FramedMeOn = "framed_me_on",
    FramedMeNo = "framed_me_no",
    FramedEver = "framed_ever",
    FramedThat = "framed_that",
    FramedKnow = "framed_know",
    Leans = "leans",
    LeansOn = "leans_on",
    Proposes = "proposes",
    ReviseVerb = "revise_verb",
    ReviseTake = "revise_take",
    ReviseOut = "revise_out",
    ReviseNeed = "revise_need",
    ReviseWant = "revise_want",
    ReviseMore = "revise_more",
    ReviseStep = "revise_step",
    ReviseWhich = "revise_which",
    ReviseAfter = "revise_after",
    ReviseOrder = "revise_order",
    ReviseMake = "revise_make",
    ReviseOnly = "revise_only",
    RevisePlan = "revise_plan",
    ReviseNeedless = "revise_needless",
    NewWork = "new_work",
    NewArticle = "new_article",
    MessageEdit = "message_edit",
    MessageOmit = "message_omit",
    MessageOf = "message_of",
    MessagePart = "message_part",
    MessageLine = "message_line",
    MessageTo = "message_to",
    MessageReword = "message_reword",
    PickYes = "pick_yes",
    PickLead = "pick_lead",
    PickVerb = "pick_verb",
    PickNth = "pick_nth",
    PickLast = "pick_last",
    PickAll = "pick_all",
    PickBoth = "pick_both",
    PickCount = "pick_count",
    PickGap = "pick_gap",
}

/// Lists that one part of a word's bits holds.
const BITS: usize = u128::BITS as usize;
/// Parts in which there is a bit for every list.
const PARTS: usize = List::ALL.len().div_ceil(BITS);

/// The parsed lists.
#[derive(Debug, Default)]
pub(crate) struct Words {
    /// The lists in which a word stands, as bits.
    places: HashMap<Box<str>, [u128; PARTS]>,
    lists: Vec<Vec<Box<str>>>,
    /// Words without one of which nothing is left alone.
    keeping: HashSet<Box<str>>,
}

impl Words {
    /// Reads the file, without the lists that are left out.
    pub(crate) fn parse(source: &str, left_out: &[List]) -> Self {
        let mut words = Self { lists: vec![Vec::new(); List::ALL.len()], ..Self::default() };
        for line in source.lines().filter(|l| !l.starts_with('#')) {
            let Some((name, rest)) = line.split_once(": ") else { continue };
            let Some(list) = List::ALL.iter().copied().find(|l| l.name() == name) else { continue };
            if left_out.contains(&list) {
                continue;
            }
            for word in rest.split(" | ") {
                let word: Box<str> = word.trim().chars().filter_map(fold).collect::<String>().into();
                let bits = words.places.entry(word.clone()).or_default();
                if let Some(part) = bits.get_mut(list as usize / BITS) {
                    *part |= 1 << (list as usize % BITS);
                }
                if let Some(own) = words.lists.get_mut(list as usize) {
                    own.push(word);
                }
            }
        }
        words.keeping = words.keeping_words();
        words
    }

    fn keeping_words(&self) -> HashSet<Box<str>> {
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
        let longest = |phrase: &str| phrase.split(' ').max_by_key(|word| word.len()).map(Box::from);
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
        let part = self.places.get(word).and_then(|bits| bits.get(list as usize / BITS));
        part.is_some_and(|part| part >> (list as usize % BITS) & 1 == 1)
    }

    /// The words of a list.
    pub(crate) fn list(&self, list: List) -> &[Box<str>] {
        self.lists.get(list as usize).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_list_is_in_the_file_and_every_line_is_a_list() {
        let source = include_str!("../../../assets/intent/words.txt");
        let names: Vec<&str> = source
            .lines()
            .filter(|l| !l.starts_with('#') && !l.is_empty())
            .filter_map(|l| l.split_once(": ").map(|(name, _)| name))
            .collect();
        let known: Vec<&str> = List::ALL.iter().map(|l| l.name()).collect();
        assert_eq!(names, known);
        let words = Words::parse(source, &[]);
        for list in List::ALL {
            let first = words.list(*list).first().map(AsRef::as_ref).unwrap_or_default();
            assert!(words.has(*list, first), "{}: one bit a list", list.name());
        }
    }
}
