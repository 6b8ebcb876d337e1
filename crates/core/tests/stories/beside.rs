//! Steps at work at the same time: which may be, what one does to another, what each model is told.

use pilothouse_core::{
    checkpoint::Answer,
    event::Event,
    ids::{CallId, LaneId, Millis, TaskId},
    input::Input,
    intent::Phase,
    lane::LaneKind,
    money::Limits,
    plan::{Plan, TaskStatus},
    scope::PermissionMode,
    session::{Bounds, Lane, NEEDLESS, What},
    talk::{Fault, FaultKind, ModelCall, ModelReply, Usage},
    tool::ToolOutcome,
    work::Work,
};
use serde_json::{Value, json};

use crate::support::*;

/// A run whose steps are these: kind, files, what comes before.
fn running(tasks: &[(&str, &[&str], &[usize])], gates: &[&str]) -> Bench {
    let mut b = Bench::new();
    begin(&mut b, tasks, gates);
    b
}

fn begin(b: &mut Bench, tasks: &[(&str, &[&str], &[usize])], gates: &[&str]) {
    let task = |(n, (kind, files, after)): (usize, &(&str, &[&str], &[usize]))| json!({"title": format!("Step {}", n + 1), "kind": kind, "files": files, "after": after});
    let tasks: Vec<Value> = tasks.iter().enumerate().map(task).collect();
    let gates: Vec<Value> = gates.iter().map(|g| json!({"command": g})).collect();
    b.say("fix the bug in a.txt");
    b.reply("", &[("submit_plan", json!({"title": "P", "tasks": tasks, "gates": gates}))]);
    b.answer(is_plan, Answer::Approve).unwrap();
}

fn at_work(b: &Bench) -> Vec<u64> {
    b.session.state().plan.iter().flat_map(Plan::running).map(|t| t.id.0).collect()
}

fn status(b: &Bench, task: u64) -> TaskStatus {
    b.session.state().plan.as_ref().unwrap().task(TaskId(task)).unwrap().status
}

fn lane(b: &Bench, task: u64) -> Lane {
    let of = |l: &&Lane| l.kind == LaneKind::Task(TaskId(task));
    b.session.state().lanes.values().find(of).unwrap().clone()
}

fn reply(b: &mut Bench, task: u64, calls: &[(&str, Value)]) {
    let call = lane(b, task).thinking.unwrap();
    b.reply_to(call, &format!("{NEEDLESS} so"), calls).unwrap();
}

/// Tools that run, by the step whose they are.
fn tools(b: &Bench) -> Vec<(u64, CallId)> {
    let state = b.session.state();
    let of = |w: &Work| match w {
        Work::Tool { permit, .. } => match state.lanes[&permit.lane()].kind {
            LaneKind::Task(task) => Some((task.0, permit.call())),
            _ => None,
        },
        _ => None,
    };
    b.session.pending().values().filter_map(of).collect()
}

/// A step drafts a change of a file.
fn draft(b: &mut Bench, task: u64, path: &str) {
    reply(b, task, &[("edit", edit_of(path))]);
    let (_, call) = tools(b).into_iter().find(|(of, _)| *of == task).unwrap();
    b.input(Input::ToolEnded { call, outcome: proposing(path, "1\n", "2\n") }).unwrap();
}

fn fails(b: &mut Bench, task: u64) {
    let call = lane(b, task).thinking.unwrap();
    let fault =
        Fault { kind: FaultKind::Refused, message: "no".into(), hint: "pay first".into(), status: None };
    b.input(Input::Replied { call, reply: Err(fault) }).unwrap();
}

