//! What of a session people are told where there is no screen, in an editor and by a run in a terminal alike.
//!
//! Owns which event is told at all, and the words where both say the same. How it is shown is theirs.

use pilothouse_core::{
    event::{Event, Level},
    hook::HookStatus,
    pipeline::StageEvent,
    plan::{Plan, Revision},
    session::{LaneKind, State},
};

/// What an event is to people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Narration {
    /// Words of the workbench.
    Words(Tone, String),
    /// The words of a model.
    Reply,
    /// Each place has its own way to show it: a call, a change, a plan, a question, an end.
    Shown,
    /// Nothing: it only keeps the books.
    Silent,
}

/// How words are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    /// They are what was asked for.
    Result,
    /// They are to be known.
    Word,
    /// They warn.
    Warning,
    /// They tell that something was done.
    Notice,
    /// They tell how far it is.
    Aside,
}

/// What this event is to people, after the session took it in. Without a wildcard: a new one must choose.
#[expect(clippy::too_many_lines, reason = "every event has its place")]
pub(crate) fn narrate(event: &Event, state: &State) -> Narration {
    use Narration::{Reply, Shown, Silent, Words};
    let kind = |lane| state.transcript.kind(lane);
    match event {
        Event::MessageCompleted { lane, intermediate, .. } => match kind(*lane) {
            // Of a sub-agent its report is told, of a stage its end.
            Some(LaneKind::Child(_)) => Silent,
            Some(LaneKind::Pipeline) if *intermediate => Silent,
            _ => Reply,
        },
        Event::LaneNudged { lane, .. } | Event::CallEnded { lane, .. }
            if matches!(kind(*lane), Some(LaneKind::Child(_))) =>
        {
            Silent
        }
        Event::LaneNudged { text, .. } => Words(Tone::Aside, format!("told the agent: {text}")),
        Event::ChildStarted { work, task, agent, .. } => {
            let task = task.head.lines().next().unwrap_or_default();
            let kind = agent.as_ref().map_or(work.name(), |a| a.name.as_str());
            Words(Tone::Aside, format!("▸ sub-agent, {kind}: {task}"))
        }
        Event::ChildEnded { report, done, .. } => {
            let mark = if *done { "✓" } else { "✗" };
            Words(Tone::Aside, format!("{mark} sub-agent: {}", report.lines().next().unwrap_or_default()))
        }
        Event::TurnDirected { kind, name, origin, file, .. } => {
            Words(Tone::Aside, format!("▸ {} {name} ({}, {file})", kind.name(), origin.name()))
        }
        Event::Staged { happened, .. } => {
            stage_line(state, happened).map_or(Silent, |line| Words(Tone::Aside, line))
        }
        Event::FactsAnswered { text, .. } if text.is_empty() => Silent,
        Event::FactsAnswered { text, .. } => Words(Tone::Result, text.clone()),
        Event::TaskFailed { message, .. } => Words(Tone::Word, format!("✗ {message}")),
        Event::GatePassed { proof, .. } => Words(Tone::Aside, format!("✓ gate {}", proof.command)),
        Event::Notice { level: Level::Info, text } => Words(Tone::Notice, text.clone()),
        Event::Notice { level: Level::Warn | Level::Error, text } => Words(Tone::Warning, text.clone()),
        Event::ModeChanged { mode, inferred: None } => Words(Tone::Notice, format!("Mode: {}.", mode.name())),
        Event::ModeChanged { mode, inferred: Some(word) } => {
            Words(Tone::Aside, format!("{} mode, for \"{word}\"", mode.name()))
        }
        Event::ApplyFailed { message, .. } | Event::RevertFailed { message, .. } => {
            Words(Tone::Warning, message.clone())
        }
        Event::CommitEnded { made: Some(_), told, .. } => Words(Tone::Result, told.clone()),
        Event::MoveBlocked { from, to, why, .. } => {
            Words(Tone::Word, format!("✗ not from {from} to {to}: {why}"))
        }
        Event::HookEnded { name, status, summary, output, .. } => {
            let text = format!("hook {name}: {summary}\n{}", output.head.trim_end());
            match status {
                HookStatus::Passed => Words(Tone::Aside, text.trim_end().to_owned()),
                HookStatus::Failed | HookStatus::TimedOut | HookStatus::Unable => {
                    Words(Tone::Word, format!("✗ {}", text.trim_end()))
                }
                HookStatus::Stopped => Silent,
            }
        }
        // A call, a change, a plan and its steps, a question, a command of the user's; a run, and a commit that is none, of
        // which the end of a run without a screen tells.
        Event::ThinkingStarted { .. }
        | Event::ThinkingFailed { .. }
        | Event::CallStarted { .. }
        | Event::CallEnded { .. }
        | Event::CommandProposed { .. }
        | Event::CommandWrote { .. }
        | Event::Proposed { .. }
        | Event::ProposalEdited { .. }
        | Event::ProposalClosed { .. }
        | Event::ProposalSetAside { .. }
        | Event::ApplyApproved { .. }
        | Event::Applied { .. }
        | Event::PlanReady { .. }
        | Event::TaskCompleted { .. }
        | Event::GateFailed { .. }
        | Event::CheckpointOpened { .. }
        | Event::AnswerChecked { .. }
        | Event::ControlGiven { .. }
        | Event::PermissionChanged { .. }
        | Event::Described { .. }
        | Event::TurnStarted { .. }
        | Event::CommitEnded { made: None, .. }
        | Event::RunCompleted { .. } => Shown,
        Event::SessionOpened { .. }
        | Event::SessionReopened { .. }
        | Event::SessionForked { .. }
        | Event::CallLost { .. }
        | Event::TrustChanged { .. }
        | Event::TrustSought { .. }
        | Event::HooksKnown { .. }
        | Event::HookStarted { .. }
        | Event::MoveHeld { .. }
        | Event::IntentClassified { .. }
        | Event::IntentAsked { .. }
        | Event::TurnDropped { .. }
        | Event::LaneOpened { .. }
        | Event::LaneClosed { .. }
        | Event::NodeTransition { .. }
        | Event::PhaseChanged { .. }
        | Event::PlanShelved { .. }
        | Event::RunStarted { .. }
        | Event::TaskStarted { .. }
        | Event::FilesUntouched { .. }
        | Event::TaskSkipped { .. }
        | Event::TaskCancelled { .. }
        | Event::TaskReset { .. }
        | Event::TaskFreed { .. }
        | Event::GateStarted { .. }
        | Event::GateWentStale { .. }
        | Event::GateHolds { .. }
        | Event::GateStaysRed { .. }
        | Event::TreeSought { .. }
        | Event::TreeSeen { .. }
        | Event::GateReset { .. }
        | Event::GateChanged { .. }
        | Event::RepairStarted { .. }
        | Event::TurnContinues { .. }
        | Event::TurnAskedAgain { .. }
        | Event::TurnTold { .. }
        | Event::TaskAdded { .. }
        | Event::CompactionStarted { .. }
        | Event::Compacted { .. }
        | Event::CompactionFailed { .. }
        | Event::ContextMarked { .. }
        | Event::SourceSeen { .. }
        | Event::CallMade { .. }
        | Event::CallHeld { .. }
        | Event::RulesGranted { .. }
        | Event::RulesKept { .. }
        | Event::HunkDecided { .. }
        | Event::HunkSplit { .. }
        | Event::ProposalStands { .. }
        | Event::ProposalTakenUp { .. }
        | Event::ApplyStarted { .. }
        | Event::RevertStarted { .. }
        | Event::Reverted { .. }
        | Event::CommandEdited { .. }
        | Event::CommandMeant { .. }
        | Event::CommandChanged { .. }
        | Event::CommandStarted { .. }
        | Event::CommandExited { .. }
        | Event::CheckpointResolved { .. }
        | Event::QueueChanged { .. }
        | Event::BudgetSet { .. }
        | Event::LaneHeld { .. }
        | Event::FactRecorded { .. }
        | Event::FactLooked { .. }
        | Event::FactForgotten { .. }
        | Event::FactsAsked { .. }
        | Event::MemoryChanged { .. }
        | Event::MemoryKept { .. }
        | Event::InstructionsTold { .. }
        | Event::TakeBackSought { .. }
        | Event::TakeBackUnmade { .. }
        | Event::CommitSought { .. }
        | Event::CommitApproved { .. }
        | Event::PlanSought { .. }
        | Event::PlanUnread { .. }
        | Event::PauseSet { .. }
        | Event::CandidatesWanted { .. }
        | Event::PlanCandidate { .. }
        | Event::DepthSet { .. }
        | Event::TitleAsked { .. }
        | Event::Titled { .. }
        | Event::TitleFailed { .. }
        | Event::ModelChosen { .. } => Silent,
    }
}

