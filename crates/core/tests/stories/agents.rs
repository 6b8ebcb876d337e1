//! Sub-agents: started by a call, bounded, and ended with what they are for.

use pilothouse_core::{
    event::{CallStatus, Event},
    ids::{CallId, LaneId},
    input::{Input, Opening},
    policy::{Held, Outcome, Request, Ruling},
    runs::{RunInfo, RunStatus},
    scope::PermissionMode,
    session::{AgentBounds, Bounds, What},
    shell::Act,
    talk::{Fault, FaultKind, ModelCall, ModelReply, Usage},
    tool::ToolOutcome,
    work::{Effect, Work, WorkKey},
};
use serde_json::{Value, json};

use crate::support::*;

fn tasks(count: usize) -> Value {
    let kinds = ["search", "review", "verify"];
    json!({"tasks": (0..count).map(|n| json!({"kind": kinds[n % 3], "task": format!("look at {n}")})).collect::<Vec<_>>()})
}

/// An answer that hands on this many tasks, within these bounds.
fn delegating(count: usize, agents: AgentBounds) -> Bench {
    let mut b = Bench::new();
    b.session.set_bounds(Bounds { agents, ..Bounds::default() });
    b.say("where is the config read?");
    b.reply("I look.", &[("delegate", tasks(count))]);
    b
}

/// Sub-agents at work, with their open model calls.
fn children(b: &Bench) -> Vec<(LaneId, CallId)> {
    let lanes = b.session.state().lanes.values().filter(|l| l.kind.parent().is_some());
    lanes.filter_map(|l| Some((l.id, l.thinking?))).collect()
}

/// How the calls ended, with what the model reads.
fn ended(b: &Bench) -> Vec<(CallStatus, String)> {
    let end = |e: &Event| match e {
        Event::CallEnded { status, result, .. } => Some((*status, result.head.clone())),
        _ => None,
    };
    b.log.iter().filter_map(|e| end(&e.event)).collect()
}

fn costing(text: &str, cost: u64, calls: &[(&str, Value)]) -> ModelReply {
    let usage = Usage { input: 10, cost_micros: Some(cost), ..Usage::default() };
    let call = |c: &(&str, Value)| ModelCall { id: "x".into(), name: c.0.into(), args: c.1.to_string() };
    ModelReply { text: text.into(), calls: calls.iter().map(call).collect(), usage, ..ModelReply::default() }
}

#[test]
fn the_tasks_of_a_call_are_done_at_the_same_time_and_its_result_is_their_reports() {
    let mut b = delegating(6, AgentBounds::default());
    assert_eq!(children(&b).len(), 4, "at most four at once");
    for n in 0..6 {
        let (_, call) = children(&b)[0];
        b.reply_to(call, &format!("found {n} at src/a.rs:{n}"), &[]).unwrap();
        assert_eq!(children(&b).len(), 4.min(5 - n), "the next begins where one ends");
    }
    let [(CallStatus::Done, text)] = &ended(&b)[..] else { panic!("{:?}", ended(&b)) };
    assert!(text.starts_with("6 reports") && text.contains("2. review: look at 1\nfound"), "{text}");
    b.reply("It is read in src/a.rs.", &[]);
    assert!(b.session.state().lanes.is_empty());
    assert_eq!(b.session.state().history.len(), 2, "what sub-agents say is no answer to the user");
}

#[test]
fn a_sub_agent_is_told_what_its_parent_was_and_its_own_task_and_nothing_of_it_stays() {
    let mut b = delegating(2, AgentBounds::default());
    let parent = *b.session.state().lanes.keys().next().unwrap();
    let (child, call) = children(&b)[0];
    let told = |b: &Bench, lane| b.session.state().transcript.of(lane).map(|e| e.what).collect::<Vec<_>>();
    assert!(
        matches!(told(&b, child)[..], [What::User(_), What::Reply, What::Handed]),
        "{:?}",
        told(&b, child)
    );
    b.reply_to(call, "", &[("read", json!({"path": "a.txt"}))]).unwrap();
    b.end_tool(ToolOutcome::text("1", "1 line"));
    assert_eq!(told(&b, child).len(), 5);
    assert_eq!(told(&b, children(&b)[1].0).len(), 3, "one sees nothing of the other");
    for (_, call) in children(&b) {
        b.reply_to(call, "nothing", &[]).unwrap();
    }
    assert!(matches!(told(&b, parent)[..], [What::User(_), What::Reply, What::Result(_)]));
}

