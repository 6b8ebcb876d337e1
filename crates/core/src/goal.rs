//! Goals that are reached by commands: what was tried, when trying again is pointless, how it ended.
//!
//! Owns the record of a goal's commands, the guard against repeated failure and the summary. Never
//! runs a command and never asks a model.

mod reply;

use serde::{Deserialize, Serialize};

pub use reply::{PlannerReply, first_object};

use crate::{
    blob::BlobId,
    ids::{CallId, Millis},
    money::{count, millis},
    outcome::Exit,
    shell::Risk,
};

/// A command that failed this often, with nothing between that could have changed that, is not proposed again.
pub const MOST_FAILURES: usize = 2;
/// How many characters of a command a summary keeps.
const HEAD_CHARS: usize = 120;
/// How many commands a summary lists: the last ones.
const LISTED: usize = 32;

/// Why the model's part of a goal cannot go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum PlannerError {
    /// It said nothing.
    #[error("the model sent an empty answer")]
    Empty,
    /// What it said is neither an answer nor a command.
    #[error("the model's reply is neither an answer nor a command")]
    Invalid,
    /// It wants what has failed twice.
    #[error("the model proposed the same command that had failed twice")]
    Repeated,
}

impl PlannerError {
    /// What the user can do about it.
    pub const fn hint(self) -> &'static str {
        match self {
            Self::Empty | Self::Invalid => "try again, or rephrase the goal",
            Self::Repeated => "it was not run; fix what made it fail, then try again",
        }
    }
}

/// How a goal ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GoalStatus {
    /// Its last command ended well, or it needed none.
    Completed,
    /// Its last command failed, or the model could not be asked.
    Failed,
    /// The user stopped it.
    Cancelled,
    /// The user let none of its commands run.
    Skipped,
    /// The model's part could not go on.
    PlannerError,
    /// It would have had to do more than it was allowed to, and changed nothing.
    Refused,
    /// It was talked about, and nothing was done.
    Nothing,
}

/// One command of a goal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// The call.
    pub call: CallId,
    /// The beginning of the line.
    pub command: String,
    /// How dangerous it is.
    pub risk: Risk,
    /// Whether the user changed what was proposed.
    #[serde(default)]
    pub changed: bool,
    /// How it ended; `None` when it was not run, or was stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<Exit>,
    /// Whether it was stopped while it ran.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stopped: bool,
}

/// What became of a goal, for the log and for people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GoalSummary {
    /// How it ended.
    pub status: GoalStatus,
    /// How long it took.
    pub took: Millis,
    /// Commands that ran.
    pub ran: usize,
    /// Of these, how many failed.
    pub failed: usize,
    /// Of these, how many were stopped while they ran.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub stopped: usize,
    /// Commands that were proposed and not run.
    pub skipped: usize,
    /// Calls to sources that ended well.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub called: usize,
    /// The last commands, oldest first.
    pub attempts: Vec<Attempt>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "what derives hands it so")]
const fn is_zero(n: &usize) -> bool {
    *n == 0
}

/// A command as the guard remembers it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tried {
    /// What makes two commands the same.
    pub key: BlobId,
    /// The command.
    pub attempt: Attempt,
}

impl Tried {
    /// A command that waits.
    pub fn new(call: CallId, command: &str, folder: &str, risk: Risk) -> Self {
        let head = command.chars().take(HEAD_CHARS).collect();
        let attempt = Attempt { call, command: head, risk, changed: false, exit: None, stopped: false };
        Self { key: key(command, folder), attempt }
    }
}

/// What makes two commands the same: folder and line, however it is spaced.
pub fn key(command: &str, folder: &str) -> BlobId {
    BlobId::of(format!("{folder}\0{}", spaced(command)).as_bytes())
}

/// The line with single blanks between its words; what is quoted stays.
fn spaced(line: &str) -> String {
    let (mut out, mut quote, mut escaped) = (String::with_capacity(line.len()), None, false);
    let mut after_blank = false;
    for c in line.trim().trim_end_matches(';').trim_end().chars() {
        let blank = quote.is_none() && !escaped && matches!(c, ' ' | '\t');
        match quote {
            Some(q) if c == q && !escaped => quote = None,
            None if !escaped && matches!(c, '\'' | '"') => quote = Some(c),
            Some(_) | None => {}
        }
        escaped = c == '\\' && !escaped && quote != Some('\'');
        if !(blank && after_blank) {
            out.push(if blank { ' ' } else { c });
        }
        after_blank = blank;
    }
    out
}

