//! What a command changed, from which it is taken back: kept as one content, told as lines.
//!
//! Owns its stored form and the words for git's files. Never reads the disk.

use std::path::PathBuf;

use pilothouse_core::{
    blob::BlobId,
    diff::{self, Hunk},
    encoding::text_of,
    event::FileChange,
    ids::ProposalId,
    relpath::RelPath,
    tool::ChangeKind,
};
use rustix::fs::Stat;
use serde::{Deserialize, Serialize};

use super::MOST_FILE_BYTES;
use crate::stamp::Stamp;

/// A larger file is not compared line by line.
const MOST_COMPARED: usize = 512 * 1024;
/// Most places of one file that are kept with what a command changed.
const MOST_CHANGES: usize = 200;
/// Lines that are shown around a change.
const AROUND: usize = 2;

/// Everything that one command changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// The workspace, and git's folders outside of it.
    pub roots: Vec<PathBuf>,
    /// The changes, by path.
    pub changes: Vec<Change>,
}

/// One thing that changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// In which of the roots.
    pub root: usize,
    /// Where.
    pub path: RelPath,
    /// What was there.
    pub before: Thing,
    /// What is there.
    pub after: Thing,
    /// Whether it is git's own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub gits: bool,
    /// Whether it may be somebody else's.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub doubted: bool,
}

impl Record {
    /// It without what may be somebody else's, where that is to stay.
    #[must_use]
    pub fn kept(mut self, keep: bool) -> Self {
        self.changes.retain(|change| !keep || !change.doubted);
        self
    }
}

/// What is at a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Thing {
    /// Nothing.
    Nothing,
    /// A file: its content and its permission bits.
    File(BlobId, u32),
    /// A file whose content is not kept, or what is no ordinary file: what tells it from another, and its permission
    /// bits. It can be taken away, and not be put back.
    Unkept(BlobId, u32),
    /// A link, and where it leads.
    Link(String),
    /// A folder and its permission bits.
    Folder(u32),
}

impl Thing {
    /// What stands for what is never read, with its permission bits: too large a file, a pipe, a device. `None` for all
    /// others.
    pub fn unread(found: &Stat) -> Option<(BlobId, u32)> {
        let stamp = Stamp::of_stat(found);
        let read = stamp.is_file() && stamp.size <= MOST_FILE_BYTES;
        let other = read || stamp.is_folder() || stamp.is_link();
        (!other).then(|| (stamp.id(), stamp.bits()))
    }

    /// The content that must be stored for it.
    pub const fn stored(&self) -> Option<BlobId> {
        match self {
            Self::File(id, _) => Some(*id),
            Self::Nothing | Self::Unkept(..) | Self::Link(_) | Self::Folder(_) => None,
        }
    }

    /// The permission bits of a file.
    pub const fn bits(&self) -> Option<u32> {
        match self {
            Self::File(_, bits) | Self::Unkept(_, bits) => Some(*bits),
            Self::Nothing | Self::Link(_) | Self::Folder(_) => None,
        }
    }

    /// The content of a file; where a link leads stands for one, and what tells it from another for one that is not kept.
    pub fn content(&self) -> Option<BlobId> {
        match self {
            Self::File(id, _) | Self::Unkept(id, _) => Some(*id),
            Self::Link(to) => Some(BlobId::of(to.as_bytes())),
            Self::Nothing | Self::Folder(_) => None,
        }
    }
}

impl Change {
    /// Whether git makes it anew by itself, or only notes in it: nothing is refused for its sake.
    pub fn is_note(&self) -> bool {
        let path = self.path.as_str();
        let name = self.path.name();
        let log = path.split('/').any(|part| part == "logs") && !path.ends_with("refs/stash");
        self.gits
            && (log || matches!(name, "COMMIT_EDITMSG" | "FETCH_HEAD" | "ORIG_HEAD" | "gc.log" | "gc.pid"))
    }

