//! What is to be left alone, apart from all else that a command changed: it is taken back by itself.
//!
//! Owns which changes these are. What changed after the command ended, or before it began, is not its own and stays.

use std::{collections::BTreeSet, time::SystemTime};

use pilothouse_core::{relpath::RelPath, spared::Spared, tool::ChangeKind};

use super::{State, record::Change, tell::Told};

/// What is to be left alone of what a command changed.
#[derive(Debug, Default)]
pub(super) struct Apart {
    /// What the user called it.
    pub said: Vec<String>,
    /// The files.
    files: BTreeSet<RelPath>,
    /// What of it cannot be taken back.
    pub left: Vec<String>,
}

impl State {
    /// What is to be left alone of these changes; what cannot be taken back of it stands among the rest no more.
    pub(super) fn apart(&self, told: &mut Told, spared: &Spared, ended: Option<SystemTime>) -> Apart {
        let mut apart = Apart::default();
        if spared.is_none() {
            return apart;
        }
        let mut holds = |path: &str, kind: ChangeKind| {
            let said = spared.said_of(path, kind == ChangeKind::Create)?;
            if !apart.said.iter().any(|known| known == said) {
                apart.said.push(said.to_owned());
            }
            Some(())
        };
        let tree = self.trees.first();
        for change in told.changes.iter().filter(|c| c.root == 0 && !c.gits && !c.doubted) {
            let stamp = tree.and_then(|t| t.files.get(change.path.as_str())).map(|known| known.stamp);
            let after = ended.is_some_and(|ended| stamp.is_some_and(|stamp| stamp.changed() > ended));
            let kind = change.kind().filter(|_| !after);
            if kind.and_then(|kind| holds(change.path.as_str(), kind)).is_some() {
                apart.files.insert(change.path.clone());
            }
        }
        let mut left = std::mem::take(&mut told.left);
        apart.left.extend(left.extract_if(.., |path| holds(path, ChangeKind::Modify).is_some()));
        told.left = left;
        apart
    }
}

impl Apart {
    /// Whether there is anything.
    pub fn is_none(&self) -> bool {
        self.files.is_empty() && self.left.is_empty()
    }

    /// These changes and all others. A folder goes and comes with what lies in it.
    pub fn split(&self, changes: &[Change]) -> (Vec<Change>, Vec<Change>) {
        let own = |c: &Change| c.root == 0 && !c.gits && self.files.contains(&c.path);
        let rest: BTreeSet<RelPath> = changes
            .iter()
            .filter(|c| c.root == 0 && !own(c) && c.kind().is_some())
            .map(|c| c.path.clone())
            .collect();
        let around = |c: &Change, files: &BTreeSet<RelPath>| {
            let within = |path: &RelPath| {
                path.as_str().strip_prefix(c.path.as_str()).is_some_and(|r| r.starts_with('/'))
            };
            c.root == 0 && c.kind().is_none() && files.iter().any(within)
        };
        let apart = changes.iter().filter(|c| own(c) || around(c, &self.files)).cloned().collect();
        let others = changes.iter().filter(|c| !own(c) && (around(c, &rest) || !around(c, &self.files)));
        (apart, others.cloned().collect())
    }
}
