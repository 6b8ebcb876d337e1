//! Work that writes: changes of files and back, what commands had changed, rules for good.
//!
//! Owns how the writer is called. Never decides what is written: the session did.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use pilothouse_core::{
    blob::BlobId,
    event::FileChange,
    ids::{ApplyId, ApprovalId, LaneId},
    input::Input,
    policy::{Origin, Rule},
    work::{Moved, Take, WorkKey},
};

use super::{Driver, Inbound, opening, work::said};
use crate::{
    permissions,
    writer::{
        self, Swap,
        prepare::{self, Glance},
        record,
    },
};

/// How long a file must hold still that is not as it is shown, and how often it is looked at for that: one that never does
/// waits for the next look.
const HELD_STILL: Duration = Duration::from_millis(40);
const LOOKS: usize = 8;

/// Where the look at the files of open reviews is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ReviewLook {
    /// Nothing is looked at.
    #[default]
    None,
    /// One is on its way.
    One,
    /// One is on its way, and something happened since it began.
    Again,
    /// Another one is due when the session heard what the last one saw.
    Due,
}

impl Driver {
    pub(super) fn prepare(&self, key: WorkKey, apply: ApplyId, changes: Vec<Take>) {
        let (disk, root, blobs) = (Arc::clone(&self.setup.disk), self.at.root.clone(), self.at.blobs.clone());
        self.blocking(key, apply, move || {
            let files = prepare::prepare(disk.as_ref(), &root, &blobs, &changes);
            Input::ApplyPrepared { apply, files }
        });
    }

    /// Looks whether the files of open reviews are as these are shown; what is otherwise the session hears. One look at a
    /// time: what another one saw meanwhile would be of a review that is shown no more.
    pub(super) fn look_at_reviews(&mut self) {
        let shown = self.at.session.state().reviewed();
        if shown.is_empty() || self.at.read_only() {
            return;
        }
        if matches!(self.review_look, ReviewLook::One | ReviewLook::Again) {
            self.review_look = ReviewLook::Again;
            return;
        }
        self.review_look = ReviewLook::One;
        let (disk, root, blobs) = (Arc::clone(&self.setup.disk), self.at.root.clone(), self.at.blobs.clone());
        let (tasks, inbound) = (self.tasks.clone(), self.inbound.clone());
        let state = self.at.session.state();
        let known: BTreeMap<_, _> =
            shown.iter().map(|(t, _)| (t.proposal, state.on_disk(t.proposal))).collect();
        self.tasks.spawn(async move {
            let mut moved = Vec::new();
            let mut left: Vec<_> = shown.into_iter().map(|(take, shown)| Glance::new(take, shown)).collect();
            for looks in 0..LOOKS {
                if looks > 0 {
                    tokio::time::sleep(HELD_STILL).await;
                }
                let (disk, root, blobs) = (Arc::clone(&disk), root.clone(), blobs.clone());
                let work = move || prepare::look(disk.as_ref(), &root, &blobs, left);
                let Ok((seen, again)) = tasks.blocking(work).await else { break };
                moved.extend(seen);
                left = again;
                if left.is_empty() {
                    break;
                }
            }
            moved.retain(|m| m.carried.is_some() || known.get(&m.proposal) != Some(&m.on_disk));
            drop(inbound.send(Inbound::ReviewsLooked(moved)).await);
        });
    }

    /// Takes in what a look at the files of reviews saw.
    pub(super) fn reviews_looked(&mut self, moved: Vec<Moved>, inputs: &mut Vec<(Input, bool)>) {
        self.review_look = match self.review_look {
            ReviewLook::Again => ReviewLook::Due,
            ReviewLook::None | ReviewLook::One | ReviewLook::Due => ReviewLook::None,
        };
        if !moved.is_empty() {
            inputs.push((Input::ReviewSeen(moved), false));
        }
    }

    /// Looks at the reviews as they are now that the session heard of the last look, where one is wanted.
    pub(super) fn look_at_reviews_again(&mut self) {
        if self.review_look == ReviewLook::Due {
            self.look_at_reviews();
        }
    }

