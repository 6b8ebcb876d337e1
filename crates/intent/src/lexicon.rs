//! The words and phrases that the structural tier knows, and where they stand in a message.
//!
//! Owns the parsed tables of `assets/intent/{lexicon,phrases}.txt`. Never decides what a message
//! wants.

use std::collections::{HashMap, HashSet};

use super::{
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

#[derive(Debug)]
struct Entry {
    tag: Tag,
    anywhere: bool,
    /// Each word and whether any ending counts.
    words: Vec<(Box<str>, bool)>,
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
    entries: Vec<Entry>,
    exact: HashMap<Box<str>, Heads>,
    prefix: HashMap<char, Vec<u32>>,
    cjk: HashMap<char, Vec<u32>>,
    /// How a prohibition opens; most pieces of a message have nothing of the kind.
    pub(crate) signs: Signs,
}

/// The phrases that open with one word.
#[derive(Debug, Default)]
struct Heads {
    /// Any second word will do, or none.
    any: Vec<u32>,
    /// Those with a second word of their own.
    by_second: HashMap<Box<str>, Vec<u32>>,
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
        lexicon.signs = lexicon.openings_of(words);
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
        let folded: String = phrase.chars().filter_map(fold).collect();
        let Some(first) = folded.chars().next() else { return };
        let Ok(id) = u32::try_from(self.entries.len()) else { return };
        if is_cjk(first) {
            self.cjk.entry(first).or_default().push(id);
            self.entries.push(Entry { tag, anywhere, words: vec![(folded.into(), false)] });
            return;
        }
        let words: Vec<(Box<str>, bool)> = folded
            .split_whitespace()
            .map(|w| (Box::from(w.trim_end_matches('*')), w.ends_with('*')))
            .collect();
        let Some((word, any)) = words.first() else { return };
        if *any {
            self.prefix.entry(first).or_default().push(id);
        } else {
            let heads = self.exact.entry(word.clone()).or_default();
            let gap = words.iter().any(|(w, any)| *any && w.is_empty());
            match words.get(1).filter(|(_, any)| !any && !gap) {
                Some((second, _)) => heads.by_second.entry(second.clone()).or_default().push(id),
                None => heads.any.push(id),
            }
        }
        self.entries.push(Entry { tag, anywhere, words });
    }

    /// How prohibitions open: the first word and the second, empty where any will do; for scripts without
    /// spaces the first signs.
    fn openings_of(&self, lists: &Words) -> Signs {
        let (mut words, mut signs) = (Openings::new(), HashSet::new());
        for list in [List::ForbidNot, List::Nothing, List::NothingAfter, List::NotAfter, List::NotBefore] {
            for word in lists.list(list) {
                words.entry(word.clone()).or_default().insert("".into());
            }
        }
        let forbids = |e: &&Entry| matches!(e.tag, Tag::Forbid | Tag::ForbidAll);
        for entry in self.entries.iter().filter(forbids) {
            let Some((first, _)) = entry.words.first() else { continue };
            if let Some(sign) = first.chars().next().filter(|c| is_cjk(*c)) {
                signs.insert(sign);
                continue;
            }
            let second = entry.words.get(1).filter(|(_, any)| !any).map_or("", |(w, _)| w);
            words.entry(first.clone()).or_default().insert(second.into());
        }
        (words, signs)
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
        let heads = self.exact.get(token.text.as_str());
        let second = tokens.get(i + 1).map_or("", |t| t.text.as_str());
        let any = heads.map_or(&[][..], |h| &h.any);
        let by_second = heads.and_then(|h| h.by_second.get(second)).map_or(&[][..], Vec::as_slice);
        let first = token.text.chars().next().unwrap_or(' ');
        let prefix = self.prefix.get(&first).map_or(&[][..], Vec::as_slice);
        for id in in_order(any, by_second).chain(prefix) {
            let Some(entry) = usize::try_from(*id).ok().and_then(|id| self.entries.get(id)) else { continue };
            if let Some(len) = entry.len_at(tokens.get(i..).unwrap_or(&[])) {
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
                let Some(entry) = usize::try_from(*id).ok().and_then(|id| self.entries.get(id)) else {
                    continue;
                };
                let Some((word, _)) = entry.words.first() else { continue };
                if run.get(at..).is_some_and(|r| r.starts_with(&**word)) {
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

/// Both lists as one, in the order of the tables.
fn in_order<'a>(mut a: &'a [u32], mut b: &'a [u32]) -> impl Iterator<Item = &'a u32> {
    std::iter::from_fn(move || {
        let from = match (a.first(), b.first()) {
            (Some(x), Some(y)) if y < x => &mut b,
            (None, _) => &mut b,
            (Some(_), _) => &mut a,
        };
        let (first, rest) = from.split_first()?;
        *from = rest;
        Some(first)
    })
}

impl Entry {
    /// Tokens that the phrase covers at the head of `tokens`, gaps of a starred phrase included.
    fn len_at(&self, tokens: &[Token]) -> Option<usize> {
        let mut at = 0usize;
        for (word, any) in &self.words {
            if word.is_empty() && *any {
                // a lone star: up to six words in between
                continue;
            }
            let gap = self.words.iter().any(|(w, a)| w.is_empty() && *a);
            let reach = if gap && at > 0 { 6 } else { 0 };
            let found =
                (at..=at + reach).find(|p| tokens.get(*p).is_some_and(|t| Self::same(t, word, *any)))?;
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
}
