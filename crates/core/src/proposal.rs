//! Proposals: changes that wait for the user, decided hunk by hunk.
//!
//! Owns what is proposed and decided. Never holds a file's text (only its hash) and never writes.

use std::{
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet},
};

use serde::{Deserialize, Deserializer, Serialize, de::Error};

use crate::{
    blob::BlobId,
    diff::{Hunk, Lines},
    ids::{ApplyId, CallId, LaneId, ProposalId, TaskId},
    outcome::ChangeKind,
    relpath::RelPath,
};

/// A proposed change to one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proposal {
    /// Its id.
    pub id: ProposalId,
    /// The lane that proposed it.
    pub lane: LaneId,
    /// The call that proposed it.
    pub call: CallId,
    /// The task it belongs to, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    /// The file.
    pub path: RelPath,
    /// What happens to it.
    pub kind: ChangeKind,
    /// Why it is a control file, if it is one: then it is decided alone, by its own word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<String>,
    /// The content on disk that it starts from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<BlobId>,
    /// The content proposed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<BlobId>,
    /// The hunks between them.
    pub hunks: Vec<Hunk>,
    /// What has to be known of the file before it is written: a clause each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The decision on each hunk that has one.
    #[serde(default, deserialize_with = "numbered")]
    pub decided: BTreeMap<usize, Decision>,
    /// How often a hunk of it was split.
    #[serde(default, skip_serializing_if = "is_none")]
    pub splits: u32,
    /// The lines that it starts from where others changed since what it changes as well: a hunk there takes back what
    /// they did, and is written by a decision of its own alone. For a removal its word is that.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub meets: Vec<Lines>,
    /// The write that it takes back, or puts back, in a file that was changed since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub back: Option<TakeBack>,
    /// Where it stands.
    pub status: ProposalStatus,
}

/// A write whose lines are taken back, or put back, beside what came after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TakeBack {
    /// The write.
    pub apply: ApplyId,
    /// Put back rather than taken back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub redo: bool,
    /// Logs of before: whether others changed since what a hunk of it changes; which one stands in `meets` of the proposal.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub meets: bool,
    /// Whether what is approved of it is a write of its own, which leaves that one in the ledger as it stands there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub anew: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "what derives hands it so")]
const fn is_none(splits: &u32) -> bool {
    *splits == 0
}

/// Where what is said of hunk `at` stands once `hunk` is so many parts.
pub(crate) fn moved(at: usize, hunk: usize, parts: usize) -> std::ops::Range<usize> {
    match at.cmp(&hunk) {
        Ordering::Less => at..at + 1,
        Ordering::Equal => at..at + parts,
        Ordering::Greater => at + parts - 1..at + parts,
    }
}

/// Inside a tagged event the numbers that are a map's keys come as text.
fn numbered<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<usize, Decision>, D::Error> {
    let map = BTreeMap::<String, Decision>::deserialize(from)?;
    map.into_iter().map(|(k, d)| k.parse().map(|k| (k, d)).map_err(D::Error::custom)).collect()
}

/// Why a proposal that was taken is not written: others have made the same change meanwhile.
pub const ALREADY: &str = "the file holds this already";

/// The word that lets a control file be written.
pub const CONTROL_WORD: &str = "control";
/// The word that lets any other file be removed, beside its name.
pub const DELETE_WORD: &str = "delete";

/// A decision on one hunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// It will be written.
    Taken,
    /// It will not.
    Left,
}

/// Where a proposal stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProposalStatus {
    /// It waits.
    #[default]
    Open,
    /// It is being written.
    Applying(ApplyId),
    /// What was taken of it is on disk.
    Applied(ApplyId),
    /// It was taken, and its file held it already: nothing was to be written.
    There,
    /// Nothing of it was taken.
    Skipped,
    /// It was dropped: superseded, stale, or given up by the user.
    Dropped,
    /// Its work ended before it was decided or written; it can be taken up again.
    SetAside,
}

/// How a file that waits in a review stands on disk, where that is not as it was when its change was proposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnDisk {
    /// It changed since, and the change is carried over: what is shown is against the file as it is.
    Carried,
    /// It holds what is proposed already.
    Already,
    /// It changed since, and carried over a part of the change would be lost: what is shown is against the file as it was.
    Apart,
}

impl Proposal {
    /// Whether others changed since what a hunk changes as well.
    pub fn meets(&self, hunk: usize) -> bool {
        let touches = |a: Lines, b: Lines| a.start <= b.end() && b.start <= a.end();
        let told = self.back.is_some_and(|back| back.meets) && self.meets.is_empty();
        let hunk = self.hunks.get(hunk);
        hunk.is_some_and(|h| {
            told || h.changes.iter().any(|c| self.meets.iter().any(|met| touches(c.old, *met)))
        })
    }