    pub(super) fn write(&self, key: WorkKey, apply: ApplyId, files: &[FileChange]) {
        let swaps: Vec<Swap> = files.iter().map(Swap::forward).collect();
        let (disk, root, blobs) = (Arc::clone(&self.setup.disk), self.at.root.clone(), self.at.blobs.clone());
        self.blocking(key, apply, move || {
            let result = writer::swap_all(disk.as_ref(), &root, &blobs, &swaps);
            Input::ApplyEnded { apply, result }
        });
    }

    pub(super) fn revert(&self, key: WorkKey, apply: ApplyId, redo: bool, files: &[FileChange]) {
        let files = files.to_vec();
        let (disk, root, blobs) = (Arc::clone(&self.setup.disk), self.at.root.clone(), self.at.blobs.clone());
        self.blocking(key, apply, move || {
            let result = prepare::revert(disk.as_ref(), &root, &blobs, &files, redo);
            Input::RevertEnded { apply, result }
        });
    }

    /// Works out what takes back what writes made of a file; the session proposes it.
    pub(super) fn take_back(&self, key: WorkKey, lane: LaneId, files: Vec<FileChange>) {
        let (disk, root, blobs) = (Arc::clone(&self.setup.disk), self.at.root.clone(), self.at.blobs.clone());
        let tasks = self.tasks.clone();
        self.spawn(key, None, None, async move {
            let work = move || prepare::reversal(disk.as_ref(), &root, &blobs, &files);
            let result = tasks.blocking(work).await.unwrap_or_else(|e| {
                let message = e.try_into_panic().map_or_else(|e| e.to_string(), |p| said(p.as_ref()));
                tracing::error!(?lane, message, "a part of the program failed");
                Err(format!("a part of the program failed: {message}"))
            });
            Input::TakeBackMade { lane, result }
        });
    }

    /// Takes back what a command changed, or puts it back; without what may be somebody else's where that is kept.
    pub(super) fn revert_command(
        &self,
        key: WorkKey,
        apply: ApplyId,
        redo: bool,
        (record, keep): (BlobId, bool),
    ) {
        let (disk, root, blobs) = (Arc::clone(&self.setup.disk), self.at.root.clone(), self.at.blobs.clone());
        self.blocking(key, apply, move || {
            let tools = record::Tools { disk: disk.as_ref(), root: &root, blobs: &blobs };
            let result = tools.record(record).and_then(|r| tools.revert(&r.kept(keep), redo));
            Input::RevertEnded { apply, result }
        });
    }

    /// Tells the session what commands had changed that were running when the program ended, where that was not settled
    /// before it was opened: nothing is taken back before.
    pub(super) async fn recover(&mut self) {
        let Some(snapshots) = self.kit.workshop.snapshots().cloned().filter(|_| !self.at.read_only()) else {
            return;
        };
        if let Some((_, input)) = opening::recovered(&snapshots, &self.at).await {
            self.turn(vec![(input, false)]);
        }
    }

    /// Puts rules that the user granted for good into their file.
    pub(super) fn keep(&self, key: WorkKey, approval: ApprovalId, rules: &[String]) {
        let path = permissions::user_file(&self.setup.home);
        let places = self.at.session.policy().places().clone();
        let rules: Vec<Rule> = rules.iter().filter_map(|r| Rule::parse(r, Origin::SESSION).ok()).collect();
        let note = format!("allowed in session {}", self.at.slug);
        let shown = path.display().to_string();
        let kept = self.disk.run(move || permissions::keep(&path, &rules, &note, &places));
        self.spawn(key, None, None, async move {
            let result = match kept.await {
                Ok(Ok(())) => Ok(shown),
                Ok(Err(e)) => Err(format!("{e} ({})", e.hint())),
                Err(_) => Err("a part of the program failed".to_owned()),
            };
            Input::RulesKept { approval, result }
        });
    }

    fn blocking(&self, key: WorkKey, apply: ApplyId, work: impl FnOnce() -> Input + Send + 'static) {
        let tasks = self.tasks.clone();
        self.spawn(key, None, Some(apply), async move {
            let done = tasks.blocking(work).await;
            done.unwrap_or_else(|e| {
                let message = e.try_into_panic().map_or_else(|e| e.to_string(), |p| said(p.as_ref()));
                tracing::error!(?apply, message, "a part of the program failed");
                Input::Panicked { call: None, apply: Some(apply), message }
            })
        });
    }
}