#[test]
fn steps_that_only_read_or_name_different_files_are_at_work_together_and_no_others() {
    let both = |a: (&str, &[&str]), c: (&str, &[&str])| {
        let b = running(&[(a.0, a.1, &[]), (c.0, c.1, &[])], &[]);
        at_work(&b).len() == 2
    };
    assert!(both(("modify", &["a"]), ("modify", &["b"])));
    assert!(both(("create", &["a"]), ("delete", &["b", "c"])));
    assert!(both(("read", &[]), ("read", &["a"])));
    assert!(both(("read", &["a"]), ("modify", &["b"])));
    assert!(!both(("modify", &["a", "b"]), ("modify", &["b"])));
    assert!(!both(("modify", &["src"]), ("modify", &["src/a"])));
    assert!(!both(("modify", &[]), ("modify", &["b"])));
    assert!(!both(("read", &[]), ("modify", &["b"])));
    assert!(!both(("execute", &["a"]), ("modify", &["b"])));
    assert!(both(("modify", &["src2"]), ("modify", &["src/a"])));
}

#[test]
fn what_one_needs_or_shares_a_file_with_waits_and_the_gate_comes_alone_after_all() {
    let mut b = running(
        &[
            ("modify", &["a"], &[]),
            ("modify", &["b"], &[]),
            ("modify", &["c"], &[1]),
            ("modify", &["b"], &[]),
        ],
        &["make"],
    );
    assert_eq!(at_work(&b), [1, 2]);
    reply(&mut b, 2, &[]);
    assert_eq!(at_work(&b), [1, 4], "its file is free again");
    reply(&mut b, 1, &[]);
    assert_eq!(at_work(&b), [3, 4]);
    reply(&mut b, 4, &[]);
    assert!(b.session.state().open.is_empty(), "the gate waits for the last step");
    reply(&mut b, 3, &[]);
    b.answer(is_risk, Answer::Approve).unwrap();
    b.end_tool(exited(0, "fine"));
    assert_eq!(b.session.state().phase, Phase::Idle);
    assert!(
        b.log.iter().any(
            |e| matches!(&e.event, Event::RunCompleted { summary, .. } if summary.starts_with("Complete"))
        )
    );
}

#[test]
fn as_many_are_at_work_as_may_be_and_one_by_one_where_that_is_wanted() {
    let tasks: Vec<(&str, &[&str], &[usize])> =
        vec![("read", &[], &[]), ("read", &[], &[]), ("read", &[], &[]), ("read", &[], &[])];
    assert_eq!(at_work(&running(&tasks, &[])), [1, 2, 3]);
    let mut b = Bench::new();
    b.session.set_bounds(Bounds { max_parallel: 1, ..Bounds::default() });
    begin(&mut b, &tasks, &[]);
    for n in 1..=4 {
        assert_eq!(at_work(&b), [n]);
        reply(&mut b, n, &[]);
    }
    assert_eq!(b.session.state().phase, Phase::Idle);
}

#[test]
fn the_question_of_one_stops_no_other_and_a_failure_waits_for_the_others_before_the_run_fails() {
    let mut b = running(&[("modify", &["a"], &[]), ("modify", &["b"], &[]), ("modify", &["c"], &[])], &[]);
    draft(&mut b, 1, "a");
    reply(&mut b, 1, &[]);
    assert!(b.session.state().diff_of(lane(&b, 1).id).is_some());
    fails(&mut b, 2);
    assert_eq!((status(&b, 2), b.session.state().phase), (TaskStatus::Failed, Phase::Executing));
    draft(&mut b, 3, "c");
    reply(&mut b, 3, &[]);
    assert_eq!(b.session.state().open.len(), 2, "both wait in the list");
    for _ in 0..2 {
        let p = b.session.state().open_proposals().next().unwrap();
        let one = vec![(p.id, p.shown())];
        b.input(Input::Apply { proposals: one, word: None, rest: false }).unwrap();
        b.write();
    }
    let state = b.session.state();
    assert_eq!(
        (status(&b, 1), status(&b, 3), state.phase),
        (TaskStatus::Done, TaskStatus::Done, Phase::Failed)
    );
    let failure = state.failure.as_ref().unwrap();
    assert_eq!((failure.step, failure.message.as_str(), failure.hint.as_str()), (2, "no", "pay first"));
    assert_eq!(state.set_aside().count(), 0, "nothing of the others was lost");
    b.answer(is_failure, Answer::Retry).unwrap();
    assert_eq!(at_work(&b), [2], "what is done stays done");
}

