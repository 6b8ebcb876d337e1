//! Commands that were stopped: they end a moment after they were told to, and what they changed comes with their end.
//!
//! Owns which of them are still awaited. A command whose process went with the program is none: the next start looks at
//! what it had changed.

use super::{Lane, Origin, State};
use crate::{ids::TaskId, input::Refusal, session::changes::known_by};

/// Leads to what a command had printed that was stopped.
pub const PRINTED: &str = "It had printed by then:";

/// A command whose call is over and that may still change files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stopped {
    /// Its line.
    pub line: String,
    /// What it was run for.
    pub origin: Origin,
    /// The step that it is of, if any.
    pub task: Option<TaskId>,
    /// Whether its process was there.
    pub began: bool,
}

impl State {
    /// What a line of work leaves running that loses its call.
    pub(super) fn leaves_running(&mut self, lane: &Lane) {
        let open = lane.head().filter(|open| open.allowed.is_some());
        let Some((call, run, began)) = open.and_then(|open| Some((open.call, open.run()?, open.began)))
        else {
            return;
        };
        let of = self.run.as_ref().filter(|run| lane.kind.of_run() || lane.turn == run.turn);
        let message = of.map_or(lane.turn, |run| self.plan.as_ref().map_or(run.turn, |plan| plan.turn));
        let origin =
            Origin { at: self.at, turn: lane.turn, work: self.work_of(message), run: of.map(|run| run.id) };
        let stopped = Stopped { line: run.command.clone(), origin, task: lane.kind.task(), began };
        self.stopped.insert(call, stopped);
        if let Some(tried) = self.tried(|tried| tried.attempt.call == call) {
            tried.attempt.stopped = began;
        }
    }

    /// Nothing is taken back before it is known what a stopped command changed.
    pub(super) fn stopped_rest(&self) -> Result<(), Refusal> {
        let Some(stopped) = self.stopped.values().find(|stopped| stopped.began) else { return Ok(()) };
        Err(Refusal::new(format!(
            "`{}` was stopped, and its changes are still being checked; try again in a moment",
            known_by(&stopped.line)
        )))
    }
}
