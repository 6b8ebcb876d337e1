//! A no to what waits in the diff, in words: "no, keep the tests", "don't remove it".
//!
//! Owns which changes it leaves: what it names, or the only one that waits. What is not beyond doubt leaves nothing: it is
//! handed on, and the diff stays as it is.

use std::collections::BTreeSet;

use super::{Decided, Draft};
use crate::{
    ids::Seq,
    intent::{IntentPath, Reading, Turn},
    proposal::Proposal,
    relpath::RelPath,
    shell::FileKind,
    spared::{means, names},
    tool::ChangeKind,
};

/// What leaves something that waits.
const KEEP: &str = "keep";

/// What a line leaves of all that waits in the diff.
#[derive(Debug)]
pub(super) struct Kept {
    paths: BTreeSet<RelPath>,
    /// Whether it names it, so that its agent is to hear it.
    named: bool,
}

impl Draft<'_> {
    /// The files whose waiting changes a line of somebody who had seen the events up to `seen` leaves. While a question
    /// waits that words answer, a no is one to that.
    pub(super) fn kept_in_review(&self, line: &str, seen: Seq) -> Option<Kept> {
        let reviews = self.state.open.values().filter(|c| c.kind.review().is_some());
        let unseen = reviews.clone().any(|c| self.state.asked.get(&c.id).is_some_and(|(at, _)| *at > seen));
        if reviews.clone().next().is_none() || unseen || self.state.newest_question().is_some() {
            return None;
        }
        let classifier = &self.under.tiers.classifier;
        // "leave it" alone is a bare no: it does not say of what.
        let kept = classifier.keeps(line).filter(|_| !classifier.declines(line))?;
        let shown: BTreeSet<_> = reviews.filter_map(|c| c.kind.review()).flat_map(|r| &r.proposals).collect();
        let waits: Vec<&Proposal> = self.state.waiting_changes().filter(|p| shown.contains(&p.id)).collect();
        let meant: Vec<&Proposal> = match &kept.name {
            Some(name) => waits.into_iter().filter(|p| names(name, p.path.as_str())).collect(),
            // "it" does not say which hunk is meant.
            None => <[&Proposal; 1]>::try_from(waits).ok().filter(|[p]| is_one(p)).map(Vec::from)?,
        };
        let paths: BTreeSet<RelPath> = meant.iter().map(|p| p.path.clone()).collect();
        let goes = |p: &&Proposal| p.kind == ChangeKind::Delete;
        let sure = kept.sure || meant.iter().all(goes);
        let named = kept.name.as_deref();
        let doubtful = paths.len() > 1 && named.is_some_and(|name| may_be_one(name, &paths));
        let written = meant.iter().any(|p| self.writes_for(p.lane));
        (!paths.is_empty() && sure && !doubtful && !written)
            .then_some(Kept { paths, named: kept.name.is_some() })
    }

    /// They are left, as by their key in the diff; whoever works on hears why.
    pub(super) fn keep_as_is(&mut self, line: &str, mut reading: Reading, kept: &Kept) -> Decided {
        let told = kept.named && self.hears();
        if told {
            reading.whole.turn = Turn::PlanContinue;
            reading.whole.path = IntentPath::root();
            let turn = self.record(None, line, &reading);
            self.hand_over(turn);
            self.leave_alone(turn);
        } else {
            self.record_word(None, line, &reading, KEEP);
        }
        for path in &kept.paths {
            if self.state.waiting_changes().any(|p| p.path == *path) {
                self.leave_waiting(path)?;
            }
        }
        if told {
            self.hear_before_review();
        }
        Ok(())
    }
}

/// Whether one answer holds for all of a change.
fn is_one(p: &Proposal) -> bool {
    p.kind == ChangeKind::Delete || p.hunks.len() < 2 || p.decided.is_empty()
}

/// Whether a name that several files may be called by is rather that of one of them: no kind of files, and no folder.
fn may_be_one(name: &str, paths: &BTreeSet<RelPath>) -> bool {
    FileKind::named(name).is_none() && paths.iter().any(|path| means(name, path.as_str()).is_some())
}
