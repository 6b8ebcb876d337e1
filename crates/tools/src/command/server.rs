//! A program that is spoken to over its pipes until it is ended: a tool server.
//!
//! Owns its process, with all that it starts, from its start until nothing of it is left. It runs with the user's
//! rights, as a hook does: who wrote its line was decided before. Never reads what it says.

use std::{io, path::PathBuf, process::Stdio};

use tokio::{
    process::{ChildStderr, ChildStdin, ChildStdout, Command},
    time::{Instant, timeout},
};

use super::{GRACE, TERM_WAIT, environment, running::Running};

/// How a server is started.
#[derive(Clone, Debug)]
pub struct ServerLine {
    /// The program: a name on the search path, or a path.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Where it runs.
    pub folder: PathBuf,
    /// Variables besides those that every program gets.
    pub env: Vec<(String, String)>,
}

/// A server's pipes: what it reads, what it says, what it complains of.
#[derive(Debug)]
pub struct Pipes(pub ChildStdin, pub ChildStdout, pub ChildStderr);

/// A server that runs. Dropped, it is killed with all that it started.
#[derive(Debug)]
pub struct ServerProcess(Running);

impl ServerProcess {
    /// Starts a server in a session of its own, with no terminal and no open file of ours.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(line: &ServerLine) -> io::Result<(Self, Pipes)> {
        let mut command = Command::new(&line.program);
        command
            .args(&line.args)
            .current_dir(&line.folder)
            .env_clear()
            .envs(environment::allowed(std::env::vars_os()))
            .envs(line.env.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut running = Running::start(command, false)?;
        let ((output, errors), input) = (running.pipes(), running.stdin());
        match (input, output, errors) {
            (Some(input), Some(output), Some(errors)) => Ok((Self(running), Pipes(input, output, errors))),
            _ => Err(io::Error::other("it has no pipes")),
        }
    }

    /// Its process id.
    pub fn id(&self) -> Option<u32> {
        self.0.process().map(|p| p.pid)
    }

    /// Sees that nothing of it is left. Its input is closed by then: what does not end by that is made to.
    pub async fn end(self) {
        let Self(mut running) = self;
        if timeout(GRACE, running.news()).await.is_err() {
            running.terminate();
            if timeout(TERM_WAIT, running.news()).await.is_err() {
                running.kill();
                drop(timeout(TERM_WAIT, running.news()).await);
            }
        }
        running.sweep(Some(Instant::now())).await;
    }
}
