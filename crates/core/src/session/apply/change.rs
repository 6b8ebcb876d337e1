//! Proposals and writes as their events tell them.
//!
//! Owns what they mean to the rest of the state: ids, and the files of the run.

use std::{collections::BTreeMap, sync::Arc};

use crate::{
    blob::BlobId,
    diff,
    event::Event,
    ids::{ApplyId, CallId, ProposalId},
    outcome::FileChange,
    relpath::RelPath,
    session::{Lane, LaneKind, State, changes::BY_USER},
    work::SeenParts,
};

/// Which way a write goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// From what was to what is proposed.
    Forth,
    /// Taken back.
    Back,
}

impl State {
    /// A proposal is decided: what the user said about it is for the lane that made it.
    fn address(&mut self, proposal: ProposalId) {
        let lane = self.changes.proposals().get(&proposal).map(|p| p.lane);
        let commented = self.transcript.is_commented(proposal);
        if let Some(lane) = lane.filter(|_| commented).and_then(|id| self.lanes.get_mut(&id)) {
            lane.addressed = true;
        }
    }

    /// The program wrote: who had seen a file as it was knows it as it is now, for it is told what was
    /// written. Who had seen another content must look again, but at none of the lines that were written.
    fn wrote(&mut self, apply: ApplyId, way: Way) {
        let Some(apply) = self.changes.applies().get(&apply) else { return };
        let own = |file| (way == Way::Forth).then(|| self.changes_of(file)).flatten();
        let files: Vec<_> = apply.files.iter().map(|file| (file.clone(), own(file))).collect();
        let told = |l: &&mut Lane| !self.transcript.is_beside(l.id) || matches!(l.kind, LaneKind::Task(_));
        let main = self.lanes.values_mut().filter(told).map(|l| (&mut l.seen, &mut l.parts));
        let mut all: Vec<(&mut BTreeMap<RelPath, BlobId>, &mut SeenParts)> = main.collect();
        all.push((&mut self.seen, &mut self.parts));
        for (file, own) in &files {
            let (was, is) =
                if way == Way::Forth { (file.before, file.after) } else { (file.after, file.before) };
            for (seen, parts) in &mut all {
                match (seen.get(&file.path).copied(), is) {
                    (known, Some(id)) if known == was => drop(seen.insert(file.path.clone(), id)),
                    (known, None) if known == was => drop(seen.remove(&file.path)),
                    (Some(_), Some(id)) => {
                        let Some(changes) = own else { continue };
                        let before = parts.get(&file.path).filter(|(of, _)| Some(*of) == was);
                        let before = before.map(|(_, lines)| lines.as_slice()).unwrap_or_default();
                        let known = diff::carried(before, changes);
                        parts.insert(file.path.clone(), (id, known));
                    }
                    (Some(_), None) | (None, _) => {}
                }
            }
        }
    }

    /// What a gate looks at may be another now, and so may the answer to any call.
    fn note_change(&mut self, event: &Event) {
        let written =
            matches!(event, Event::Applied { .. } | Event::CommandWrote { .. } | Event::Reverted { .. });
        let nothing = matches!(event, Event::CommandWrote { files, .. } if files.is_empty());
        for lane in self.lanes.values_mut() {
            lane.changed |= written;
            if !nothing {
                lane.repeats.forget();
            }
        }
    }

    /// Whether what was done last took something back. What puts back what was to be left alone is no act of the user.
    #[expect(clippy::wildcard_enum_match_arm, reason = "`fold` names every event; this takes its share")]
    pub(super) fn note_taken_back(&mut self, event: &Event) {
        let of = |id: &ApplyId| self.changes.applies().get(id);
        self.took_back = match event {
            Event::Reverted { apply, redo, .. } => {
                of(apply).is_some_and(|a| a.spared().is_none() && self.changes.picks_back(a) == *redo)
            }
            Event::Applied { apply } => of(apply).is_some_and(|a| {
                self.changes.picks_back(a) || self.changes.takes_back(a).is_some_and(|back| !back.redo)
            }),
            Event::CommandWrote { .. }
            | Event::LaneOpened { .. }
            | Event::PlanReady { .. }
            | Event::RunStarted { .. } => false,
            _ => return,
        };
        self.goes_on &= !self.took_back;
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "`fold` names every event; this takes its share")]
    pub(super) fn fold_change(&mut self, event: &Event) {
        Arc::make_mut(&mut self.changes).fold(event);
        self.note_origin();
        self.note_change(event);
        match event {
            Event::Applied { apply } => self.note_write(*apply, false),
            Event::Reverted { apply, redo, .. } => self.note_write(*apply, !redo),
            _ => {}
        }
        match event {
            Event::Proposed { proposal, .. } | Event::ProposalEdited { proposal, .. } => {
                self.saw(proposal.id.0.max(proposal.lane.0));
            }
            Event::TakeBackSought { lane, .. } => self.saw(lane.0),
            Event::ProposalClosed { proposal, dropped: false, .. } => self.address(*proposal),
            Event::ApplyApproved { apply, approval, by, take } => {
                self.saw(apply.0.max(approval.0));
                for path in
                    take.iter().filter_map(|(id, _)| self.changes.proposals().get(id)).map(|p| &p.path)
                {
                    if by == BY_USER {
                        self.unreviewed.took(path.as_str());
                    } else {
                        self.unreviewed.wrote(path.as_str());
                    }
                }
            }
            Event::Applied { apply } => {
                let files = self.changes.applies().get(apply).into_iter().flat_map(|a| &a.files);
                if let Some(run) = &mut self.run {
                    for file in files.clone() {
                        run.files.insert(file.path.clone());
                        run.lines += (file.added + file.removed) as u64;
                    }
                    run.writes(files.clone().map(|f| &f.path), None);
                }
                self.wrote(*apply, Way::Forth);
                let take = self.changes.applies().get(apply).map(|a| a.take.clone()).unwrap_or_default();
                for (proposal, _) in &take {
                    self.address(*proposal);
                }
                let back = |id| self.changes.proposals().get(id).is_some_and(|p| p.back.is_some());
                if take.iter().any(|(id, _)| back(id)) {
                    self.weigh_steps();
                }
            }
            // What is put back was not written for the run.
            Event::CommandWrote { apply, spared, .. } if !spared.is_empty() => self.saw(apply.0),
            Event::CommandWrote { apply, call, files, .. } => self.command_changed(*apply, *call, files),
            Event::Reverted { apply, redo, .. } => {
                self.wrote(*apply, if *redo { Way::Forth } else { Way::Back });
                self.weigh_steps();
            }
            _ => {}
        }
    }

    /// What a command changed is of the step and the run that it ran for, also where it was stopped before it ended.
    fn command_changed(&mut self, apply: ApplyId, call: CallId, files: &[FileChange]) {
        self.saw(apply.0);
        let stopped = self.stopped.get(&call).map(|s| (s.origin.turn, s.task));
        let lane = self.lanes.values().find(|l| l.calls.iter().any(|open| open.call == call));
        let task = lane.map_or(stopped.and_then(|(_, task)| task), |l| l.kind.task());
        Arc::make_mut(&mut self.changes).of_task(apply, task);
        if let Some(run) = self.run.as_mut().filter(|r| stopped.is_none_or(|(turn, _)| turn == r.turn)) {
            run.files.extend(files.iter().map(|f| f.path.clone()));
            run.lines += files.iter().map(|f| (f.added + f.removed) as u64).sum::<u64>();
            run.writes(files.iter().map(|f| &f.path), Some(call));
        }
    }
}
