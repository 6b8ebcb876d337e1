//! Steering: what is said to a run while it works, and what becomes of it.
//!
//! Owns that nothing said to a run ends it unless it plainly asks for that. What a message forbids to
//! touch is not touched from then on.

use super::{Decided, Draft, command::SKIPPED, say::SURE_WORD, terms::Mend};
use crate::{
    checkpoint::{Answer, Checkpoint, CheckpointKind},
    event::{CallStatus, Event, Level},
    fact::shortened,
    ids::{CallId, CheckpointId, GateId, TaskId, TurnId},
    input::Refusal,
    intent::{Clarify, Classification, IntentNode, IntentPath, Mode, Nth, Phase, Reading, Source, Turn},
    plan::{Task, TaskStatus},
    relpath::RelPath,
    scope::Capability,
    session::{Lane, state::HEAD_CHARS},
    shell::is_prose,
};

/// Why a call is not made that would ask the user, or waited for their review, where they said something meanwhile.
pub(super) const SAID_FIRST: &str = "not done: the user said something meanwhile; hear that first";

/// Longest title of a step that was added, in characters.
const TITLE_CHARS: usize = 60;

/// What becomes of a message that is about what runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Steering {
    /// It becomes the last step of the plan.
    Add,
    /// What works reads it at its next step.
    Tell,
    /// The gate that failed and asks what to do is repaired by it.
    Mend(CheckpointId, GateId),
    /// The gate that failed and asks what to do is left out: the user says to leave it be.
    Skip(CheckpointId, GateId),
    /// The gate whose run waits for a yes is left out: the user says to leave it be.
    LeaveOut(CheckpointId, CallId),
    /// Steps of the plan that wait are left out of it.
    Omit,
    /// The call that waits for a yes is denied with it.
    Deny(CheckpointId),
    /// The run stops, and the plan is made anew with it.
    Replan,
    /// The same once the step at work is done: it is about the steps of the plan.
    Revise,
    /// The user is asked.
    Ask,
}

