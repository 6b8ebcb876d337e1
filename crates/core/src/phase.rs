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

/// Looks up the table of the design: a row for a trigger, a cell for a phase.
///
/// # Errors
/// When the pair is not in it.
pub const fn transition(phase: Phase, trigger: Trigger) -> Result<Move, Illegal> {
    use Phase::{AwaitingApproval as Awaiting, Executing, Failed, Idle, Planning};
    use Trigger as T;
    const NO: Option<Move> = None;
    const STAY: Option<Move> = Some(Move::Stay);
    const NOTHING: Option<Move> = Some(Move::Nothing);
    const ASK: Option<Move> = Some(Move::Confirm);
    const QUEUE: Option<Move> = Some(Move::QueuePlan);
    const AFTER: Option<Move> = Some(Move::QueueControl);
    const IDLE: Option<Move> = Some(Move::To(Idle));
    const PLAN: Option<Move> = Some(Move::To(Planning));
    const AWAIT: Option<Move> = Some(Move::To(Awaiting));
    const RUN: Option<Move> = Some(Move::To(Executing));
    const FAIL: Option<Move> = Some(Move::To(Failed));
    let [idle, planning, awaiting, executing, failed] = match trigger {
        T::PlanNew => [PLAN, QUEUE, PLAN, QUEUE, PLAN],
        T::PlanContinue => [PLAN, PLAN, PLAN, PLAN, PLAN],
        T::CommandGoal => [RUN, QUEUE, QUEUE, QUEUE, RUN],
        T::PlanReady => [NO, AWAIT, NO, NO, NO],
        T::PlanEmpty => [NO, IDLE, NO, NO, NO],
        T::PlanError => [NO, FAIL, NO, NO, NO],
        T::Approve => [NO, NO, RUN, STAY, NO],
        T::Reject => [NO, NO, PLAN, NO, NO],
        T::Suggest | T::Replan => [NO, PLAN, PLAN, PLAN, PLAN],
        T::Complete => [NO, NO, NO, IDLE, NO],
        T::GateFail => [NO, NO, NO, STAY, NO],
        T::Fail => [NO, FAIL, NO, FAIL, NO],
        T::Retry(Planning) => [NO, NO, NO, STAY, PLAN],
        T::Retry(Idle | Awaiting | Executing | Failed) => [NO, NO, NO, STAY, RUN],
        T::Abandon | T::Cancel => [NOTHING, IDLE, IDLE, IDLE, IDLE],
        T::Manual => [NO, NO, NO, IDLE, IDLE],
        T::DiffUp | T::PipelinePaused => [NO, NO, NO, AWAIT, NO],
        T::PipelineResumed => [NO, NO, RUN, NO, NO],
        T::BreakoutConfirmed => [NO, NO, IDLE, NO, NO],
        T::ModeSwitch => [STAY, STAY, STAY, AFTER, STAY],
        T::Reset => [IDLE, IDLE, IDLE, AFTER, IDLE],
        T::Redo => [AWAIT, AFTER, NOTHING, AFTER, RUN],
        T::Query => [STAY, STAY, STAY, STAY, STAY],
        T::Exit => [STAY, ASK, STAY, ASK, STAY],
    };
    let cell = match phase {
        Idle => idle,
        Planning => planning,
        Awaiting => awaiting,
        Executing => executing,
        Failed => failed,
    };
    match cell {
        Some(found) => Ok(found),
        None => Err(Illegal { phase, trigger }),
    }
}

#[cfg(test)]
mod tests;
