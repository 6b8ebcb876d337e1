//! The phase machine: every trigger in every phase, in one table.
//!
//! Owns which phase follows. Never performs what a move means: the session's deciders do.

use crate::intent::Phase;

/// What may happen to the phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Trigger {
    /// A new piece of work.
    PlanNew,
    /// A change to the plan.
    PlanContinue,
    /// A goal reached by commands: a run with one implicit task.
    CommandGoal,
    /// The plan is made.
    PlanReady,
    /// No plan could be made.
    PlanEmpty,
    /// Making the plan went wrong.
    PlanError,
    /// Yes to the plan.
    Approve,
    /// No to the plan.
    Reject,
    /// Text that changes the plan.
    Suggest,
    /// The run is done.
    Complete,
    /// A gate is red.
    GateFail,
    /// The run cannot go on.
    Fail,
    /// Try again after a failure of this origin.
    Retry(Phase),
    /// Another plan.
    Replan,
    /// Give it up.
    Abandon,
    /// Stop.
    Cancel,
    /// Go on by hand.
    Manual,
    /// From the diff up to the plan.
    DiffUp,
    /// A pipeline stopped between stages.
    PipelinePaused,
    /// A paused pipeline goes on.
    PipelineResumed,
    /// A paused pipeline is left.
    BreakoutConfirmed,
    /// Another mode.
    ModeSwitch,
    /// Clear the session.
    Reset,
    /// The last plan again.
    Redo,
    /// A question, or a look at help or status.
    Query,
    /// Leave.
    Exit,
}

/// What a trigger means in a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Move {
    /// The phase stays and the thing is done now.
    Stay,
    /// This phase follows (it may be the same one, entered again).
    To(Phase),
    /// It waits, in its order, until what is under way has ended.
    QueuePlan,
    /// It waits in the control queue.
    QueueControl,
    /// Nothing to do, and that is fine.
    Nothing,
    /// The user is asked first.
    Confirm,
}

/// The trigger has no meaning in the phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{trigger:?} means nothing while {}", phase.name())]
pub struct Illegal {
    /// The phase.
    pub phase: Phase,
    /// The trigger.
    pub trigger: Trigger,
}

/// Looks up the table.
///
/// # Errors
/// When the pair is not in it.
#[expect(clippy::too_many_lines, reason = "the table of the design, cell by cell")]
pub const fn transition(phase: Phase, trigger: Trigger) -> Result<Move, Illegal> {
    use Move::{Confirm, Nothing, QueueControl, QueuePlan, Stay, To};
    use Phase::{AwaitingApproval as Awaiting, Executing, Failed, Idle, Planning};
    use Trigger as T;
    let illegal = Err(Illegal { phase, trigger });
    match trigger {
        T::PlanNew => match phase {
            Idle | Awaiting | Failed => Ok(To(Planning)),
            Planning | Executing => Ok(QueuePlan),
        },
        T::PlanContinue => Ok(To(Planning)),
        T::CommandGoal => match phase {
            Idle | Failed => Ok(To(Executing)),
            Planning | Awaiting | Executing => Ok(QueuePlan),
        },
        T::PlanReady => match phase {
            Planning => Ok(To(Awaiting)),
            Idle | Awaiting | Executing | Failed => illegal,
        },
        T::PlanEmpty => match phase {
            Planning => Ok(To(Idle)),
            Idle | Awaiting | Executing | Failed => illegal,
        },
        T::PlanError => match phase {
            Planning => Ok(To(Failed)),
            Idle | Awaiting | Executing | Failed => illegal,
        },
        T::Approve => match phase {
            Awaiting => Ok(To(Executing)),
            Executing => Ok(Stay),
            Idle | Planning | Failed => illegal,
        },
        T::Reject => match phase {
            Awaiting => Ok(To(Planning)),
            Idle | Planning | Executing | Failed => illegal,
        },
        T::Suggest => match phase {
            Planning | Awaiting | Executing | Failed => Ok(To(Planning)),
            Idle => illegal,
        },
        T::Complete => match phase {
            Executing => Ok(To(Idle)),
            Idle | Planning | Awaiting | Failed => illegal,
        },
        T::GateFail => match phase {
            Executing => Ok(Stay),
            Idle | Planning | Awaiting | Failed => illegal,
        },
        T::Fail => match phase {
            Planning | Executing => Ok(To(Failed)),
            Idle | Awaiting | Failed => illegal,
        },
        T::Retry(origin) => match (phase, origin) {
            (Executing, _) => Ok(Stay),
            (Failed, Planning) => Ok(To(Planning)),
            (Failed, Idle | Awaiting | Executing | Failed) => Ok(To(Executing)),
            (Idle | Planning | Awaiting, _) => illegal,
        },
        T::Replan => match phase {
            Planning | Awaiting | Executing | Failed => Ok(To(Planning)),
            Idle => illegal,
        },
        T::Abandon | T::Cancel => match phase {
            Idle => Ok(Nothing),
            Planning | Awaiting | Executing | Failed => Ok(To(Idle)),
        },
        T::Manual => match phase {
            Executing | Failed => Ok(To(Idle)),
            Idle | Planning | Awaiting => illegal,
        },
        T::DiffUp | T::PipelinePaused => match phase {
            Executing => Ok(To(Awaiting)),
            Idle | Planning | Awaiting | Failed => illegal,
        },
        T::PipelineResumed => match phase {
            Awaiting => Ok(To(Executing)),
            Idle | Planning | Executing | Failed => illegal,
        },
        T::BreakoutConfirmed => match phase {
            Awaiting => Ok(To(Idle)),
            Idle | Planning | Executing | Failed => illegal,
        },
        T::ModeSwitch => match phase {
            Idle | Planning | Awaiting | Failed => Ok(Stay),
            Executing => Ok(QueueControl),
        },
        T::Reset => match phase {
            Idle | Planning | Awaiting | Failed => Ok(To(Idle)),
            Executing => Ok(QueueControl),
        },
        T::Redo => match phase {
            Idle => Ok(To(Awaiting)),
            Planning | Executing => Ok(QueueControl),
            Awaiting => Ok(Nothing),
            Failed => Ok(To(Executing)),
        },
        T::Query => Ok(Stay),
        T::Exit => match phase {
            Idle | Awaiting | Failed => Ok(Stay),
            Planning | Executing => Ok(Confirm),
        },
    }
}

#[cfg(test)]
mod tests;
