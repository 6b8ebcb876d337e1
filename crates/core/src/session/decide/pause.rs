//! Pauses: where a run stops to ask, and the plan edited while it waits or pauses.
//!
//! Owns when a place is reached. A place is asked about once; it stays until it was answered, also over a restart.

use super::{
    Decided, Draft,
    answer::{Given, Resolve},
};
use crate::{
    event::{Event, Level},
    fact::shortened,
    ids::{LaneId, TaskId, TurnId},
    input::Refusal,
    intent::{Mode, Phase},
    phase::Trigger,
    plan::{Pause, Plan},
    question::{Lone, Paused},
    session::{Lane, LaneKind, State, Talk, state::HEAD_CHARS},
};

impl Draft<'_> {
    /// Changes the plan as was said meanwhile, or asks where it pauses before this step, or past what was changed or spent;
    /// whether it did.
    pub(super) fn pauses_between(&mut self, task: Option<TaskId>, gate: bool) -> bool {
        let step = task.map(|id| (Pause::Step(id), 0));
        let goes_on = task.is_some() || gate;
        if goes_on && self.revises_between() {
            return true;
        }
        let passed = self.passed(0).filter(|_| goes_on);
        self.pause(step.filter(|(at, _)| self.plan_pauses(*at)).or(passed))
    }

    /// The same before a write that nobody looks at.
    pub(super) fn pauses_before_write(&mut self, lane: LaneId) -> bool {
        if !self.is_of_run(lane) {
            return false;
        }
        let hunks = self.state.proposals_of(lane).flat_map(|p| &p.hunks);
        let lines: usize = hunks.map(|h| h.added() + h.removed()).sum();
        let first = Some((Pause::FirstWrite, 0)).filter(|(at, _)| self.plan_pauses(*at));
        self.pause(first.or(self.passed(lines as u64)))
    }

    /// The same before the next model call of a step that is at work.
    pub(super) fn pauses_before_thinking(&mut self, lane: LaneId) -> bool {
        let at_work = self.state.lanes.get(&lane).filter(|l| l.kind.of_run());
        let goes_on = at_work.is_some_and(|l| matches!(l.talk.last(), Some(Talk::Result(_))));
        self.pause(self.passed(0).filter(|_| goes_on))
    }

    /// The same before a command of a step that may write unasked.
    pub(super) fn pauses_before_command(&self, lane: &Lane) -> Option<Paused> {
        let (at, works) = (Pause::FirstWrite, matches!(lane.kind, LaneKind::Task(_) | LaneKind::Repair(_)));
        (works && self.plan_pauses(at)).then_some(Paused { at, came_to: 0 })
    }

    fn plan_pauses(&self, at: Pause) -> bool {
        self.state.plan.as_ref().is_some_and(|p| p.pauses_at(at))
    }

    /// The limit that is passed with so many lines more, and what it came to.
    fn passed(&self, lines: u64) -> Option<(Pause, u64)> {
        let changed = self.state.run.as_ref()?.lines + lines;
        let spent = self.state.accounts.run.cost_micros.unwrap_or_default();
        self.state.plan.as_ref()?.pauses.iter().find_map(|at| match at {
            Pause::Held => Some((*at, 0)),
            Pause::Lines(most) => (changed > *most).then_some((*at, changed)),
            Pause::Micros(most) => (spent > *most).then_some((*at, spent)),
            Pause::Step(_) | Pause::FirstWrite | Pause::FailedGate => None,
        })
    }

    /// Asks, once what is asked already has its answer; whether it goes no further for now.
    fn pause(&mut self, at: Option<(Pause, u64)>) -> bool {
        let Some((at, came_to)) = at else { return false };
        if !self.is_asked_otherwise() {
            let reason = at.reason(self.state.plan.as_ref(), came_to);
            self.ask(Paused { at, came_to }, reason);
        }
        true
    }

    /// Whether a question stands that a pause must not take the place of, another pause among them.
    pub(super) fn is_asked_otherwise(&self) -> bool {
        self.state.phase_question().is_some_and(|c| !c.kind.gives_way())
    }

    /// Whether a step that is to begin beside others waits for their end, since a run pauses before it.
    pub(super) fn pauses_beside(&self, task: TaskId) -> bool {
        self.plan_pauses(Pause::Step(task)) || self.passed(0).is_some() || !self.revisions().is_empty()
    }

    /// The user wants runs to stop here, or not any more.
    pub(super) fn set_pause(&mut self, pause: Pause, on: bool) -> Decided {
        let Some(plan) = &self.state.plan else {
            return Err(Refusal::new("there is no plan to pause"));
        };
        match pause {
            Pause::Step(id) if plan.task(id).is_none_or(|t| t.status.settled()) => {
                return Err(Refusal::new("that step is already over, or does not exist"));
            }
            _ if plan.pauses_at(pause) == on => return Ok(()),
            Pause::Step(_)
            | Pause::FirstWrite
            | Pause::FailedGate
            | Pause::Lines(_)
            | Pause::Micros(_)
            | Pause::Held => {}
        }
        self.ask_of_plan_anew();
        self.emit(Event::PauseSet { pause, on });
        Ok(())
    }

    /// What waits for a yes is asked about as it is now.
    pub(super) fn ask_of_plan_anew(&mut self) {
        let asks = self.state.phase_question().filter(|q| q.kind.is_confirmation()).map(|q| q.id);
        if let Some(id) = asks {
            self.close(id, None);
        }
    }

    /// What waited to change the plan, and was said before the user changed it: their version stands.
    fn outdated(&mut self, said: &[TurnId]) {
        if said.is_empty() {
            return;
        }
        let heads = said.iter().filter_map(|turn| self.state.turns.get(turn));
        let heads: Vec<String> = heads.map(|t| format!("\"{}\"", shortened(&t.head, HEAD_CHARS))).collect();
        self.take_from_queue(said);
        let text = format!("Your plan stands; {} is dropped, since it was said before.", heads.join(", "));
        self.notice(Level::Info, text);
    }

    /// The plan as the user wrote it: a version of its own, about which they are asked anew. A run that pauses stops for
    /// it.
    pub(super) fn edit_plan(&mut self, text: &str, version: u32) -> Decided {
        let waits = self.state.phase_question().is_some_and(|c| c.kind.is_at_plan());
        let Some(plan) = self.state.plan.as_ref().filter(|_| waits) else {
            return Err(Refusal::new(
                "a plan can be edited while it is waiting for your yes or its run is paused",
            ));
        };
        if plan.version != version {
            return Err(Refusal::new("the plan has changed meanwhile; open it again"));
        }
        let edited = plan.edited(text).map_err(|e| Refusal::new(e.to_string()))?;
        self.founded(&edited).map_err(Refusal::new)?;
        if edited.document() == plan.document() {
            return Err(Refusal::new("nothing was changed in the plan"));
        }
        if self.state.run.is_some() {
            self.stop_run("stopped to change the plan");
            self.go(Trigger::Cancel)?;
            self.must_go(Trigger::Redo);
        }
        self.close_phase_question();
        let said = self.revisions();
        self.show_plan(edited);
        self.outdated(&said);
        Ok(())
    }
}

