//! What is at stake: named before something that would stop or leave it.
//!
//! Owns the words, which answer a stop would reach, and what waits for the user. Never decides.

use super::{Lane, State};
use crate::{
    checkpoint::{Checkpoint, CheckpointKind},
    fact::first_line,
    ids::{LaneId, Millis, ProposalId},
    intent::Phase,
    lane::LaneKind,
    money::{Spell, count},
    question::{Asked, Exit, Spec},
};

/// So many answers ask the model at a time; what is asked beyond waits its turn.
const MOST_ANSWERS: usize = 4;

impl State {
    /// All that is shown of a question, and how it is answered.
    pub fn spec(&self, question: &Checkpoint) -> Spec {
        let over = question.kind.is_reset();
        let stake = if over { self.at_stake_over() } else { self.at_stake() };
        let (lost, running) = (self.lost_over(), self.is_executing());
        let (plan, proposals) = (self.plan.as_ref(), self.proposals());
        let unchecked = self.began_unchecked();
        question.spec(&Asked { plan, proposals, unchecked, stake: &stake, lost: &lost, running })
    }

    /// What waits with a question, in words that stand for themselves: of a review how many files wait still as it is now; of a
    /// plan its name where that is wanted.
    pub(crate) fn waits(&self, question: &Checkpoint, named: bool) -> String {
        if question.kind.review().is_some() {
            let spec = self.spec(question);
            return format!("{}: {}", spec.title, spec.text);
        }
        let message = first_line(&question.message);
        match self.plan.as_ref().filter(|_| question.kind.is_confirmation()) {
            Some(plan) => {
                let name = if named { format!("{}: ", plan.title) } else { String::new() };
                format!("{name}a plan of {} waits for your yes", count(plan.tasks.len(), "step"))
            }
            None if matches!(question.kind, CheckpointKind::Failure(_)) => {
                format!("the run that failed: {message}")
            }
            None => message.to_owned(),
        }
    }

    /// That nothing checks the active plan, where it began by itself: its review is the first that is asked about it.
    pub fn began_unchecked(&self) -> Option<&str> {
        let plan = self.plan.as_ref()?;
        self.begun.filter(|begun| begun.is_of(plan) && !begun.agreed)?;
        plan.unchecked.as_deref()
    }

    /// What leaving would set aside or stop, in words; empty when nothing is at stake.
    pub fn at_stake(&self) -> Vec<String> {
        let mut out = self.work_at_stake();
        let queued = self.queue.len();
        if queued > 0 {
            out.push(format!("{queued} queued"));
        }
        out
    }

    /// What starting over would set aside or stop.
    pub(super) fn at_stake_over(&self) -> Vec<String> {
        let mut out = self.work_at_stake();
        let aside = self.suspended.as_ref().filter(|p| p.unfinished());
        out.extend(aside.map(crate::plan::Plan::standing));
        out
    }

    /// What of it is not finished, in words: what works or waits, a plan that was left, changes set aside.
    pub fn unfinished_work(&self) -> Vec<String> {
        let aside = self.set_aside().count();
        let aside = (aside > 0).then(|| format!("{} set aside", count(aside, "change")));
        self.at_stake_over().into_iter().chain(aside).collect()
    }

    /// What starting over would forget for good.
    pub(super) fn lost_over(&self) -> Vec<String> {
        let facts = self.facts.len();
        let queued = self.queue.len();
        let facts = (facts > 0).then(|| count(facts, "fact"));
        facts.into_iter().chain((queued > 0).then(|| format!("{queued} queued"))).collect()
    }

    fn work_at_stake(&self) -> Vec<String> {
        let mut out = Vec::new();
        let files = self.open_proposals().count();
        let decided: usize = self.open_proposals().map(|p| p.decided.len()).sum();
        if files > 0 {
            let s = if files == 1 { " waits" } else { "s wait" };
            let done = if decided > 0 { format!(" (hunks decided: {decided})") } else { String::new() };
            out.push(format!("{files} file{s} for your decision{done}"));
        }
        if let Some(plan) = &self.plan {
            out.push(format!("a plan ({} of {} done)", plan.done(), plan.tasks.len()));
        } else if self.run.is_some() || self.is_executing() {
            let command = self.open.values().find_map(|c| c.kind.command());
            let waits = command.filter(|_| self.waits_for_user());
            out.push(waits.map_or_else(|| Exit::RUNS.to_owned(), Exit::waits));
        }
        out
    }

