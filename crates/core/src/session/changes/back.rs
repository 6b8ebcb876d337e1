//! What of the writes is taken back: by other writes, in part, hunk by hunk.
//!
//! Owns what a write becomes of which a part was taken back, and when lines of writes may be. Never decides which.

use super::{Apply, ApplyStatus, Changes, TakingBack, known_by};
use crate::{
    blob::BlobId,
    event::FileChange,
    ids::{ApplyId, LaneId},
    outcome::ChangeKind,
    proposal::{Proposal, TakeBack},
    refusal::Refusal,
    relpath::RelPath,
    scope::Capability,
    session::{State, written::Group},
    spared::{Means, means},
};

/// What writes made of a file, and is to be taken back hunk by hunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::session) struct SoughtBack {
    /// The line of work that proposes it.
    pub lane: LaneId,
    /// The file.
    pub path: RelPath,
    /// The writes, the oldest first.
    pub writes: Vec<ApplyId>,
}

impl Changes {
    pub const fn taking_back(&self) -> &TakingBack {
        &self.taking_back
    }

    /// What goes back on disk with this one, after it: it was taken back by the same word.
    pub fn goes_with(&self, apply: ApplyId) -> Option<ApplyId> {
        self.together.get(&apply).copied().filter(|next| self.undone.last() == Some(next))
    }

    /// What was put back by one word so far.
    pub fn putting_back(&self) -> &[ApplyId] {
        &self.putting_back
    }

    pub const fn sought(&self) -> Option<&SoughtBack> {
        self.sought.as_ref()
    }

    pub fn undone(&self) -> &[ApplyId] {
        &self.undone
    }

    /// The change that is given back by a word: the last that was undone, else what was picked to go of others.
    pub fn given_back(&self) -> Option<&Apply> {
        let of = |id: Option<&ApplyId>| self.applies.get(id?);
        let undone = of(self.undone.last()).filter(|a| !self.picks_back(a));
        undone.or_else(|| of(self.ledger.last()).filter(|a| self.picks_back(a)))
    }

    /// The write that another undoes, or redoes, if it does that.
    pub fn takes_back(&self, apply: &Apply) -> Option<TakeBack> {
        apply.take.iter().find_map(|(id, _)| self.proposals.get(id)?.undoes())
    }

    /// Whether a write is what the user picked of other writes to go.
    pub fn picks_back(&self, apply: &Apply) -> bool {
        apply.take.iter().any(|(id, _)| self.proposals.get(id).is_some_and(|p| p.picks_from().is_some()))
    }

    /// A write is taken back, or put back, in files that others changed since: where that is all of it, it is from now on
    /// what that came to. What of it was not taken stays where it is, and the part that was stands by itself.
    pub(super) fn carry(&mut self, id: ApplyId, back: TakeBack, files: Vec<FileChange>) {
        let Some(of) = self.applies.get(&back.apply) else { return };
        let taken = |own: &FileChange| files.iter().find(|f| f.path == own.path);
        if of.stands() != back.redo {
            let rest = |own: &FileChange| match taken(own) {
                Some(taken) => self.rest_of(own, taken, back.redo),
                None => Some(own.clone()),
            };
            let rest: Vec<FileChange> = of.files.iter().filter_map(rest).collect();
            if !rest.is_empty() {
                self.applies.entry(back.apply).and_modify(|of| of.files = rest);
                self.applies.entry(id).and_modify(|part| part.part = true);
                return;
            }
        }
        let Some(of) = self.applies.get_mut(&back.apply) else { return };
        if of.stands() != back.redo {
            of.files.retain(|f| files.iter().any(|g| g.path == f.path));
        }
        for file in files {
            let new = if back.redo { file } else { file.inverse() };
            match of.files.iter_mut().find(|f| f.path == new.path) {
                // Which lines the two are together is known of neither.
                Some(old) if back.redo && old.after == new.before => {
                    (old.after, old.changes) = (new.after, Vec::new());
                }
                Some(old) if !back.redo && old.before == new.after => {
                    (old.before, old.changes) = (new.before, Vec::new());
                }
                Some(old) => *old = FileChange { proposal: old.proposal, mode: old.mode, ..new },
                None => of.files.push(new),
            }
        }
    }

