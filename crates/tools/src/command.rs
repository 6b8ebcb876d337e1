//! `run`: one command with all it starts, its output, its time limit and its end.
//!
//! Owns the process from its start until nothing of it is left. Never judges a command and never
//! hands it a terminal, input or a secret.

pub(crate) mod environment;
pub(crate) mod hook;
mod output;
mod plain;
mod tree;

use std::{
    os::unix::process::ExitStatusExt,
    path::{Path, PathBuf},
    process::{ExitStatus, Stdio},
    time::Duration,
};

use pilothouse_core::{
    blob::Blob,
    ids::Millis,
    talk::DeltaKind,
    tool::{Exit, ToolOutcome},
};
use process_wrap::tokio::{ChildWrapper, CommandWrap, KillOnDrop, ProcessSession};
use tokio::{
    io::{AsyncRead, AsyncReadExt},
    process::Command,
    time::Instant,
};
use tokio_util::sync::CancellationToken;

use crate::{args, jail::Jail, workshop::Sink};
use output::{Output, Stream};
use tree::Tree;

/// Time limit when the call does not say, in seconds.
const TIMEOUT_S: u64 = 120;
/// The longest that a call may ask for, in seconds.
const MOST_TIMEOUT_S: u64 = 1_800;
/// The longest command line, in bytes; one argument may have 128 KiB on Linux.
const MOST_COMMAND_BYTES: usize = 64 * 1024;
/// How long output may go on after the command ended, and after the last signal.
const GRACE: Duration = Duration::from_millis(200);
/// How long a stopped command may take to end by itself.
const TERM_WAIT: Duration = Duration::from_secs(2);
/// How often a stopped tree is looked at.
const POLL: Duration = Duration::from_millis(10);

/// The shell that reads command lines.
#[derive(Debug)]
pub(crate) struct Shell {
    program: PathBuf,
}

impl Shell {
    /// Finds bash, else takes `sh`; a relative folder on `PATH` is never looked at.
    pub fn find() -> Self {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let fixed = ["/bin", "/usr/bin", "/usr/local/bin"].map(PathBuf::from);
        let folders = fixed.into_iter().chain(std::env::split_paths(&path).filter(|p| p.is_absolute()));
        let bash = folders.map(|f| f.join("bash")).find(|b| b.is_file());
        Self { program: bash.unwrap_or_else(|| PathBuf::from("/bin/sh")) }
    }
}

/// Why a command was stopped before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    TimeOut,
    Cancel,
}

/// Runs a command to its end and reports it.
pub(crate) async fn run(
    jail: &Jail,
    shell: &Shell,
    args: args::Run,
    sink: &dyn Sink,
    cancel: &CancellationToken,
) -> ToolOutcome {
    match begin(jail, shell, &args) {
        Ok((child, timeout)) => attend(child, timeout, sink, cancel).await,
        Err(text) => ToolOutcome::failure(text),
    }
}

fn begin(jail: &Jail, shell: &Shell, args: &args::Run) -> Result<(Box<dyn ChildWrapper>, Duration), String> {
    // Trimmed as the user was shown it.
    let command = args.command.trim();
    if command.is_empty() {
        return Err("command is empty; give the line to run".to_owned());
    }
    if command.contains('\0') || command.len() > MOST_COMMAND_BYTES {
        return Err(format!(
            "a command may have {MOST_COMMAND_BYTES} bytes and no NUL; put long text into a file"
        ));
    }
    let seconds = args.timeout_s.unwrap_or(TIMEOUT_S);
    if !(1..=MOST_TIMEOUT_S).contains(&seconds) {
        return Err(format!("timeout_s may be 1 to {MOST_TIMEOUT_S}"));
    }
    let folder = folder(jail, args.folder.trim())?;
    let child = spawn(shell, command, &folder)
        .map_err(|e| format!("the command could not be started: {}: {e}", shell.program.display()))?;
    Ok((child, Duration::from_secs(seconds)))
}

fn folder(jail: &Jail, text: &str) -> Result<PathBuf, String> {
    let asked = if text.is_empty() { None } else { jail.read_path(text).map_err(|e| e.to_string())? };
    let Some(asked) = asked else { return Ok(jail.root().to_owned()) };
    let meta = jail.metadata(&asked).map_err(|e| e.to_string())?;
    if !meta.is_dir() {
        return Err(format!("{asked} is no folder; folder must be one"));
    }
    let real = jail.resolve(&asked).map_err(|e| e.to_string())?;
    Ok(jail.root().join(real.real()))
}

fn spawn(shell: &Shell, command: &str, folder: &Path) -> std::io::Result<Box<dyn ChildWrapper>> {
    let mut line = Command::new(&shell.program);
    line.args(["-c", "--", command])
        .current_dir(folder)
        .env_clear()
        .envs(environment::allowed(std::env::vars_os()))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    // A session of its own: no terminal to draw on, and one group to signal. The group is watched
    // here, so the plain child is all that is kept.
    let child = CommandWrap::from(line).wrap(ProcessSession).wrap(KillOnDrop).spawn()?;
    Ok(child.into_inner())
}

/// What is going on with a command.
struct Watch<'a> {
    sink: &'a dyn Sink,
    output: Output,
    status: Option<ExitStatus>,
    /// When to stop waiting for output.
    last_call: Option<Instant>,
    stop: Option<Stop>,
    /// When to kill what was only asked to end.
    kill_at: Option<Instant>,
}

