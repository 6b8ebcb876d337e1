//! Changes: proposals, the writes that they become, and what of these is on disk.
//!
//! Owns their states. Never decides: what happened is told by events.

mod back;
mod begun;
mod command;
mod place;
mod standing;

use std::collections::{BTreeMap, BTreeSet};

use back::SoughtBack;
pub(super) use back::moved;
pub use command::{CommandWrite, SparedWrite};
pub use standing::Standing;

use crate::{
    clean::Clean,
    event::{Event, FileChange},
    ids::{ApplyId, ApprovalId, LaneId, ProposalId, TaskId, TurnId},
    money,
    proposal::{Decision, OnDisk, Proposal, ProposalStatus},
    question::UndoQuestion,
    session::{Lane, Talk},
};

/// Proposals and writes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Changes {
    proposals: BTreeMap<ProposalId, Proposal>,
    applies: BTreeMap<ApplyId, Apply>,
    ledger: Vec<ApplyId>,
    undone: Vec<ApplyId>,
    taking_back: TakingBack,
    /// What went back by the same word as another: that one, which went just before it.
    together: BTreeMap<ApplyId, ApplyId>,
    /// What was put back by one word so far.
    putting_back: Vec<ApplyId>,
    sought: Option<SoughtBack>,
    /// What was proposed to go of writes, whatever was taken of that.
    offered: Vec<SoughtBack>,
    /// Steps' lanes that had nothing left to do but to have looked at what they proposed.
    through: BTreeSet<LaneId>,
    /// Lines of work that ended while what they proposed was being looked at.
    shown: BTreeSet<LaneId>,
    /// Steps of which a line of work did something and did not bring them to their end.
    begun: BTreeSet<TaskId>,
    /// Lines of work that mended what failed a gate, and that ended, with the message of their run.
    mends: BTreeMap<LaneId, TurnId>,
    /// How files of proposals stand that are not on disk as these start from.
    on_disk: BTreeMap<ProposalId, OnDisk>,
    /// The highest id of what the session did that this one is a copy of: it holds no content for that.
    copied: u64,
}

/// Several writes that are taken back one after the other, the last first.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct TakingBack {
    /// What is still on disk.
    pub left: Vec<ApplyId>,
    /// What is not any more.
    pub done: Vec<ApplyId>,
}

/// An approved write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Apply {
    /// Its id.
    pub id: ApplyId,
    /// The approval.
    pub approval: ApprovalId,
    /// What of which proposal.
    pub take: Vec<(ProposalId, BTreeSet<usize>)>,
    /// The exact files, once known.
    pub files: Vec<FileChange>,
    /// Where it stands.
    pub status: ApplyStatus,
    /// The command that wrote, where it was one.
    pub command: Option<CommandWrite>,
    /// Whether it takes back, or puts back, only a part of another, and so stands for that part by itself.
    pub part: bool,
}

impl Apply {
    /// What is asked before it is taken back, where there is something to ask.
    pub(super) fn undo_question(&self, to: Option<ApplyId>, in_bar: bool) -> Option<UndoQuestion> {
        let command = self.command.as_ref().filter(|c| !c.doubt.is_none())?;
        let (line, doubt) = (command.line.clone(), command.doubt.clone());
        Some(UndoQuestion { apply: self.id, what: self.words(), line, doubt, to, in_bar })
    }

    /// Whether its content is on disk, as far as this session knows.
    pub(super) const fn stands(&self) -> bool {
        matches!(self.status, ApplyStatus::Applied)
    }

    /// How many files it is about.
    pub fn count(&self) -> usize {
        self.command.as_ref().map_or(self.files.len(), |c| c.count)
    }

    /// What it is about, in a few words: `3 files by cargo fmt`.
    pub fn words(&self) -> String {
        let count = self.count();
        let files = money::count(count, "file");
        let Some(command) = &self.command else { return files };
        let parts = (count > 0).then_some(files).into_iter().chain(command.git.iter().cloned());
        format!("{} by `{}`", parts.collect::<Vec<_>>().join(", "), command.line)
    }
}

/// Where a write stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApplyStatus {
    /// Approved; contents are being worked out.
    Approved,
    /// Being written.
    Writing,
    /// On disk.
    Applied,
    /// Being taken back (`redo: false`) or put back.
    Reverting {
        /// Put back rather than taken back.
        redo: bool,
    },
    /// Taken back.
    Reverted,
    /// Nothing was written.
    Failed,
}

impl ApplyStatus {
    /// Whether files are being written, forwards or back.
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Writing | Self::Reverting { .. })
    }
}

