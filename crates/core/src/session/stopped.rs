//! Commands that were stopped: they end a moment after they were told to, and what they changed comes with their end.
//!
//! Owns which of them are still awaited. A command whose process went with the program is none: the next start looks at
//! what it had changed.

use super::{Lane, State};
use crate::{
    ids::{TaskId, TurnId},
    input::Refusal,
    session::changes::known_by,
};

/// A command whose call is over and that may still change files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stopped {
    /// Its line.
    pub line: String,
    /// The message that it was run for.
    pub turn: TurnId,
    /// The step that it is of, if any.
    pub task: Option<TaskId>,
}

impl State {
    /// What a line of work leaves running that loses its call.
    pub(super) fn leaves_running(&mut self, lane: &Lane) {
        let running = self.running_call(lane).and_then(|open| Some((open.call, open.run()?)));
        let Some((call, run)) = running else { return };
        let stopped = Stopped { line: run.command.clone(), turn: lane.turn, task: lane.kind.task() };
        self.stopped.insert(call, stopped);
        if let Some(tried) = self.tried(|tried| tried.attempt.call == call) {
            tried.attempt.stopped = true;
        }
    }

    /// Nothing is taken back before it is known what a stopped command changed.
    pub(super) fn stopped_rest(&self) -> Result<(), Refusal> {
        let Some(stopped) = self.stopped.values().next() else { return Ok(()) };
        Err(Refusal::new(format!(
            "`{}` was stopped, and what it changed is being looked at; try again in a moment",
            known_by(&stopped.line)
        )))
    }
}
