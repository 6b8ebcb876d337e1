//! The words and phrases that the structural tier knows, and where they stand in a message.
//!
//! Owns the parsed tables of `assets/intent/{lexicon,phrases}.txt`. Never decides what a message
//! wants.

use std::collections::{HashMap, HashSet};

use super::{
    features::fingerprint,
    text::{Kind, Token, fold, is_cjk},
    words::{List, Words},
};

macro_rules! tags {
    ($($name:ident = $text:literal,)*) => {
        /// What a phrase of the tables stands for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub(crate) enum Tag { $($name),* }
        impl Tag {
            /// Every tag.
            pub(crate) const ALL: &[Self] = &[$(Self::$name),*];

            /// Its name in the tables and among the features.
            pub(crate) const fn name(self) -> &'static str {
                match self { $(Self::$name => $text),* }
            }

            fn parse(s: &str) -> Option<Self> {
                match s { $($text => Some(Self::$name),)* _ => None }
            }
        }
    };
}

tags! {
    Filler = "filler", Req = "req", Want = "want",
    QWhat = "q_what", QWhy = "q_why", QHow = "q_how", QHowDesign = "q_howdesign", QWhere = "q_where", QWhich = "q_which",
    QWho = "q_who", QWhen = "q_when", QCount = "q_count", QEffort = "q_effort", QAux = "q_aux", QExist = "q_exist", QWay = "q_way",
    QJudge = "q_judge", QMean = "q_mean", QOther = "q_other",
    VModify = "v_modify", VAdd = "v_add", VCreate = "v_create", VBuild = "v_build", VDelete = "v_delete", VExecute = "v_execute",
    VRead = "v_read", VExplain = "v_explain", VReview = "v_review", VAudit = "v_audit", VDesign = "v_design", VDecompose = "v_decompose",
    ONew = "o_new", OInner = "o_inner", OWhole = "o_whole", Fault = "fault", Gone = "gone", Shall = "shall", Hypo = "hypo", Constraint = "constraint",
    Keep = "keep",
    WApprove = "w_approve", WProceed = "w_proceed", WReject = "w_reject", WCancel = "w_cancel", WExit = "w_exit", WHelp = "w_help",
    WStatus = "w_status", WReset = "w_reset", WRedo = "w_redo", WReplan = "w_replan", ModeProof = "mode_proof", ModeExplore = "mode_explore",
    ModeWord = "mode_word", Correct = "correct", InMsgCancel = "inmsg_cancel", Greet = "greet", Breakout = "breakout", Forbid = "forbid", ForbidAll = "forbid_all",
}

impl Tag {
    /// A verb whose object decides, or a verb of one leaf.
    pub(crate) fn is_verb(self) -> bool {
        self.name().starts_with("v_")
    }

    /// A verb of changing or running.
    pub(crate) fn acts(self) -> bool {
        matches!(
            self,
            Self::VModify | Self::VAdd | Self::VCreate | Self::VBuild | Self::VDelete | Self::VExecute
        )
    }

    /// A word that opens a question.
    pub(crate) fn asks(self) -> bool {
        self.name().starts_with("q_")
    }

    /// Counts only when it covers the message.
    pub(crate) fn is_whole(self) -> bool {
        matches!(
            self,
            Self::WApprove
                | Self::WProceed
                | Self::WReject
                | Self::WCancel
                | Self::WExit
                | Self::WHelp
                | Self::WStatus
                | Self::WReset
                | Self::WRedo
                | Self::WReplan
                | Self::Greet
        )
    }
}

/// A phrase of the tables.
#[derive(Debug)]
struct Entry {
    tag: Tag,
    anywhere: bool,
    /// A lone star stands among its words: up to six words may stand in between.
    gap: bool,
    /// Where it stands in the text, in bytes.
    at: u32,
    len: u16,
}

/// A phrase of the tables found in a message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hit {
    pub tag: Tag,
    /// From a language whose verb does not come first.
    pub anywhere: bool,
    /// First token.
    pub start: usize,
    /// Number of tokens.
    pub len: usize,
    /// Bytes of a run of CJK that it covers, and where; 0 elsewhere.
    pub bytes: usize,
    /// Byte offset inside the run.
    pub offset: usize,
}