    /// What is left of a file of a write of which hunks were taken back, or put back.
    fn rest_of(&self, own: &FileChange, taken: &FileChange, redo: bool) -> Option<FileChange> {
        let (from, to) = if redo { (own.before, own.after) } else { (own.after, own.before) };
        let proposed = self.proposals.get(&taken.proposal).map(|p| p.after);
        let whole = if from == taken.before { to } else { proposed.unwrap_or(to) };
        if taken.after == whole {
            return None;
        }
        let (before, after) = if redo { (taken.after, whole) } else { (whole, taken.after) };
        let kind = match (before, after) {
            (None, _) => ChangeKind::Create,
            (_, None) => ChangeKind::Delete,
            (Some(_), Some(_)) => ChangeKind::Modify,
        };
        let (added, removed) = if redo { (taken.added, taken.removed) } else { (taken.removed, taken.added) };
        let (added, removed) = (own.added.saturating_sub(added), own.removed.saturating_sub(removed));
        Some(FileChange { kind, before, after, added, removed, changes: Vec::new(), ..own.clone() })
    }

    /// The part of a write that was taken last, where a log of before tells of the write as a whole.
    pub(super) fn part_of(&self, apply: ApplyId, redo: bool) -> Option<ApplyId> {
        let back = |a: &Apply| self.takes_back(a).is_some_and(|b| b.apply == apply && b.redo == redo);
        let listed = |id: ApplyId| self.ledger.contains(&id) || self.undone.contains(&id);
        if self.applies.get(&apply)?.status.is_open() {
            return None;
        }
        let mut parts = self.applies.values().rev().filter(|a| a.part && a.stands() && !listed(a.id));
        parts.find(|a| back(a)).map(|a| a.id)
    }
}

impl State {
    /// What a write made of a file.
    pub(in crate::session) fn file_of(&self, write: ApplyId, path: &RelPath) -> Option<&FileChange> {
        self.applies().get(&write)?.files.iter().find(|f| f.path == *path)
    }

    /// What the writes made of a file that are to be taken back.
    pub(in crate::session) fn back_files(&self, sought: &SoughtBack) -> Vec<FileChange> {
        sought.writes.iter().filter_map(|id| self.file_of(*id, &sought.path)).cloned().collect()
    }

    /// Whether what takes back a file hunk by hunk is looked for.
    pub fn is_taking_back(&self) -> bool {
        self.changes.sought().is_some()
    }

    /// Whether nothing is being written, and no command is at work that may write.
    pub(in crate::session) fn files_rest(&self) -> Result<(), Refusal> {
        let open = |s: ApplyStatus| s == ApplyStatus::Approved || s.is_open();
        if self.applies().values().any(|a| open(a.status)) {
            return Err(Refusal::new("a change is being written; try again in a moment"));
        }
        if let Some(command) = self.changing_tree() {
            return Err(Refusal::new(format!(
                "`{}` is running and may change files; undo when it has finished, or stop it first",
                known_by(command)
            )));
        }
        self.stopped_rest()
    }

    /// Whether these writes are on disk, as far as this session knows.
    pub(in crate::session) fn writes_stand(&self, writes: &[ApplyId]) -> Result<(), Refusal> {
        let all = writes.iter().all(|id| self.ledger().contains(id));
        if all { Ok(()) } else { Err(moved()) }
    }

