//! What of the writes still stands: of one file of a write, of a proposal, of a step.
//!
//! Owns the one rule for that, however something was taken back. Never decides what follows from it.

use super::{Apply, ApplyStatus, Changes};
use crate::{
    ids::{ApplyId, TaskId},
    proposal::{Decision, Proposal, ProposalStatus},
    relpath::RelPath,
    session::State,
};

/// How much of what was written still stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// All of it.
    All,
    /// Some of it was taken back.
    Part,
    /// All of it was taken back.
    Nothing,
}

impl Standing {
    /// Of several together; `None` of none.
    fn of(all: impl Iterator<Item = Self>) -> Option<Self> {
        all.reduce(|a, b| if a == b { a } else { Self::Part })
    }
}

impl Changes {
    fn of_proposal(&self, p: &Proposal) -> Option<Standing> {
        let ProposalStatus::Applied(write) = p.status else { return None };
        Some(self.of_file(write, &p.path))
    }

    /// What a step proposed counts, and only where that is nothing what its commands wrote: these leave more behind than
    /// anyone asked for.
    pub(in crate::session) fn of_step(&self, task: TaskId) -> Option<Standing> {
        let proposed = self.proposals.values().filter(|p| p.task == Some(task));
        let commands =
            || self.applies.values().filter(|a| a.command.as_ref().is_some_and(|c| c.task == Some(task)));
        Standing::of(proposed.filter_map(|p| self.of_proposal(p)))
            .or_else(|| Standing::of(commands().filter_map(|a| self.of_command(a))))
    }

    /// Of what a command wrote, of which only the first files are known by name.
    fn of_command(&self, apply: &Apply) -> Option<Standing> {
        let named = apply.files.iter().map(|f| self.of_file(apply.id, &f.path));
        if apply.status == ApplyStatus::Reverted {
            return Some(Standing::Nothing);
        }
        if apply.count() == apply.files.len() { Standing::of(named) } else { Some(Standing::All) }
    }

    /// Of one file of a write: it may have gone with the whole write, in a file that was changed since, or by what the user
    /// picked to go.
    fn of_file(&self, write: ApplyId, path: &RelPath) -> Standing {
        let names = |a: &Apply| a.files.iter().any(|f| f.path == *path);
        let moved = |a: &Apply| !a.files.is_empty() && !names(a);
        let gone = |a: &Apply| a.status == ApplyStatus::Reverted || moved(a);
        if self.applies.get(&write).is_some_and(gone) {
            return Standing::Nothing;
        }
        let part = |a: &Apply| {
            let back = || self.takes_back(a).is_some_and(|back| back.apply == write && !back.redo);
            a.part && a.stands() && names(a) && back()
        };
        let picked = self.picked_of(write, path);
        if picked == Standing::All && self.applies.values().any(part) { Standing::Part } else { picked }
    }

    /// What the user left of it, where they were shown all that would go.
    fn picked_of(&self, write: ApplyId, path: &RelPath) -> Standing {
        let stands = |id: &ApplyId| self.applies.get(id).is_some_and(Apply::stands);
        let mut out = Standing::All;
        for offer in self.offered.iter().filter(|o| o.path == *path && o.writes.contains(&write)) {
            let picks: Vec<&Proposal> = self
                .proposals
                .values()
                .filter(|p| p.lane == offer.lane && p.picks_from().is_some())
                .collect();
            let went = |p: &&&Proposal| matches!(&p.status, ProposalStatus::Applied(id) if stands(id));
            let left = picks.iter().any(|p| p.decided.values().any(|d| *d == Decision::Left));
            let mut gone = picks.iter().filter(went).peekable();
            if gone.peek().is_none() {
                continue;
            }
            // The last of several writes of one offer leaves nothing undecided.
            if !left && gone.any(|p| p.undecided().is_empty()) {
                return Standing::Nothing;
            }
            out = Standing::Part;
        }
        out
    }

    /// What a command wrote is of this step.
    pub(in crate::session) fn of_task(&mut self, write: ApplyId, task: Option<TaskId>) {
        if let Some(command) = self.applies.get_mut(&write).and_then(|a| a.command.as_mut()) {
            command.task = task;
        }
    }

    /// The user worded what is to go themselves: how much of the writes that leaves is not known.
    pub(super) fn worded_anew(&mut self, proposal: &Proposal) {
        self.offered.retain(|offer| offer.lane != proposal.lane);
    }

    /// A step begins: what was taken back of an earlier go at it is no part of it any more.
    pub(in crate::session) fn begins_anew(&mut self, task: TaskId) {
        let mine = self.proposals.values().filter(|p| p.task == Some(task));
        let back = mine.filter(|p| self.of_proposal(p) == Some(Standing::Nothing));
        let back: Vec<_> = back.map(|p| p.id).collect();
        for id in &back {
            self.proposals.entry(*id).and_modify(|p| p.task = None);
            self.begun.remove(&task);
        }
        let commands = self.applies.values_mut().filter(|a| a.status == ApplyStatus::Reverted);
        for command in commands.filter_map(|a| a.command.as_mut()).filter(|c| c.task == Some(task)) {
            command.task = None;
        }
    }
}

impl State {
    /// What of a proposal that was written still stands; `None` where it was not written.
    pub fn standing(&self, proposal: &Proposal) -> Option<Standing> {
        self.changes.of_proposal(proposal)
    }

    /// What of a step that wrote still stands; `None` where nothing is known to be written by it.
    pub fn standing_of_step(&self, task: TaskId) -> Option<Standing> {
        self.changes.of_step(task)
    }
}
