//! A hook's command: started like every other, with the event on its standard input.
//!
//! Owns what a hook gets. It runs with the user's rights: who wrote it was decided before.

use std::{convert::Infallible, path::Path, process::Stdio, time::Duration};

use pilothouse_core::{
    hook::{HookOutcome, HookStatus},
    ids::{Millis, Process},
    redact::Redactor,
    talk::DeltaKind,
    tool::ToolOutcome,
};
use tokio::{
    io::AsyncWriteExt,
    process::{ChildStdin, Command},
};
use tokio_util::sync::CancellationToken;

use super::{Held, LONGER, Shell, attend, environment, running::Running};
use crate::executor::Sink;

/// What a hook is run with.
#[derive(Clone, Debug)]
pub struct HookCall {
    /// Its command line.
    pub line: String,
    /// Variables besides those that every command has.
    pub env: Vec<(String, String)>,
    /// What it reads.
    pub input: Vec<u8>,
    /// Programs without which it is not started.
    pub requires: Vec<String>,
    /// Its time limit.
    pub timeout: Duration,
}

/// What the shell says of a program that is not there, or is none.
const NO_PROGRAM: [i32; 2] = [126, 127];

/// Runs a hook to its end.
pub(crate) async fn run(
    shell: &Shell,
    folder: &Path,
    call: HookCall,
    secrets: &Redactor,
    cancel: &CancellationToken,
) -> HookOutcome {
    if let Some(missing) = call.requires.iter().find(|program| !found(program)) {
        return unable(format!("{missing} is not installed, and the hook needs it"));
    }
    let mut running = match spawn(shell, folder, &call) {
        Ok(running) => running,
        Err(e) => return unable(format!("it could not be started: {e}")),
    };
    let feed = feed(running.stdin(), call.input);
    // Who wrote it was decided before: nothing holds it but its time.
    let (held, silent) = (Held { processes: 0 }, Silent(secrets));
    tokio::select! {
        ended = attend(running, held, call.timeout, &silent, cancel) => outcome(ended),
        never = feed => match never {},
    }
}

/// Gives a hook what it reads, and never ends: the hook's end is what counts.
async fn feed(stdin: Option<ChildStdin>, input: Vec<u8>) -> Infallible {
    if let Some(mut stdin) = stdin {
        // A hook that does not read its input is none the worse for it.
        drop(stdin.write_all(&input).await);
    }
    std::future::pending().await
}

fn spawn(shell: &Shell, folder: &Path, call: &HookCall) -> std::io::Result<Running> {
    let mut line = Command::new(&shell.program);
    line.args(["-c", "--", &call.line])
        .current_dir(folder)
        .env_clear()
        .envs(environment::allowed(std::env::vars_os()))
        .envs(environment::of_desktop(std::env::vars_os()))
        .envs(call.env.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    Running::start(line, false)
}

/// Whether a program is on the search path.
fn found(program: &str) -> bool {
    if program.contains('/') {
        return Path::new(program).is_file();
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.is_absolute() && folder.join(program).is_file())
}

fn unable(summary: String) -> HookOutcome {
    HookOutcome { status: HookStatus::Unable, summary, output: String::new(), took: Millis(0) }
}

fn outcome(ended: ToolOutcome) -> HookOutcome {
    let Some(exit) = ended.exit else { return unable(ended.summary) };
    let (status, summary) = match exit.code {
        _ if exit.timed_out => (HookStatus::TimedOut, ended.summary),
        Some(0) => (HookStatus::Passed, ended.summary),
        Some(code) if NO_PROGRAM.contains(&code) => {
            (HookStatus::Unable, format!("no such program, or it may not be run (exit {code})"))
        }
        Some(_) | None => (HookStatus::Failed, ended.summary),
    };
    // The first line says how it ended, for a model.
    let output = ended.text.split_once('\n').map_or("", |(_, rest)| rest);
    let output = if output.trim() == "(no output)" { "" } else { output };
    // Where it only wrote to one stream there is nothing to tell apart.
    let alone = output.strip_prefix("stdout:\n").filter(|rest| !rest.contains("\nstderr:\n"));
    let output = alone.unwrap_or(output);
    let output = output.replace(LONGER, "set `timeout` of the hook higher if it needs longer");
    HookOutcome { status, summary, output, took: exit.took }
}

/// Nobody watches a hook's output grow.
struct Silent<'a>(&'a Redactor);

impl Sink for Silent<'_> {
    fn hides(&self) -> Redactor {
        self.0.clone()
    }

    fn delta(&self, _: DeltaKind, _: &str) {}
    fn started(&self, _: Process) {}
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn call(line: &str) -> HookCall {
        HookCall {
            line: line.to_owned(),
            env: vec![("PILOTHOUSE_EVENT".into(), "turn".into())],
            input: b"{\"event\":\"turn\"}".to_vec(),
            requires: Vec::new(),
            timeout: Duration::from_secs(20),
        }
    }

    async fn run_it(call: HookCall) -> HookOutcome {
        let dir = tempfile::tempdir().unwrap();
        run(&Shell::find(), dir.path(), call, &Redactor::default(), &CancellationToken::new()).await
    }

    #[tokio::test]
    async fn a_hook_reads_the_event_and_its_environment_and_nothing_else() {
        let done = run_it(call("cat; echo; echo $PILOTHOUSE_EVENT; env | grep -c TOKEN")).await;
        assert_eq!(done.output.trim(), "{\"event\":\"turn\"}\nturn\n0");
        let quiet = run_it(call("true")).await;
        assert_eq!((quiet.status, quiet.output.as_str()), (HookStatus::Passed, ""));
        let large = HookCall { input: vec![b'x'; 4 << 20], ..call("head -c 1 >/dev/null") };
        assert_eq!(run_it(large).await.status, HookStatus::Passed);
    }

    #[tokio::test]
    async fn each_way_to_end_has_its_name() {
        for (line, status) in [
            ("exit 3", HookStatus::Failed),
            ("kill -9 $$", HookStatus::Failed),
            ("./not-there.sh", HookStatus::Unable),
            ("touch x; ./x", HookStatus::Unable),
        ] {
            assert_eq!(run_it(call(line)).await.status, status, "{line}");
        }
        let slow = HookCall { timeout: Duration::from_millis(50), ..call("sleep 600") };
        let slow = run_it(slow).await;
        assert_eq!(slow.status, HookStatus::TimedOut);
        assert!(slow.output.contains("set `timeout` of the hook higher"), "{slow:?}");
        let needs = HookCall { requires: vec!["no-such-program-here".into()], ..call("touch ran") };
        let done = run_it(needs).await;
        assert!(done.status == HookStatus::Unable && done.summary.contains("no-such-program-here"));
    }
}