/// The parsed tables.
#[derive(Debug, Default)]
pub(crate) struct Lexicon {
    /// All phrases, folded.
    text: String,
    entries: Vec<Entry>,
    /// Phrases by the hash of how they open, in the order of the tables.
    exact: Vec<(u64, u32)>,
    prefix: HashMap<char, Vec<u32>>,
    cjk: HashMap<char, Vec<u32>>,
    /// How a prohibition opens; most pieces of a message have nothing of the kind.
    pub(crate) signs: Signs,
}

/// First words, and what may stand second.
type Openings = HashMap<Box<str>, HashSet<Box<str>>>;
/// First words of prohibitions, and first signs in scripts without spaces.
pub(crate) type Signs = (Openings, HashSet<char>);

impl Lexicon {
    /// The phrases of the files, without the tags that are left out.
    pub(crate) fn parse(left_out: &[Tag], words: &Words) -> Self {
        let mut lexicon = Self::default();
        lexicon.read(include_str!("../../../assets/intent/lexicon.txt"), left_out);
        lexicon.read(include_str!("../../../assets/intent/phrases.txt"), left_out);
        lexicon.exact.sort_unstable();
        lexicon.signs = lexicon.openings_of(words);
        lexicon.text.shrink_to_fit();
        lexicon.entries.shrink_to_fit();
        lexicon.exact.shrink_to_fit();
        lexicon
    }

    fn read(&mut self, source: &str, left_out: &[Tag]) {
        for line in source.lines().filter(|l| !l.starts_with('#')) {
            let Some((name, rest)) = line.split_once(": ") else { continue };
            let anywhere = name.starts_with('~');
            let Some(tag) = Tag::parse(name.trim_start_matches('~').trim()) else { continue };
            if left_out.contains(&tag) {
                continue;
            }
            for phrase in rest.split(" | ") {
                self.insert(tag, anywhere, phrase.trim());
                if tag == Tag::ForbidAll {
                    self.insert(Tag::Forbid, anywhere, phrase.trim());
                }
            }
        }
    }

    fn insert(&mut self, tag: Tag, anywhere: bool, phrase: &str) {
        let from = self.text.len();
        self.text.extend(phrase.chars().filter_map(fold));
        let folded = self.text.get(from..).unwrap_or("");
        let (Some(first), Ok(id)) = (folded.chars().next(), u32::try_from(self.entries.len())) else {
            return;
        };
        let (Ok(at), Ok(len)) = (u32::try_from(from), u16::try_from(folded.len())) else { return };
        let gap = words(folded).any(|(word, any)| any && word.is_empty());
        if is_cjk(first) {
            self.cjk.entry(first).or_default().push(id);
        } else {
            let mut words = words(folded);
            match words.next() {
                Some((_, true)) => self.prefix.entry(first).or_default().push(id),
                Some((word, false)) => {
                    let second =
                        words.next().filter(|(_, any)| !any && !gap).map_or("", |(second, _)| second);
                    self.exact.push((opening(word, second), id));
                }
                None => return,
            }
        }
        self.entries.push(Entry { tag, anywhere, gap, at, len });
    }

    fn entry(&self, id: u32) -> Option<&Entry> {
        self.entries.get(usize::try_from(id).ok()?)
    }

    /// The words of a phrase, as they stand in the tables.
    fn phrase(&self, entry: &Entry) -> &str {
        let at = usize::try_from(entry.at).unwrap_or(usize::MAX);
        self.text.get(at..).and_then(|rest| rest.get(..usize::from(entry.len))).unwrap_or("")
    }

    /// The phrases that open so.
    fn opened(&self, first: &str, second: &str) -> &[(u64, u32)] {
        let hash = opening(first, second);
        let from = self.exact.partition_point(|(h, _)| *h < hash);
        let rest = self.exact.get(from..).unwrap_or(&[]);
        rest.get(..rest.partition_point(|(h, _)| *h == hash)).unwrap_or(&[])
    }

    /// How prohibitions open: the first word and the second, empty where any will do; for scripts without
    /// spaces the first signs.
    fn openings_of(&self, lists: &Words) -> Signs {
        let (mut openings, mut signs) = (Openings::new(), HashSet::new());
        for list in [List::ForbidNot, List::Nothing, List::NothingAfter, List::NotAfter, List::NotBefore] {
            for word in lists.list(list) {
                openings.entry(Box::from(&**word)).or_default().insert("".into());
            }
        }
        let forbids = |e: &&Entry| matches!(e.tag, Tag::Forbid | Tag::ForbidAll);
        for entry in self.entries.iter().filter(forbids) {
            let mut phrase = words(self.phrase(entry));
            let Some((first, _)) = phrase.next() else { continue };
            if let Some(sign) = first.chars().next().filter(|c| is_cjk(*c)) {
                signs.insert(sign);
                continue;
            }
            let second = phrase.next().filter(|(_, any)| !any).map_or("", |(word, _)| word);
            openings.entry(first.into()).or_default().insert(second.into());
        }
        (openings, signs)
    }

