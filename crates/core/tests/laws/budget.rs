//! No model call leaves beyond what may be spent, whatever happens and whoever asks.

use std::collections::{BTreeMap, BTreeSet};

use pilothouse_core::{
    checkpoint::CheckpointKind,
    event::Event,
    ids::{CallId, LaneId},
    input::Input,
    intent::Phase,
    money::{Configured, Limits, Unit},
    session::{Bounds, Session},
    talk::Usage,
    work::{Effect, Work},
};

use crate::{Dice, cases, check, check_log, input, support::*};

/// What each reply costs here.
const TOKENS: u64 = 6;

/// What was spent since somebody said how much may be, counted from the events alone.
#[derive(Default)]
struct Meter {
    most: BTreeMap<Unit, u64>,
    spent: BTreeMap<Unit, u64>,
    /// Dollars cannot be told any more.
    blind: bool,
    /// Some call has told by now what one costs.
    paid: bool,
    begun: BTreeSet<CallId>,
    /// Calls of lanes that have not told yet what they cost.
    under_way: BTreeMap<LaneId, CallId>,
    left: usize,
}

impl Meter {
    fn pay(&mut self, usage: &Usage) {
        *self.spent.entry(Unit::Tokens).or_default() += usage.tokens();
        *self.spent.entry(Unit::Micros).or_default() += usage.cost_micros.unwrap_or_default();
        self.blind |= usage.cost_micros.is_none() && usage.tokens() > 0;
    }

    fn leave(&mut self, seed: u64) {
        for (unit, most) in &self.most {
            let spent = self.spent.get(unit).copied().unwrap_or_default();
            assert!(spent < *most, "seed {seed}: a call left with {spent} of {most} {unit:?} spent");
            assert!(
                *unit != Unit::Micros || !self.blind,
                "seed {seed}: a call left although no price is known"
            );
        }
        *self.spent.entry(Unit::Calls).or_default() += 1;
        self.left += 1;
    }

    /// What is under way may cost what calls cost here, and that is left for it.
    fn leave_beside(&self, seed: u64) {
        let spent = self.spent.get(&Unit::Tokens).copied().unwrap_or_default();
        let may = spent + TOKENS * self.under_way.len() as u64;
        let most = self.most.get(&Unit::Tokens).filter(|_| self.paid);
        assert!(most.is_none_or(|most| may < *most), "seed {seed}: a call left although {may} may be spent");
    }

    fn note(&mut self, event: &Event, seed: u64) {
        match event {
            Event::BudgetSet { unit, most, .. } => {
                self.most.remove(unit);
                self.most.extend(most.map(|most| (*unit, most)));
                self.spent.remove(unit);
                self.blind &= *unit != Unit::Micros;
            }
            Event::ThinkingStarted { call, .. }
            | Event::CompactionStarted { call, .. }
            | Event::TitleAsked { call } => {
                assert!(self.begun.insert(*call), "seed {seed}: {call:?} is counted twice");
                if let Event::ThinkingStarted { call, lane } = event {
                    self.leave_beside(seed);
                    self.under_way.insert(*lane, *call);
                }
                self.leave(seed);
            }
            Event::ThinkingFailed { lane, .. } | Event::LaneClosed { lane } => {
                self.under_way.remove(lane);
            }
            Event::SessionReopened { .. } => self.under_way.clear(),
            Event::MessageCompleted { usage, lane, .. } => {
                self.under_way.remove(lane);
                self.paid |= usage.tokens() > 0;
                self.pay(usage);
            }
            Event::IntentAsked { model: true, .. } => self.leave(seed),
            Event::Compacted { usage, .. }
            | Event::Titled { usage, .. }
            | Event::IntentClassified { usage: Some(usage), .. } => {
                self.pay(usage);
            }
            _ => {}
        }
    }
}

