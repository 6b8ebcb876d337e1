//! Everything that a command started, until nothing of it is left.
//!
//! Owns finding and signalling. On Linux the members are those of the command's session and their
//! descendants, told apart from a reused id by their start time; elsewhere the process group.

use std::{collections::BTreeMap, time::Duration};

use pilothouse_core::ids::Process;
use rustix::process::{Pid, Signal, kill_process, kill_process_group, test_kill_process_group};
use tokio::time::Instant;

use super::{
    POLL, TERM_WAIT,
    table::{self, Row},
};

/// A command and what it started. Dropped before it is released, it is killed.
#[derive(Debug)]
pub(super) struct Tree {
    leader: Option<Process>,
    /// Members that were seen, by id with their start time.
    known: BTreeMap<u32, u64>,
    armed: bool,
}

impl Tree {
    /// The tree below the process `pid`, which leads its own session.
    pub fn of(pid: Option<u32>) -> Self {
        let leader = pid.map(|pid| Process { pid, started: table::entry(pid).map_or(0, |(r, _)| r.started) });
        Self { leader, known: BTreeMap::new(), armed: leader.is_some() }
    }

    /// The command's own process.
    pub fn leader(&self) -> Option<Process> {
        self.leader
    }

    /// Asks everything to end.
    pub fn terminate(&mut self) {
        self.signal(Signal::TERM);
    }

    /// Ends everything.
    pub fn kill(&mut self) {
        self.signal(Signal::KILL);
    }

    /// The tree is gone or given up: dropping it does nothing any more.
    pub fn release(&mut self) {
        self.armed = false;
    }

    /// Sees that nothing is left, now that the command itself has ended: what lives is asked to end
    /// (unless it was, and is due to be killed at `kill_at`), then killed. Gives how many lived.
    pub async fn sweep(&mut self, kill_at: Option<Instant>) -> usize {
        let left = self.members();
        if left == 0 {
            return 0;
        }
        if kill_at.is_none() {
            self.terminate();
        }
        let kill_at = kill_at.unwrap_or_else(|| Instant::now() + TERM_WAIT);
        while self.members() > 0 && Instant::now() < kill_at {
            tokio::time::sleep(POLL).await;
        }
        // A killed process leaves the table at once; what forks meanwhile is met the next time.
        let give_up = Instant::now() + Duration::from_secs(1);
        while self.members() > 0 && Instant::now() < give_up {
            self.kill();
            tokio::time::sleep(POLL).await;
        }
        left
    }

    fn signal(&mut self, signal: Signal) {
        let Some(leader) = self.leader else { return };
        if self.members() == 0 {
            return;
        }
        if self.owns_group()
            && let Some(group) = pid(leader.pid)
        {
            // An error means that the group is gone.
            let _ = kill_process_group(group, signal);
        }
        for stray in self.known.keys().copied().filter_map(pid) {
            let _ = kill_process(stray, signal);
        }
    }

    /// Whether the group with the leader's number is still ours, not one that took the number.
    fn owns_group(&self) -> bool {
        let Some(leader) = self.leader else { return false };
        leader.started == 0 || table::entry(leader.pid).is_none_or(|(r, _)| r.started == leader.started)
    }

    /// Looks who lives; remembers them.
    fn members(&mut self) -> usize {
        let Some(leader) = self.leader else { return 0 };
        let Some(table) = table::all() else {
            let lives = pid(leader.pid).is_some_and(|p| test_kill_process_group(p).is_ok());
            return usize::from(lives);
        };
        let ours = self.owns_group();
        let mut living: BTreeMap<u32, u64> = table
            .iter()
            .filter(|r| (ours && r.session == leader.pid) || self.known.get(&r.pid) == Some(&r.started))
            .map(|r| (r.pid, r.started))
            .collect();
        loop {
            let more: Vec<Row> = table
                .iter()
                .filter(|r| living.contains_key(&r.parent) && !living.contains_key(&r.pid))
                .copied()
                .collect();
            if more.is_empty() {
                break;
            }
            living.extend(more.iter().map(|r| (r.pid, r.started)));
        }
        self.known = living;
        self.known.len()
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        if self.armed {
            self.kill();
        }
    }
}

fn pid(pid: u32) -> Option<Pid> {
    Pid::from_raw(i32::try_from(pid).ok()?)
}
