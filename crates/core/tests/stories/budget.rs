//! Budgets: what is judged before a call leaves, the question, and what its answers do.

use pilothouse_core::{
    checkpoint::{Answer, CheckpointKind},
    event::Event,
    input::Input,
    intent::Phase,
    money::{Configured, Limits, Unit},
    question::{BudgetQuestion, Unattended},
    session::{Bounds, Session},
    talk::{ModelCall, ModelReply, OFFLINE, Usage},
    tool::ToolOutcome,
};
use serde_json::json;

use crate::{phase, phases::running, support::*};

fn set(b: &mut Bench, text: &str) {
    b.input(Input::SetBudget(Limits::parse(text).unwrap())).unwrap();
}

fn asked(b: &Bench) -> Option<BudgetQuestion> {
    b.session.state().open.values().find_map(|c| match &c.kind {
        CheckpointKind::Budget(asked) => Some(asked.clone()),
        _ => None,
    })
}

/// The model reads a file, at this price.
fn reads(b: &mut Bench, cost_micros: Option<u64>) {
    let call = b.thinking();
    let usage = Usage { input: 900, output: 100, cost_micros, ..Usage::default() };
    let reads = pilothouse_core::talk::ModelCall {
        id: "r".into(),
        name: "read".into(),
        args: json!({"path": format!("{}.txt", b.log.len())}).to_string(),
    };
    let reply = ModelReply { calls: vec![reads], usage, ..ModelReply::default() };
    b.input(Input::Replied { call, reply: Ok(reply) }).unwrap();
    b.end_tool(ToolOutcome::text("1", "1 line"));
}

/// A run whose second call would be one too many.
fn spent() -> Bench {
    let mut b = running();
    set(&mut b, "1 call");
    reads(&mut b, Some(10));
    assert!(asked(&b).is_none());
    reads(&mut b, Some(10));
    b
}

#[test]
fn before_a_call_too_many_leaves_the_user_is_asked_with_what_was_spent_and_what_is_at_stake() {
    let b = spent();
    let question = asked(&b).unwrap();
    assert_eq!((question.unit, question.most, question.spent), (Unit::Calls, 1, 1));
    assert!(question.text().contains("1 of 1 call"), "{}", question.text());
    assert!(question.on[0].starts_with("this run: "), "{:?}", question.on);
    assert_eq!(question.on[1], "step 1 One: 2,000 tokens, <$0.01");
    assert_eq!(question.stake, ["a plan (0 of 2 done)"]);
    assert!(b.session.pending().is_empty() && b.session.state().waits_for_user());
    let state = b.session.state();
    let open = state.phase_question().unwrap();
    assert_eq!(state.spec(open).unattended, Unattended::Spent { unknown: false });
}

#[test]
fn a_raise_goes_on_where_it_stood_and_asks_again_when_that_is_spent() {
    let mut b = spent();
    let step = b.say("y");
    assert_eq!(starts(&step), ["think"]);
    assert_eq!(b.notices().last().unwrap(), "Budget: 1 call from now on.");
    assert!(asked(&b).is_none() && phase(&b) == Phase::Executing);
    reads(&mut b, Some(10));
    assert_eq!(asked(&b).unwrap().spent, 1);
    // An amount is an answer, a total counts what was spent, and each only as far as it goes.
    b.say("raise to 3 calls");
    for _ in 0..2 {
        assert!(asked(&b).is_none());
        reads(&mut b, Some(10));
    }
    assert_eq!(asked(&b).unwrap().most, 2);
    assert!(b.input(Input::say("raise to 2 calls")).unwrap_err().reason.contains("already spent"));
    assert!(b.input(Input::say("0 calls")).unwrap_err().reason.contains("leaves nothing"));
    b.say("no limit");
    for _ in 0..5 {
        reads(&mut b, Some(10));
    }
    assert!(asked(&b).is_none());
}

#[test]
fn a_stop_sets_aside_and_loses_nothing() {
    for stop in ["stop", "n"] {
        let mut b = running();
        b.reply("", &[("edit", edit_of("a.txt"))]);
        b.propose("a.txt", "1\n2\n", "1\n3\n");
        set(&mut b, "1 call");
        b.input(Input::Queue("fix another thing".into())).unwrap();
        reads(&mut b, Some(10));
        reads(&mut b, Some(10));
        assert!(asked(&b).unwrap().stake.iter().any(|s| s == "1 queued"));
        b.say(stop);
        let state = b.session.state();
        assert_eq!((phase(&b), state.lanes.len(), state.open.len()), (Phase::Idle, 0, 0), "{stop}");
        assert_eq!(state.set_aside().count(), 1, "{stop}");
        assert!(state.suspended.as_ref().is_some_and(pilothouse_core::plan::Plan::unfinished));
        assert!(b.notices().iter().any(|n| n.contains("Not begun: fix another thing")), "{:?}", b.notices());
        // The budget is as it was: what is taken up again is asked about first.
        b.say("/redo");
        b.answer(is_plan, Answer::Approve).unwrap();
        assert!(asked(&b).is_some());
    }
}

