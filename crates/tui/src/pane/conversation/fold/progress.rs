//! How far the plan and the queue are, as the rows tell it.
//!
//! Owns what is known of steps, gates and waiting messages from events alone. Never looks at the session.

use std::collections::{BTreeSet, HashMap};

use pilothouse_core::{
    event::Event,
    ids::{CallId, LaneId, Millis, ProposalId, TaskId, TurnId},
    plan::{GateNews, Task, TaskStatus},
    proposal::Decision,
    session::LaneKind,
};

use super::{Kind, Log, Mark, session::REACHES};
use crate::{
    pane::conversation::entry::{Body, Entry},
    row::Row,
    theme::Slot,
};

/// Characters of a message that is named as queued.
const QUEUED_CHARS: usize = 48;

/// Which steps wrote a file, until they are over.
#[derive(Debug, Default)]
pub(super) struct Begun {
    /// Those.
    pub steps: BTreeSet<TaskId>,
    /// Whose each proposal is.
    pub of: HashMap<ProposalId, TaskId>,
}

impl Log {
    /// Keeps what later rows need to know.
    #[expect(clippy::wildcard_enum_match_arm, reason = "only what moves the plan or the queue")]
    pub(super) fn keep(&mut self, at: Millis, event: &Event) {
        match event {
            Event::TaskAdded { task } => self.task_added(task),
            Event::TaskStarted { task, .. } => self.step = Some((*task, self.begun.steps.contains(task))),
            Event::TaskCompleted { task, .. } => self.settle_task(*task, TaskStatus::Done),
            Event::TaskSkipped { task, undone } => self.settle_task(*task, TaskStatus::left_out(*undone)),
            Event::GatePassed { gate, evidence, .. } => {
                self.settle_gate(gate.0, GateNews::Green(*evidence));
            }
            Event::GateFailed { gate, evidence, proof } => {
                self.settle_gate(gate.0, GateNews::Red(*evidence, proof.exit.code));
                let name = self.gate_name(gate.0);
                self.red.insert(name);
            }
            // Another line has not run, whatever became of the one before it.
            Event::GateChanged { gate, .. } => {
                let name = self.gate_name(gate.0);
                self.red.remove(&name);
            }
            Event::GateReset { gate, skipped: true, why } => {
                self.settle_gate(gate.0, GateNews::LeftOut(*why));
            }
            Event::GateReset { gate, skipped: false, .. } => {
                self.settle_gate(gate.0, GateNews::Due);
            }
            Event::QueueChanged { plan_new, more, later, .. } => {
                self.queue_changed(at, plan_new.iter().chain(more), later);
            }
            Event::HunkDecided { proposal, hunk, decision, .. } => {
                self.left_hunks.remove(&(*proposal, *hunk));
                self.left_hunks.extend((*decision == Some(Decision::Left)).then_some((*proposal, *hunk)));
            }
            Event::Applied { apply } => {
                let files = self.applying.get(apply).into_iter().flatten();
                let of: Vec<TaskId> = files.filter_map(|f| self.begun.of.get(&f.proposal)).copied().collect();
                self.wrote(of);
            }
            Event::CommandWrote { .. } => self.wrote(Vec::new()),
            Event::ProposalClosed { proposal, dropped: false, .. } => {
                if let Some(path) = self.paths.get(proposal) {
                    self.edits.remove(path);
                }
            }
            _ => {}
        }
    }

    /// Steps wrote files: where nothing says which, the one that began last.
    fn wrote(&mut self, of: Vec<TaskId>) {
        self.step = self.step.map(|(task, wrote)| (task, wrote || of.is_empty() || of.contains(&task)));
        let last = self.step.map(|(task, _)| task).filter(|_| of.is_empty());
        self.begun.steps.extend(of.into_iter().chain(last));
    }

    /// A step failed; where it is not the one of the heading above it is named.
    pub(super) fn step_failed(&mut self, at: Millis, task: TaskId, message: &str) {
        let other = self.heading().is_some_and(|head| head != task);
        match self.number_of(task).filter(|_| other) {
            Some(step) => self.fails_as(at, &format!("step {step}: "), message),
            None => self.fails(at, message),
        }
    }

    fn settle_task(&mut self, task: TaskId, status: TaskStatus) {
        let tasks = self.plan.iter_mut().flat_map(|p| &mut p.tasks);
        tasks.filter(|t| t.id == task).for_each(|t| t.status = status);
        self.begun.steps.remove(&task);
    }

    fn settle_gate(&mut self, gate: u64, news: GateNews) {
        let gates = self.plan.iter_mut().flat_map(|p| &mut p.gates);
        gates.filter(|g| g.id.0 == gate).for_each(|g| g.take(news));
    }