    /// The lines that others wrote since and that a hunk takes away, as they stand in the file of now.
    pub fn takes_away(&self, hunk: usize) -> impl Iterator<Item = usize> {
        let changes = self.hunks.get(hunk).map(|h| &h.changes[..]).unwrap_or_default();
        let is_theirs = |n: &usize| self.meets.iter().any(|met| met.start <= *n && *n < met.end());
        changes.iter().flat_map(|c| c.old.start..c.old.end()).filter(is_theirs)
    }

    /// Whether a hunk is written by a decision of its own alone.
    fn stands_apart(&self, hunk: usize) -> bool {
        self.kind != ChangeKind::Delete && self.meets(hunk)
    }

    /// The hunks that applying would write: the taken ones, or while nothing was decided all that meet nobody's change.
    pub fn chosen(&self) -> BTreeSet<usize> {
        if self.decided.is_empty() {
            return self.not_left();
        }
        self.decided.iter().filter(|(_, d)| **d == Decision::Taken).map(|(i, _)| *i).collect()
    }

    /// Every hunk that is not left: the taken ones, and the undecided that meet nobody's change.
    pub fn not_left(&self) -> BTreeSet<usize> {
        let goes = |n: &usize| match self.decided.get(n) {
            Some(decision) => *decision == Decision::Taken,
            None => !self.stands_apart(*n),
        };
        (0..self.hunks.len()).filter(goes).collect()
    }

    /// Whether nothing of it is written before one of its hunks has a decision of its own.
    pub fn waits_whole(&self) -> bool {
        self.not_left().is_empty() && !self.undecided().is_empty()
    }

    /// Whether applying would write anything, with or without the rest of it: an empty file that comes or goes has no hunks.
    pub fn writes(&self, rest: bool) -> bool {
        let hunks = if rest { self.not_left() } else { self.chosen() };
        self.hunks.is_empty() || !hunks.is_empty()
    }

    /// The hunks that would wait on where it is written now.
    pub fn waiting(&self) -> BTreeSet<usize> {
        let alone = self.decided.is_empty();
        self.undecided().into_iter().filter(|n| !alone || self.stands_apart(*n)).collect()
    }

    /// The hunks without a decision.
    pub fn undecided(&self) -> BTreeSet<usize> {
        (0..self.hunks.len()).filter(|n| !self.decided.contains_key(n)).collect()
    }

    /// Counts of taken, left and undecided hunks.
    pub fn tally(&self) -> (usize, usize, usize) {
        let taken = self.decided.values().filter(|d| **d == Decision::Taken).count();
        let left = self.decided.len() - taken;
        (taken, left, self.hunks.len().saturating_sub(self.decided.len()))
    }

    /// Decides a hunk, or takes its decision back.
    pub fn decide(&mut self, hunk: usize, decision: Option<Decision>) {
        match decision {
            Some(decision) => drop(self.decided.insert(hunk, decision)),
            None => drop(self.decided.remove(&hunk)),
        }
    }

    /// Puts parts in the place of a hunk; each is decided as it was.
    pub fn split(&mut self, hunk: usize, parts: &[Hunk]) {
        if hunk >= self.hunks.len() || parts.is_empty() {
            return;
        }
        self.hunks.splice(hunk..=hunk, parts.iter().cloned());
        self.splits += 1;
        let decided = std::mem::take(&mut self.decided);
        for (at, decision) in decided {
            self.decided.extend(moved(at, hunk, parts.len()).map(|at| (at, decision)));
        }
    }

    /// The write that is undone by it, or redone, where what it takes back is no write of its own.
    pub fn undoes(&self) -> Option<TakeBack> {
        self.back.filter(|back| !back.anew)
    }

    /// The write of which the user picks what is to go, where what it takes back is a write of its own.
    pub fn picks_from(&self) -> Option<ApplyId> {
        self.back.filter(|back| back.anew).map(|back| back.apply)
    }

    /// The hash of exactly what the user is shown; an approval is bound to it.
    pub fn shown(&self) -> BlobId {
        let mut text = format!("{}\0{:?}\0{:?}\0{:?}", self.path, self.kind, self.before, self.after);
        if let Some(why) = &self.control {
            text.push_str(&format!("\0{why}"));
        }
        if self.splits > 0 {
            text.push_str(&format!("\0{} splits", self.splits));
        }
        BlobId::of(text.as_bytes())
    }

    /// The word that must be typed before it is applied, if one must.
    pub fn word(&self) -> Option<&str> {
        match self.kind {
            _ if self.control.is_some() => Some(CONTROL_WORD),
            ChangeKind::Delete => Some(self.path.name()),
            ChangeKind::Create | ChangeKind::Modify => None,
        }
    }

    /// Whether a typed word lets it be applied.
    pub fn lets(&self, given: &str) -> bool {
        self.word().is_none_or(|wanted| given == wanted || (given == DELETE_WORD && self.control.is_none()))
    }
}