#[test]
fn what_is_no_whole_answer_is_a_message_and_the_question_stays() {
    let mut b = spent();
    let before = asked(&b);
    for line in ["what does it cost so far?", "yes. also add a test", "5 of the tests fail, why?"] {
        b.say(line);
        assert_eq!(asked(&b), before, "{line}");
        assert!(b.session.pending().is_empty(), "{line}: what is answered beside waits as well");
    }
}

#[test]
fn what_it_takes_the_place_of_comes_back() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify")], &[]);
    set(&mut b, "1 call");
    b.say("where is main?");
    b.reply("in a.txt", &[]);
    b.say("and where is the test?");
    assert!(asked(&b).is_some());
    b.say("stop");
    assert!(asked(&b).is_none());
    b.question(is_plan);
    assert_eq!(phase(&b), Phase::AwaitingApproval);
}

#[test]
fn an_unknown_price_is_said_and_tokens_and_calls_hold_all_the_same() {
    let mut b = running();
    set(&mut b, "5");
    reads(&mut b, None);
    let question = asked(&b).unwrap();
    assert!(question.unknown && question.text().contains("price of this model is not known"));
    assert_eq!(
        b.session.state().spec(b.session.state().phase_question().unwrap()).unattended,
        Unattended::Spent { unknown: true }
    );
    let mut other = Bench { session: b.session.clone(), log: b.log.clone(), clock: b.clock };
    other.say("go on without it");
    for _ in 0..5 {
        reads(&mut other, None);
    }
    assert!(asked(&other).is_none());
    // What can be counted takes its place.
    b.say("1500t");
    reads(&mut b, None);
    reads(&mut b, None);
    assert_eq!(asked(&b).map(|q| (q.unit, q.spent)), Some((Unit::Tokens, 2_000)));
}

#[test]
fn ten_dollars_that_nobody_asked_for_hold_only_where_the_price_is_known() {
    let budget = Configured { usual: Some(25), ..Configured::default() };
    for (price, asks) in [(Some(10), true), (None, false)] {
        let mut b = running();
        b.session.set_bounds(Bounds { budget, ..Bounds::default() });
        for _ in 0..3 {
            reads(&mut b, price);
        }
        assert_eq!(asked(&b).is_some(), asks, "{price:?}");
    }
}

#[test]
fn before_the_first_call_a_price_that_nobody_said_is_told_as_one_that_the_server_may_tell() {
    let usual = Configured { usual: Some(25), ..Configured::default() };
    let line = |b: &Bench, budget| b.session.state().allowances(budget)[0].line();
    let b = Bench::new();
    assert_eq!(line(&b, usual), "$0.00 of $0.000025, <$0.01 left");
    let unpriced = Configured { unpriced: true, ..usual };
    let may = "$0.000025, once the price is known: the server may report it with its first answer";
    assert_eq!(line(&b, unpriced), may);
    assert_eq!(b.session.state().usage.cost_told(unpriced.unpriced), "not known");
    // Its server may say what a call cost.
    let mut b = running();
    reads(&mut b, Some(10));
    assert!(line(&b, unpriced).ends_with(" left"), "{}", line(&b, unpriced));
    assert_eq!(b.session.state().usage.cost_told(true), "<$0.01");
    let mut silent = running();
    reads(&mut silent, None);
    let line = line(&silent, unpriced);
    assert_eq!(line, "$0.000025 is not enforced: the price of this model is not known");
}

#[test]
fn a_budget_of_nothing_is_refused_and_the_state_stays() {
    let mut b = running();
    set(&mut b, "9 calls");
    for line in ["/budget 0", "/budget 0t", "/budget x", "/budget -1"] {
        let before = b.session.clone();
        let refusal = b.input(Input::say(line)).unwrap_err();
        assert!(
            refusal.reason.contains("a budget of 0") || refusal.reason.contains("is not a budget"),
            "{refusal}"
        );
        assert!(before == b.session);
    }
    b.thinking();
}

#[test]
fn the_command_shows_sets_adds_and_takes_off() {
    let told = |b: &Bench| b.notices().last().cloned().unwrap();
    let mut b = running();
    reads(&mut b, Some(40_000));
    b.say("/budget");
    assert!(told(&b).starts_with("budget: none"), "{}", told(&b));
    b.say("/budget 0.10 and 3 calls");
    assert_eq!(told(&b), "Budget: $0.10 and 3 calls from now on.");
    reads(&mut b, Some(40_000));
    b.say("/budget");
    let all = told(&b);
    for part in [
        "budget: $0.04 of $0.10, $0.06 left",
        "budget: 1 of 3 calls, 2 left",
        "this session: 2,000 tokens, $0.08; model calls: 4",
        "this run: ",
    ] {
        assert!(all.contains(part), "{part}: {all}");
    }
    b.say("/budget +0.02");
    assert_eq!(told(&b), "Budget: $0.08 from now on.");
    b.say("/budget off");
    assert_eq!(told(&b), "No budget.");
    assert!(b.input(Input::say("/budget off")).unwrap_err().reason.contains("no budget"));
    reads(&mut b, None);
    b.say("/budget 5");
    assert!(told(&b).contains("The price of this model is not known"), "{}", told(&b));
}