    /// What of git it is, in words; `None` for what needs none.
    pub(super) fn gits_name(&self) -> Option<String> {
        if !self.gits || self.is_note() || matches!((&self.before, &self.after), (_, Thing::Folder(_))) {
            return None;
        }
        let path = self.path.as_str();
        if path.split('/').any(|part| part == "objects") {
            return Some("pruned objects".to_owned());
        }
        let below = |part: &str| path.split_once(part).map(|(_, name)| name.to_owned());
        if path.ends_with("refs/stash") {
            return Some("the stash".to_owned());
        }
        let named = [("refs/heads/", "branch"), ("refs/tags/", "tag"), ("refs/remotes/", "remote branch")];
        let found = named.iter().find_map(|(part, word)| Some(format!("{word} {}", below(part)?)));
        Some(found.unwrap_or_else(|| match self.path.name() {
            "HEAD" => "HEAD".to_owned(),
            "index" => "the index".to_owned(),
            "packed-refs" => "packed branches and tags".to_owned(),
            "config" => "git's settings".to_owned(),
            _ => "git's state".to_owned(),
        }))
    }

    /// Whether git is elsewhere after it: on another commit or branch, in the middle of something, with work put aside.
    pub(super) fn moves_git(&self) -> bool {
        let stays =
            matches!(self.path.name(), "index" | "config") || self.path.as_str().contains("/objects/");
        self.gits_name().is_some() && !stays
    }

    /// What became of the file; `None` for git's own and for folders.
    pub(super) const fn kind(&self) -> Option<ChangeKind> {
        match (&self.before, &self.after) {
            _ if self.gits => None,
            (Thing::Folder(_) | Thing::Nothing, Thing::Folder(_) | Thing::Nothing) => None,
            (Thing::Nothing | Thing::Folder(_), _) => Some(ChangeKind::Create),
            (_, Thing::Nothing | Thing::Folder(_)) => Some(ChangeKind::Delete),
            _ => Some(ChangeKind::Modify),
        }
    }

    /// It as a change of a file, with the lines that changed; `None` for git's own and for folders.
    pub(super) fn told(&self, before: &[u8], after: &[u8]) -> Option<(FileChange, String)> {
        let kind = self.kind()?;
        let text = |b: &[u8]| b.len() <= MOST_COMPARED && !b.contains(&0);
        let kept = !matches!(self.after, Thing::Unkept(..));
        let hunks = if kept && text(before) && text(after) { diff::hunks(before, after) } else { Vec::new() };
        let mode = self.before.bits();
        let changes: Vec<diff::Change> = hunks.iter().flat_map(|hunk| hunk.changes.iter().copied()).collect();
        let change = FileChange {
            proposal: ProposalId::default(),
            path: self.path.clone(),
            kind,
            before: self.before.content(),
            after: self.after.content(),
            mode,
            added: hunks.iter().map(Hunk::added).sum(),
            removed: hunks.iter().map(Hunk::removed).sum(),
            lines: diff::lines(after).len(),
            rest: None,
            changes: if changes.len() <= MOST_CHANGES { changes } else { Vec::new() },
        };
        let shown = lines(&change.path, &hunks, before, after);
        Some((change, shown))
    }
}

/// The hunks of a file as people read them.
fn lines(path: &RelPath, hunks: &[Hunk], before: &[u8], after: &[u8]) -> String {
    let (before, after) = (text_of(before), text_of(after));
    let (old, new): (Vec<&str>, Vec<&str>) =
        (before.split_inclusive('\n').collect(), after.split_inclusive('\n').collect());
    let mut text = format!("{path}\n");
    let mut put = |sign: char, line: Option<&&str>| {
        let line = line.copied().unwrap_or_default();
        text.push_str(&format!("{sign}{}\n", line.trim_end_matches(['\r', '\n'])));
    };
    for hunk in hunks {
        let span = hunk.old();
        let mut at = span.start.saturating_sub(AROUND);
        put('@', Some(&format!("@ line {}", span.start + 1).as_str()));
        for change in &hunk.changes {
            (at..change.old.start).for_each(|n| put(' ', old.get(n)));
            (change.old.start..change.old.end()).for_each(|n| put('-', old.get(n)));
            (change.new.start..change.new.end()).for_each(|n| put('+', new.get(n)));
            at = change.old.end();
        }
        (at..(at + AROUND).min(old.len())).for_each(|n| put(' ', old.get(n)));
    }
    text
}