async fn attend(
    mut child: Box<dyn ChildWrapper>,
    timeout: Duration,
    sink: &dyn Sink,
    cancel: &CancellationToken,
) -> ToolOutcome {
    let began = Instant::now();
    let mut tree = Tree::of(child.id());
    if let Some(process) = tree.leader() {
        sink.started(process);
    }
    let mut watch = Watch {
        sink,
        output: Output::hiding(&sink.hides()),
        status: None,
        last_call: None,
        stop: None,
        kill_at: None,
    };
    let failed = watch.follow(&mut child, &mut tree, began + timeout, cancel).await;
    let left = tree.sweep(watch.kill_at).await;
    let process = tree.leader();
    tree.release();
    if let Err(e) = failed {
        return ToolOutcome::failure(format!("the command was lost: {e}"));
    }
    let exit = Exit {
        code: watch.status.and_then(|s| s.code()),
        signal: watch.status.and_then(|s| s.signal()),
        timed_out: watch.stop == Some(Stop::TimeOut),
        took: Millis(u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX)),
        process,
    };
    watch.tell(exit, timeout, left)
}

impl Watch<'_> {
    /// Passes output on until the command has ended and its pipes are empty.
    async fn follow(
        &mut self,
        child: &mut Box<dyn ChildWrapper>,
        tree: &mut Tree,
        deadline: Instant,
        cancel: &CancellationToken,
    ) -> std::io::Result<()> {
        let (mut stdout, mut stderr) = (child.stdout().take(), child.stderr().take());
        let (mut out, mut err) = (vec![0; output::CHUNK_BYTES], vec![0; output::CHUNK_BYTES]);
        while self.status.is_none() || stdout.is_some() || stderr.is_some() {
            tokio::select! {
                n = read(&mut stdout, &mut out), if stdout.is_some() => {
                    self.take(Stream::Out, out.get(..n).unwrap_or_default());
                    if n == 0 { stdout = None; }
                }
                n = read(&mut stderr, &mut err), if stderr.is_some() => {
                    self.take(Stream::Err, err.get(..n).unwrap_or_default());
                    if n == 0 { stderr = None; }
                }
                status = child.wait(), if self.status.is_none() => {
                    self.status = Some(status?);
                    self.last_call = Some(Instant::now() + GRACE);
                }
                () = tokio::time::sleep_until(deadline), if self.stop.is_none() && self.status.is_none() => {
                    self.end(tree, Stop::TimeOut);
                }
                () = cancel.cancelled(), if self.stop.is_none() => self.end(tree, Stop::Cancel),
                () = until(self.kill_at), if self.status.is_none() => {
                    tree.kill();
                    self.kill_at = None;
                }
                () = until(self.last_call) => {
                    // What is in the pipes already is taken; who still holds them is not waited for.
                    self.drain(Stream::Out, &mut stdout, &mut out).await;
                    self.drain(Stream::Err, &mut stderr, &mut err).await;
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn end(&mut self, tree: &mut Tree, why: Stop) {
        self.stop = Some(why);
        self.kill_at = Some(Instant::now() + TERM_WAIT);
        tree.terminate();
    }

    async fn drain<R: AsyncRead + Unpin>(&mut self, stream: Stream, pipe: &mut Option<R>, buffer: &mut [u8]) {
        for _ in 0..output::MOST_DRAINED {
            match tokio::time::timeout(Duration::ZERO, read(pipe, buffer)).await {
                Ok(n) if n > 0 => self.take(stream, buffer.get(..n).unwrap_or_default()),
                Ok(_) | Err(_) => return,
            }
        }
    }

    fn take(&mut self, stream: Stream, bytes: &[u8]) {
        let text = self.output.take(stream, bytes);
        if !text.is_empty() {
            let kind = match stream {
                Stream::Out => DeltaKind::Stdout,
                Stream::Err => DeltaKind::Stderr,
            };
            self.sink.delta(kind, &text);
        }
    }

    fn tell(self, exit: Exit, timeout: Duration, left: usize) -> ToolOutcome {
        let ended = match (self.stop, exit.code, exit.signal) {
            (Some(Stop::TimeOut), ..) => format!("stopped after its time limit of {} s", timeout.as_secs()),
            (Some(Stop::Cancel), ..) => "stopped by the user".to_owned(),
            (None, Some(code), _) => format!("exit {code}"),
            (None, None, Some(signal)) => format!("ended by signal {signal}"),
            (None, None, None) => "ended".to_owned(),
        };
        let mut text = format!("{ended}, took {}\n", seconds(exit.took));
        if left > 0 {
            text.push_str(&format!("({left} processes that it left running were stopped)\n"));
        }
        if self.stop == Some(Stop::TimeOut) {
            text.push_str("(set timeout_s higher if it needs longer)\n");
        }
        let (told, whole) = self.output.finish();
        text.push_str(&told);
        let mut outcome = ToolOutcome::text(text.trim_end(), ended);
        outcome.failed = !exit.ok() || self.stop.is_some();
        outcome.exit = Some(exit);
        outcome.output = (!whole.is_empty()).then(|| Blob::new(whole));
        outcome
    }
}

async fn until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}

/// Reads what is there; 0 at the end, when reading fails, and when there is no pipe.
async fn read<R: AsyncRead + Unpin>(pipe: &mut Option<R>, buffer: &mut [u8]) -> usize {
    match pipe {
        Some(pipe) => pipe.read(buffer).await.unwrap_or(0),
        None => 0,
    }
}

fn seconds(took: Millis) -> String {
    format!("{}.{} s", took.0 / 1_000, took.0 % 1_000 / 100)
}

#[cfg(test)]
mod tests;
