//! The one mutator: events folded into the state.
//!
//! Total over every event, however strange the log. Each machine folds its own share;
//! `fold` lists every event and sends it to one of them. Never decides and never refuses.

mod call;
mod change;
mod child;
mod command;
mod commit;
mod compact;
mod fact;
mod hook;
mod lane;
mod memory;
mod pipeline;
mod plan;
mod question;
mod run;
mod session;
mod trust;
mod turns;

pub use pipeline::{Pipeline, StageCall};

use super::{NO_CALLS, TRUST_TO_TRY, state::State};
use crate::{
    event::{Event, Stamped},
    ids::Seq,
};

impl State {
    pub(super) fn apply(&mut self, stamped: &Stamped) {
        self.note_wait(stamped.at);
        self.seq = stamped.seq;
        self.at = stamped.at;
        self.fold(stamped.seq, &stamped.event);
        self.drop_idle_hooks();
        self.note_hands(&stamped.event);
    }

    /// Takes in an id that was given; one that no session comes to is somebody's invention.
    pub(super) fn saw(&mut self, id: u64) {
        const MOST: u64 = 1 << 53;
        if id <= MOST {
            self.last_id = self.last_id.max(id);
        }
    }

    #[expect(clippy::too_many_lines, reason = "a table: the machine of every event")]
    fn fold(&mut self, seq: Seq, event: &Event) {
        self.age(event);
        self.transcript.fold(seq, event, self.phase);
        self.note_facts(event);
        self.note_mishap(event);
        self.note_taken_back(event);
        self.note_answer(event);
        self.note_pipeline(event);
        self.fold_candidates(event);
        match event {
            Event::SessionOpened { .. }
            | Event::SessionReopened { .. }
            | Event::SessionForked { .. }
            | Event::PhaseChanged { .. }
            | Event::ModeChanged { .. }
            | Event::ControlGiven { .. }
            | Event::PermissionChanged { .. }
            | Event::BudgetSet { .. }
            | Event::Described { .. }
            | Event::TitleAsked { .. }
            | Event::Titled { .. }
            | Event::TitleFailed { .. }
            | Event::ModelChosen { .. } => self.fold_session(event),
            Event::TurnStarted { .. }
            | Event::IntentClassified { .. }
            | Event::IntentAsked { .. }
            | Event::TurnDropped { .. }
            | Event::TurnContinues { .. }
            | Event::TurnAskedAgain { .. }
            | Event::TurnTold { .. }
            | Event::TurnDirected { .. }
            | Event::QueueChanged { .. } => self.fold_turn(seq, event),
            Event::TrustChanged { .. }
            | Event::TrustSought { .. }
            | Event::RulesGranted { .. }
            | Event::RulesKept { .. } => self.fold_trust(event),
            Event::HooksKnown { .. }
            | Event::HookStarted { .. }
            | Event::HookEnded { .. }
            | Event::MoveHeld { .. }
            | Event::MoveBlocked { .. } => self.fold_hook(seq, event),
            Event::RunStarted { .. } | Event::RunCompleted { .. } => self.fold_run(event),
            Event::PlanReady { .. }
            | Event::PlanShelved { .. }
            | Event::PlanSought { .. }
            | Event::PlanUnread { .. }
            | Event::PauseSet { .. }
            | Event::CandidatesWanted { .. }
            | Event::PlanCandidate { .. }
            | Event::TaskAdded { .. }
            | Event::TaskStarted { .. }
            | Event::TaskCompleted { .. }
            | Event::FilesUntouched { .. }
            | Event::TaskFailed { .. }
            | Event::TaskSkipped { .. }
            | Event::TaskCancelled { .. }
            | Event::TaskReset { .. }
            | Event::TaskFreed { .. }
            | Event::GateStarted { .. }
            | Event::GatePassed { .. }
            | Event::GateFailed { .. }
            | Event::GateWentStale { .. }
            | Event::GateHolds { .. }
            | Event::GateStaysRed { .. }
            | Event::TreeSought { .. }
            | Event::TreeSeen { .. }
            | Event::GateReset { .. }
            | Event::GateChanged { .. }
            | Event::RepairStarted { .. } => self.fold_plan(seq, event),
            Event::CheckpointOpened { .. } | Event::CheckpointResolved { .. } => {
                self.fold_question(seq, event);
            }
            Event::CompactionStarted { .. }
            | Event::Compacted { .. }
            | Event::CompactionFailed { .. }
            | Event::ContextMarked { .. } => self.fold_compaction(event),
            Event::LaneOpened { .. }
            | Event::LaneClosed { .. }
            | Event::LaneNudged { .. }
            | Event::NodeTransition { .. }
            | Event::LaneHeld { .. }
            | Event::ThinkingStarted { .. }
            | Event::MessageCompleted { .. }
            | Event::ThinkingFailed { .. } => self.fold_lane(seq, event),
            Event::ChildStarted { .. } | Event::ChildEnded { .. } => self.fold_child(seq, event),
            Event::CallMade { .. }
            | Event::CallStarted { .. }
            | Event::CallHeld { .. }
            | Event::CallEnded { .. }
            | Event::CallLost { .. }
            | Event::SourceSeen { .. } => self.fold_call(seq, event),
            Event::CommandEdited { .. }
            | Event::CommandProposed { .. }
            | Event::CommandMeant { .. }
            | Event::CommandChanged { .. }
            | Event::CommandStarted { .. }
            | Event::CommandExited { .. } => self.fold_command(event),
            Event::Proposed { .. }
            | Event::HunkDecided { .. }
            | Event::HunkSplit { .. }
            | Event::ProposalEdited { .. }
            | Event::ProposalStands { .. }
            | Event::ProposalClosed { .. }
            | Event::ProposalSetAside { .. }
            | Event::ProposalTakenUp { .. }
            | Event::ApplyApproved { .. }
            | Event::ApplyStarted { .. }
            | Event::Applied { .. }
            | Event::ApplyFailed { .. }
            | Event::RevertStarted { .. }
            | Event::Reverted { .. }
            | Event::RevertFailed { .. }
            | Event::CommandWrote { .. }
            | Event::TakeBackSought { .. }
            | Event::TakeBackUnmade { .. } => self.fold_change(event),
            Event::CommitSought { .. } | Event::CommitApproved { .. } | Event::CommitEnded { .. } => {
                self.fold_commit(event);
            }
            Event::FactRecorded { .. }
            | Event::FactLooked { .. }
            | Event::FactForgotten { .. }
            | Event::FactsAsked { .. }
            | Event::FactsAnswered { .. }
            | Event::AnswerChecked { .. } => self.fold_facts(event),
            Event::MemoryChanged { .. } | Event::MemoryKept { .. } | Event::InstructionsTold { .. } => {
                self.fold_memory(event);
            }
            Event::Staged { .. } | Event::DepthSet { .. } => self.fold_pipeline(event),
            Event::Notice { text, .. } => {
                self.told_no_calls |= text == NO_CALLS;
                self.told_to_trust |= text == TRUST_TO_TRY;
            }
        }
    }
}
