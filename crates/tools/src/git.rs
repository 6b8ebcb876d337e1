//! git, asked by the workbench itself: the one place that starts it.
//!
//! Owns the settings under which nothing that a repository says can make git run a program: no
//! hook, monitor, pager, filter, diff driver, helper or transport, and no repository hidden in a
//! folder. A command of the agent that nobody was asked about gets the same. Never writes, never asks anything and never waits for long.

use std::{path::Path, process::Stdio, time::Duration};

use process_wrap::tokio::{CommandWrap, KillOnDrop, ProcessSession};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    process::Command,
};

use crate::{command::environment, program};

pub(crate) mod held;
pub mod index;

/// Settings that hold whatever the repository's own say.
const HELD: &[&str] = &[
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
/// The most that is read of what it says.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// What git answers to `args` about `folder`; nothing when there is no git, no repository, or it
/// fails or takes too long. `args` are ours: a command that only reads, and its options.
pub async fn ask(folder: &Path, args: &[&str]) -> Option<Vec<u8>> {
    ask_about(folder, args, Vec::new(), MOST_BYTES).await
}

/// As [`ask`], with something on its input and at most so much to say.
pub(crate) async fn ask_about(folder: &Path, args: &[&str], input: Vec<u8>, most: u64) -> Option<Vec<u8>> {
    let program = program::find("git", folder)?;
    tokio::time::timeout(LIMIT, async {
        // What the repository calls its filters is its affair: each is named, and then put aside.
        let aside = held::here(&program, folder).await?;
        let (code, said) = run_with(&program, folder, args, &aside, input, most).await?;
        (code == 0).then_some(said)
    })
    .await
    .ok()?
}

/// Runs git to its end; gives its exit code and what it wrote.
async fn run(
    program: &Path,
    folder: &Path,
    args: &[&str],
    aside: &[(String, String)],
) -> Option<(i32, Vec<u8>)> {
    run_with(program, folder, args, aside, Vec::new(), MOST_BYTES).await
}

async fn run_with(
    program: &Path,
    folder: &Path,
    args: &[&str],
    aside: &[(String, String)],
    input: Vec<u8>,
    most: u64,
) -> Option<(i32, Vec<u8>)> {
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
        .stderr(Stdio::null());
    let mut child = CommandWrap::from(git).wrap(ProcessSession).wrap(KillOnDrop).spawn().ok()?;
    let mut said = Vec::new();
    let out = child.stdout().take()?;
    let tell = child.stdin().take();
    let told = async {
        if let Some(mut tell) = tell {
            // It may end before it has read all; then it says so by its code.
            drop(tell.write_all(&input).await);
        }
    };
    let mut out = out.take(most);
    let (heard, ()) = tokio::join!(out.read_to_end(&mut said), told);
    heard.ok()?;
    let whole = (said.len() as u64) < most;
    let status = child.wait().await.ok()?;
    Some((status.code().filter(|_| whole)?, said))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests;