    /// Since when the oldest open question waits.
    pub fn waits_since(&self) -> Option<Millis> {
        self.asked.values().map(|(_, at)| *at).min()
    }

    /// Whether work is begun and all of it waits on the user: nothing goes on before they answer.
    pub fn waits_for_user(&self) -> bool {
        let begun = !self.lanes.is_empty() || self.phase == Phase::Executing;
        begun && !self.open.is_empty() && !self.busy()
    }

    /// The time since the last event is no work of a run that waited all the while.
    pub(super) fn note_wait(&mut self, now: Millis) {
        let waits = self.run.is_some() && !self.open.is_empty() && self.waits_for_user();
        let Some(run) = self.run.as_mut().filter(|_| waits) else { return };
        let since = now.0.saturating_sub(self.at.0);
        run.waited.0 += since;
        self.lanes.values_mut().for_each(|lane| lane.opened.0 += since);
    }

    /// How long the run has worked and waited by now.
    pub fn spell(&self, now: Millis) -> Option<Spell> {
        let run = self.run.as_ref()?;
        let open = if self.waits_for_user() { now.0.saturating_sub(self.at.0) } else { 0 };
        let waited = run.waited.0 + open;
        let worked = now.0.saturating_sub(run.began.0).saturating_sub(waited);
        Some(Spell { worked: Millis(worked), waited: Millis(waited) })
    }

    /// The last answer that is being given and is no run of its own.
    pub fn answering(&self) -> Option<LaneId> {
        self.answers().find(|l| !self.rests(l)).map(|l| l.id)
    }

    /// The last answer that only waits for what it proposed to be looked at.
    pub(super) fn answer_at_rest(&self) -> Option<LaneId> {
        self.answers().find(|l| self.rests(l)).map(|l| l.id)
    }

    fn answers(&self) -> impl Iterator<Item = &Lane> {
        let run = self.run.as_ref().filter(|_| self.plan.is_none()).map(|r| r.turn);
        self.lanes.values().rev().filter(move |l| l.kind == LaneKind::Answer && run != Some(l.turn))
    }

    /// Answers whose call of the model waits for those that were asked before: so many go on at a time.
    pub(super) fn answers_in_turn(&self) -> Vec<LaneId> {
        let answers = self.lanes.values().filter(|l| l.kind == LaneKind::Answer);
        let mut calls: Vec<_> = answers.filter_map(|l| Some((l.thinking?, l.id))).collect();
        calls.sort_unstable();
        calls.into_iter().skip(MOST_ANSWERS).map(|(_, lane)| lane).collect()
    }

    fn rests(&self, lane: &Lane) -> bool {
        lane.thinking.is_none() && self.diff_of(lane.id).is_some()
    }

    /// Whether a stop finds nothing to end: nothing works, and no work waits for the user. Changes that wait alone are no
    /// work, but what the user wants taken back is; a question whether to leave is answered.
    pub fn is_at_rest(&self) -> bool {
        let asks = self.phase_question().is_some_and(|c| !c.kind.is_exit());
        self.phase == Phase::Idle
            && self.lanes.is_empty()
            && !asks
            && !self.busy()
            && self.taken_back().is_empty()
    }

    /// What the user wants taken back and has not decided.
    pub(super) fn taken_back(&self) -> Vec<ProposalId> {
        self.open_proposals().filter(|p| p.back.is_some()).map(|p| p.id).collect()
    }

    /// How many lines of work go on beside the main one; a sub-agent is of the line that called it.
    pub fn lines_beside(&self) -> usize {
        let works = |l: &&Lane| {
            !matches!(l.kind, LaneKind::Child(_)) && (l.kind != LaneKind::Answer || !self.rests(l))
        };
        self.lanes.values().filter(works).count().saturating_sub(self.run_lanes().count().max(1))
    }
}
