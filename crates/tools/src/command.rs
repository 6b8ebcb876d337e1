//! `run`: one command with all it starts, its output, its time limit and its end.
//!
//! Owns the process from its start until nothing of it is left. Never judges a command and never
//! hands it a terminal, input or a secret.

mod control_guard;
pub(crate) mod environment;
pub(crate) mod hook;
mod output;
mod plain;
mod refusal;
mod running;
pub(crate) mod server;
pub(crate) mod table;
mod tree;

use std::{
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use pilothouse_core::{
    blob::Blob,
    ids::{Millis, Process},
    money::count,
    sandbox::Confine,
    shell::only_shortens,
    talk::DeltaKind,
    tool::{Exit, Run, ToolOutcome},
};
use tokio::{
    io::{AsyncRead, AsyncReadExt},
    process::Command,
    time::Instant,
};
use tokio_util::sync::CancellationToken;

use crate::{executor::Sink, guard::Guard, jail::Jail, sandbox::CommandSandbox};
use control_guard::ControlFileGuard;
use output::{Output, Stream};
use running::{News, Running};

/// Said to a model whose command took too long; of a hook it is not the key.
const LONGER: &str = "set timeout_s higher if it needs longer";
/// Time limit when the call does not say, in seconds.
const TIMEOUT_S: u64 = 120;
/// How long output may go on after the command ended, and after the last signal.
pub(crate) const GRACE: Duration = Duration::from_millis(200);
/// How long a stopped command may take to end by itself.
pub(crate) const TERM_WAIT: Duration = Duration::from_secs(2);
/// How often a stopped tree is looked at.
pub(crate) const POLL: Duration = Duration::from_millis(10);

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

    /// Whether it can end a pipe as its first part that fails.
    fn is_bash(&self) -> bool {
        self.program.file_name().is_some_and(|name| name == "bash")
    }
}

/// Why a command was stopped before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    TimeOut,
    Cancel,
    TooMany,
}

/// Where and how a command runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ground<'a> {
    pub jail: &'a Jail,
    pub shell: &'a Shell,
    pub fence: &'a CommandSandbox,
    pub guard: &'a Guard,
    /// Variables that the trusted project gives.
    pub given: &'a [(String, String)],
    /// Those that it does not get, since it runs code of others.
    pub withheld: &'a [(String, String)],
    /// Variables that keep what the project brings from running, where nobody was asked.
    pub held: &'a [(OsString, OsString)],
    /// Secret files of the workspace that it does not see.
    pub secret: &'a [PathBuf],
    /// As the permit says.
    pub confine: Confine,
    /// Whether nobody is there to ask.
    pub alone: bool,
}

impl Ground<'_> {
    fn held(&self) -> Held {
        Held { processes: self.fence.limits().processes }
    }

    /// Says what of the sandbox or the environment may be why it failed.
    fn hint(&self, line: &str, mut outcome: ToolOutcome) -> ToolOutcome {
        if !outcome.failed && !refusal::hides_failure(line) || outcome.exit.is_none() {
            return outcome;
        }
        let part = (!self.shell.is_bash() && only_shortens(line)).then(refusal::last_part);
        let hint = refusal::hint(&outcome.text, self.confine, self.alone);
        let missed = environment::missed(std::env::vars_os(), self.fence, &outcome.text);
        let missed = (outcome.failed && !missed.is_empty()).then(|| refusal::missed(&missed));
        let withheld = environment::withheld(self.withheld, &outcome.text);
        let withheld = (outcome.failed && !withheld.is_empty()).then(|| refusal::withheld(&withheld));
        let hidden = refusal::hidden(self.jail.root(), self.secret, &outcome.text);
        outcome.advice.extend(part.into_iter().chain(hint).chain(missed).chain(withheld).chain(hidden));
        outcome
    }
}