/// How often a command failed, as far as that says that it fails again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failures {
    /// How often.
    pub count: usize,
    /// Whether no other command ended between them.
    pub in_a_row: bool,
}

impl Failures {
    /// How often, in words: "twice in a row".
    pub fn words(self) -> String {
        let often = if self.count == 2 { "twice".to_owned() } else { format!("{} times", self.count) };
        if self.in_a_row { often + " in a row" } else { often }
    }
}

/// How often this command failed since something succeeded that could have changed the outcome: the
/// command itself, or another one that does more than read.
pub fn failures(tried: &[Tried], key: BlobId) -> Failures {
    let (mut count, mut between, mut in_a_row) = (0, false, true);
    for one in tried.iter().rev() {
        let Some(exit) = &one.attempt.exit else { continue };
        match (one.key == key, exit.ok()) {
            (true, false) => {
                in_a_row &= !between;
                count += 1;
            }
            (true, true) => break,
            (false, true) if one.attempt.risk > Risk::Low => break,
            (false, _) => between |= count > 0,
        }
    }
    Failures { count, in_a_row }
}

/// How many commands failed one after the other by now, whichever they were.
pub fn failed_in_a_row(tried: &[Tried]) -> usize {
    let ended = tried.iter().rev().filter_map(|t| t.attempt.exit.as_ref());
    ended.take_while(|exit| !exit.ok()).count()
}

/// Told of what ended well without a command or a file.
pub fn complete(took: Millis) -> String {
    format!("Complete ({})", millis(took.0))
}

impl GoalSummary {
    /// What became of these commands; `ended` when the goal did not end by itself.
    pub fn of(tried: &[Tried], took: Millis, ended: Option<GoalStatus>) -> Self {
        let attempts = || tried.iter().map(|t| &t.attempt);
        let came_to_end = attempts().filter(|a| a.exit.is_some()).count();
        let stopped = attempts().filter(|a| a.exit.is_none() && a.stopped).count();
        let ran = came_to_end + stopped;
        let failed = attempts().filter(|a| a.exit.as_ref().is_some_and(|e| !e.ok())).count();
        let last = attempts().rev().find_map(|a| a.exit.as_ref());
        let by_itself = match last {
            Some(exit) if exit.ok() => GoalStatus::Completed,
            Some(_) => GoalStatus::Failed,
            None if tried.is_empty() => GoalStatus::Completed,
            None => GoalStatus::Skipped,
        };
        Self {
            status: ended.unwrap_or(by_itself),
            took,
            ran,
            failed,
            stopped,
            skipped: tried.len() - ran,
            called: 0,
            attempts: attempts().skip(tried.len().saturating_sub(LISTED)).cloned().collect(),
        }
    }

    /// One line: how it ended, then how much was run.
    pub fn line(&self) -> String {
        let head = match self.status {
            GoalStatus::Completed if self.ran == 0 && self.called == 0 => return complete(self.took),
            GoalStatus::Nothing => return "Not done: no command was run.".to_owned(),
            GoalStatus::Completed => "Complete.".to_owned(),
            GoalStatus::Failed => match self.attempts.iter().rev().find(|a| a.exit.is_some()) {
                Some(Attempt { command, exit: Some(exit), .. }) => {
                    format!("Failed: `{command}` {}.", exit.words())
                }
                Some(_) | None => "Failed.".to_owned(),
            },
            GoalStatus::Cancelled => "Cancelled.".to_owned(),
            GoalStatus::Skipped => return "Skipped: nothing was run.".to_owned(),
            GoalStatus::PlannerError => "Planner error.".to_owned(),
            GoalStatus::Refused => "Not done: what it asked for was not allowed.".to_owned(),
        };
        format!("{head} {}", self.counts())
    }

    /// How many commands ran, failed and were left out.
    pub fn counts(&self) -> String {
        let mut text = match (self.ran, self.called) {
            (0, called) if called > 0 => count(called, "source call"),
            (ran, 0) => count(ran, "command"),
            (ran, called) => format!("{}, {}", count(ran, "command"), count(called, "source call")),
        };
        if self.failed > 0 {
            text.push_str(&format!(", {} failed", self.failed));
        }
        if self.stopped > 0 {
            text.push_str(&format!(", {} stopped", self.stopped));
        }
        if self.skipped > 0 {
            text.push_str(&format!(", {} not run", self.skipped));
        }
        text
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