    /// Whether what these writes made of a file may be taken back hunk by hunk now.
    ///
    /// # Errors
    /// Why not, for people.
    pub fn may_take_back(&self, path: &RelPath, writes: &[ApplyId]) -> Result<(), Refusal> {
        if !self.ceiling().allows(Capability::Write) {
            let text = "the ceiling is read-only: nothing is written. Shift-Tab or /ask raises it.";
            return Err(Refusal::new(text));
        }
        self.files_rest()?;
        let files: Vec<&FileChange> = writes.iter().filter_map(|id| self.file_of(*id, path)).collect();
        self.writes_stand(writes)?;
        if files.is_empty() || files.len() < writes.len() {
            return Err(moved());
        }
        if self.changes.sought().is_some() {
            return Err(Refusal::new("a file is being checked for undo; try again in a moment"));
        }
        if self.open_proposals().any(|p| p.path == *path && p.back.is_some()) {
            let text = format!("the undo of {path} is waiting in the diff; apply it or skip it first");
            return Err(Refusal::new(text));
        }
        if files.iter().all(|f| f.before == f.after) {
            let text = format!(
                "the content of {path} is unchanged: only /undo restores its permissions, along with the rest of that write"
            );
            return Err(Refusal::new(text));
        }
        Ok(())
    }

    /// The files written here, or of which something waits to be decided, that such a name may mean: the one that it is the
    /// path of, letter by letter, else those that it means nearest.
    pub(in crate::session) fn changed_as(&self, name: &str) -> Vec<RelPath> {
        let written = self.writes().flat_map(|(_, _, files)| files).map(|file| &file.path);
        let mut all: Vec<&RelPath> = written.chain(self.waiting_changes().map(|p| &p.path)).collect();
        all.sort();
        all.dedup();
        if let Some(path) = RelPath::new(name).ok().filter(|path| all.contains(&path)) {
            return vec![path];
        }
        let found = all.into_iter().filter_map(|path| Some((means(name, path.as_str())?, path)));
        let found: Vec<(Means, &RelPath)> = found.collect();
        let nearest = found.iter().map(|(how, _)| *how).min();
        found.into_iter().filter(|(how, _)| Some(*how) == nearest).map(|(_, path)| path.clone()).collect()
    }

    /// Changes that wait to be decided, but for those that take something back.
    pub(in crate::session) fn waiting_changes(&self) -> impl Iterator<Item = &Proposal> {
        self.open_proposals().filter(|p| p.back.is_none())
    }

    /// What was wanted by the last of those who wrote a file after these writes, and whether it was a run; none where
    /// somebody else wrote it since as well, so that what is other by now may be theirs. `now` is what it holds.
    pub(in crate::session) fn rewritten_by(
        &self,
        path: &RelPath,
        writes: &[ApplyId],
        now: Option<BlobId>,
    ) -> Option<(String, bool)> {
        let from = self.ledger().iter().rposition(|id| writes.contains(id))?;
        let (last, later) = self.ledger().get(from..)?.split_first()?;
        let of = |(id, origin, files)| {
            let file = <[FileChange]>::iter(files).find(|file| file.path == *path)?;
            Some((id, origin, file))
        };
        let all: Vec<_> = self.writes().filter_map(of).collect();
        let mut held = all.iter().find(|(id, ..)| id == last)?.2.after;
        let mut by = None;
        for (_, origin, file) in all.iter().filter(|(id, ..)| later.contains(id)) {
            if file.before != held {
                return None;
            }
            (held, by) = (file.after, Some(origin));
        }
        let origin = by.filter(|_| held == now)?;
        let said = self.turns.get(&origin.work).map(|turn| turn.head.clone()).unwrap_or_default();
        Some((said, origin.run.is_some()))
    }

    /// The writes of a file that `/changes` shows together, of the last message or run that wrote it.
    pub(in crate::session) fn last_writes_of(&self, path: &RelPath) -> Option<Vec<ApplyId>> {
        let mut works: Vec<Group> = Vec::new();
        for (_, origin, _) in self.writes() {
            if !works.contains(&origin.group()) {
                works.push(origin.group());
            }
        }
        let of = |work: Group| {
            let mine = self.writes().filter(|(_, origin, _)| origin.group() == work);
            let names = mine.filter(|(.., files)| files.iter().any(|f| f.path == *path));
            Some(names.map(|(id, ..)| id).collect()).filter(|all: &Vec<ApplyId>| !all.is_empty())
        };
        works.into_iter().rev().find_map(of)
    }
}

/// Said where what is to be taken back is another thing by now.
pub(in crate::session) fn moved() -> Refusal {
    Refusal::new("it has changed since; look again before you undo it")
}