fn limits(dice: &mut Dice) -> Limits {
    let mut limits = Limits::one(Unit::Calls, 1 + dice.roll(6) as u64);
    for (unit, most) in [(Unit::Tokens, 40), (Unit::Micros, 90)] {
        if dice.roll(3) == 0 {
            limits = limits.lower(Limits::one(unit, 1 + dice.roll(most) as u64));
        }
    }
    limits
}

/// What could arrive, at a price; now and then somebody speaks of money.
fn priced(dice: &mut Dice, session: &Session) -> Input {
    if dice.roll(14) == 0 {
        return match dice.roll(4) {
            0 => Input::SetBudget(limits(dice)),
            _ => Input::say(dice.pick(&[
                "/budget off",
                "/budget",
                "/budget 3 calls",
                "/budget +20t",
                "2 calls",
                "raise it",
            ])),
        };
    }
    let cost_micros = (dice.roll(12) > 0).then_some(10);
    match input(dice, session) {
        Input::Replied { call, reply: Ok(mut reply) } => {
            reply.usage = Usage { input: 4, output: 2, cost_micros, ..Usage::default() };
            Input::Replied { call, reply: Ok(reply) }
        }
        other => other,
    }
}

#[test]
fn no_call_leaves_beyond_a_bound_and_whatever_waits_for_it_has_its_question() {
    let (mut left, mut asked, mut held) = (0, 0, 0);
    let sessions = cases(3_000, 200);
    for seed in 90_000..90_000 + sessions {
        let mut dice = Dice(seed * 6_271 + 5);
        let mut bench = if seed % 2 == 0 { Bench::new() } else { Bench::asking() };
        let mut meter = Meter::default();
        if seed % 3 == 0 {
            let limits = limits(&mut dice);
            let budget = Configured { limits, ..Configured::default() };
            bench.session.set_bounds(Bounds { budget, ..Bounds::default() });
            meter.most.extend(limits.each());
        } else {
            let step = bench.input(Input::SetBudget(limits(&mut dice))).unwrap();
            step.events.iter().for_each(|e| meter.note(&e.event, seed));
        }
        for _ in 0..60 {
            let before = bench.session.clone();
            let next = priced(&mut dice, &bench.session);
            let Ok(step) = bench.input(next) else { continue };
            check(&before, &bench.session, &step.events);
            for stamped in &step.events {
                meter.note(&stamped.event, seed);
            }
            for effect in &step.effects {
                if let Effect::Start(
                    Work::Think { call, .. } | Work::Compact { call, .. } | Work::Title { call },
                ) = effect
                {
                    assert!(meter.begun.contains(call), "seed {seed}: {call:?} left uncounted");
                }
            }
            let state = bench.session.state();
            let waits = state.lanes.values().filter(|l| l.held).count();
            held += waits;
            // What is under way may need the rest: whoever waits for that is asked about once it is known.
            let told = state.lanes.values().all(|l| l.thinking.is_none()) && state.compacting.is_none();
            assert!(
                waits == 0 || !told || !state.open.is_empty(),
                "seed {seed}: nothing is asked and a lane waits"
            );
            let questions =
                state.open.values().filter(|c| matches!(c.kind, CheckpointKind::Budget(_))).count();
            assert!(questions <= 1 && (questions == 0 || waits > 0), "seed {seed}");
            asked += questions;
        }
        check_log(&bench.log);
        assert!(Session::replay(&bench.log) == bench.session, "seed {seed}");
        left += meter.left;
        for _ in 0..bench.session.state().lanes.len() + 3 {
            drop(bench.input(Input::Cancel));
        }
        let state = bench.session.state();
        assert!(state.lanes.is_empty() && state.phase == Phase::Idle, "seed {seed}: {:#?}", state.open);
    }
    println!("{left} calls left, {asked} times a question stood, {held} lanes waited");
    assert!([left, asked, held].iter().all(|n| *n as u64 * 2 > sessions * 5), "{left} {asked} {held}");
}
