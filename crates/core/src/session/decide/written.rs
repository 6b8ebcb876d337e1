//! What was written, told in words for whoever has no screen, and what needed no write.
//!
//! Owns which of what was taken a file holds already, and what becomes of a review whose files moved on. Never writes.

use std::collections::BTreeSet;

use super::{Decided, Draft};
use crate::{
    event::{Event, FileChange, Level},
    ids::{ApplyId, LaneId, ProposalId},
    input::Refusal,
    intent::Slash,
    proposal::ALREADY,
    session::Extent,
    work::Moved,
};

impl Draft<'_> {
    /// `/changes`: what was written, message by message.
    pub(super) fn changes(&mut self, args: &str) -> Decided {
        let extent = match args {
            "" => Extent::Session,
            name => {
                Extent::named(name).ok_or_else(|| Refusal::misuse("type /changes session, run or turn"))?
            }
        };
        let groups = self.state.written(extent);
        if groups.is_empty() {
            return Err(Refusal::new(format!("nothing was written in this {}", extent.name())));
        }
        self.heard(Slash::Changes);
        for group in groups {
            let what = if group.origin.run.is_some() { "run" } else { "turn" };
            let goal = group.goal.lines().next().unwrap_or_default();
            self.notice(Level::Info, format!("{what}: {goal}"));
            for file in &group.files {
                self.notice(Level::Info, format!("  {}", file.tally().line()));
            }
        }
        Ok(())
    }

    /// What was seen on disk of the files of a review: a change of one that moved on is carried over, where nothing of it is lost.
    pub(super) fn review_seen(&mut self, moved: Vec<Moved>) {
        for Moved { proposal, shown, on_disk, carried } in moved {
            // It may have been decided or edited meanwhile: the next look sees that one.
            let Ok(old) = self.as_shown(proposal, shown).cloned() else { continue };
            if let Some((again, meets)) = carried {
                self.replace_proposal(old, again, meets);
            }
            if self.state.on_disk(proposal) != on_disk {
                self.emit(Event::ProposalStands { proposal, on_disk });
            }
        }
    }

    /// What was taken of a write and is not among its files: these hold it already.
    pub(super) fn taken_there(&self, apply: ApplyId, files: &[FileChange]) -> Vec<ProposalId> {
        let take = self.state.applies().get(&apply).into_iter().flat_map(|a| &a.take);
        let there = take.filter(|(id, hunks)| {
            let whole = self.state.proposals().get(id).is_some_and(|p| p.hunks.is_empty());
            (whole || !hunks.is_empty()) && !files.iter().any(|f| f.proposal == *id)
        });
        there.map(|(id, _)| *id).collect()
    }

    /// Tells of what was there already; whether that was all of the write, so that its work goes on without one.
    pub(super) fn all_there(&mut self, apply: ApplyId, there: &[ProposalId]) -> bool {
        let lanes: BTreeSet<LaneId> =
            there.iter().filter_map(|id| self.state.proposals().get(id)).map(|p| p.lane).collect();
        for proposal in there {
            let (proposal, reason) = (*proposal, ALREADY.to_owned());
            self.emit(Event::ProposalClosed { proposal, reason, dropped: false, there: true });
        }
        if there.is_empty() || self.state.applies().get(&apply).is_some_and(|a| !a.take.is_empty()) {
            return false;
        }
        self.settle_reviews();
        self.resume_lanes(lanes);
        true
    }
}
