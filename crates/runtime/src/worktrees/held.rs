//! What the sessions of a worktree know of it: what they wanted, and what of that is not finished.
//!
//! Owns the words. Reads their logs, and opens none.

use std::path::{Path, PathBuf};

use pilothouse_core::{
    commit::MessageFacts,
    relpath::RelPath,
    runs::{RunInfo, Worktree},
    session::Session,
};

use crate::{home::Home, sessions};

/// The sessions of a worktree, the oldest first, each with its folder in it.
pub(super) fn sessions_in(home: &Home, worktree: &Worktree) -> Vec<(PathBuf, Session)> {
    let all = sessions::all(home).into_iter().rev();
    let inside = all.filter_map(|place| {
        let inside = place.workspace.strip_prefix(&worktree.path).ok()?.to_owned();
        Some((inside, sessions::read(&place.folder).ok()?.0))
    });
    inside.collect()
}

/// What sessions hold that is not finished, a line each.
pub(super) fn unfinished(sessions: &[(PathBuf, Session)]) -> Vec<String> {
    let held = |session: &Session| {
        let held = session.state().unfinished_work();
        let title = RunInfo::of(session.state()).title;
        (!held.is_empty()).then(|| format!("not finished in \"{title}\": {}", held.join(", ")))
    };
    sessions.iter().filter_map(|(_, session)| held(session)).collect()
}

/// What the sessions of a worktree wanted, which wrote these files, of which such lines came and went.
pub(super) fn message(
    sessions: &[(PathBuf, Session)],
    worktree: &Worktree,
    (files, lines): (&[String], &str),
) -> String {
    let mut facts = MessageFacts::default();
    for (inside, session) in sessions {
        let held = |path: &RelPath| {
            let path = inside.join(path.as_str());
            files.iter().any(|file| Path::new(file) == path)
        };
        let found = session.state().message_facts(held, lines);
        facts.goals.extend(found.goals);
        facts.steps.extend(found.steps);
        facts.files.extend(found.files);
    }
    if facts.goals.is_empty() {
        facts.goals.push(format!("Work in the worktree {}", worktree.name));
    }
    facts.message()
}
