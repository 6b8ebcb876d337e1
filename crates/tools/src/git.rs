//! git, asked by the workbench itself: the one place that starts it.
//!
//! Owns the settings under which nothing that a repository says can make git run a program: no
//! hook, monitor, pager, filter, diff driver, helper or transport, and no repository hidden in a
//! folder. A command of the agent that nobody was asked about gets the same. Never asks anything, never waits for
//! long, and writes only what the user asked for ([`change`]) or approved ([`commit`]).

use std::{path::Path, process::Stdio, time::Duration};

use process_wrap::tokio::{CommandWrap, KillOnDrop, ProcessSession};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    process::Command,
};

use crate::{command::environment, program};

mod changes;
mod commit;
pub(crate) mod held;
pub mod index;

pub use crate::program::{larger, project as outermost};
pub use changes::changed_lines;
pub use commit::{commit, look};

/// Settings that hold whatever the repository's own say.
pub(crate) const HELD: &[&str] = &[
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "core.editor=true",
    "core.askPass=",
    "core.sshCommand=false",
    "core.gitProxy=",
    "core.alternateRefsCommand=",
    "credential.helper=",
    "diff.external=",
    "gpg.program=false",
    "log.showSignature=false",
    "interactive.diffFilter=",
    "protocol.allow=never",
    "submodule.recurse=false",
    "safe.bareRepository=explicit",
    "gc.auto=0",
    "maintenance.auto=false",
];