#[test]
fn a_sub_agent_is_refused_all_that_is_more_than_reading_and_told_what_to_do_instead() {
    let refused = [
        ("source_tools", json!({"source": "memory"}), "only lists, reads and searches"),
        ("source_call", json!({"tool": "memory__act"}), "only lists, reads and searches"),
        ("delegate", tasks(1), "starts no sub-agents"),
        ("ask_user", json!({"question": "which?"}), "asks nobody"),
        ("run", json!({"command": "git status"}), "only lists, reads and searches"),
        ("request_path", json!({"node": "modify", "reason": "so"}), "only lists"),
        ("submit_plan", json!({"title": "P", "tasks": [{"title": "A"}]}), "only lists"),
        ("change_gate", json!({"gate": "t", "command": "make", "reason": "so"}), "only lists"),
        ("write", json!({"path": "a.txt", "content": "x"}), "only lists"),
    ];
    for auto in [false, true] {
        let permission = auto.then_some(PermissionMode::Auto);
        let mut b = Bench::opened(Opening { permission, ..opening() });
        b.say("where is the config read?");
        b.reply("", &[("delegate", tasks(1))]);
        for (name, args, why) in &refused {
            let (_, call) = children(&b)[0];
            b.reply_to(call, "", &[(name, args.clone())]).unwrap();
            let (status, text) = ended(&b).pop().unwrap();
            assert!(status == CallStatus::Refused && text.contains(why), "{name}: {text}");
            assert!(b.session.state().open.is_empty() && children(&b).len() == 1);
        }
    }
}

#[test]
fn what_would_ask_the_user_is_refused_to_a_sub_agent() {
    let mut b = delegating(1, AgentBounds::default());
    b.reply_to(children(&b)[0].1, "", &[("read", json!({"path": "link"}))]).unwrap();
    let ruling =
        Ruling { outcome: Outcome::Ask, by: "ask read .env".into(), at: "f:1".into(), part: String::new() };
    let request = Request::Path { act: Act::Read, path: ".env".into() };
    let held = Some(Box::new(Held { request, ruling }));
    b.end_tool(ToolOutcome { held, ..ToolOutcome::failure("held") });
    assert!(b.session.state().open.is_empty() && children(&b).len() == 1);
    assert!(ended(&b)[0].1.contains("asks nobody"));
}

#[test]
fn one_that_never_ends_is_told_of_its_last_call_and_stopped_after_it() {
    let mut b = delegating(1, AgentBounds { calls: 3, ..AgentBounds::default() });
    for n in 0..2 {
        let (_, call) = children(&b)[0];
        b.reply_to(call, "", &[("read", json!({"path": format!("{n}.txt")}))]).unwrap();
        b.end_tool(ToolOutcome::text("1", "1 line"));
    }
    let nudge = b
        .log
        .iter()
        .any(|e| matches!(&e.event, Event::LaneNudged { text, .. } if text.contains("last model call")));
    assert!(nudge);
    b.reply_to(children(&b)[0].1, "so far: a.txt:1", &[("read", json!({"path": "c.txt"}))]).unwrap();
    let (_, text) = ended(&b).pop().unwrap();
    assert!(text.contains("Stopped after 3 calls, its cap") && text.contains("so far: a.txt:1"), "{text}");
    assert!(children(&b).is_empty());
    b.reply("As far as I know: a.txt.", &[]);
}

