//! Changes: hunks decided, writes approved, made, taken back.

use std::{collections::BTreeSet, ops::Range};

use super::{Decided, Draft};
use crate::{
    blob::{Blob, BlobId},
    diff::{Hunk, Lines},
    event::{Event, FileChange, Level},
    ids::{ApplyId, ApprovalId, CheckpointId, LaneId, ProposalId},
    input::{Refusal, WriteFault},
    plan::TaskStatus,
    proposal::{Decision, Proposal, ProposalStatus, TakeBack},
    question::Review,
    relpath::RelPath,
    scope::Capability,
    session::{ApplyStatus, changes::BY_USER},
    tool::{ChangeKind, ProposalDraft, Redraft},
};

/// A comment stands in its event, which stays short.
const MOST_COMMENT_BYTES: usize = 4 * 1024;

impl Draft<'_> {
    fn open_proposal(&self, id: ProposalId) -> Result<&Proposal, Refusal> {
        let p = self.state.proposals().get(&id).filter(|p| p.status == ProposalStatus::Open);
        p.ok_or_else(|| Refusal::new("that proposal is no longer waiting"))
    }

    pub(super) fn as_shown(&self, id: ProposalId, shown: BlobId) -> Result<&Proposal, Refusal> {
        let p = self.open_proposal(id)?;
        if p.shown() == shown {
            return Ok(p);
        }
        Err(Refusal::new(format!("{} changed since it was shown; look at it again", p.path)))
    }

    pub(super) fn hunk(
        &mut self,
        proposal: ProposalId,
        hunk: usize,
        decision: Option<Decision>,
        shown: BlobId,
    ) -> Decided {
        let p = self.as_shown(proposal, shown)?;
        if hunk >= p.hunks.len() {
            return Err(Refusal::new("there is no such hunk"));
        }
        if p.decided.get(&hunk).copied() != decision {
            self.emit(Event::HunkDecided { proposal, hunk, decision, comment: None });
        }
        Ok(())
    }

    /// Some lines of a hunk are decided: it is split where they begin and end, and the rest stays as it was.
    pub(super) fn decide_lines(
        &mut self,
        (proposal, hunk, shown): (ProposalId, usize, BlobId),
        lines: Range<usize>,
        decision: Option<Decision>,
    ) -> Decided {
        let p = self.as_shown(proposal, shown)?;
        let whole = p.hunks.get(hunk).ok_or_else(|| Refusal::new("there is no such hunk"))?;
        let (parts, at) = whole.cut(lines).ok_or_else(|| Refusal::new("there are no such lines"))?;
        if parts.len() > 1 {
            comes_apart(p)?;
            self.emit(Event::HunkSplit { proposal, hunk, parts });
        }
        self.emit(Event::HunkDecided { proposal, hunk: hunk + at, decision, comment: None });
        Ok(())
    }

    /// A hunk becomes its parts; what was decided of it holds for each.
    pub(super) fn split(&mut self, proposal: ProposalId, hunk: usize, shown: BlobId) -> Decided {
        let p = self.as_shown(proposal, shown)?;
        let parts = p.hunks.get(hunk).ok_or_else(|| Refusal::new("there is no such hunk"))?.parts();
        if parts.len() < 2 {
            return Err(Refusal::new("this hunk is one line; it cannot be split"));
        }
        comes_apart(p)?;
        self.emit(Event::HunkSplit { proposal, hunk, parts });
        Ok(())
    }

    /// What the user says about a hunk; it reaches the agent with what becomes of the hunk.
    pub(super) fn comment(
        &mut self,
        proposal: ProposalId,
        hunk: usize,
        text: String,
        shown: BlobId,
    ) -> Decided {
        let p = self.as_shown(proposal, shown)?;
        if hunk >= p.hunks.len() {
            return Err(Refusal::new("there is no such hunk"));
        }
        if text.len() > MOST_COMMENT_BYTES {
            return Err(Refusal::new(format!("a comment can have at most {MOST_COMMENT_BYTES} bytes")));
        }
        let decision = p.decided.get(&hunk).copied();
        self.emit(Event::HunkDecided { proposal, hunk, decision, comment: Some(text) });
        Ok(())
    }

    /// Writes what is chosen of these, all or nothing; with the rest, what is undecided of them is taken before that.
    pub(super) fn approve_changes(
        &mut self,
        list: &[(ProposalId, BlobId)],
        word: Option<&str>,
        rest: bool,
    ) -> Decided {
        if list.is_empty() {
            return Err(Refusal::new("nothing is proposed"));
        }
        self.must(Capability::Write, "is written")?;
        self.one_write_a_file(list)?;
        for (id, shown) in list {
            let p = self.as_shown(*id, *shown)?;
            if !self.state.open.values().any(|c| c.kind.review().is_some_and(|r| r.proposals.contains(id))) {
                return Err(Refusal::new(format!("{} is not up for review yet", p.path)));
            }
            if p.waits_whole() && (rest || p.decided.is_empty()) {
                let text =
                    format!("someone else changed the same lines in {}: take or leave each hunk", p.path);
                return Err(Refusal::new(text));
            }
            if p.writes(rest) {
                may_apply(p, list.len() == 1, word.unwrap_or_default().trim())?;
            }
        }
        if rest {
            self.take_rest(list);
        }
        // By path, as whoever reviews them sees them, in whatever order their steps came to propose them.
        let of = |(id, _): &(ProposalId, BlobId)| Some((self.state.proposals().get(id)?.path.clone(), *id));
        let ids: BTreeSet<(RelPath, ProposalId)> = list.iter().filter_map(of).collect();
        let (take, leave): (Vec<_>, Vec<_>) = ids
            .into_iter()
            .map(|(_, id)| id)
            .partition(|id| self.state.proposals().get(id).is_some_and(|p| p.writes(false)));
        for proposal in leave {
            let reason = self.left_of(proposal).unwrap_or_else(|| "every hunk was left".to_owned());
            self.emit(Event::ProposalClosed { proposal, reason, dropped: false, there: false });
        }
        if take.is_empty() {
            self.settle_reviews();
        } else {
            self.apply_now(&take, BY_USER);
        }
        Ok(())
    }

    /// Takes what is undecided of those that are decided in part; of one that is not decided all is written anyway.
    fn take_rest(&mut self, list: &[(ProposalId, BlobId)]) {
        for (proposal, _) in list {
            let p = self.state.proposals().get(proposal).filter(|p| !p.decided.is_empty());
            let hunks = p.map(|p| &p.not_left() & &p.undecided()).unwrap_or_default();
            for hunk in hunks {
                let decision = Some(Decision::Taken);
                self.emit(Event::HunkDecided { proposal: *proposal, hunk, decision, comment: None });
            }
        }
    }

    /// Two changes of the same file are two writes, the second against what the first left.
    fn one_write_a_file(&self, list: &[(ProposalId, BlobId)]) -> Decided {
        let proposals = self.state.proposals();
        let open = |s: ApplyStatus| s == ApplyStatus::Approved || s.is_open();
        let busy = self.state.applies().values().filter(|a| open(a.status)).flat_map(|a| &a.take);
        let busy: BTreeSet<_> = busy.filter_map(|(id, _)| proposals.get(id)).map(|p| &p.path).collect();
        let ids: BTreeSet<ProposalId> = list.iter().map(|(id, _)| *id).collect();
        let back = |id: &ProposalId| proposals.get(id).and_then(Proposal::undoes).map(|b| b.apply);
        if ids.iter().map(back).collect::<BTreeSet<_>>().len() > 1 {
            return Err(Refusal::new(
                "undone changes are written separately from other changes: a applies them",
            ));
        }
        let mut paths = BTreeSet::new();
        for p in ids.iter().filter_map(|id| proposals.get(id)) {
            if busy.contains(&p.path) {
                return Err(Refusal::new(format!("{} is being written; try again in a moment", p.path)));
            }
            if !paths.insert(&p.path) {
                let text = format!("two of these change {}; apply one, then look at the other again", p.path);
                return Err(Refusal::new(text));
            }
        }
        Ok(())
    }

    /// Approves what is chosen of these proposals, as one write.
    pub(super) fn apply_now(&mut self, ids: &[ProposalId], by: &str) {
        let apply = ApplyId(self.id());
        let approval = ApprovalId(apply.0 + 1);
        let chosen = |id: &ProposalId| self.state.proposals().get(id).map(|p| (*id, p.chosen()));
        let take: Vec<(ProposalId, BTreeSet<usize>)> = ids.iter().filter_map(chosen).collect();
        let deleting =
            ids.iter().filter_map(|id| self.state.proposals().get(id)).find(|p| p.kind == ChangeKind::Delete);
        let lane = deleting.map(|p| p.lane);
        self.emit(Event::ApplyApproved { apply, approval, by: by.to_owned(), take });
        if let Some(lane) = lane {
            self.move_to_delete(lane, apply, approval);
        }
    }

    /// How much was left of a change of which a part is written, where this is what was undecided of it then.
    fn left_of(&self, id: ProposalId) -> Option<String> {
        let p = self.state.proposals().get(&id)?;
        let of_same = |q: &&Proposal| q.id < id && q.call == p.call && q.path == p.path;
        let written = |q: &&Proposal| matches!(q.status, ProposalStatus::Applied(_));
        let before: Vec<_> = self.state.proposals().values().filter(of_same).filter(written).collect();
        let whole = before.first()?.hunks.len();
        let left = p.hunks.len() + before.iter().map(|q| q.tally().1).sum::<usize>();
        Some(format!("{left} of {whole} hunks left"))
    }

    pub(super) fn skip_changes(&mut self, ids: &[ProposalId], reason: &str) -> Decided {
        for id in ids {
            self.open_proposal(*id)?;
        }
        for id in ids {
            let bare = || self.left_of(*id).unwrap_or_else(|| "skipped".to_owned());
            let reason = if reason.is_empty() { bare() } else { reason.to_owned() };
            self.emit(Event::ProposalClosed { proposal: *id, reason, dropped: false, there: false });
        }
        self.settle_reviews();
        Ok(())
    }

    pub(super) fn edit_proposal(&mut self, id: ProposalId, again: Redraft, shown: BlobId) -> Decided {
        let (old, draft) = (self.as_shown(id, shown)?.clone(), &again.draft);
        if draft.path != old.path || draft.before.as_ref().map(Blob::id) != old.before {
            return Err(Refusal::new("the edit is for another file or an older version of it"));
        }
        self.replace_proposal(old, again, Vec::new());
        Ok(())
    }

    /// A proposal with another content; what was decided and said of a hunk that is as it was holds on.
    pub(super) fn replace_proposal(&mut self, old: Proposal, again: Redraft, mut meets: Vec<Lines>) {
        let Redraft { draft, same } = again;
        let (id, decided, splits) = (old.id, old.decided.clone(), old.splits);
        // What met others before meets them still.
        let met = same.iter().zip(&draft.hunks).filter(|(of, _)| of.is_some_and(|of| old.meets(of)));
        meets.extend(met.map(|(_, hunk)| hunk.old()));
        let mut proposal = Proposal { meets, ..self.redrafted(old, draft) };
        let kept = || same.iter().enumerate().filter_map(|(n, of)| Some((n, (*of)?)));
        proposal.decided = kept().filter_map(|(n, of)| Some((n, *decided.get(&of)?))).collect();
        // Where a hunk ends is not seen in the texts: another count keeps what is shown apart.
        proposal.splits = splits + 1;
        let said = |(n, of)| Some((n, self.state.transcript.comment(id, of)?.to_owned()));
        let said: Vec<(usize, String)> = kept().filter_map(said).collect();
        let decisions = proposal.decided.clone();
        let (added, removed) = lines_of(&proposal);
        self.emit(Event::ProposalEdited { proposal, added, removed });
        for (hunk, text) in said {
            let decision = decisions.get(&hunk).copied();
            self.emit(Event::HunkDecided { proposal: id, hunk, decision, comment: Some(text) });
        }
    }

    /// A proposal with another content, of which nothing is decided.
    pub(super) fn redrafted(&mut self, old: Proposal, draft: ProposalDraft) -> Proposal {
        let proposal = Proposal {
            kind: draft.kind,
            before: draft.before.as_ref().map(Blob::id),
            after: draft.after.as_ref().map(Blob::id),
            hunks: draft.hunks,
            decided: std::collections::BTreeMap::new(),
            splits: 0,
            meets: Vec::new(),
            status: ProposalStatus::Open,
            ..old
        };
        self.blobs.extend(draft.before.into_iter().chain(draft.after));
        proposal
    }

    pub(super) fn prepared(
        &mut self,
        apply: ApplyId,
        files: Result<(Vec<FileChange>, Vec<Blob>), WriteFault>,
    ) -> Decided {
        if !self.state.applies().get(&apply).is_some_and(|a| a.status == ApplyStatus::Approved) {
            return Err(Refusal::new("that write is no longer open"));
        }
        match files {
            Ok((files, blobs)) => {
                self.blobs.extend(blobs);
                let there = self.taken_there(apply, &files);
                if !self.all_there(apply, &there) {
                    self.emit(Event::ApplyStarted { apply, files });
                }
            }
            Err(fault) => self.apply_failed(apply, fault),
        }
        Ok(())
    }

    pub(super) fn apply_ended(&mut self, apply: ApplyId, result: Result<(), WriteFault>) -> Decided {
        if !self.state.applies().get(&apply).is_some_and(|a| a.status == ApplyStatus::Writing) {
            return Err(Refusal::new("that write is no longer open"));
        }
        match result {
            Ok(()) => {
                self.emit(Event::Applied { apply });
                self.written(apply);
                self.stale_gates();
                self.settle_reviews();
                self.resume_lanes_of(apply);
            }
            Err(fault) => self.apply_failed(apply, fault),
        }
        Ok(())
    }

    /// What follows from a write that is on disk.
    pub(super) fn written(&mut self, apply: ApplyId) {
        self.propose_rest(apply);
        let Some(of) = self.state.applies().get(&apply) else { return };
        if self.state.changes.picks_back(of) {
            return self.told_picked(apply);
        }
        let Some(TakeBack { apply: back, redo, .. }) = self.state.changes.takes_back(of) else { return };
        if of.part {
            self.reverted(apply, redo, true);
        } else if self.state.applies().get(&back).is_some_and(|a| a.stands() != redo) {
            self.reverted(back, redo, true);
        }
    }

    /// Hunks that were undecided when others of their file were written wait on, against what is written.
    fn propose_rest(&mut self, apply: ApplyId) {
        let files = self.state.applies().get(&apply).map(|a| a.files.clone()).unwrap_or_default();
        for file in files {
            let (Some(rest), Some(old)) = (file.rest, self.state.proposals().get(&file.proposal)) else {
                continue;
            };
            // What waits on is the same hunks, unless what was written brought them together.
            let waiting = old.waiting();
            let alike = waiting.len() == rest.hunks.len();
            let met = waiting.iter().map(|n| old.meets(*n)).zip(&rest.hunks);
            let met = met.filter(|(meets, _)| *meets).map(|(_, hunk)| hunk.old()).collect();
            let all = || rest.hunks.iter().map(Hunk::old).collect();
            let proposal = Proposal {
                id: ProposalId(self.state.last_id + 1),
                before: file.after,
                after: Some(rest.after),
                meets: if alike || old.meets.is_empty() { met } else { all() },
                hunks: rest.hunks,
                decided: std::collections::BTreeMap::new(),
                splits: 0,
                status: ProposalStatus::Open,
                ..old.clone()
            };
            let (id, lane) = (proposal.id, proposal.lane);
            let (added, removed) = lines_of(&proposal);
            self.emit(Event::Proposed { proposal, added, removed });
            debug_assert!(self.open_proposal(id).is_ok(), "it waits");
            self.review_as_well(lane, "");
        }
    }

    /// Puts all that waits of a lane before the user, in its review or in one with this message.
    fn review_as_well(&mut self, lane: LaneId, message: &str) {
        let asked = self.state.diff_of(lane).map(|c| (c.id, c.message.clone()));
        let message = asked.map_or(message.to_owned(), |(id, message)| {
            self.close(id, None);
            message
        });
        let proposals = self.state.proposals_of(lane).map(|p| p.id).collect();
        self.ask(Review { lane, proposals }, message);
    }

    pub(super) fn apply_failed(&mut self, apply: ApplyId, fault: WriteFault) {
        self.emit(Event::ApplyFailed { apply, message: fault.message, stale: fault.stale });
        for again in fault.rebased {
            if let Ok(old) = self.open_proposal(again.proposal).cloned() {
                self.replace_proposal(old, again.redraft, again.meets);
            }
        }
        // What is undecided again and in no review must be asked about.
        let take = self.state.applies().get(&apply).map(|a| a.take.clone()).unwrap_or_default();
        for (id, _) in take {
            let Ok(lane) = self.open_proposal(id).map(|p| p.lane) else { continue };
            if !self
                .state
                .diff_of(lane)
                .and_then(|c| c.kind.review())
                .is_some_and(|r| r.proposals.contains(&id))
            {
                self.review_as_well(lane, "A change could not be written");
            }
        }
    }

    pub(super) fn stale_gates(&mut self) {
        // A plan that has ended tells of its gates as well.
        let plan = self.state.plan.as_ref().or(self.state.suspended.as_ref());
        let gates = plan.iter().flat_map(|p| &p.gates);
        let passed: Vec<_> = gates.filter(|g| g.status.proof().is_some()).map(|g| g.id).collect();
        for gate in passed {
            self.emit(Event::GateWentStale { gate });
        }
    }

    /// Closes every diff question whose proposals are all settled, and lets its lane go on.
    pub(super) fn settle_reviews(&mut self) {
        let waits = |p: &Proposal| matches!(p.status, ProposalStatus::Open | ProposalStatus::Applying(_));
        let settled: Vec<(CheckpointId, LaneId)> = self
            .state
            .open
            .values()
            .filter_map(|c| Some((c.id, c.kind.review()?.lane)))
            .filter(|(_, lane)| !self.state.proposals().values().any(|p| p.lane == *lane && waits(p)))
            .collect();
        for (checkpoint, lane) in settled {
            self.close(checkpoint, None);
            if self.state.lanes.contains_key(&lane) {
                self.advance(lane);
            } else {
                self.finish_left_task(lane);
            }
        }
    }

    /// A task whose lane is gone is done once all that it had proposed is decided, where that was all there was to do.
    pub(super) fn finish_left_task(&mut self, lane: LaneId) {
        let mine = self.state.proposals().values().filter(|p| p.lane == lane);
        let applied =
            mine.clone().any(|p| matches!(p.status, ProposalStatus::Applied(_) | ProposalStatus::There));
        let waits = mine.clone().any(|p| p.status == ProposalStatus::SetAside);
        let plan = self.state.plan.as_ref().or(self.state.suspended.as_ref());
        let task = mine.filter_map(|p| p.task).next_back().and_then(|id| plan?.task(id));
        let left = task.filter(|t| !matches!(t.status, TaskStatus::Running | TaskStatus::Done)).map(|t| t.id);
        if let Some(task) = left.filter(|_| applied && !waits && self.state.is_through(lane)) {
            self.ask_of_plan_anew();
            self.emit(Event::TaskCompleted { task, took: crate::ids::Millis(0) });
            if self.state.plan.is_none() {
                self.renew_gates();
                self.tell_left();
            }
        }
    }

    /// Tells what is left of the plan that was offered when the session was opened.
    fn tell_left(&mut self) {
        let plan = self.state.suspended.as_ref().filter(|plan| plan.unfinished());
        let told = plan.map(|plan| match (plan.done(), plan.tasks.len()) {
            (done, all) if done < all => {
                format!("{done} of {all} steps are done{}.", self.state.goes_on(plan))
            }
            _ => plan.offer().unwrap_or_default(),
        });
        self.notice(Level::Info, told.unwrap_or_else(|| "Every step of the plan is done.".to_owned()));
    }

    /// After a write that no question covered (auto), its lane goes on.
    fn resume_lanes_of(&mut self, apply: ApplyId) {
        let take = self.state.applies().get(&apply).map(|a| a.take.clone()).unwrap_or_default();
        let lanes = take.iter().filter_map(|(id, _)| self.state.proposals().get(id)).map(|p| p.lane);
        self.resume_lanes(lanes.collect());
    }

    pub(super) fn resume_lanes(&mut self, lanes: BTreeSet<LaneId>) {
        for lane in lanes {
            let idle = self.state.lanes.get(&lane).is_some_and(|l| l.thinking.is_none());
            if idle && self.state.diff_of(lane).is_none() {
                self.advance(lane);
            }
        }
    }
}

/// A file goes or stays: no line of it is left by itself.
fn comes_apart(p: &Proposal) -> Decided {
    if p.kind == ChangeKind::Delete {
        return Err(Refusal::new(format!("the removal of {} can only be taken or left as a whole", p.path)));
    }
    Ok(())
}

/// Lines that a proposal adds and removes.
pub(super) fn lines_of(p: &Proposal) -> (usize, usize) {
    (p.hunks.iter().map(Hunk::added).sum(), p.hunks.iter().map(Hunk::removed).sum())
}

/// A removal wants its word; a control file wants its own, and is decided alone.
fn may_apply(p: &Proposal, alone: bool, given: &str) -> Decided {
    let Some(wanted) = p.word().filter(|_| !p.lets(given) || (p.control.is_some() && !alone)) else {
        return Ok(());
    };
    let path = &p.path;
    Err(Refusal::new(match &p.control {
        Some(why) if alone => format!("{path} is a control file that {why}: type `{wanted}` to write it"),
        Some(why) => format!("{path} is a control file that {why}: apply it alone, by typing `{wanted}`"),
        None => format!("removing {path} needs a typed word: type `delete` or `{wanted}`"),
    }))
}