impl Draft<'_> {
    /// What becomes of a message beside a run; `None` for one that is not about it.
    pub(super) fn steering(&self, reading: &Reading) -> Option<Steering> {
        let corrects = self.corrects(reading);
        // What is to be changed says the gate.
        let bare = reading.clarify == Some(Clarify::Vague);
        let ordered = || orders_change(reading) && !self.stands_apart(&reading.text);
        let mends = self.red_gate().filter(|_| corrects || bare || ordered());
        let omits = self.omits(&reading.text).is_some();
        let newest = self.state.newest_question().map(|c| c.id);
        let red = self.red_gate().filter(|(asked, _)| Some(*asked) == newest);
        let skips = red.filter(|_| self.under.tiers.classifier.leaves_be(&reading.text));
        let leaves = self.gate_asked().filter(|_| self.under.tiers.classifier.leaves_be(&reading.text));
        let (classifier, text) = (&self.under.tiers.classifier, reading.text.as_str());
        let checks = self.state.plan.is_some() && reading.paused.is_none() && classifier.adds_check(text);
        let is_work = is_work(&reading.whole) || checks;
        let of_run = |(_, lane): &(&Checkpoint, &Lane)| self.state.hears(lane);
        let denied = self.call_declined(reading).filter(of_run);
        let works =
            is_work || corrects || mends.is_some() || skips.is_some() || leaves.is_some() || denied.is_some();
        let works = works || omits;
        if self.state.phase != Phase::Executing || !works || by_name(reading) {
            return None;
        }
        if omits {
            return Some(Steering::Omit);
        }
        let continues = reading.whole.turn == Turn::PlanContinue;
        // "don't run it, …" forbids no change that the run is to make.
        let of_it = denied.is_some() && !classifier.refuses(text);
        if continues && !of_it && self.replaces(reading) {
            return Some(Steering::Replan);
        }
        if self.revises(text) {
            let rests = self.state.run_lane().is_none();
            return Some(if rests { Steering::Replan } else { Steering::Revise });
        }
        if let Some((asked, gate)) = skips {
            return Some(Steering::Skip(asked, gate));
        }
        if let Some((asked, call)) = leaves.and_then(|c| Some((c.id, c.kind.command()?.call))) {
            return Some(Steering::LeaveOut(asked, call));
        }
        // A no that goes on says no, and says why.
        let refused = || self.call_asked().filter(of_run).filter(|_| classifier.refuses(text));
        if let Some((asked, _)) = denied.or_else(refused) {
            return Some(Steering::Deny(asked.id));
        }
        let acts = changes(&reading.whole) || checks;
        let spares = !classifier.spares(text).is_empty();
        let adds = classifier.adds(text) || classifier.adds_step(text);
        if !spares && acts && adds && self.state.plan.is_some() {
            return Some(if self.state.mode == Mode::Proof { Steering::Ask } else { Steering::Add });
        }
        // A model that was asked knows what runs: what it surely takes for a word about that is one, however it is said.
        let asked = matches!(reading.whole.source, Source::Llm | Source::Cache);
        let confirmed = continues && asked && reading.whole.confidence >= SURE_WORD;
        if let Some((asked, gate)) = mends {
            return Some(Steering::Mend(asked, gate));
        }
        let held = self.state.run.as_ref().map(|run| self.state.spares_of(run.turn)).unwrap_or_default();
        let frees = classifier.frees(text).iter().any(|name| held.holds(name));
        let about =
            spares || frees || corrects || confirmed || (classifier.steers(text) && (continues || !acts));
        (about && self.hears()).then_some(Steering::Tell)
    }

    /// Whether a message beside a run opens as a correction of it, "yes, but …" or "no, …": it is about what runs,
    /// whatever else it names, and no later tier is asked. A no that is all it says is none.
    pub(super) fn corrects(&self, reading: &Reading) -> bool {
        let word = matches!(reading.whole.turn, Turn::Control(_)) && self.is_sure(&reading.whole);
        let classifier = &self.under.tiers.classifier;
        !word
            && !by_name(reading)
            && reading.paused.is_none()
            && (self.hears() || self.red_gate().is_some() && classifier.says_what_instead(&reading.text))
            && classifier.corrects(&reading.text)
    }

    /// The steps of the plan that runs which a line leaves out, where none of them has begun.
    pub(super) fn omits(&self, text: &str) -> Option<Vec<TaskId>> {
        let plan = self.state.plan.as_ref().filter(|_| self.state.phase == Phase::Executing)?;
        let steps = self.under.tiers.classifier.leaves_out(text)?;
        let task = |step: &Nth| match step {
            Nth::At(number) => plan.tasks.get(number.checked_sub(1)?),
            Nth::Last => plan.tasks.last(),
        };
        let waits = |t: &&Task| t.status == TaskStatus::Pending;
        steps.iter().map(|step| task(step).filter(waits).map(|t| t.id)).collect()
    }

    /// The order that a message is which puts something on top of the plan that runs, though by itself it is read as talk:
    /// "also say how many were skipped".
    pub(super) fn on_top(&self, reading: &Reading) -> Option<Reading> {
        let runs = self.state.phase == Phase::Executing && self.state.plan.is_some();
        let talk = matches!(reading.whole.turn, Turn::Query(_)) && !reading.forbids_change;
        let asks_nothing = runs && talk && reading.paused.is_none() && !by_name(reading);
        (asks_nothing && self.under.tiers.classifier.adds_step(&reading.text)).then(|| {
            let mut reading = reading.clone();
            reading.whole.turn = Turn::PlanContinue;
            reading.whole.path = IntentPath::to(IntentNode::Modify);
            reading.whole.reasoning.push_str("; put on top of what is running");
            reading.clarify = None;
            reading
        })
    }

    /// The gate that failed and asks what to do, where one does: no work would come to an end that waits for this run's.
    fn red_gate(&self) -> Option<(CheckpointId, GateId)> {
        let asked = self.state.phase_question()?;
        let CheckpointKind::Failure(failure) = &asked.kind else { return None };
        failure.gate.map(|gate| (asked.id, gate))
    }

    /// Whether an order stands by itself beside a gate that failed: it names files, and none that the plan or what the gate
    /// said speaks of. One that is not there may be what the gate lacks, but for prose.
    fn stands_apart(&self, text: &str) -> bool {
        let classifier = &self.under.tiers.classifier;
        let asked = self.state.phase_question().map(|c| &c.kind);
        let told =
            if let Some(CheckpointKind::Failure(failure)) = asked { failure.message.as_str() } else { "" };
        let plan = self.state.plan.as_ref();
        let spoken = |name: &String| told.contains(name.as_str()) || plan.is_some_and(|p| p.speaks_of(name));
        let there = |name: &String| {
            let path = RelPath::new(name).ok();
            path.zip(self.under.files.as_ref()).is_some_and(|(path, files)| files.has(&path))
        };
        let named = classifier.files(text);
        let other = named.iter().any(|name| is_prose(name) || there(name));
        other && !named.iter().any(spoken) && classifier.stands_apart(text).is_some()
    }

    /// The command of a gate that waits for a yes, where it was asked about last.
    pub(super) fn gate_asked(&self) -> Option<&Checkpoint> {
        self.state.newest_question().filter(|c| c.kind.command().is_some_and(|c| c.gate.is_some()))
    }

    /// Whether a message plainly wants the plan that runs stopped or made anew.
    pub(super) fn replaces(&self, reading: &Reading) -> bool {
        reading.whole.source == Source::Slash || self.under.tiers.classifier.replaces(&reading.text)
    }

    /// Whether a model of the run works now, or will at its next step.
    pub(super) fn hears(&self) -> bool {
        self.state.run_hears()
    }

    pub(super) fn steer(&mut self, turn: TurnId, steering: Steering) -> Decided {
        match steering {
            Steering::Add => self.add_step(turn),
            Steering::Tell => self.tell_on(turn),
            Steering::Mend(asked, gate) => {
                self.hand_on(turn);
                return self.repair((asked, Answer::AutoFix), gate, Mend::Told);
            }
            Steering::Skip(asked, gate) => {
                self.hand_on(turn);
                self.settle_gate((asked, Answer::Skip), gate, true);
            }
            Steering::LeaveOut(asked, call) => {
                self.hand_on(turn);
                self.deny_call(asked, call, Answer::Skip, SKIPPED);
            }
            Steering::Omit => self.omit_steps(turn),
            // Why is told with the message itself.
            Steering::Deny(asked) => {
                self.hand_on(turn);
                return self.turn_down(asked);
            }
            Steering::Replan => return self.route_continue(turn),
            Steering::Revise => self.revise_later(turn),
            Steering::Ask => {
                let text = self.state.turns.get(&turn).map(|t| t.head.clone()).unwrap_or_default();
                let text: String = text.chars().take(HEAD_CHARS).collect();
                self.ask_of_run(text);
            }
        }
        Ok(())
    }

    /// Whether a message wants the steps of the plan that runs changed, and not only those at work: these hear it.
    fn revises(&self, text: &str) -> bool {
        let Some(plan) = &self.state.plan else { return false };
        let Some(steps) = self.under.tiers.classifier.revises(text) else { return false };
        let works = |n: &usize| {
            n.checked_sub(1)
                .and_then(|at| plan.tasks.get(at))
                .is_some_and(|t| t.status == TaskStatus::Running)
        };
        steps.is_empty() || !steps.iter().all(works)
    }

    /// The plan is changed by a message where its run comes to the next step; until then it waits in the queue. What it
    /// forbids to touch is not touched from now on.
    fn revise_later(&mut self, turn: TurnId) {
        let Some(of) = self.state.plan.as_ref().map(|p| p.turn) else { return };
        self.emit(Event::TurnContinues { turn, of });
        self.leave_alone(turn);
        self.queue_plan(turn);
    }

    /// The messages that wait to change the plan that runs.
    pub(super) fn revisions(&self) -> Vec<TurnId> {
        let Some(plan) = &self.state.plan else { return Vec::new() };
        let of = |turn: &TurnId| self.state.work_of(*turn) == self.state.work_of(plan.turn);
        self.state.queue.works().filter(of).collect()
    }

    /// Changes the plan by what was said meanwhile, between two steps; whether it did, or does once what is asked has
    /// its answer.
    pub(super) fn revises_between(&mut self) -> bool {
        let revisions = self.revisions();
        if revisions.is_empty() || self.is_asked_otherwise() {
            return !revisions.is_empty();
        }
        self.take_from_queue(&revisions);
        for turn in revisions {
            if let Err(refusal) = self.route_continue(turn) {
                self.notice(Level::Info, refusal.reason);
            }
        }
        true
    }

    /// A line for what runs, whatever it sounds like; an empty one stands for what waits last in the queue.
    pub(super) fn tell(&mut self, text: &str) -> Decided {
        let line = text.trim();
        if text.is_empty() {
            return match self.state.queue.works().count() {
                0 => Err(Refusal::new("there is no draft and nothing queued to tell the agent")),
                last => self.queued(&format!("tell {last}")),
            };
        }
        let reading = self.read(line);
        if line.is_empty() || line.starts_with('!') || reading.slash.is_some() || !self.hears() {
            return Err(Refusal::new("no agent is running to read it; Enter sends it"));
        }
        let turn = self.record(None, line, &reading);
        self.tell_on(turn);
        Ok(())
    }

    /// The same, and where an answer comes first that is said: nothing goes on before it.
    fn tell_on(&mut self, turn: TurnId) {
        self.hand_on(turn);
        if self.state.hears_after_answer() {
            self.notice(Level::Info, "The agent gets that with your answer to the question above.");
        }
    }

    /// What works reads a message at its next step; what it has drafted stays.
    pub(super) fn hand_on(&mut self, turn: TurnId) {
        self.hand_over(turn);
        self.leave_alone(turn);
        self.hear_before_review();
    }

    /// The message is told to what works, which has not heard it yet.
    pub(super) fn hand_over(&mut self, turn: TurnId) {
        let run_of = self.state.run.as_ref().map(|r| r.turn).unwrap_or_default();
        self.emit(Event::TurnTold { turn, run_of });
    }

    pub(super) fn hear_before_review(&mut self) {
        // A step that is drafted and waits for its review goes on at once, and so do its calls that wait for that; the
        // review comes after.
        let asked = |call: CallId| self.state.open.values().any(|c| c.kind.call() == Some(call));
        let rests = |l: &&Lane| {
            self.state.hears(l)
                && l.thinking.is_none()
                && l.calls.iter().all(|c| c.allowed.is_none() && !asked(c.call))
        };
        let waits = self.state.lanes.values().filter(rests);
        let waits = waits.filter_map(|l| Some((l.id, self.state.diff_of(l.id)?.id)));
        let waits: Vec<_> = waits.filter(|(lane, _)| !self.writes_for(*lane)).collect();
        for (lane, review) in waits {
            let calls = self.state.lanes.get(&lane).into_iter().flat_map(|l| &l.calls);
            for call in calls.map(|c| c.call).collect::<Vec<_>>() {
                self.end_call(lane, call, CallStatus::Refused, SAID_FIRST);
            }
            self.close(review, None);
            self.think(lane);
        }
    }

    /// Steps that wait are left out: what needs one of them is asked about when it comes to that.
    fn omit_steps(&mut self, turn: TurnId) {
        let Some((plan, info)) = self.state.plan.clone().zip(self.state.turns.get(&turn)) else { return };
        let tasks = self.omits(info.request.as_deref().unwrap_or(&info.head)).unwrap_or_default();
        self.emit(Event::TurnContinues { turn, of: plan.turn });
        let mut named = Vec::new();
        for (at, task) in plan.tasks.iter().enumerate().filter(|(_, t)| tasks.contains(&t.id)) {
            self.emit(Event::TaskSkipped { task: task.id, undone: false });
            named.push(format!("step {} \"{}\"", at + 1, task.title));
        }
        self.notice(Level::Info, format!("Left out of the plan: {}.", named.join(", ")));
        if self.state.run_lane().is_none() && self.state.phase_question().is_none() {
            self.continue_run();
        }
    }

    /// The message becomes the last step of the plan that runs.
    fn add_step(&mut self, turn: TurnId) {
        let Some((plan, info)) = self.state.plan.as_ref().zip(self.state.turns.get(&turn)) else { return };
        let said = info.request.as_deref().unwrap_or(&info.head);
        let node = info.path.current();
        let node = if self.under.tiers.classifier.adds_check(said) {
            // "also check q2" looks, whatever it is taken for.
            IntentNode::Read
        } else if matches!(node, IntentNode::Write | IntentNode::Act) {
            IntentNode::Modify
        } else {
            node
        };
        // Its title stands by itself: without the "and also" that put it behind something.
        let first = said.lines().next().unwrap_or_default();
        let title = self.under.tiers.classifier.subject(first).unwrap_or_else(|| first.to_owned());
        let id = TaskId(plan.tasks.iter().map(|t| t.id.0).max().unwrap_or(0) + 1);
        let number = plan.tasks.len() + 1;
        let task = Task {
            id,
            title: shortened(&title, TITLE_CHARS),
            detail: said.to_owned(),
            node,
            files: Vec::new(),
            after: Vec::new(),
            status: TaskStatus::Pending,
            took: None,
            turn: Some(turn),
            pause: false,
            unchanged: false,
        };
        self.emit(Event::TaskAdded { task });
        let text = format!("Added as step {number} of {number}. /replan makes a new plan with it.");
        self.notice(Level::Info, text);
    }
}

const fn is_work(class: &Classification) -> bool {
    matches!(class.turn, Turn::PlanContinue | Turn::PlanNew(_))
}

fn changes(class: &Classification) -> bool {
    let node = class.path.current();
    node.scope().allows(Capability::Write) || node == IntentNode::Execute
}

/// Whether a message, or a part of it, is an order to change something.
fn orders_change(reading: &Reading) -> bool {
    let parts = reading.segments.iter().filter(|s| !s.dropped).map(|s| &s.class);
    std::iter::once(&reading.whole).chain(parts).any(|class| is_work(class) && changes(class))
}

/// Whether a message names its command or its node itself.
pub(super) const fn by_name(reading: &Reading) -> bool {
    matches!(reading.whole.source, Source::Slash | Source::AtNode) || reading.command.is_some()
}