#[test]
fn what_they_may_cost_together_stops_them_and_starts_no_more() {
    let mut b = delegating(2, AgentBounds { cost_micros: 100, ..AgentBounds::default() });
    let read = [("read", json!({"path": "a.txt"}))];
    let calls = children(&b);
    let reply = |call, reply| Input::Replied { call, reply: Ok(reply) };
    b.input(reply(calls[0].1, costing("half of it", 90, &read))).unwrap();
    b.input(reply(calls[1].1, costing("the rest", 20, &read))).unwrap();
    assert_eq!(children(&b).len(), 0, "one reads, the other is stopped");
    b.end_tool(ToolOutcome::text("1", "1 line"));
    b.input(reply(children(&b)[0].1, costing("all of it", 1, &[]))).unwrap();
    let (_, text) = ended(&b).pop().unwrap();
    assert!(text.contains("all of it") && text.contains("Its last words:\nthe rest"), "{text}");
    b.reply("", &[("delegate", tasks(1))]);
    let (status, text) = ended(&b).pop().unwrap();
    assert!(status == CallStatus::Refused && text.contains("cost $0.00 of $0.00 together"), "{text}");
}

#[test]
fn too_many_or_none_are_refused_and_one_that_fails_does_not_stop_the_others() {
    let mut b = delegating(9, AgentBounds::default());
    assert!(ended(&b)[0].1.contains("8 more may be started here"));
    b.reply("", &[("delegate", json!({"tasks": []}))]);
    assert_eq!(ended(&b)[1].0, CallStatus::Failed);
    b.reply("", &[("delegate", json!({"tasks": ["one", {"prompt": "two", "type": "review"}]}))]);
    let fault =
        Fault { kind: FaultKind::Stalled, message: "silent".into(), hint: String::new(), status: None };
    b.input(Input::Replied { call: children(&b)[0].1, reply: Err(fault) }).unwrap();
    b.reply_to(children(&b)[0].1, "found", &[]).unwrap();
    let (status, text) = ended(&b).pop().unwrap();
    assert!(
        status == CallStatus::Done && text.contains("It failed: silent") && text.ends_with("found"),
        "{text}"
    );
    assert!(text.starts_with("1 report; 1 sub-agent did not finish\n"), "{text}");
    b.reply("", &[("delegate", tasks(7))]);
    assert!(ended(&b).pop().unwrap().1.contains("6 more may be started"));
}

#[test]
fn they_are_stopped_with_what_they_are_for() {
    for how in [Input::Cancel, Input::StopAnswer, Input::say("/reset")] {
        let mut b = delegating(3, AgentBounds::default());
        let works: Vec<WorkKey> = b.session.pending().into_keys().collect();
        let step = b.input(how).unwrap();
        for work in &works {
            assert!(step.effects.contains(&Effect::Cancel(*work)), "{work:?}");
        }
        assert!(works.len() == 3 && b.session.pending().is_empty() && b.session.state().lanes.is_empty());
    }
    let mut b = delegating(3, AgentBounds::default());
    b.input(Input::Open(opening())).unwrap();
    assert!(b.session.pending().is_empty());
}

#[test]
fn a_step_of_a_plan_hands_on_and_a_cancelled_run_ends_what_it_handed_on() {
    let mut b = Bench::new();
    b.say("fix the greeting");
    b.plan(&[("Fix it", "modify")], &[]);
    b.answer(is_plan, pilothouse_core::checkpoint::Answer::Approve).unwrap();
    b.reply("", &[("delegate", tasks(2)), ("edit", edit_of("a.txt"))]);
    assert_eq!(children(&b).len(), 2);
    let only_thinks = b.session.pending().values().all(|w| matches!(w, Work::Think { .. }));
    assert!(only_thinks, "the edit waits for the reports");
    b.input(Input::Cancel).unwrap();
    assert!(b.session.state().lanes.is_empty() && b.session.pending().is_empty());
}

#[test]
fn sub_agents_are_no_lines_beside_the_one_that_called_them() {
    let mut b = delegating(2, AgentBounds::default());
    assert_eq!((children(&b).len(), b.session.state().lines_beside()), (2, 0));
    let mut run = crate::phases::running();
    run.say("where is the config read?");
    assert_eq!(run.session.state().lines_beside(), 1, "an answer beside a run is one");
    // What a list of sessions says of one that answers once its plan has ended is of what it answers.
    b = crate::reviewing();
    b.approve_all(None).unwrap();
    b.write();
    assert_eq!(RunInfo::of(b.session.state()).progress(), "1/1");
    b.say("where is the config read?");
    let info = RunInfo::of(b.session.state());
    assert_eq!((info.status, info.progress().as_str()), (RunStatus::Thinking, ""));
    assert_eq!(info.doing, "where is the config read?");
}
