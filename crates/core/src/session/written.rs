//! What was written, by run and turn, and what a run came to.
//!
//! Owns the reading of the ledger: whoever shows what was changed asks here. Never decides.

use std::collections::BTreeMap;

use super::{State, state::Run};
use crate::{
    blob::BlobId,
    completion::{Completion, FileTally, GateFact, StepLeft},
    event::FileChange,
    ids::{ApplyId, Millis, RunId, TurnId},
    plan::TaskStatus,
    relpath::RelPath,
    tool::ChangeKind,
};

/// Where an entry of the ledger comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// When it was written.
    pub at: Millis,
    /// The message that it serves.
    pub turn: TurnId,
    /// The run that it belongs to.
    pub run: Option<RunId>,
}

/// How much of what was written is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Extent {
    /// Everything that this session wrote.
    #[default]
    Session,
    /// What the last run wrote.
    Run,
    /// What the last message led to.
    Turn,
}

impl Extent {
    /// The extent of this name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Session, Self::Run, Self::Turn].into_iter().find(|e| e.name() == name)
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Run => "run",
            Self::Turn => "turn",
        }
    }

    /// The next narrower one; after the narrowest the widest.
    #[must_use]
    pub const fn next(self) -> Self {
        match self {
            Self::Session => Self::Run,
            Self::Run => Self::Turn,
            Self::Turn => Self::Session,
        }
    }
}

/// What one message, or one run of it, wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The first write of it.
    pub origin: Origin,
    /// What was wanted: the beginning of the message.
    pub goal: String,
    /// The files in the order in which they were first written.
    pub files: Vec<WrittenFile>,
}

/// A file that was written, from before the first write to after the last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenFile {
    /// The file.
    pub path: RelPath,
    /// The content before; `None` when there was no file.
    pub before: Option<BlobId>,
    /// The content after; `None` when there is none any more.
    pub after: Option<BlobId>,
    /// Lines added, all writes together.
    pub added: usize,
    /// Lines removed, all writes together.
    pub removed: usize,
    /// How often it was written.
    pub times: usize,
}

impl WrittenFile {
    fn of(file: &FileChange) -> Self {
        Self {
            path: file.path.clone(),
            before: file.before,
            after: file.after,
            added: file.added,
            removed: file.removed,
            times: 1,
        }
    }

    fn again(&mut self, file: &FileChange) {
        self.after = file.after;
        self.added += file.added;
        self.removed += file.removed;
        self.times += 1;
    }

    /// What became of it in all.
    pub const fn kind(&self) -> ChangeKind {
        match (self.before, self.after) {
            (None, _) => ChangeKind::Create,
            (Some(_), None) => ChangeKind::Delete,
            (Some(_), Some(_)) => ChangeKind::Modify,
        }
    }

    /// It, as a line of an account.
    pub fn tally(&self) -> FileTally {
        FileTally { path: self.path.clone(), added: self.added, removed: self.removed }
    }
}

/// Takes another write of a file in.
fn take(files: &mut Vec<WrittenFile>, file: &FileChange) {
    match files.iter_mut().find(|f| f.path == file.path) {
        Some(known) => known.again(file),
        None => files.push(WrittenFile::of(file)),
    }
}

impl State {
    /// Notes where the newest entry of the ledger comes from, once.
    pub(super) fn note_origin(&mut self) {
        let Some(id) = self.ledger().last().copied().filter(|id| !self.origins.contains_key(id)) else {
            return;
        };
        let lanes = self.applies().get(&id).into_iter().flat_map(|a| &a.take);
        let lane = lanes.filter_map(|(p, _)| self.proposals().get(p)).map(|p| p.lane).next();
        let turn = lane.and_then(|l| self.lanes.get(&l)).map(|l| l.turn);
        let turn = turn.or(self.run.as_ref().map(|r| r.turn)).or(self.turn).unwrap_or_default();
        let run = self.run.as_ref().filter(|r| lane.is_none_or(|l| self.serves(l, r))).map(|r| r.id);
        self.origins.insert(id, Origin { at: self.at, turn, run });
    }

