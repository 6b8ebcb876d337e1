//! The deciders: an input in this state becomes events.
//!
//! `decide` only routes; each concern has a decider of its own. Events are folded in as they are
//! decided, so what is decided next sees them. Never performs anything.

mod about;
mod again;
mod answer;
mod aside;
mod breakout;
mod budget;
mod call;
mod candidates;
mod change;
mod child;
mod command;
mod commit;
mod compact;
mod complete;
mod control;
mod declined;
mod deeper;
mod ending;
mod fact;
mod gate;
mod goal;
mod hook;
mod kept;
mod lane;
mod leave;
mod memory;
mod model;
mod open;
mod pause;
mod permit;
mod picked;
mod pipeline;
mod plan;
mod queue;
mod recipe;
mod run;
mod say;
mod sequence;
mod shown;
mod source;
mod spared;
mod steer;
mod stop;
mod take_back;
mod task;
mod terms;
mod tried;
mod trust;
mod turns;
mod unclear;
mod undo;
mod up;
mod verdict;
mod which;
mod words;
mod written;

use std::sync::Arc;

use super::{Bounds, Tiers, state::State};
use crate::{
    blob::{Blob, Excerpt},
    checkpoint::{Answer, Checkpoint, CheckpointKind},
    connection::Connections,
    event::{Event, Level, Stamped},
    ids::{ApprovalId, CheckpointId, Millis, Seq},
    input::{Input, Refusal},
    intent::Phase,
    memory::Memory,
    phase::{Move, Trigger, transition},
    pipeline::Agents,
    plan::{GateDraft, Plan, Programs, Workspace},
    policy::Policy,
    question::Confirmation,
    recipe::Recipes,
    work::Printed,
};

/// What is configured, as far as deciding depends on it; no part of what happened.
#[derive(Clone, Debug, Default)]
pub(super) struct Under {
    pub tiers: Tiers,
    pub policy: Arc<Policy>,
    pub gates: Arc<[GateDraft]>,
    pub memory: Arc<Memory>,
    pub recipes: Arc<Recipes>,
    pub agents: Arc<Agents>,
    pub connections: Arc<Connections>,
    pub bounds: Bounds,
    pub programs: Option<Arc<dyn Programs>>,
    pub files: Option<Arc<dyn Workspace>>,
    pub printed: Option<Arc<dyn Printed>>,
    /// The branch of the workspace.
    pub branch: Option<String>,
}

impl Under {
    /// The program that a line needs and that is not here.
    pub fn lacks(&self, line: &str) -> Option<String> {
        let programs = self.programs.as_ref()?;
        crate::shell::needs(line).into_iter().find(|name| !programs.has(name))
    }

    /// What else a line needs that is not here, with the command that mends it.
    pub fn unready(&self, line: &str) -> Option<String> {
        self.programs.as_ref()?.unready(line)
    }
}

/// Events being decided.
pub(super) struct Draft<'a> {
    state: &'a mut State,
    under: &'a Under,
    at: Millis,
    blobs: Vec<Blob>,
    events: Vec<Stamped>,
    /// Whether the user leaves: what waits for their decision waits for it when they come back.
    leaving: bool,
}

type Decided = Result<(), Refusal>;

impl<'a> Draft<'a> {
    pub fn new(state: &'a mut State, under: &'a Under, at: Millis) -> Self {
        Self { state, under, at, blobs: Vec::new(), events: Vec::new(), leaving: false }
    }

    /// What was decided. A refusal after the first event is told as a notice: what was recorded
    /// before it stands.
    pub fn finish(mut self, decided: Decided) -> Result<(Vec<Blob>, Vec<Stamped>), Refusal> {
        if let Err(refusal) = decided {
            if self.events.is_empty() {
                return Err(refusal);
            }
            self.notice(Level::Info, refusal.reason);
        }
        Ok((self.blobs, self.events))
    }

    pub fn decide(&mut self, input: Input) -> Decided {
        // Whatever was cut off in a log that nobody works on stays as it is.
        let settles = !matches!(input, Input::Describe(_));
        let decided = self.route_input(input);
        if settles && (decided.is_ok() || !self.events.is_empty()) {
            self.settle();
        }
        decided
    }

    /// Whatever was dropped or answered: no lane is left with nothing to wait for, no run without
    /// its next step, no phase without its question.
    fn settle(&mut self) {
        self.close_access_of_gone_calls();
        self.end_children_of_gone_calls();
        self.settle_pipeline();
        for lane in self.state.lanes.keys().copied().collect::<Vec<_>>() {
            self.advance(lane);
        }
        if self.state.phase == Phase::Executing && self.state.plan.is_some() && self.state.run.is_some() {
            self.continue_run();
        }
        self.go_on_once_decided();
        self.settle_budget();
        self.ask_of_phase();
    }