#[test]
fn a_file_that_another_has_is_waited_for_and_a_circle_of_waiting_is_broken() {
    let mut b = running(&[("modify", &["a"], &[]), ("modify", &["b"], &[])], &[]);
    reply(&mut b, 2, &[("edit", edit_of("a"))]);
    assert_eq!(b.session.state().waits_beside(&lane(&b, 2)), Some(lane(&b, 1).id));
    assert!(tools(&b).is_empty(), "it waits");
    // The first wants the file of the second: one of them must not wait.
    reply(&mut b, 1, &[("edit", edit_of("./b"))]);
    let told = b.log.iter().rev().find_map(|e| match &e.event {
        Event::CallEnded { result, .. } => Some(result.head.clone()),
        _ => None,
    });
    assert!(told.unwrap().contains("step 2, which works at the same time, has that file"));
    reply(&mut b, 1, &[]);
    assert_eq!(tools(&b).len(), 1, "the file is free");
    let (_, call) = tools(&b)[0];
    b.input(Input::ToolEnded { call, outcome: proposing("a", "1\n", "2\n") }).unwrap();
    assert_eq!(b.session.state().open_proposals().count(), 1);
}

#[test]
fn the_step_that_waits_for_the_user_is_named_before_one_that_waits_for_it() {
    let mut b = running(&[("modify", &["a"], &[]), ("modify", &["b"], &[])], &[]);
    draft(&mut b, 1, "a");
    reply(&mut b, 1, &[]);
    b.question(is_diff);
    let named = |b: &Bench| b.session.state().steps_at_work().iter().map(|t| t.id.0).collect::<Vec<_>>();
    assert_eq!(named(&b), [2], "the other one still thinks");
    reply(&mut b, 2, &[("edit", edit_of("a"))]);
    assert!(b.session.state().step_before(&lane(&b, 2)).is_some());
    assert_eq!(named(&b), [1]);
}

#[test]
fn a_command_of_one_never_runs_while_another_writes() {
    let mut b = Bench::new();
    b.input(Input::SetPermission(PermissionMode::Auto)).unwrap();
    b.say("fix the bug in a.txt");
    let task = |file: &str| json!({"title": file, "kind": "modify", "files": [file]});
    b.reply("", &[("submit_plan", json!({"title": "P", "tasks": [task("a"), task("b"), task("c")]}))]);
    assert_eq!(at_work(&b), [1, 2, 3]);
    reply(&mut b, 1, &[("run", json!({"command": "make one"}))]);
    reply(&mut b, 2, &[("run", json!({"command": "make two"}))]);
    assert_eq!(tools(&b).iter().map(|t| t.0).collect::<Vec<_>>(), [1], "one command at a time");
    let before = |b: &Bench, task: u64| b.session.state().step_before(&lane(b, task));
    assert_eq!((before(&b, 1), before(&b, 2)), (None, Some(1)));
    draft(&mut b, 3, "c");
    reply(&mut b, 3, &[]);
    let writes = |b: &Bench| b.session.pending().values().any(|w| matches!(w, Work::Prepare { .. }));
    assert!(!writes(&b), "a write waits for the commands that were let before it");
    for of in [1, 2] {
        let (task, call) = tools(&b)[0];
        assert_eq!(task, of);
        b.input(Input::ToolEnded { call, outcome: exited(0, "fine") }).unwrap();
    }
    assert!(writes(&b));
    reply(&mut b, 1, &[("run", json!({"command": "make three"}))]);
    assert!(tools(&b).is_empty(), "and a command for the write");
    b.write();
    assert_eq!(tools(&b).len(), 1);
}