    /// Every phrase in the tokens, in order of place.
    pub(crate) fn find(&self, tokens: &[Token]) -> Vec<Hit> {
        let mut hits = Vec::new();
        for (i, token) in tokens.iter().enumerate() {
            match token.kind {
                Kind::Cjk => self.find_cjk(i, &token.text, &mut hits),
                Kind::Quote | Kind::Tick | Kind::Code | Kind::Url | Kind::Path => {}
                Kind::Word | Kind::Number | Kind::File | Kind::Ident | Kind::Flag | Kind::Punct => {
                    self.find_at(i, tokens, &mut hits);
                }
            }
        }
        hits
    }

    fn find_at(&self, i: usize, tokens: &[Token], hits: &mut Vec<Hit>) {
        let Some(token) = tokens.get(i) else { return };
        let any = self.opened(&token.text, "");
        let by_second = tokens.get(i + 1).filter(|t| !t.text.is_empty());
        let by_second = by_second.map_or(&[][..], |t| self.opened(&token.text, &t.text));
        let first = token.text.chars().next().unwrap_or(' ');
        let prefix = self.prefix.get(&first).map_or(&[][..], Vec::as_slice);
        for id in in_order(any, by_second).chain(prefix) {
            let Some(entry) = self.entry(*id) else { continue };
            if let Some(len) = len_at(self.phrase(entry), entry.gap, tokens.get(i..).unwrap_or(&[])) {
                hits.push(Hit {
                    tag: entry.tag,
                    anywhere: entry.anywhere,
                    start: i,
                    len,
                    bytes: 0,
                    offset: 0,
                });
            }
        }
    }

    fn find_cjk(&self, i: usize, run: &str, hits: &mut Vec<Hit>) {
        for (at, c) in run.char_indices() {
            for id in self.cjk.get(&c).map_or(&[][..], Vec::as_slice) {
                let Some(entry) = self.entry(*id) else { continue };
                let word = self.phrase(entry);
                if run.get(at..).is_some_and(|r| r.starts_with(word)) {
                    let anywhere = true;
                    hits.push(Hit {
                        tag: entry.tag,
                        anywhere,
                        start: i,
                        len: 1,
                        bytes: word.len(),
                        offset: at,
                    });
                }
            }
        }
    }
}

/// The words of a phrase, and whether any ending counts.
fn words(phrase: &str) -> impl Iterator<Item = (&str, bool)> {
    phrase.split_whitespace().map(|w| (w.trim_end_matches('*'), w.ends_with('*')))
}

/// The hash of a first word, and of a second one where the phrase has one of its own.
fn opening(first: &str, second: &str) -> u64 {
    fingerprint([first, second])
}

/// Both lists as one, in the order of the tables.
fn in_order<'a>(mut a: &'a [(u64, u32)], mut b: &'a [(u64, u32)]) -> impl Iterator<Item = &'a u32> {
    std::iter::from_fn(move || {
        let from = match (a.first(), b.first()) {
            (Some((_, x)), Some((_, y))) if y < x => &mut b,
            (None, _) => &mut b,
            (Some(_), _) => &mut a,
        };
        let ((_, first), rest) = from.split_first()?;
        *from = rest;
        Some(first)
    })
}

/// Tokens that a phrase covers at the head of `tokens`, gaps included.
fn len_at(phrase: &str, gap: bool, tokens: &[Token]) -> Option<usize> {
    let mut at = 0usize;
    for (word, any) in words(phrase) {
        if word.is_empty() && any {
            continue;
        }
        let reach = if gap && at > 0 { 6 } else { 0 };
        let found = (at..=at + reach).find(|p| tokens.get(*p).is_some_and(|t| same(t, word, any)))?;
        at = found + 1;
    }
    (at > 0).then_some(at)
}

fn same(token: &Token, word: &str, any: bool) -> bool {
    if matches!(token.kind, Kind::Quote | Kind::Tick | Kind::Code) {
        return false;
    }
    if any { token.text.starts_with(word) } else { token.text == *word }
}