    /// A step that the plan got while it ran.
    fn task_added(&mut self, task: &Task) {
        let Some(mut plan) = self.plan.take() else { return };
        if plan.task(task.id).is_none() {
            plan.tasks.push(task.clone());
            self.name_tasks(&plan);
        }
        self.plan = Some(plan);
    }

    /// Tells what waits since now, below the message where that stands last.
    fn queue_changed<'a>(&mut self, at: Millis, works: impl Iterator<Item = &'a TurnId>, later: &[TurnId]) {
        let works: Vec<TurnId> = works.copied().collect();
        let before = std::mem::take(&mut self.queued);
        let when = match self.running {
            Some(_) => "starts when the run ends; /queue lists it",
            None => "starts after the current plan; /queue lists it",
        };
        let fresh = |turn: &&TurnId| !before.contains(turn);
        for turn in works.iter().filter(fresh) {
            self.tell_queued(at, *turn, when);
        }
        let answered = match self.running {
            Some(_) => "answered when the run ends; /queue lists it",
            None => "answered after the current plan; /queue lists it",
        };
        for turn in later.iter().filter(fresh) {
            self.tell_queued(at, *turn, answered);
        }
        self.queued = works.iter().chain(later).copied().collect();
        self.waited = before.into_iter().filter(|turn| !self.queued.contains(turn)).collect();
        for turn in self.waited.clone() {
            self.tell_fate(turn, "removed from the queue");
        }
    }

    /// What became of a line that waited stands where it was said that it waits.
    fn tell_fate(&mut self, turn: TurnId, fate: &str) {
        self.retell(turn, Mark::Skipped, fate);
    }

    /// What is said of a line that waited is another from now on; the row of it.
    fn retell(&mut self, turn: TurnId, mark: Mark, what: &str) -> Option<i64> {
        let key = self.queued_rows.get(&turn).copied()?;
        let Entry { body: Body::Facts(facts), dirty, .. } = self.get_mut(key)? else { return None };
        let row = Row::of(mark.sign(), Slot::Soft).and(&format!(" {what}"), Slot::Soft);
        (facts.lines, *dirty) = (vec![(row, Row::new())], true);
        Some(key)
    }

    /// A message goes to the agent at work: said below it, or where it was said that it waits.
    pub(super) fn told_to_agent(&mut self, at: Millis, turn: TurnId) {
        let key = self.retell(turn, Mark::Dot, REACHES.trim_end_matches('.'));
        let row = key.unwrap_or_else(|| self.end());
        self.told_on.push(row);
        if key.is_none() {
            self.mark(at, Mark::Dot, REACHES);
        }
    }

    /// A lane begins, and with it perhaps what waited: it is said again here, where what comes of it stands below.
    pub(super) fn begins(&mut self, at: Millis, lane: LaneId, (kind, turn): (LaneKind, TurnId)) {
        self.lanes.insert(lane, (kind, turn));
        if !std::mem::take(&mut self.waited).contains(&turn) {
            return;
        }
        self.tell_fate(turn, "was queued; starts below");
        let said = self.entries.iter().rev().find(|e| e.turn == Some(turn));
        if let Some(Body::Said(text)) = said.map(|e| &e.body) {
            let text = text.clone();
            self.add(at, Kind::Said, Body::Said(text));
        }
    }

    /// A model is asked.
    pub(super) fn asked_anew(&mut self, at: Millis, call: CallId, lane: LaneId) {
        self.handed_over(lane);
        self.thinking(at, call, lane);
        self.asking.insert(lane, call);
    }

    /// The agent at work is asked again: what was said to it goes with that.
    fn handed_over(&mut self, lane: LaneId) {
        if !self.kind(lane).is_some_and(LaneKind::of_run) {
            return;
        }
        for key in std::mem::take(&mut self.told_on) {
            if let Some(Entry { body: Body::Facts(facts), dirty, .. }) = self.get_mut(key) {
                let row = Row::of(Mark::Done.sign(), Slot::Ok).and(" passed to the agent", Slot::Soft);
                (facts.lines, *dirty) = (vec![(row, Row::new())], true);
            }
        }
    }

    fn tell_queued(&mut self, at: Millis, turn: TurnId, when: &str) {
        let said = self.entries.iter().rev().find(|e| e.turn == Some(turn));
        let last = self.entries.back().and_then(|e| e.turn) == Some(turn);
        let what = match said.map(|e| &e.body) {
            Some(Body::Said(text)) if !last => {
                let line = text.shown.lines().next().unwrap_or_default();
                let cut = if line.chars().nth(QUEUED_CHARS).is_some() { "…" } else { "" };
                format!("Queued \"{}{cut}\"", line.chars().take(QUEUED_CHARS).collect::<String>())
            }
            Some(_) | None => "Queued".to_owned(),
        };
        self.queued_rows.insert(turn, self.end());
        self.mark(at, Mark::Dot, &format!("{what}: {when}"));
    }
}