#[test]
fn of_two_that_ask_the_user_the_second_asks_when_the_first_was_answered() {
    let mut b = running(&[("modify", &["a"], &[]), ("modify", &["b"], &[])], &[]);
    let ask = |q: &str| ("ask_user", json!({"question": q, "choices": ["x", "y"]}));
    reply(&mut b, 1, &[ask("First?")]);
    reply(&mut b, 2, &[ask("Second?")]);
    let asked = |b: &Bench| b.session.state().phase_question().map(|c| c.message.clone());
    assert_eq!(asked(&b).as_deref(), Some("First?"));
    let id = b.session.state().phase_question().unwrap().id;
    b.input(Input::Answer { checkpoint: id, answer: Answer::Pick(0), shown: None }).unwrap();
    assert_eq!(asked(&b).as_deref(), Some("Second?"));
    assert!(lane(&b, 1).thinking.is_some());
}

#[test]
fn each_is_told_its_own_work_and_what_happens_and_the_next_what_came_of_all() {
    let mut b =
        running(&[("modify", &["a"], &[]), ("modify", &["b"], &[]), ("modify", &["c"], &[1, 2])], &[]);
    let told = |b: &Bench, task: u64| -> Vec<_> {
        let id = lane(b, task).id;
        b.session.state().transcript.of(id).copied().collect::<Vec<_>>()
    };
    let (first, second) = (told(&b, 1), told(&b, 2));
    let own = |e: &pilothouse_core::session::Entry| matches!(e.what, What::Step(_));
    assert_eq!(first.iter().filter(|e| own(e)).count(), 1);
    assert_eq!(second.iter().filter(|e| own(e)).count(), 1, "not the task of the other");
    let stem = first.iter().zip(&second).take_while(|(a, b)| a == b).count();
    assert_eq!(stem + 1, second.len(), "all that was said before stands in both");
    draft(&mut b, 1, "a");
    assert_eq!(told(&b, 2), second, "what one says is not told to the other");
    b.say("name it bytes instead");
    let turn = b.session.state().turn.unwrap();
    for task in [1, 2] {
        assert!(told(&b, task).iter().any(|e| e.what == What::User(turn)), "{task} hears the user");
    }
    let grown = told(&b, 2);
    assert_eq!(grown[..second.len()], second[..], "what was told stays as it was");
    reply(&mut b, 2, &[]);
    reply(&mut b, 2, &[]);
    reply(&mut b, 1, &[]);
    // What the user said meanwhile is read before the draft is put before them.
    reply(&mut b, 1, &[]);
    b.approve_all(None).unwrap();
    b.write();
    assert_eq!(at_work(&b), [3]);
    let third = told(&b, 3);
    assert!(third.iter().any(|e| matches!(e.what, What::Report(_))), "what came of the one beside");
}

#[test]
fn a_stop_ends_all_of_them_and_up_keeps_what_each_drafted() {
    let mut b = running(&[("modify", &["a"], &[]), ("modify", &["b"], &[])], &[]);
    draft(&mut b, 1, "a");
    draft(&mut b, 2, "b");
    reply(&mut b, 1, &[]);
    let mut stopped = b.session.clone();
    stopped.step(Millis(900), Input::Cancel).unwrap();
    assert!(stopped.pending().is_empty() && stopped.state().set_aside().count() == 2);
    b.input(Input::Up).unwrap();
    let state = b.session.state();
    assert_eq!(state.phase, Phase::AwaitingApproval);
    assert_eq!((status(&b, 1), status(&b, 2)), (TaskStatus::Pending, TaskStatus::Pending));
    assert_eq!(state.set_aside().count(), 2);
    assert!(state.lanes.is_empty() && b.session.pending().is_empty());
}