    /// Whether a lane works for a run, rather than beside it.
    fn serves(&self, lane: crate::ids::LaneId, run: &Run) -> bool {
        self.lanes.get(&lane).is_none_or(|l| l.kind.of_run() || l.turn == run.turn)
    }

    /// What stands in the ledger, write by write: where it comes from, and its files.
    pub fn writes(&self) -> impl Iterator<Item = (ApplyId, Origin, &[FileChange])> {
        self.ledger().iter().filter_map(|id| {
            let origin = self.origins.get(id).copied().unwrap_or_default();
            Some((*id, origin, self.applies().get(id)?.files.as_slice()))
        })
    }

    /// What was written, the oldest first, put together by run or message.
    pub fn written(&self, extent: Extent) -> Vec<Written> {
        let mut groups: Vec<Written> = Vec::new();
        for (_, origin, files) in self.writes() {
            let same = |g: &Written| g.origin.run == origin.run && g.origin.turn == origin.turn;
            if !groups.last().is_some_and(same) {
                let goal = self.turns.get(&origin.turn).map(|t| t.head.clone()).unwrap_or_default();
                groups.push(Written { origin, goal, files: Vec::new() });
            }
            if let Some(group) = groups.last_mut() {
                for file in files {
                    take(&mut group.files, file);
                }
            }
        }
        match extent {
            Extent::Session => groups,
            Extent::Run => {
                let last = groups.iter().rev().find_map(|g| g.origin.run);
                groups.into_iter().filter(|g| last.is_some() && g.origin.run == last).collect()
            }
            Extent::Turn => {
                let last = groups.last().map(|g| g.origin.turn);
                groups.into_iter().filter(|g| Some(g.origin.turn) == last).collect()
            }
        }
    }

    /// Every file that was written within an extent, from before the first write to after the last.
    pub fn written_files(&self, extent: Extent) -> Vec<WrittenFile> {
        let mut all: BTreeMap<RelPath, WrittenFile> = BTreeMap::new();
        for file in self.written(extent).into_iter().flat_map(|g| g.files) {
            match all.get_mut(&file.path) {
                Some(known) => {
                    known.after = file.after;
                    known.added += file.added;
                    known.removed += file.removed;
                    known.times += file.times;
                }
                None => drop(all.insert(file.path.clone(), file)),
            }
        }
        all.into_values().filter(|f| f.before != f.after).collect()
    }

    /// What a run came to so far, and what runs before it wrote of the plan that it went on with.
    pub(super) fn completion(&self, run: &Run) -> Completion {
        let mut files = Vec::new();
        let planned = self.plan.as_ref().map(|p| p.turn);
        let of_plan = |origin: &Origin| origin.run.is_some() && planned == Some(origin.turn);
        let counts = |origin: &Origin| origin.run == Some(run.id) || of_plan(origin);
        for (_, _, changes) in self.writes().filter(|(_, origin, _)| counts(origin)) {
            for change in changes {
                take(&mut files, change);
            }
        }
        let tasks = self.plan.iter().flat_map(|p| p.tasks.iter().map(move |t| (p.number(t.id), t)));
        let left = tasks.clone().filter(|(_, t)| t.status != TaskStatus::Done).map(|(number, t)| StepLeft {
            number,
            title: t.title.clone(),
            status: t.status,
        });
        let gates = self.plan.iter().flat_map(|p| &p.gates).map(|g| GateFact {
            name: g.name.clone(),
            command: g.command.clone(),
            status: g.status,
        });
        Completion {
            took: Millis(self.at.0.saturating_sub(run.began.0)),
            usage: self.accounts.run,
            files: files.iter().map(WrittenFile::tally).collect(),
            done: tasks.filter(|(_, t)| t.status == TaskStatus::Done).count(),
            left: left.collect(),
            gates: gates.collect(),
            set_aside: self.set_aside().count(),
        }
    }
}
