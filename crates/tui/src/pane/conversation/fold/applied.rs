//! What is told of a write: each file, or all of them in one row where they are many.

use pilothouse_core::{
    event::FileChange,
    ids::{ApplyId, Millis},
    tool::ChangeKind,
};

use super::{Log, Mark, facts::MOST_FILES};
use crate::{
    pane::conversation::entry::{Body, Entry},
    row::count,
};

impl Log {
    /// These files are on disk.
    pub(super) fn applied(&mut self, at: Millis, apply: ApplyId) {
        let files = self.applying.remove(&apply).unwrap_or_default();
        let mut lines = Vec::new();
        for file in &files {
            let left = self.left_hunks.iter().filter(|(of, _)| *of == file.proposal).count();
            let left = if left > 0 { format!(", {} left out", count(left, "hunk")) } else { String::new() };
            for key in self.drafts.remove(file.path.as_str()).unwrap_or_default() {
                self.gone(key);
            }
            self.told.insert(file.path.to_string());
            lines.push(format!("{}{left}", written(file)));
        }
        if files.len() <= MOST_FILES {
            return lines.iter().for_each(|line| self.mark(at, Mark::Done, line));
        }
        self.mark(at, Mark::Done, &written_together(&files));
        if let Some(Entry { body: Body::Facts(facts), .. }) = self.entries.back_mut() {
            facts.detail = lines.join("\n");
        }
    }
}

/// What was done to many files, in words.
fn written_together(files: &[FileChange]) -> String {
    let first = files.first().map(|file| file.kind);
    let all = first.filter(|kind| files.iter().all(|file| file.kind == *kind));
    let verb = match all {
        Some(ChangeKind::Create) => "wrote",
        Some(ChangeKind::Delete) => "removed",
        Some(ChangeKind::Modify) => "edited",
        None => "changed",
    };
    let sum = |of: fn(&FileChange) -> usize| files.iter().map(of).sum::<usize>();
    let lines = match (sum(|file| file.added), sum(|file| file.removed)) {
        (added, 0) => format!("+{}", count(added, "line")),
        (0, removed) => format!("-{}", count(removed, "line")),
        (added, removed) => format!("+{added} -{removed} lines"),
    };
    format!("{verb} {} ({lines})", count(files.len(), "file"))
}

/// Said of a change that was taken and that its file held already, in words.
pub(crate) fn already(path: &str) -> String {
    format!("{path} already has this; nothing was written")
}

/// What was done to one file, in words.
pub(crate) fn written(file: &FileChange) -> String {
    let path = &file.path;
    match (file.kind, file.added, file.removed) {
        (ChangeKind::Create, ..) => format!("wrote {path} ({})", count(file.lines, "line")),
        (ChangeKind::Delete, ..) => format!("removed {path}"),
        (ChangeKind::Modify, added, 0) => format!("edited {path} (+{})", count(added, "line")),
        (ChangeKind::Modify, 0, removed) => format!("edited {path} (-{})", count(removed, "line")),
        (ChangeKind::Modify, added, removed) => format!("edited {path} (+{added} -{removed} lines)"),
    }
}