impl Resolve for Paused {
    fn resolve(&self, draft: &mut Draft<'_>, given: Given<Lone>) -> Decided {
        if given.answer == Lone::No {
            return draft.stop();
        }
        draft.close(given.question, Some(given.stored));
        Ok(())
    }
}

impl Draft<'_> {
    /// Whether a plan may stand in the mode that holds; where not, why.
    pub(super) fn founded(&self, plan: &Plan) -> Result<(), String> {
        if self.state.mode != Mode::Proof {
            return Ok(());
        }
        plan.unfounded(&self.state.facts, self.under.files.as_deref()).map_or(Ok(()), Err)
    }

    /// Why the plan that is shown may not run in the mode that holds: it was made in another one, or what it rests on is
    /// gone since.
    pub(super) fn unfounded(&self) -> Option<String> {
        let why = self.founded(self.state.plan.as_ref()?).err()?;
        Some(format!("plan cannot run as it is: {why}. /replan makes a new one"))
    }

    /// Tells why the plan that is shown may not run; whether that is so.
    pub(super) fn tell_unfounded(&mut self) -> bool {
        let why = self.unfounded();
        if let Some(why) = &why {
            self.notice(Level::Info, format!("The {why}."));
        }
        why.is_some()
    }

    /// The mode is another one: that is told, or what it means for a plan that waits and was made before.
    pub(super) fn tell_mode(&mut self, mode: Mode) {
        let told = match mode {
            _ if self.state.phase == Phase::AwaitingApproval && self.state.plan.is_some() => {
                return self.offer_replan();
            }
            Mode::Proof => "Proof mode from now on; /explore switches back.",
            Mode::Exploratory => "Explore mode from now on; /proof switches back.",
        };
        self.notice(Level::Info, told);
    }

    fn offer_replan(&mut self) {
        if !self.tell_unfounded() {
            let mode = self.state.mode.name();
            let text = format!("The plan stays as it is; /replan makes a new one in {mode} mode.");
            self.notice(Level::Info, text);
        }
    }
}

impl State {
    /// A plan with the pauses that hold beside its own: those of the settings, and what the user chose at the version that
    /// it takes the place of.
    pub(super) fn with_pauses(&self, mut plan: Plan, settings: &[Pause]) -> Plan {
        let former = self.plan.as_ref().filter(|_| self.ousted_by(&plan).is_none());
        for pause in former.iter().flat_map(|p| &p.pauses).chain(settings) {
            // What holds one run holds no other.
            if *pause != Pause::Held && !plan.pauses.contains(pause) {
                plan.pauses.push(*pause);
            }
        }
        let paused =
            |title: &str| former.is_some_and(|p| p.tasks.iter().any(|t| t.pause && t.title == title));
        for task in &mut plan.tasks {
            task.pause |= paused(&task.title);
        }
        plan
    }
}