/// What a plan changed of the version before it, where there was one.
pub(crate) fn revised(plan: &Plan, state: &State) -> Option<String> {
    let old = state.versions_before(plan).pop()?;
    Some(format!("v{} since v{}: {}", plan.version, old.version, Revision::of(plan, old).words()))
}

/// What happened to a stage of a pipeline, where that is told.
#[expect(clippy::wildcard_enum_match_arm, reason = "the rest is told by questions, calls and runs")]
fn stage_line(state: &State, happened: &StageEvent) -> Option<String> {
    let of = &state.pipeline.as_ref()?.state;
    let name = |n: usize| {
        let title = of.stage(n).map(pilothouse_core::pipeline::StageSpec::shown).unwrap_or_default();
        format!("{}/{} {title}", n + 1, of.stages())
    };
    match happened {
        StageEvent::StageStarted { stage, round: 0 } => Some(format!("✦ {}", name(*stage))),
        StageEvent::StageStarted { stage, round } => {
            Some(format!("✦ {} (again, round {round})", name(*stage)))
        }
        StageEvent::StageCompleted { stage, note, skipped, spent, .. } => {
            let sign = if *skipped { "–" } else { "✓" };
            Some(format!("{sign} {}: {note}{}", name(*stage), spent.aside()))
        }
        _ => None,
    }
}