/// What holds something that runs, for what is told of its end.
#[derive(Clone, Copy, Debug)]
struct Held {
    /// How many processes and threads it may have.
    processes: u64,
}

/// Runs a command to its end and reports it.
pub(crate) async fn run(
    ground: Ground<'_>,
    args: &Run,
    sink: &dyn Sink,
    cancel: &CancellationToken,
) -> ToolOutcome {
    let watch = ControlFileGuard::before(ground.guard, ground.confine).await;
    match begin(ground, args, &watch.kept()) {
        Ok((running, timeout)) => {
            let outcome = attend(running, ground.held(), timeout, sink, cancel).await;
            let outcome = ground.hint(&args.command, outcome);
            watch.after(ground.guard, ground.confine, ground.fence.mounts(), outcome).await
        }
        Err(text) => ToolOutcome::failure(text),
    }
}

fn begin(ground: Ground<'_>, args: &Run, kept: &[PathBuf]) -> Result<(Running, Duration), String> {
    let folder = folder(ground.jail, &args.folder)?;
    let running = spawn(ground, &args.command, &folder, kept)?;
    Ok((running, Duration::from_secs(args.timeout_s.unwrap_or(TIMEOUT_S))))
}

/// What a command gets.
pub(crate) fn environment(
    given: &[(String, String)],
    fence: &CommandSandbox,
    confine: Confine,
) -> Vec<(OsString, OsString)> {
    environment::of(std::env::vars_os(), given, fence, confine)
}

/// The folder that a call names, as it really is.
pub(crate) fn folder(jail: &Jail, text: &str) -> Result<PathBuf, String> {
    let asked = if text.is_empty() { None } else { jail.read_path(text).map_err(|e| e.to_string())? };
    let Some(asked) = asked else { return Ok(jail.root().to_owned()) };
    let meta = jail.metadata(&asked).map_err(|e| e.to_string())?;
    if !meta.is_dir() {
        return Err(format!(
            "{asked} is no folder; give one that list shows, or leave folder out for the root"
        ));
    }
    let real = jail.resolve(&asked).map_err(|e| e.to_string())?;
    Ok(jail.root().join(real.real()))
}

fn spawn(ground: Ground<'_>, command: &str, folder: &Path, kept: &[PathBuf]) -> Result<Running, String> {
    let shell = &ground.shell.program;
    // What a pipe only shortens must not end well for it.
    let whole = ground.shell.is_bash() && only_shortens(command);
    let strict: &[&str] = if whole { &["-o", "pipefail"] } else { &[] };
    let args = [strict, &["-c", "--", command]].concat();
    let args: Vec<&OsStr> = args.iter().map(OsStr::new).collect();
    let line = ground.fence.line(ground.confine, shell, &args, (kept, ground.secret))?;
    let mut start = Command::new(&line.program);
    start
        .args(&line.args)
        .current_dir(folder)
        .env_clear()
        .envs(environment(ground.given, ground.fence, ground.confine))
        .envs(environment::of_git(command))
        .envs(ground.held.iter().cloned())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    Running::start(start, line.watched)
        .map_err(|e| format!("the command could not be started: {}: {e}", line.program.display()))
}

/// What is going on with a command.
struct Watch<'a> {
    sink: &'a dyn Sink,
    output: Output,
    process: Option<Process>,
    /// Its code and its signal, once it ended.
    ended: Option<(Option<i32>, Option<i32>)>,
    /// When to stop waiting for output.
    last_call: Option<Instant>,
    stop: Option<Stop>,
    /// When to kill what was only asked to end.
    kill_at: Option<Instant>,
}