#[test]
fn the_sum_of_the_session_is_told_once_before_a_run_has_spent_anything() {
    let mut b = running();
    b.say("/budget");
    let told = b.notices().last().cloned().unwrap();
    assert_eq!(told.matches("this session: ").count(), 1, "{told}");
    let mut b = Bench::new();
    b.say("/budget");
    let told = b.notices().last().cloned().unwrap();
    assert_eq!(told.matches("this session: ").count(), 1, "{told}");
}

#[test]
fn a_budget_outlasts_the_process_and_nothing_leaves_before_it_is_asked() {
    let mut b = running();
    b.say("/budget 1 call");
    reads(&mut b, Some(10));
    reads(&mut b, Some(10));
    let mut again = Bench { session: Session::replay(&b.log), log: b.log.clone(), clock: b.clock };
    again.input(Input::Open(opening())).unwrap();
    assert!(again.session.pending().is_empty() && again.session.state().open.is_empty());
    let step = again.say("where is main?");
    assert!(starts(&step).is_empty() && asked(&again).is_some());
    // What holds for one opening goes before it, and is over with that.
    set(&mut again, "9 calls");
    assert!(asked(&again).is_none());
    again.thinking();
    again.input(Input::Open(opening())).unwrap();
    assert!(starts(&again.say("where is main?")).is_empty());
    assert_eq!(starts(&again.say("y")), ["think"]);
}

#[test]
fn summaries_and_readings_are_calls_too() {
    let mut b = Bench::new();
    set(&mut b, "3 calls");
    for n in 0..3 {
        b.say(&format!("what is number {n} here?"));
        b.reply(&format!("it is {n}"), &[]);
    }
    let refusal = b.input(Input::say("/compact")).unwrap_err();
    assert!(refusal.reason.contains("3 of 3 calls, nothing left"), "{refusal}");
    set(&mut b, "1 call");
    assert_eq!(starts(&b.say("/compact")), ["compact"]);
    assert!(starts(&b.say("what is number 4?")).is_empty() && asked(&b).is_some());
    // Where nothing more may be spent, no model is asked what a line means.
    let mut b = Bench::doubting(&["query", "plan_new", "control"]);
    b.input(Input::SetBudget(Limits::one(Unit::Calls, 1))).unwrap();
    b.say("banana");
    b.understand("banana", None);
    b.say("pear");
    assert!(b.session.state().pending_messages.is_empty());
    let model = b.log.iter().filter(|e| matches!(e.event, Event::IntentAsked { model: true, .. })).count();
    assert_eq!(model, 1);
}

#[test]
fn a_sum_with_a_part_of_unknown_price_has_no_price() {
    let free = Usage { cost_micros: Some(0), ..Usage::default() };
    let unpriced = Usage { input: 2_974, ..Usage::default() };
    let priced = Usage { input: 9, cost_micros: Some(70), ..Usage::default() };
    let sum = |parts: &[Usage]| {
        let mut all = Usage::default();
        for part in parts {
            all.add(part);
        }
        all.known_cost()
    };
    assert_eq!((sum(&[free, unpriced]), sum(&[unpriced, priced])), (None, None));
    assert_eq!((sum(&[free, priced, priced]), sum(&[])), (Some(140), Some(0)));
}

#[test]
fn what_the_built_in_engine_answers_is_no_model_call_and_it_is_no_agent_to_be_told_something() {
    let mut b = running();
    let call = b.thinking();
    let reads = ModelCall { id: "r".into(), name: "read".into(), args: json!({"path": "a.txt"}).to_string() };
    let reply = ModelReply { model: OFFLINE.to_owned(), calls: vec![reads], ..ModelReply::default() };
    b.input(Input::Replied { call, reply: Ok(reply) }).unwrap();
    b.say("/budget");
    let told = b.notices().last().cloned().unwrap();
    assert!(told.contains("model calls: 1"), "the planning asked one: {told}");
    b.mumble();
    let state = b.session.state();
    let asked = state.open.values().find(|c| matches!(c.kind, CheckpointKind::Interruption(_))).unwrap();
    let spec = state.spec(asked);
    assert!(spec.choices.iter().all(|c| c.label != "tell the agent"), "{:?}", spec.choices);
}