/// The longest beginning of a line by which a command's changes are known.
const MOST_LINE: usize = 120;

/// What the changes of a command are known by.
pub(super) fn known_by(line: &str) -> String {
    Clean::line(line).as_str().chars().take(MOST_LINE).collect()
}

/// Who approved a write that the user approved.
pub(super) const BY_USER: &str = "user";

impl Changes {
    pub const fn proposals(&self) -> &BTreeMap<ProposalId, Proposal> {
        &self.proposals
    }

    pub const fn applies(&self) -> &BTreeMap<ApplyId, Apply> {
        &self.applies
    }

    pub fn ledger(&self) -> &[ApplyId] {
        &self.ledger
    }

    pub fn on_disk(&self, id: ProposalId) -> Option<OnDisk> {
        self.on_disk.get(&id).copied()
    }

    fn proposed(&mut self, proposal: &Proposal) {
        self.drop_older(proposal);
        if self.proposals.get(&proposal.id).is_some_and(|old| old.before != proposal.before) {
            self.on_disk.remove(&proposal.id);
        }
        self.offered.extend(self.sought.take_if(|s| s.lane == proposal.lane));
        self.proposals.insert(proposal.id, proposal.clone());
    }

    fn stands(&mut self, proposal: ProposalId, on_disk: Option<OnDisk>) {
        match on_disk {
            Some(how) => drop(self.on_disk.insert(proposal, how)),
            None => drop(self.on_disk.remove(&proposal)),
        }
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "`State::fold` names every event; this takes its share"
    )]
    pub fn fold(&mut self, event: &Event) {
        match event {
            Event::Proposed { proposal, .. } => self.proposed(proposal),
            Event::ProposalEdited { proposal, .. } => {
                self.worded_anew(proposal);
                self.proposed(proposal);
            }
            Event::ProposalStands { proposal, on_disk } => self.stands(*proposal, *on_disk),
            Event::HunkDecided { proposal, hunk, decision, .. } => {
                if let Some(p) = self.proposals.get_mut(proposal) {
                    p.decide(*hunk, *decision);
                }
            }
            Event::HunkSplit { proposal, hunk, parts } => {
                if let Some(p) = self.proposals.get_mut(proposal) {
                    p.split(*hunk, parts);
                }
            }
            Event::ProposalClosed { proposal, dropped, there, .. } => {
                self.closed(*proposal, *dropped, *there);
            }
            Event::ProposalSetAside { proposal, .. } => {
                self.set_proposals(std::iter::once(*proposal), ProposalStatus::SetAside);
            }
            Event::ProposalTakenUp { proposal, lane } => {
                self.set_proposals(std::iter::once(*proposal), ProposalStatus::Open);
                if let Some(lane) = *lane {
                    self.goes_on(*proposal, lane);
                }
            }
            Event::ApplyApproved { apply, approval, take, .. } => {
                self.set_proposals(take.iter().map(|t| t.0), ProposalStatus::Applying(*apply));
                let apply = Apply {
                    id: *apply,
                    approval: *approval,
                    take: take.clone(),
                    files: Vec::new(),
                    status: ApplyStatus::Approved,
                    command: None,
                    part: false,
                };
                self.applies.insert(apply.id, apply);
            }
            Event::ApplyStarted { apply, files } => {
                if let Some(a) = self.applies.get_mut(apply) {
                    a.files.clone_from(files);
                    a.status = ApplyStatus::Writing;
                }
            }
            Event::Applied { apply } => self.applied(*apply),
            Event::CommandWrote { .. } => self.command_wrote(event),
            Event::ApplyFailed { apply, .. } => {
                if let Some(a) = self.applies.get_mut(apply) {
                    a.status = ApplyStatus::Failed;
                    let ids: Vec<_> = a.take.iter().map(|t| t.0).collect();
                    self.set_proposals(ids.into_iter(), ProposalStatus::Open);
                }
            }
            _ => self.fold_revert(event),
        }
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "`State::fold` names every event; this takes its share"
    )]
    fn fold_revert(&mut self, event: &Event) {
        match event {
            Event::TakeBackSought { lane, path, writes } => {
                self.sought = Some(SoughtBack { lane: *lane, path: path.clone(), writes: writes.clone() });
            }
            Event::TakeBackUnmade { .. } => self.sought = None,
            Event::RevertStarted { apply, redo, keep, to } => {
                let TakingBack { left, .. } = &self.taking_back;
                if to.is_none() || left.first() != to.as_ref() || left.last() != Some(apply) {
                    let from = self.ledger.iter().position(|a| Some(a) == to.as_ref());
                    let left = from.and_then(|n| self.ledger.get(n..)).unwrap_or_default().to_vec();
                    self.taking_back = TakingBack { left, done: Vec::new() };
                }
                let before = self.putting_back.last().and_then(|id| self.together.get(id));
                if !*redo || before != Some(apply) {
                    self.putting_back.clear();
                }
                if let Some(command) = self.applies.get_mut(apply).and_then(|a| a.command.as_mut()) {
                    command.kept = *keep;
                }
                self.set_apply(*apply, ApplyStatus::Reverting { redo: *redo });
                self.set_lost(*apply, false);
            }
            Event::Reverted { apply, redo, .. } => self.reverted(*apply, *redo),
            Event::RevertFailed { apply, redo, .. } => {
                let back = if *redo { ApplyStatus::Reverted } else { ApplyStatus::Applied };
                self.set_apply(*apply, back);
                self.set_lost(*apply, !redo);
                self.taking_back = TakingBack::default();
            }
            _ => {}
        }
    }

    /// A plan begins: changes staged before belong to those of its tasks that are as they were, and to no other.
    pub fn forget_tasks(&mut self, stays: impl Fn(LaneId, TaskId) -> bool) {
        for p in self.proposals.values_mut() {
            p.task = p.task.filter(|task| stays(p.lane, *task));
        }
    }

    /// A step's line of work ends: whether nothing was left of it but to look at what it proposed. One that only
    /// goes on with what was proposed before is as far as that was.
    pub fn lane_ends(&mut self, lane: &Lane, shown: bool) {
        self.note_begun(lane);
        if shown {
            self.shown.insert(lane.id);
        }
        let mine = |p: &&Proposal| p.lane == lane.id && p.task.is_some();
        let waits = lane.thinking.is_none() && lane.calls.is_empty() && !lane.held && !lane.addressed;
        let through = match lane.talk.last() {
            Some(last) => matches!(last, Talk::Reply(_)),
            None => self.through.contains(&lane.id),
        };
        self.set_through(lane.id, waits && through && self.proposals.values().any(|p| mine(&p)));
    }

    /// A line of work goes on with a proposal, and is as far as the least of those was that made what it goes on with.
    fn goes_on(&mut self, proposal: ProposalId, lane: LaneId) {
        let others = self.proposals.values().any(|p| p.lane == lane);
        let Some(p) = self.proposals.get_mut(&proposal) else { return };
        let was = std::mem::replace(&mut p.lane, lane);
        let through = self.is_through(was) && (!others || self.is_through(lane));
        self.set_through(lane, through);
    }

    /// Whether nothing is left of a step's line of work but to look at what was proposed.
    pub fn is_through(&self, lane: LaneId) -> bool {
        self.through.contains(&lane)
    }

    /// Whether a line of work was left where the user was looking at what it proposed.
    pub fn was_shown(&self, lane: LaneId) -> bool {
        self.shown.contains(&lane)
    }

    fn set_through(&mut self, lane: LaneId, through: bool) {
        if through {
            self.through.insert(lane);
        } else {
            self.through.remove(&lane);
        }
    }

    /// A write was found half done.
    pub fn lost(&mut self, apply: ApplyId) {
        self.set_apply(apply, ApplyStatus::Failed);
        self.set_lost(apply, true);
    }

    fn set_lost(&mut self, apply: ApplyId, lost: bool) {
        let command = self.applies.get_mut(&apply).and_then(|a| a.command.as_mut());
        if let Some(spared) = command.and_then(|c| c.spared.as_mut()) {
            spared.lost = lost;
        }
    }

    /// The same in a copy of the session: what waits or stands there is decided and taken back there.
    pub fn of_another(self, last: u64) -> Self {
        let (mut proposals, mut applies) = (self.proposals, self.applies);
        for proposal in proposals.values_mut() {
            match proposal.status {
                ProposalStatus::Open | ProposalStatus::Applying(_) | ProposalStatus::SetAside => {
                    proposal.status = ProposalStatus::Dropped;
                }
                ProposalStatus::Applied(_)
                | ProposalStatus::There
                | ProposalStatus::Skipped
                | ProposalStatus::Dropped => {}
            }
        }
        for apply in applies.values_mut() {
            if apply.status == ApplyStatus::Approved || apply.status.is_open() {
                apply.status = ApplyStatus::Failed;
            }
        }
        Self { proposals, applies, offered: self.offered, copied: last, ..Self::default() }
    }

    /// Whether a write or a proposal of this id is of the session that this one is a copy of.
    pub const fn is_copied(&self, id: u64) -> bool {
        id <= self.copied
    }

    /// The process that wrote is gone: what had not begun does not begin.
    pub fn reopened(&mut self) {
        self.sought = None;
        for apply in self.applies.values_mut() {
            if matches!(apply.status, ApplyStatus::Approved) {
                apply.status = ApplyStatus::Failed;
            }
        }
        for p in self.proposals.values_mut() {
            if matches!(p.status, ProposalStatus::Applying(_)) {
                p.status = ProposalStatus::Open;
            }
        }
    }

    /// A lane has one open proposal for a file: the last.
    fn drop_older(&mut self, new: &Proposal) {
        let of_file = |p: &&mut Proposal| p.lane == new.lane && p.path == new.path && p.id != new.id;
        for old in self.proposals.values_mut().filter(of_file) {
            if old.status == ProposalStatus::Open {
                old.status = ProposalStatus::Dropped;
            }
        }
    }

    fn set_apply(&mut self, id: ApplyId, status: ApplyStatus) {
        if let Some(a) = self.applies.get_mut(&id) {
            a.status = status;
        }
    }

    fn set_proposals(&mut self, ids: impl Iterator<Item = ProposalId>, status: ProposalStatus) {
        for id in ids {
            if let Some(p) = self.proposals.get_mut(&id) {
                p.status = status;
            }
        }
    }

    fn command_wrote(&mut self, event: &Event) {
        let Event::CommandWrote {
            apply, call, command, files, count, git, record, doubt, left, spared, ..
        } = event
        else {
            return;
        };
        let (call, line, record, count) = (*call, command.clone(), *record, *count);
        let (git, doubt) = (git.clone(), doubt.clone());
        let spared = (!spared.is_empty())
            .then(|| Box::new(SparedWrite { said: spared.clone(), left: left.clone(), lost: true }));
        let command = CommandWrite { call, task: None, line, record, count, git, doubt, kept: false, spared };
        let apply = Apply {
            id: *apply,
            approval: ApprovalId::default(),
            take: Vec::new(),
            files: files.clone(),
            status: ApplyStatus::Applied,
            command: Some(command),
            part: false,
        };
        self.ledger.push(apply.id);
        self.undone.clear();
        self.applies.insert(apply.id, apply);
    }

    /// A write is not on disk any more, or is again.
    fn reverted(&mut self, apply: ApplyId, redo: bool) {
        let named = self.part_of(apply, redo).unwrap_or(apply);
        self.set_lost(named, false);
        let Some(of) = self.applies.get_mut(&named) else { return };
        if of.status == ApplyStatus::Applied && of.part && !redo {
            of.files = std::mem::take(&mut of.files).into_iter().map(FileChange::inverse).collect();
        }
        if redo {
            of.status = ApplyStatus::Applied;
            self.undone.retain(|a| *a != named);
            self.ledger.push(named);
            self.putting_back.push(named);
        } else {
            of.status = ApplyStatus::Reverted;
            self.ledger.retain(|a| *a != named);
            self.undone.push(named);
            self.together.remove(&named);
            self.together.extend(self.taking_back.done.last().map(|before| (named, *before)));
            self.taking_back.done.extend(self.taking_back.left.pop_if(|a| *a == named));
        }
    }

    /// The questions about several changes that are taken back end without a yes: the rest stays.
    pub fn leave_the_rest(&mut self) {
        self.taking_back = TakingBack::default();
    }

    fn applied(&mut self, id: ApplyId) {
        let Some(apply) = self.applies.get_mut(&id) else { return };
        apply.status = ApplyStatus::Applied;
        let in_part = |p: ProposalId| apply.files.iter().any(|f| f.proposal == p && f.rest.is_some());
        let take: Vec<_> = apply.take.iter().map(|(p, taken)| (*p, taken.clone(), in_part(*p))).collect();
        for (proposal, taken, in_part) in take {
            if let Some(p) = self.proposals.get_mut(&proposal) {
                p.status = ProposalStatus::Applied(id);
                for hunk in (0..p.hunks.len()).filter(|_| !in_part) {
                    let decision = if taken.contains(&hunk) { Decision::Taken } else { Decision::Left };
                    p.decided.insert(hunk, decision);
                }
            }
        }
        let apply = self.applies.get(&id);
        if let Some((back, files)) = apply.and_then(|a| Some((self.takes_back(a)?, a.files.clone()))) {
            return self.carry(id, back, files);
        }
        self.ledger.push(id);
        self.undone.clear();
    }
}