#[test]
fn a_reply_that_comes_after_its_step_failed_changes_nothing() {
    let mut b = running(&[("modify", &["a"], &[]), ("modify", &["b"], &[])], &[]);
    let late = lane(&b, 1).thinking.unwrap();
    fails(&mut b, 1);
    let reply = Ok(ModelReply { text: String::new(), ..ModelReply::default() });
    assert!(b.input(Input::Replied { call: late, reply }).is_err());
    assert_eq!(at_work(&b), [2]);
}

#[test]
fn nothing_is_taken_back_while_a_command_may_change_files_and_none_begins_meanwhile() {
    let mut b = Bench::new();
    b.input(Input::SetPermission(PermissionMode::Auto)).unwrap();
    b.say("fix the bug in a.txt");
    let task = |file: &str| json!({"title": file, "kind": "modify", "files": [file]});
    b.reply("", &[("submit_plan", json!({"title": "P", "tasks": [task("a"), task("b"), task("c")]}))]);
    draft(&mut b, 1, "a");
    reply(&mut b, 1, &[]);
    b.write();
    reply(&mut b, 2, &[("run", json!({"command": "make two"}))]);
    let no = b.input(Input::Undo).unwrap_err().reason;
    assert!(no.starts_with("`make two` is running"), "{no}");
    b.say("undo that");
    assert!(b.notices().pop().unwrap().starts_with("`make two` is running"));
    let (_, call) = tools(&b)[0];
    b.input(Input::ToolEnded { call, outcome: exited(0, "fine") }).unwrap();
    b.input(Input::Undo).unwrap();
    reply(&mut b, 3, &[("run", json!({"command": "make three"}))]);
    draft(&mut b, 2, "b");
    reply(&mut b, 2, &[]);
    let writes = |b: &Bench| b.session.pending().values().any(|w| matches!(w, Work::Prepare { .. }));
    assert!(tools(&b).is_empty() && !writes(&b), "both wait until it is taken back");
    let apply = b.session.state().ledger()[0];
    b.input(Input::RevertEnded { apply, result: Ok(true) }).unwrap();
    assert_eq!(tools(&b).len(), 1);
}

#[test]
fn what_begins_beside_the_main_line_hears_what_was_said_just_before() {
    let mut b = running(&[("modify", &["a"], &[]), ("modify", &["b"], &[]), ("modify", &["c"], &[2])], &[]);
    b.say("use tabs, not spaces");
    let turn = b.session.state().turn.unwrap();
    let heard = |b: &Bench, lane: LaneId| {
        b.session.state().transcript.of(lane).filter(|e| e.what == What::User(turn)).count()
    };
    // A question is answered beside the run, and its own words come last.
    b.say("what does the parser do?");
    let state = b.session.state();
    let answer = state.lanes.values().find(|l| l.kind == LaneKind::Answer).unwrap().id;
    let asked = state.turn.unwrap();
    assert_eq!(heard(&b, answer), 1);
    let said: Vec<What> = state.transcript.of(answer).map(|e| e.what).collect();
    let last = said.iter().rev().find(|what| matches!(what, What::User(_)));
    assert_eq!(last, Some(&What::User(asked)), "{said:?}");
    reply(&mut b, 2, &[]);
    assert_eq!(at_work(&b), [1, 2], "it hears that before it ends");
    reply(&mut b, 2, &[]);
    assert_eq!(at_work(&b), [1, 3], "the first is still at its first request");
    assert_eq!(heard(&b, lane(&b, 3).id), 1);
    reply(&mut b, 3, &[("read", json!({"path": "c"}))]);
    assert_eq!(heard(&b, lane(&b, 3).id), 1, "once");
    reply(&mut b, 1, &[]);
    assert_eq!(heard(&b, lane(&b, 1).id), 1);
}

