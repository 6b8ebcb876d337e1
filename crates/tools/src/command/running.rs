//! A command that runs, however it was started: its news, its orders, and that nothing of it is left.
//!
//! Owns the two ways: the helper watches it, or, where there is none, the process table is searched.
//! Dropped while it runs, it is killed with all that it started.

use std::os::{
    fd::OwnedFd,
    unix::{net::UnixStream as Socket, process::ExitStatusExt},
};

use pilothouse_core::ids::Process;
use process_wrap::tokio::{ChildWrapper, CommandWrap, KillOnDrop, ProcessSession};
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    net::UnixStream,
    process::{ChildStderr, ChildStdin, ChildStdout, Command},
    time::{Duration, Instant},
};

use super::{GRACE, TERM_WAIT, tree::Tree};
use crate::sandbox::{Order, Told};

/// How long the watcher may take to say that nothing is left, beyond what it waits for itself; and
/// again after it was told to end everything, on a machine that has no time for it.
const PATIENCE: Duration = Duration::from_secs(2);
const LAST_PATIENCE: Duration = Duration::from_secs(20);

/// What happened to a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum News {
    /// Its process exists.
    Started(Process),
    /// It ended, with this code or by this signal.
    Ended(Option<i32>, Option<i32>),
    /// It is being ended because its processes are too many.
    TooMany,
}

/// A command that runs.
#[derive(Debug)]
pub(super) struct Running {
    child: Box<dyn ChildWrapper>,
    tree: Tree,
    watcher: Option<Watcher>,
}

/// The line to the helper that watches.
#[derive(Debug)]
struct Watcher {
    line: BufReader<UnixStream>,
    partial: Vec<u8>,
    left: Option<usize>,
}

impl Running {
    /// Starts a command in a session of its own: no terminal to draw on, and one group to signal.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(mut command: Command, watched: bool) -> std::io::Result<Self> {
        if !watched {
            let child =
                CommandWrap::from(command).wrap(ProcessSession).wrap(KillOnDrop).spawn()?.into_inner();
            let tree = Tree::of(child.id());
            return Ok(Self { child, tree, watcher: None });
        }
        let (ours, theirs) = Socket::pair()?;
        ours.set_nonblocking(true)?;
        command.stdin(OwnedFd::from(theirs));
        // Not killed when dropped: it ends by itself once the line is closed, and everything before it.
        let child = CommandWrap::from(command).wrap(ProcessSession).spawn()?.into_inner();
        let mut tree = Tree::of(child.id());
        tree.release();
        let line = BufReader::new(UnixStream::from_std(ours)?);
        Ok(Self { child, tree, watcher: Some(Watcher { line, partial: Vec::new(), left: None }) })
    }

    /// Its output, once.
    pub fn pipes(&mut self) -> (Option<ChildStdout>, Option<ChildStderr>) {
        (self.child.stdout().take(), self.child.stderr().take())
    }

    /// Its standard input, once, where it was asked for.
    pub fn stdin(&mut self) -> Option<ChildStdin> {
        self.child.stdin().take()
    }

    /// Its own process, where that is known at once.
    pub fn process(&self) -> Option<Process> {
        self.tree.leader().filter(|_| self.watcher.is_none())
    }

    /// The next that happens to it; may be dropped and asked again.
    ///
    /// # Errors
    /// When it is lost.
    pub async fn news(&mut self) -> std::io::Result<News> {
        let Some(watcher) = &mut self.watcher else {
            let status = self.child.wait().await?;
            return Ok(News::Ended(status.code(), status.signal()));
        };
        loop {
            match watcher.next().await? {
                Told::Started(process) => return Ok(News::Started(process)),
                Told::Exited(code) => return Ok(News::Ended(Some(code), None)),
                Told::Killed(signal) => return Ok(News::Ended(None, Some(signal))),
                Told::TooMany => return Ok(News::TooMany),
                Told::Left(_) => {}
            }
        }
    }

    /// Asks everything to end.
    pub fn terminate(&mut self) {
        match &self.watcher {
            Some(watcher) => watcher.order(Order::Terminate),
            None => self.tree.terminate(),
        }
    }

    /// Ends everything.
    pub fn kill(&mut self) {
        match &self.watcher {
            Some(watcher) => watcher.order(Order::Kill),
            None => self.tree.kill(),
        }
    }

    /// Sees that nothing is left, now that the command itself has ended (or was lost), and gives how
    /// many of its processes lived; those that were asked to end are killed at `kill_at`.
    pub async fn sweep(mut self, kill_at: Option<Instant>) -> usize {
        let Some(watcher) = &mut self.watcher else {
            let left = self.tree.sweep(kill_at).await;
            self.tree.release();
            return left;
        };
        for patience in [GRACE + TERM_WAIT + PATIENCE, LAST_PATIENCE] {
            match tokio::time::timeout(patience, watcher.left()).await {
                Ok(Some(left)) => {
                    drop(self.child.wait().await);
                    return left;
                }
                Ok(None) => break,
                Err(_) => watcher.order(Order::Kill),
            }
        }
        // The watcher is gone, or does not come to an end: what is known of its session is ended here.
        self.watcher = None;
        self.tree.sweep(Some(Instant::now())).await
    }
}

impl Watcher {
    async fn next(&mut self) -> std::io::Result<Told> {
        loop {
            let n = self.line.read_until(b'\n', &mut self.partial).await?;
            let line = std::mem::take(&mut self.partial);
            let told = Told::read(&String::from_utf8_lossy(&line));
            if let Some(Told::Left(left)) = told {
                self.left = Some(left);
            }
            match told {
                Some(told) => return Ok(told),
                None if n == 0 => {
                    return Err(std::io::Error::other("the process that watched it is gone"));
                }
                None => {}
            }
        }
    }

    async fn left(&mut self) -> Option<usize> {
        while self.left.is_none() {
            self.next().await.ok()?;
        }
        self.left
    }

    /// A line that is closed needs no order: the watcher is gone, or ends everything.
    fn order(&self, order: Order) {
        let _ = self.line.get_ref().try_write(&[order.byte()]);
    }
}