    #[expect(clippy::too_many_lines, reason = "one input after the other")]
    fn route_input(&mut self, input: Input) -> Decided {
        match input {
            Input::Open(opening) => self.open(opening),
            Input::Fork(fork) => self.fork(fork),
            Input::Say { text, seen } => self.said(&text, seen),
            Input::Describe(change) => self.describe(change),
            Input::Queue(text) => self.enqueue(&text),
            Input::Tell(text) => self.tell(&text),
            Input::EditPlan { text, version } => self.edit_plan(&text, version),
            Input::Rerun(step) => self.rerun(step),
            Input::SetPause(pause, on) => self.set_pause(pause, on),
            Input::Answer { checkpoint, answer, shown } => self.answer(checkpoint, answer, shown),
            Input::Decide { proposal, hunk, decision, shown } => self.hunk(proposal, hunk, decision, shown),
            Input::DecideLines { proposal, hunk, lines, decision, shown } => {
                self.decide_lines((proposal, hunk, shown), lines, decision)
            }
            Input::Split { proposal, hunk, shown } => self.split(proposal, hunk, shown),
            Input::Comment { proposal, hunk, text, shown } => self.comment(proposal, hunk, text, shown),
            Input::Apply { proposals, word, rest } => self.approve_changes(&proposals, word.as_deref(), rest),
            Input::Skip { proposals, reason } => self.skip_changes(&proposals, &reason),
            Input::EditProposal { proposal, redraft, shown } => self.edit_proposal(proposal, redraft, shown),
            Input::Up => self.up_to_plan(),
            Input::Cancel => self.cancel(),
            Input::StopAnswer => self.cancel_answer(),
            Input::SetPermission(mode) => self.set_ceiling(control::Ceiling::of(mode)),
            Input::SetBudget(limits) => self.set_budget_for_now(limits),
            Input::Undo => self.undo(),
            Input::UndoTo { to, last } => self.undo_to(to, last),
            Input::UndoFile { path, writes } => self.undo_file(path, writes),
            Input::TakeBackMade { lane, result } => self.take_back_made(lane, result),
            Input::Redo => self.redo_change(),
            Input::TiersAnswered { turn, said } => self.understood(turn, *said),
            Input::Crowded { call } => self.crowded(call),
            Input::Summarized { call, result } => self.summarized(call, result),
            Input::Titled { call, result } => self.titled(call, result),
            Input::Mark { entry, mark } => self.mark(entry, mark),
            Input::Replied { call, reply } => self.replied(call, reply),
            Input::Recalled { turn, places } => self.recalled(turn, places),
            Input::BrokenOff { call, partial, fault } => self.broken_off(call, *partial, fault),
            Input::ToolEnded { call, outcome } => self.tool_ended(call, outcome),
            Input::Recovered { call, line, wrote } => self.recovered(call, &line, *wrote),
            Input::CommandStarted { call, process } => self.command_started(call, process),
            Input::ApplyPrepared { apply, files } => self.prepared(apply, files),
            Input::ReviewSeen(moved) => {
                self.review_seen(moved);
                Ok(())
            }
            Input::ApplyEnded { apply, result } => self.apply_ended(apply, result),
            Input::RevertEnded { apply, result } => self.revert_ended(apply, result),
            Input::PlanRead { call, result } => self.plan_read(call, result),
            Input::TreeSeen { call, tree } => self.tree_seen(call, tree),
            Input::FilesSeen { tree } => self.files_seen(tree),
            Input::FactsSeen { places } => {
                self.facts_seen(places);
                Ok(())
            }
            Input::BroughtChanged { path } => self.brought_changed(&path),
            Input::TrustDecided { trusted } => self.trust_decided(trusted),
            Input::CommitLooked { commit, result } => self.commit_looked(commit, result),
            Input::Committed { commit, result } => self.committed(commit, result),
            Input::HookEnded { call, outcome } => self.hook_ended(call, outcome),
            Input::CommandResolved { checkpoint, meant } => self.looked(checkpoint, meant),
            Input::RulesKept { approval, result } => self.rules_kept(approval, result),
            Input::MemoryKept { approval, result } => self.memory_kept(approval, result),
            Input::EditMemory { owner, before, text } => self.edit_memory(owner, before, text),
            Input::SourceAsks(form) => self.source_asks(form),
            Input::ServersNamed(servers) => self.servers_named(servers),
            Input::Instructed { call, path, text } => self.instructed(call, path, text),
            Input::Surveyed(standing) => self.surveyed(standing),
            Input::HooksRead(hooks) => self.hooks_read(&hooks),
            Input::StageGathered { pipeline: of, step, material } => self.stage_gathered(of, step, &material),
            Input::BreakoutJudged { turn, said } => self.breakout_judged(turn, said),
            Input::Panicked { call, apply, message } => self.panicked(call, apply, &message),
        }
    }