/// Two steps at work with one call left, of which the first comes to the end of it.
fn unpaid() -> Bench {
    let mut b = running(&[("modify", &["a"], &[]), ("modify", &["b"], &[]), ("modify", &["c"], &[1])], &[]);
    draft(&mut b, 1, "a");
    draft(&mut b, 2, "b");
    b.input(Input::SetBudget(Limits::parse("1 call").unwrap())).unwrap();
    reply(&mut b, 2, &[("read", json!({"path": "b"}))]);
    let (_, call) = tools(&b)[0];
    b.input(Input::ToolEnded { call, outcome: ToolOutcome::text("1", "1 line") }).unwrap();
    reply(&mut b, 1, &[("read", json!({"path": "a"}))]);
    let (_, call) = tools(&b)[0];
    b.input(Input::ToolEnded { call, outcome: ToolOutcome::text("1", "1 line") }).unwrap();
    assert!(b.session.state().phase_question().is_some_and(|c| c.kind.budget().is_some()));
    b
}

#[test]
fn stopping_for_the_budget_ends_the_step_that_waits_for_it_and_lets_the_other_come_to_its_end() {
    let mut b = unpaid();
    b.say("stop");
    assert_eq!((status(&b, 1), at_work(&b)), (TaskStatus::Cancelled, vec![2]));
    assert!(lane(&b, 2).thinking.is_some(), "what has left is not cut off");
    assert_eq!(b.session.state().set_aside().count(), 1, "what the stopped one drafted is kept");
    reply(&mut b, 2, &[]);
    b.approve_all(None).unwrap();
    b.write();
    let state = b.session.state();
    assert_eq!((state.phase, state.ledger().len()), (Phase::Idle, 1));
    let plan = state.suspended.as_ref().unwrap();
    let statuses = plan.tasks.iter().map(|t| t.status).collect::<Vec<_>>();
    assert_eq!(statuses, [TaskStatus::Cancelled, TaskStatus::Done, TaskStatus::Pending]);
}

#[test]
fn a_step_that_comes_to_the_budget_after_the_user_stopped_for_it_asks_no_second_time() {
    let mut b = unpaid();
    b.say("stop");
    reply(&mut b, 2, &[("read", json!({"path": "b"}))]);
    let (_, call) = tools(&b)[0];
    b.input(Input::ToolEnded { call, outcome: ToolOutcome::text("1", "1 line") }).unwrap();
    let state = b.session.state();
    assert_eq!((state.phase, state.open.len(), state.set_aside().count()), (Phase::Idle, 0, 2));
}

#[test]
fn a_call_waits_while_what_is_under_way_may_use_up_the_budget() {
    let usage = |tokens| Usage { input: tokens, ..Usage::default() };
    let read =
        |of: &str| ModelCall { id: "r".into(), name: "read".into(), args: json!({"path": of}).to_string() };
    let reads = |b: &mut Bench, task: u64| {
        let call = lane(b, task).thinking.unwrap();
        let reply = ModelReply { calls: vec![read("a")], usage: usage(40), ..ModelReply::default() };
        b.input(Input::Replied { call, reply: Ok(reply) }).unwrap();
        let (_, call) = tools(b)[0];
        b.input(Input::ToolEnded { call, outcome: ToolOutcome::text("1", "1 line") }).unwrap();
    };
    let mut b = running(&[("read", &["a"], &[]), ("read", &["b"], &[])], &[]);
    b.input(Input::SetBudget(Limits::parse("120t").unwrap())).unwrap();
    reads(&mut b, 1);
    assert!(lane(&b, 1).thinking.is_some(), "40 are spent, 40 under way, 40 left");
    reads(&mut b, 2);
    assert!(lane(&b, 2).held && lane(&b, 1).thinking.is_some(), "80 are spent, 40 under way");
    assert!(b.session.state().phase_question().is_none(), "nothing is asked: some may be left");
    let call = lane(&b, 1).thinking.unwrap();
    let reply = ModelReply { text: "one".into(), usage: usage(10), ..ModelReply::default() };
    b.input(Input::Replied { call, reply: Ok(reply) }).unwrap();
    assert!(lane(&b, 2).thinking.is_some(), "30 are left after all");
}
