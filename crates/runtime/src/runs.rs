//! Runs that no window of ours shows: sessions that another process works on, and those left unfinished.
//!
//! Owns what is found of them on this machine. Never opens one and never waits for a lock.

use std::path::{Path, PathBuf};

use pilothouse_core::{
    question::Exit,
    runs::{RunInfo, RunStatus, Worktree},
};

use crate::{
    home::Home,
    log,
    sessions::{self, Place},
    surroundings, worktrees,
};

/// A log without an event for this long is of a run that stalled, in milliseconds.
const QUIET_MS: u64 = 600_000;

/// Sessions that came to rest are listed at most so many.
const MOST_EARLIER: usize = 200;

/// Runs in these folders, or in all; those that want the user first, then the newest.
pub fn survey(home: &Home, folders: Option<&[PathBuf]>) -> Vec<RunInfo> {
    look(home, folders).0
}

/// The same, and behind them the sessions of these folders that came to rest, the newest first, of those in which
/// something was said.
pub fn survey_with_earlier(home: &Home, folders: &[PathBuf]) -> Vec<RunInfo> {
    let (mut runs, mut earlier) = look(home, Some(folders));
    earlier.sort_by_key(|run| std::cmp::Reverse(run.heard));
    earlier.truncate(MOST_EARLIER);
    runs.append(&mut earlier);
    runs
}

/// Runs, and sessions that came to rest.
fn look(home: &Home, folders: Option<&[PathBuf]>) -> (Vec<RunInfo>, Vec<RunInfo>) {
    let mine = |p: &Place| folders.is_none_or(|f| f.contains(&p.workspace));
    let (mut runs, mut earlier) = (Vec::new(), Vec::new());
    for place in sessions::all(home).into_iter().filter(mine) {
        // What a process holds it alone sums up.
        if let Some(pid) = log::holder(&place.folder) {
            runs.extend(info(&place).map(|run| RunInfo { pid: Some(pid), ..run }));
            continue;
        }
        let Some((mut run, summary)) = sessions::summary(&place).ok().and_then(|s| Some((s.run.clone()?, s)))
        else {
            continue;
        };
        if summary.archived {
            continue;
        }
        if summary.unfinished {
            run = left(run);
        }
        if run.status.is_left() {
            runs.push(run);
        } else if !summary.title.is_empty() {
            earlier.push(run);
        }
    }
    let now = surroundings::millis().0;
    for run in &mut runs {
        // A log holds no pieces of an answer: one that is long and alive is quiet here as well.
        if run.status.works() && now.saturating_sub(run.heard.0) >= QUIET_MS {
            run.status = RunStatus::Stalled;
        }
    }
    let rank = |status: RunStatus| RunStatus::ALL.iter().position(|s| *s == status);
    runs.sort_by_key(|run| (rank(run.status), std::cmp::Reverse(run.heard)));
    (runs, earlier)
}

/// The folder and those of its worktrees in which it has its likeness.
pub async fn folders(folder: &Path) -> (Vec<Worktree>, Vec<PathBuf>) {
    let worktrees = worktrees::list(folder).await;
    let prefix = worktrees::prefix(folder).await;
    let beside = worktrees.iter().map(|w| Path::new(&w.path).join(&prefix));
    // A path that ends in a slash is the same folder, and is written otherwise.
    let folders =
        std::iter::once(folder.to_owned()).chain(beside.map(|p| p.components().collect())).collect();
    (worktrees, folders)
}

/// What a session says of itself.
fn info(place: &Place) -> Option<RunInfo> {
    let (session, _) = sessions::read(&place.folder).ok()?;
    let mut run = RunInfo::of(session.state());
    run.session.clone_from(&place.slug);
    run.folder = place.workspace.to_string_lossy().into_owned();
    Some(run)
}

/// A session as it stands when no process holds it any more: nothing of it runs.
fn left(mut run: RunInfo) -> RunInfo {
    // It was left: whether to leave is not asked any more.
    if std::mem::take(&mut run.leaves) {
        run.doing.clear();
    }
    run.status = match run.status {
        RunStatus::Thinking | RunStatus::Tool | RunStatus::Stalled => RunStatus::Orphaned,
        RunStatus::Failed if run.line_failed => RunStatus::Failed,
        RunStatus::Waiting | RunStatus::Failed => RunStatus::Stopped,
        of @ (RunStatus::Idle
        | RunStatus::Done
        | RunStatus::Ended
        | RunStatus::Stopped
        | RunStatus::Orphaned) => of,
    };
    run.stake.retain(|stake| Exit::is_kept(stake));
    run
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whether_to_leave_is_not_asked_any_more_of_what_was_left() {
        let run = |doing: &str, leaves| {
            let doing = doing.to_owned();
            left(RunInfo { status: RunStatus::Waiting, doing, leaves, ..RunInfo::default() })
        };
        let of = run("Leave? 2 files wait for your decision", true);
        assert_eq!((of.status, of.doing.as_str()), (RunStatus::Stopped, ""));
        assert_eq!(run("Which tone?", false).doing, "Which tone?", "that is asked again");
    }

    #[test]
    fn a_command_that_failed_leaves_nothing_to_be_resumed() {
        let run = |line_failed| RunInfo { status: RunStatus::Failed, line_failed, ..RunInfo::default() };
        assert_eq!(left(run(true)).status, RunStatus::Failed);
        assert_eq!(left(run(false)).status, RunStatus::Stopped);
    }

    #[test]
    fn of_what_no_process_holds_nothing_that_runs_is_at_stake() {
        let stake = vec![
            "2 files wait for your decision".to_owned(),
            Exit::RUNS.to_owned(),
            "a command is waiting for your yes: `make` (medium risk)".to_owned(),
        ];
        let run = left(RunInfo { status: RunStatus::Tool, stake, ..RunInfo::default() });
        assert_eq!((run.status, run.stake.len()), (RunStatus::Orphaned, 1));
        assert!(!run.stake.contains(&Exit::RUNS.to_owned()));
    }
}