/// Variables that hold besides.
const SET: &[(&str, &str)] = &[
    ("LC_ALL", "C"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    // No protocol is allowed, and nothing that is missing is fetched.
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_PAGER", "cat"),
    ("GIT_EDITOR", "true"),
    ("GIT_ASKPASS", "false"),
    ("SSH_ASKPASS", "false"),
];

/// The longest that git may take.
const LIMIT: Duration = Duration::from_secs(10);
/// The longest that a change may take: a worktree of a large repository is many files.
const LONG: Duration = Duration::from_mins(5);
/// The longest that a call may take which the user waits for.
const WRITE_LIMIT: Duration = Duration::from_mins(1);
/// The most that is read of what it complains of; one that says more is stopped.
const MOST_COMPLAINT: u64 = 64 * 1024;
/// The most that is read of what it says.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// What git answers to `args` about `folder`; nothing when there is no git, no repository, or it
/// fails or takes too long. `args` are ours: a command that only reads, and its options.
pub async fn ask(folder: &Path, args: &[&str]) -> Option<Vec<u8>> {
    ask_about(folder, args, Vec::new(), MOST_BYTES).await
}

/// As [`ask`], with something on its input and at most so much to say.
pub(crate) async fn ask_about(folder: &Path, args: &[&str], input: Vec<u8>, most: u64) -> Option<Vec<u8>> {
    heard(folder, args, input, most).await.filter(|said| said.code == 0).map(|said| said.out)
}

/// As [`ask`].
///
/// # Errors
/// Why git refuses the folder and how it would not, where it does.
pub async fn ask_or_refused(folder: &Path, args: &[&str]) -> Result<Option<Vec<u8>>, String> {
    match heard(folder, args, Vec::new(), MOST_BYTES).await {
        Some(said) if said.code == 0 => Ok(Some(said.out)),
        said => said.and_then(|said| said.refused()).map_or(Ok(None), Err),
    }
}

/// What git does, asked about a folder.
async fn heard(folder: &Path, args: &[&str], input: Vec<u8>, most: u64) -> Option<Said> {
    let program = program::find("git", folder)?;
    tokio::time::timeout(LIMIT, async {
        // What the repository calls its filters is its affair: each is named, and then put aside.
        let aside = held::here(&program, folder).await?;
        run_with(&program, folder, args, &aside, input, most).await
    })
    .await
    .ok()?
}

/// Has git change something that the user asked for: a worktree, a branch, a commit, a merge. Gives what
/// git wrote. `args` are ours.
///
/// # Errors
/// What git says of it, in a few lines; nothing is tried twice.
pub async fn change(folder: &Path, args: &[&str]) -> Result<String, String> {
    let program = program::find("git", folder).ok_or("there is no git on this machine")?;
    let said = tokio::time::timeout(LONG, async {
        let aside = held::here(&program, folder).await?;
        run(&program, folder, args, &aside).await
    });
    let said = said.await.map_err(|_| "git took longer than five minutes")?;
    let said = said.ok_or("git could not be started here, or this is no repository")?;
    let text = String::from_utf8_lossy(&said.out).trim().to_owned();
    match said.err.trim() {
        _ if said.code == 0 => Ok(text),
        "" => Err(text),
        complaint => Err(complaint.to_owned()),
    }
}

/// What git did.
#[derive(Debug, Default)]
struct Said {
    code: i32,
    out: Vec<u8>,
    err: String,
}

/// How git begins what makes an exception of a folder.
const EXCEPTION: &str = "git config --global --add safe.directory ";

impl Said {
    /// Why it refuses the folder as another user's, with its own remedy.
    fn refused(&self) -> Option<String> {
        let dubious = self.err.contains("dubious ownership");
        let line = self.err.lines().map(str::trim).find(|line| line.starts_with(EXCEPTION))?;
        dubious.then(|| {
            format!(
                "git refuses this folder, which belongs to another user; where you trust that user: `{line}`"
            )
        })
    }

    /// What it complains of, in a line or two.
    fn complaint(&self) -> String {
        let strip = |l: &str| {
            ["fatal: ", "error: "].iter().fold(l.to_owned(), |l, p| l.trim_start_matches(p).to_owned())
        };
        let lines: Vec<String> =
            self.err.lines().filter(|l| !l.trim().is_empty()).take(2).map(strip).collect();
        if lines.is_empty() { format!("git ended with {}", self.code) } else { lines.join("; ") }
    }
}

/// Runs git to its end or to the limit, with what it complains of.
async fn say(program: &Path, folder: &Path, args: &[&str], aside: &[(String, String)]) -> Option<Said> {
    tokio::time::timeout(WRITE_LIMIT, run(program, folder, args, aside)).await.ok()?
}

/// Runs git to its end.
async fn run(program: &Path, folder: &Path, args: &[&str], aside: &[(String, String)]) -> Option<Said> {
    run_with(program, folder, args, aside, Vec::new(), MOST_BYTES).await
}

/// As [`run`], with something on its input and at most so much to say.
async fn run_with(
    program: &Path,
    folder: &Path,
    args: &[&str],
    aside: &[(String, String)],
    input: Vec<u8>,
    most: u64,
) -> Option<Said> {
    let mut git = Command::new(program);
    git.args(["--no-pager", "--no-optional-locks", "--no-replace-objects"]);
    for setting in HELD {
        git.args(["-c", setting]);
    }
    git.args(args)
        .current_dir(folder)
        .env_clear()
        .envs(environment::allowed(std::env::vars_os()))
        .envs(SET.iter().copied())
        .envs(held::variables(aside))
        .stdin(if input.is_empty() { Stdio::null() } else { Stdio::piped() })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = CommandWrap::from(git).wrap(ProcessSession).wrap(KillOnDrop).spawn().ok()?;
    let (mut said, mut complained) = (Vec::new(), Vec::new());
    let (out, err) = (child.stdout().take()?, child.stderr().take()?);
    let tell = child.stdin().take();
    let told = async {
        if let Some(mut tell) = tell {
            // It may end before it has read all; then it says so by its code.
            drop(tell.write_all(&input).await);
        }
    };
    let (mut out, mut err) = (out.take(most), err.take(MOST_COMPLAINT));
    let (read, heard, ()) = tokio::join!(out.read_to_end(&mut said), err.read_to_end(&mut complained), told);
    read.and(heard).ok()?;
    let whole = (said.len() as u64) < most;
    let status = child.wait().await.ok()?;
    let err = String::from_utf8_lossy(&complained).into_owned();
    Some(Said { code: status.code().filter(|_| whole)?, out: said, err })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests;