    fn emit(&mut self, event: Event) {
        let seq = Seq(self.state.seq.0 + 1);
        let run = self.state.run.as_ref().map(|r| r.id);
        let stamped = Stamped { seq, at: self.at, run, event };
        let running = self.state.hook_runs.clone();
        self.state.apply(&stamped);
        let hooked = !self.state.hooks.is_empty() || !running.is_empty();
        let event = hooked.then(|| stamped.event.clone());
        self.events.push(stamped);
        if let Some(event) = event {
            self.stop_idle_hooks(running, &event);
            self.call_hooks(seq, &event);
        }
    }

    fn id(&self) -> u64 {
        self.state.last_id + 1
    }

    fn excerpt(&mut self, text: impl Into<String>) -> Excerpt {
        Excerpt::of(text, &mut self.blobs)
    }

    fn notice(&mut self, level: Level, text: impl Into<String>) {
        self.emit(Event::Notice { level, text: text.into() });
    }

    /// Moves the phase as the table says.
    fn go(&mut self, trigger: Trigger) -> Result<Move, Refusal> {
        let from = self.state.phase;
        let step = transition(from, trigger).map_err(|e| Refusal::new(e.to_string()))?;
        if let Move::To(to) = step
            && to != from
        {
            self.emit(Event::PhaseChanged { from, to });
        }
        Ok(step)
    }

    /// As [`Draft::go`], where the caller has made sure that the table allows it.
    fn must_go(&mut self, trigger: Trigger) {
        if let Err(refusal) = self.go(trigger) {
            self.notice(Level::Error, format!("internal: {refusal}"));
        }
    }

    /// Opens the question that the phase stands for, once no other holds it.
    fn ask_of_phase(&mut self) {
        if self.state.phase_question().is_some() || self.ask_of_pipeline() {
            return;
        }
        match self.state.phase {
            Phase::AwaitingApproval if self.leaves_for_act() => {}
            Phase::AwaitingApproval => {
                let of = self.state.plan.as_ref().map(Plan::shown);
                self.ask(Confirmation { of }, Confirmation::ASKS);
            }
            Phase::Failed => {
                if let Some(failure) = self.state.failure.clone() {
                    let message = failure.message.clone();
                    self.ask(failure, message);
                }
            }
            Phase::Executing => self.ask_of_gate(),
            Phase::Idle | Phase::Planning => {}
        }
    }

    /// Opens a question. One that holds the phase takes the place of an earlier such one: a call
    /// that waited for that is told so and goes on.
    fn ask(&mut self, kind: impl Into<CheckpointKind>, message: impl Into<String>) -> CheckpointId {
        let kind = kind.into();
        let old = self.state.phase_question().filter(|_| kind.is_phase_own()).cloned();
        if let Some(old) = &old {
            self.close(old.id, None);
        }
        let id = CheckpointId(self.id());
        let run = self.state.run.as_ref().map(|r| r.id);
        let checkpoint = Checkpoint { id, kind, message: message.into(), run };
        self.emit(Event::CheckpointOpened { checkpoint });
        if let Some((lane, call)) = old.and_then(|o| o.kind.lane().zip(o.kind.call()))
            && self.state.open_call(call).is_some()
        {
            let text = "the question was dropped: something more urgent came up; go on without an answer";
            self.end_call(lane, call, crate::event::CallStatus::Refused, text);
            self.advance(lane);
        }
        id
    }

    /// Closes a question with an answer that allows something, and returns the approval.
    fn allow(&mut self, checkpoint: CheckpointId, answer: Answer) -> ApprovalId {
        let approval = ApprovalId(self.id());
        self.emit(Event::CheckpointResolved { checkpoint, answer: Some(answer), approval: Some(approval) });
        self.close_which(checkpoint);
        approval
    }

    /// Closes a question without allowing anything.
    fn close(&mut self, checkpoint: CheckpointId, answer: Option<Answer>) {
        self.emit(Event::CheckpointResolved { checkpoint, answer, approval: None });
        self.close_which(checkpoint);
    }

    /// Closes the question that holds the phase, if one does.
    fn close_phase_question(&mut self) {
        if let Some(id) = self.state.phase_question().map(|c| c.id) {
            self.close(id, None);
        }
    }
}
