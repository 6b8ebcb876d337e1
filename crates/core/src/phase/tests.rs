//! The whole table, cell by cell, as the design has it.

use super::*;

/// A column each: idle, planning, `awaiting_approval`, executing, failed.
/// `-` illegal, `.` stay, `0` nothing, `q` plan queue, `f` control queue, `?` confirm;
/// `i p a e x` the phase that follows.
const TABLE: [(Trigger, &str); 27] = [
    (Trigger::PlanNew, "pqpqp"),
    (Trigger::PlanContinue, "ppppp"),
    (Trigger::CommandGoal, "eqqqe"),
    (Trigger::PlanReady, "-a---"),
    (Trigger::PlanEmpty, "-i---"),
    (Trigger::PlanError, "-x---"),
    (Trigger::Approve, "--e.-"),
    (Trigger::Reject, "--p--"),
    (Trigger::Suggest, "-pppp"),
    (Trigger::Complete, "---i-"),
    (Trigger::GateFail, "---.-"),
    (Trigger::Fail, "-x-x-"),
    (Trigger::Retry(Phase::Executing), "---.e"),
    (Trigger::Retry(Phase::Planning), "---.p"),
    (Trigger::Replan, "-pppp"),
    (Trigger::Abandon, "0iiii"),
    (Trigger::Cancel, "0iiii"),
    (Trigger::Manual, "---ii"),
    (Trigger::DiffUp, "---a-"),
    (Trigger::PipelinePaused, "---a-"),
    (Trigger::PipelineResumed, "--e--"),
    (Trigger::BreakoutConfirmed, "--i--"),
    (Trigger::ModeSwitch, "...f."),
    (Trigger::Reset, "iiifi"),
    (Trigger::Redo, "af0fe"),
    (Trigger::Query, "....."),
    (Trigger::Exit, ".?.?."),
];

fn sign(result: Result<Move, Illegal>) -> char {
    match result {
        Err(_) => '-',
        Ok(Move::Stay) => '.',
        Ok(Move::Nothing) => '0',
        Ok(Move::QueuePlan) => 'q',
        Ok(Move::QueueControl) => 'f',
        Ok(Move::Confirm) => '?',
        Ok(Move::To(Phase::Idle)) => 'i',
        Ok(Move::To(Phase::Planning)) => 'p',
        Ok(Move::To(Phase::AwaitingApproval)) => 'a',
        Ok(Move::To(Phase::Executing)) => 'e',
        Ok(Move::To(Phase::Failed)) => 'x',
    }
}

#[test]
fn every_cell_is_as_the_table_says() {
    for (trigger, row) in TABLE {
        let got: String = Phase::ALL.into_iter().map(|p| sign(transition(p, trigger))).collect();
        assert_eq!(got, row, "{trigger:?}");
    }
}

#[test]
fn a_question_never_moves_the_phase() {
    for phase in Phase::ALL {
        assert_eq!(transition(phase, Trigger::Query), Ok(Move::Stay));
    }
}
