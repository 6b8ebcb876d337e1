//! git, asked by the workbench itself: the one place that starts it.
//!
//! Owns the settings under which nothing that a repository says can make git run a program: no
//! hook, monitor, pager, filter, diff driver, helper or transport, and no repository hidden in a
//! folder. Never writes, never asks anything and never waits for long.

use std::{ffi::OsString, path::Path, process::Stdio, time::Duration};

use process_wrap::tokio::{CommandWrap, KillOnDrop, ProcessSession};
use tokio::{io::AsyncReadExt, process::Command};

use crate::{command::environment, program};

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
const MOST_BYTES: u64 = 8 * 1024 * 1024;

/// What git answers to `args` about `folder`; nothing when there is no git, no repository, or it
/// fails or takes too long. `args` are ours: a command that only reads, and its options.
pub async fn ask(folder: &Path, args: &[&str]) -> Option<Vec<u8>> {
    let program = program::find("git", folder)?;
    tokio::time::timeout(LIMIT, async {
        // What the repository calls its filters is its affair: each is named, and then held empty.
        let pattern = r"^filter\..*\.(clean|smudge|process|required)$";
        let listing = ["config", "--null", "--name-only", "--get-regexp", pattern];
        let (code, names) = run(&program, folder, &listing, &[]).await?;
        // 1 says that there are none.
        if !matches!(code, 0 | 1) {
            return None;
        }
        let filters = String::from_utf8(names).ok()?;
        let filters: Vec<&str> = filters.split('\0').filter(|n| !n.is_empty()).collect();
        let (code, said) = run(&program, folder, args, &filters).await?;
        (code == 0).then_some(said)
    })
    .await
    .ok()?
}

/// Runs git to its end; gives its exit code and what it wrote.
async fn run(program: &Path, folder: &Path, args: &[&str], filters: &[&str]) -> Option<(i32, Vec<u8>)> {
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
        .envs(held_empty(filters))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut child = CommandWrap::from(git).wrap(ProcessSession).wrap(KillOnDrop).spawn().ok()?;
    let mut said = Vec::new();
    let out = child.stdout().take()?;
    out.take(MOST_BYTES).read_to_end(&mut said).await.ok()?;
    let whole = (said.len() as u64) < MOST_BYTES;
    let status = child.wait().await.ok()?;
    Some((status.code().filter(|_| whole)?, said))
}

/// Settings as variables, because a filter may be called anything.
fn held_empty(names: &[&str]) -> Vec<(OsString, OsString)> {
    let mut all = vec![(OsString::from("GIT_CONFIG_COUNT"), OsString::from(names.len().to_string()))];
    for (i, name) in names.iter().enumerate() {
        let value = if name.ends_with(".required") { "false" } else { "" };
        all.push((format!("GIT_CONFIG_KEY_{i}").into(), (*name).into()));
        all.push((format!("GIT_CONFIG_VALUE_{i}").into(), value.into()));
    }
    all
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests;