async fn attend(
    mut running: Running,
    held: Held,
    timeout: Duration,
    sink: &dyn Sink,
    cancel: &CancellationToken,
) -> ToolOutcome {
    let began = Instant::now();
    let mut watch = Watch {
        sink,
        output: Output::hiding(&sink.hides()),
        process: None,
        ended: None,
        last_call: None,
        stop: None,
        kill_at: None,
    };
    watch.is(running.process());
    let failed = watch.follow(&mut running, began + timeout, cancel).await;
    let left = running.sweep(watch.kill_at).await;
    if let Err(e) = failed {
        return ToolOutcome::failure(format!(
            "the command was lost: {e}; look what it did before you run it again"
        ));
    }
    let (code, signal) = watch.ended.unwrap_or_default();
    let exit = Exit {
        code,
        signal,
        timed_out: watch.stop == Some(Stop::TimeOut),
        took: Millis(u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX)),
        process: watch.process,
        put_back: false,
    };
    watch.tell(exit, held, timeout, left)
}

impl Watch<'_> {
    fn is(&mut self, process: Option<Process>) {
        self.process = process.or(self.process);
        if let Some(process) = process {
            self.sink.started(process);
        }
    }

    /// Passes output on until the command has ended and its pipes are empty.
    async fn follow(
        &mut self,
        running: &mut Running,
        deadline: Instant,
        cancel: &CancellationToken,
    ) -> std::io::Result<()> {
        let (mut stdout, mut stderr) = running.pipes();
        let (mut out, mut err) = (vec![0; output::CHUNK_BYTES], vec![0; output::CHUNK_BYTES]);
        while self.ended.is_none() || stdout.is_some() || stderr.is_some() {
            tokio::select! {
                n = read(&mut stdout, &mut out), if stdout.is_some() => {
                    self.take(Stream::Out, out.get(..n).unwrap_or_default());
                    if n == 0 { stdout = None; }
                }
                n = read(&mut stderr, &mut err), if stderr.is_some() => {
                    self.take(Stream::Err, err.get(..n).unwrap_or_default());
                    if n == 0 { stderr = None; }
                }
                news = running.news(), if self.ended.is_none() => match news? {
                    News::Started(process) => self.is(Some(process)),
                    News::TooMany => self.stop = self.stop.or(Some(Stop::TooMany)),
                    News::Ended(code, signal) => {
                        self.ended = Some((code, signal));
                        self.last_call = Some(Instant::now() + GRACE);
                    }
                },
                () = tokio::time::sleep_until(deadline), if self.stop.is_none() && self.ended.is_none() => {
                    self.end(running, Stop::TimeOut);
                }
                () = cancel.cancelled(), if self.stop.is_none() => self.end(running, Stop::Cancel),
                () = until(self.kill_at), if self.ended.is_none() => {
                    running.kill();
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

    fn end(&mut self, running: &mut Running, why: Stop) {
        self.stop = Some(why);
        self.kill_at = Some(Instant::now() + TERM_WAIT);
        running.terminate();
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

    fn tell(self, exit: Exit, held: Held, timeout: Duration, left: usize) -> ToolOutcome {
        let ended = match (self.stop, exit.code, exit.signal) {
            (Some(Stop::TimeOut), ..) => format!("stopped after its time limit of {} s", timeout.as_secs()),
            (Some(Stop::Cancel), ..) => "stopped by the user".to_owned(),
            (Some(Stop::TooMany), ..) => {
                format!("stopped: it had more than {} processes and threads", held.processes)
            }
            (None, Some(code), _) => format!("exit {code}"),
            (None, None, Some(signal)) => format!("ended by signal {signal}"),
            (None, None, None) => "ended".to_owned(),
        };
        let mut text = format!("{ended}, took {}\n", seconds(exit.took));
        if left > 0 {
            text.push_str(&format!("(left running, and stopped: {})\n", count(left, "process")));
        }
        if self.stop == Some(Stop::TimeOut) {
            text.push_str(&format!("({LONGER})\n"));
        }
        let failed = !exit.ok() || self.stop.is_some();
        let (told, whole) = self.output.finish();
        text.push_str(&told);
        let mut outcome = ToolOutcome::text(text.trim_end(), ended);
        outcome.failed = failed;
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
