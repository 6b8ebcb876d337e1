//! What each kind of message does in each phase (model §1.5 and §1.7), where the table alone does
//! not say it.

use pilothouse_core::{
    checkpoint::Answer,
    event::{Event, RunStatus},
    input::Input,
    intent::{Control, Mode, Phase},
    pipeline::Depth,
    plan::TaskStatus,
    runs::{RunInfo, RunStatus as Standing},
    scope::PermissionMode,
    session::{Deed, LaneKind},
    talk::{Fault, FaultKind, ModelReply},
    tool::Tool,
    work::Work,
};
use serde_json::json;

use crate::{phase, support::*};

pub fn fault() -> Fault {
    Fault {
        kind: FaultKind::Unreachable,
        message: "no connection".into(),
        hint: "check it".into(),
        status: None,
    }
}

/// A plan of two tasks under way, the first at the model.
pub fn running() -> Bench {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify"), ("Two", "modify")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b
}

fn run_thinking(b: &Bench) -> pilothouse_core::ids::CallId {
    b.session.state().run_lane().unwrap().thinking.unwrap()
}

/// A run that failed in its first task.
pub fn failed() -> Bench {
    let mut b = running();
    let call = run_thinking(&b);
    b.input(Input::Replied { call, reply: Err(fault()) }).unwrap();
    assert_eq!(phase(&b), Phase::Failed);
    b
}

pub fn answer_lane(b: &Bench) -> pilothouse_core::session::Lane {
    b.session.state().lanes.values().rfind(|l| l.kind == LaneKind::Answer).unwrap().clone()
}

fn head_of_planning(b: &Bench) -> String {
    let turn = b.session.state().planning_lane().unwrap().turn;
    b.session.state().turns[&turn].head.clone()
}

/// A run of one step whose gate runs.
fn at_its_gate() -> Bench {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify")], &[("t", "make test")]);
    b.say("y");
    b.reply("", &[]);
    b.answer(is_risk, Answer::Approve).unwrap();
    b
}

#[test]
fn an_answer_that_failed_is_asked_again_by_one_word_and_only_while_it_is_the_last() {
    let mut b = Bench::new();
    b.say("how does the search work?");
    for _ in 0..2 {
        let (asked, call) = (answer_lane(&b), b.thinking());
        b.input(Input::Replied { call, reply: Err(fault()) }).unwrap();
        assert!(b.notices().last().unwrap().ends_with("/retry asks it again"), "{:?}", b.notices());
        b.say("/retry");
        assert_eq!(answer_lane(&b).turn, asked.turn);
        assert_eq!((b.session.state().turns.len(), phase(&b)), (1, Phase::Idle));
    }
    b.reply("by an index", &[]);
    assert!(b.session.state().unanswered.is_none());
}

#[test]
fn an_answer_that_failed_beside_a_plan_or_a_failure_leaves_their_words_alone() {
    let fails = |b: &mut Bench| {
        b.say("what does step 1 do?");
        let call = answer_lane(b).thinking.unwrap();
        b.input(Input::Replied { call, reply: Err(fault()) }).unwrap();
        b.notices().last().unwrap().contains("/retry")
    };
    let mut b = running();
    assert!(fails(&mut b));
    // The run goes on with its next step: the question is still the one that is asked again.
    let call = run_thinking(&b);
    b.input(Input::Replied { call, reply: Ok(ModelReply { text: "one".into(), ..ModelReply::default() }) })
        .unwrap();
    let lanes = b.session.state().lanes.len();
    b.say("/retry");
    assert_eq!(b.session.state().lanes.len(), lanes + 1);
    // A plan that is set aside comes back by the word that said so.
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify"), ("Two", "modify")], &[]);
    assert!(fails(&mut b));
    b.say("cancel");
    b.say("/redo");
    assert_eq!(phase(&b), Phase::AwaitingApproval, "{:?}", b.notices());
    // Of a run that failed the word tries that again, and nothing else is promised.
    let mut b = failed();
    assert!(!fails(&mut b), "{:?}", b.notices());
}

#[test]
fn trying_a_failed_planning_again_takes_its_own_message_not_the_question_after_it() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    let call = b.thinking();
    b.input(Input::Replied { call, reply: Err(fault()) }).unwrap();
    b.say("what does a.txt do?");
    b.reply("the line is down", &[]);
    b.say("r");
    assert_eq!(phase(&b), Phase::Planning);
    assert_eq!(head_of_planning(&b), "fix the bug in a.txt");
}

#[test]
fn another_plan_after_a_failed_planning_is_of_its_message() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    let call = b.thinking();
    b.input(Input::Replied { call, reply: Err(fault()) }).unwrap();
    b.say("what does a.txt do?");
    b.reply("the line is down", &[]);
    b.say("p");
    assert_eq!(head_of_planning(&b), "fix the bug in a.txt");
}

#[test]
fn trying_a_failed_goal_again_takes_its_own_message() {
    let mut b = Bench::new();
    b.say("run the tests");
    let call = b.thinking();
    b.input(Input::Replied { call, reply: Err(fault()) }).unwrap();
    b.say("what does a.txt do?");
    b.reply("the line is down", &[]);
    b.say("r");
    let lane = b.session.state().run_lane().unwrap().clone();
    assert_eq!(b.session.state().turns[&lane.turn].head, "run the tests");
}

#[test]
fn replanning_beside_a_question_restarts_the_planning_not_the_question() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.say("what does this function do?");
    b.say("/replan");
    assert_eq!(head_of_planning(&b), "fix the bug in a.txt");
}

#[test]
fn a_run_is_not_tried_again_under_a_read_only_ceiling() {
    let mut b = failed();
    b.input(Input::SetPermission(PermissionMode::ReadOnly)).unwrap();
    let id = b.question(is_failure);
    let retry = Input::Answer { checkpoint: id, answer: Answer::Retry, shown: None };
    assert!(b.input(retry).unwrap_err().reason.contains("read-only"));
    assert!(b.input(Input::say("/redo")).is_err());
    b.input(Input::SetPermission(PermissionMode::Ask)).unwrap();
    b.answer(is_failure, Answer::Retry).unwrap();
    assert_eq!(phase(&b), Phase::Executing);
}

#[test]
fn a_command_after_a_failure_sets_the_plan_aside_and_loses_nothing() {
    let mut b = failed();
    b.say("!ls");
    assert_eq!(phase(&b), Phase::Executing);
    b.end_tool(exited(0, "a"));
    assert_eq!(phase(&b), Phase::Idle);
    b.say("/redo");
    assert_eq!(b.session.state().plan.as_ref().unwrap().title, "Plan");
}

#[test]
fn a_plan_that_comes_to_nothing_leaves_the_earlier_one_within_reach() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify")], &[]);
    b.say("/replan");
    b.reply("I cannot", &[]);
    b.reply("I cannot", &[]);
    assert_eq!(phase(&b), Phase::Idle);
    assert!(b.session.state().plan.is_none(), "nothing is active while idle");
    b.say("/redo");
    assert_eq!(phase(&b), Phase::AwaitingApproval);
}

#[test]
fn a_reset_leaves_no_plan_to_take_up() {
    let mut b = running();
    b.input(Input::Cancel).unwrap();
    b.say("/reset");
    b.say("y");
    assert!(b.input(Input::say("/redo")).is_err());
    assert!(b.session.state().suspended.is_none());
}

#[test]
fn a_queued_command_line_runs_as_it_was_typed() {
    let mut b = running();
    b.say("!make docs");
    assert_eq!(b.session.state().queue.len(), 1);
    b.reply("done", &[]);
    b.reply("done", &[]);
    assert_eq!(phase(&b), Phase::Executing);
    let lane = b.session.state().run_lane().unwrap();
    assert!(lane.head().unwrap().run().unwrap().command.contains("make docs"));
    assert_eq!(b.tool().1, Tool::Run);
}

#[test]
fn a_command_typed_while_a_rejected_plan_waits_for_guidance_runs_and_ends() {
    let mut b = Bench::new();
    b.say("create notes.txt");
    b.plan(&[("One", "create")], &[]);
    b.say("n");
    b.say("!ls");
    assert_eq!(phase(&b), Phase::Executing);
    b.end_tool(exited(0, "a"));
    assert_eq!(phase(&b), Phase::Idle);
    assert!(!b.notices().iter().any(|n| n.starts_with("internal")), "{:?}", b.notices());
    b.say("/redo");
    assert_eq!(phase(&b), Phase::AwaitingApproval);
}

#[test]
fn guidance_after_a_no_makes_the_next_version_of_the_same_plan() {
    let mut b = Bench::new();
    b.say("create notes.txt");
    b.plan(&[("One", "create")], &[]);
    b.answer(is_plan, Answer::Reject("put it into docs".into())).unwrap();
    assert_eq!(phase(&b), Phase::Planning);
    assert_eq!(head_of_planning(&b), "put it into docs");
    b.plan(&[("Two", "create")], &[]);
    assert_eq!(b.session.state().plan.as_ref().unwrap().version, 2);
    assert!(b.session.state().suspended.is_none());
}

#[test]
fn stop_and_something_else_during_a_run_is_new_work() {
    let mut b = running();
    b.say("stop. create revenue.txt instead");
    assert_eq!(phase(&b), Phase::Planning);
    assert_eq!(b.session.state().suspended.as_ref().unwrap().title, "Plan");
    let turn = b.session.state().planning_lane().unwrap().turn;
    let info = &b.session.state().turns[&turn];
    assert!(matches!(info.class, pilothouse_core::intent::Turn::PlanNew(_)), "{info:?}");
}

#[test]
fn two_control_words_in_one_message_are_both_heard() {
    let mut b = Bench::new();
    b.say("switch to proof mode; show status");
    assert_eq!(b.session.state().mode, Mode::Proof);
    assert!(b.log.iter().any(|e| matches!(&e.event, Event::ControlGiven { control: Control::Status })));
}

#[test]
fn another_model_and_another_depth_hold_once_the_run_is_over() {
    let mut b = running();
    b.say("/model large");
    b.say("/depth deep");
    let state = |b: &Bench| (b.session.state().model.clone(), b.session.state().depth());
    assert_eq!(state(&b), (None, None));
    let told = b.notices();
    for command in ["/model large", "/depth deep"] {
        let line = format!("{command} is queued until the run ends; /queue lists it.");
        assert!(told.contains(&line), "{told:?}");
    }
    assert!(b.input(Input::say("/depth profound")).is_err());
    b.reply("done", &[]);
    b.reply("done", &[]);
    assert_eq!(phase(&b), Phase::Idle);
    assert_eq!(state(&b), (Some("large".to_owned()), Some(Depth::Deep)));
    assert!(b.session.state().queue.is_empty());
    b.say("/model other");
    assert_eq!(b.session.state().model.as_deref(), Some("other"), "nothing runs");
}

#[test]
fn a_model_that_waits_can_be_taken_back_and_replaced_and_never_goes_without_a_word() {
    let model = |b: &Bench| b.session.state().model.clone();
    let mut b = running();
    b.say("/model large");
    assert!(b.input(Input::say("/model large")).is_err(), "it waits already");
    b.say("/model main");
    assert!(b.session.state().queue.is_empty());
    assert!(b.notices().contains(&"Model: main stays; large is out of the queue.".to_owned()));
    assert!(b.input(Input::say("/model main")).is_err(), "it is already answering");
    b.say("/model large");
    b.say("/model other");
    assert_eq!(b.session.state().queue.len(), 1, "the last word holds");
    b.reply("done", &[]);
    b.reply("done", &[]);
    assert_eq!(model(&b).as_deref(), Some("other"));
    // Where the run is stopped it is named, and where the plan is changed it holds for what comes.
    let mut b = running();
    b.say("/model large");
    b.say("stop");
    assert_eq!(model(&b), None);
    let told = b.notices();
    assert!(told.contains(&"Not begun: /model large (out of the queue)".to_owned()), "{told:?}");
    let mut b = running();
    b.say("/model large");
    b.say("without step 2 please");
    b.reply("one", &[]);
    assert_eq!((phase(&b), model(&b).as_deref()), (Phase::Planning, Some("large")));
    assert!(b.session.state().queue.is_empty());
    let mut b = running();
    b.say("/model large");
    let call = run_thinking(&b);
    b.input(Input::Replied { call, reply: Err(fault()) }).unwrap();
    assert_eq!((phase(&b), model(&b)), (Phase::Failed, None));
    b.say("/redo");
    assert_eq!((phase(&b), model(&b).as_deref()), (Phase::Executing, Some("large")));
}

#[test]
fn a_control_word_that_is_queued_by_hand_does_not_take_the_plan_s_place() {
    let mut b = running();
    b.input(Input::Queue("create other.txt".into())).unwrap();
    b.input(Input::Queue("switch to proof mode".into())).unwrap();
    b.input(Input::Queue("what does this function do?".into())).unwrap();
    assert_eq!(b.session.state().queue.len(), 3);
    b.reply("done", &[]);
    b.reply("done", &[]);
    assert_eq!(b.session.state().mode, Mode::Proof);
    assert_eq!(phase(&b), Phase::Planning);
    assert_eq!(head_of_planning(&b), "create other.txt");
    assert!(b.session.state().queue.is_empty());
    let asked = answer_lane(&b).turn;
    assert_eq!(b.session.state().turns[&asked].head, "what does this function do?");
}

#[test]
fn every_line_that_waits_has_a_number_by_which_it_is_taken_out() {
    let mut b = running();
    for line in ["create other.txt", "switch to proof mode", "what does this function do?"] {
        b.input(Input::Queue(line.into())).unwrap();
    }
    b.say("/queue");
    for line in
        ["1. create other.txt", "2. /proof (goes before 1)", "3. what does this function do? (goes before 1)"]
    {
        assert!(b.notices().iter().any(|told| told == line), "{line}: {:?}", b.notices());
    }
    for line in ["/queue up 3", "/queue tell 2", "/queue drop 4", "/queue drop 0"] {
        assert!(b.input(Input::say(line)).is_err(), "{line}");
    }
    b.say("/queue drop 3");
    assert_eq!((b.session.state().queue.later.len(), b.session.state().queue.len()), (0, 2));
    b.say("/queue drop 2");
    assert_eq!((b.session.state().queue.control.len(), b.session.state().queue.len()), (0, 1));
}

#[test]
fn what_waited_for_a_plan_is_heard_when_none_comes() {
    let mut b = Bench::new();
    b.say("create notes.txt");
    b.mumble();
    let waiting = b.session.state().queue.later.len();
    assert_eq!(waiting, 1, "{:#?}", b.session.state().open);
    b.reply("there is nothing to plan", &[]);
    b.reply("there is nothing to plan", &[]);
    assert_eq!(phase(&b), Phase::Idle);
    assert!(b.session.state().queue.is_empty());
    answer_lane(&b);
}

#[test]
fn a_failure_holds_the_queue_and_so_does_going_on_by_hand() {
    let mut b = running();
    b.input(Input::Queue("create other.txt".into())).unwrap();
    let call = run_thinking(&b);
    b.input(Input::Replied { call, reply: Err(fault()) }).unwrap();
    assert_eq!(b.session.state().queue.len(), 1, "a failure holds the queue");
    b.answer(is_failure, Answer::Manual).unwrap();
    assert_eq!(phase(&b), Phase::Idle, "the user's hands are on the files");
    assert_eq!(b.session.state().queue.len(), 1);
    assert!(b.notices().iter().any(|n| n.contains("Queued: 1 message, until")), "{:?}", b.notices());
    // The next run's end is its turn.
    b.say("/redo");
    b.answer(is_plan, Answer::Approve).unwrap();
    while phase(&b) == Phase::Executing {
        let call = run_thinking(&b);
        b.reply_to(call, "done", &[]).unwrap();
    }
    assert_eq!(phase(&b), Phase::Planning);
    assert_eq!(head_of_planning(&b), "create other.txt");
}

#[test]
fn leaving_stops_the_run_even_beside_an_answer() {
    let mut b = running();
    b.say("what does this function do?");
    b.say("/exit");
    b.say("y");
    assert_eq!(phase(&b), Phase::Idle);
    assert!(b.session.pending().is_empty());
    assert!(b.log.iter().any(|e| matches!(&e.event, Event::ControlGiven { control: Control::Exit })));
}

#[test]
fn leaving_asks_also_while_another_question_is_open_and_that_one_comes_back() {
    let mut b = at_its_gate();
    b.end_tool(exited(1, "error: no"));
    b.say("/exit");
    let left =
        |b: &Bench| b.log.iter().any(|e| matches!(&e.event, Event::ControlGiven { control: Control::Exit }));
    assert!(!left(&b));
    b.say("n");
    b.question(is_failure);
    b.say("/exit");
    b.say("y");
    assert!(left(&b) && phase(&b) == Phase::Idle);
}

/// Whoever stays is asked again what they meant, and the run waits for that all the while.
#[test]
fn a_question_that_holds_the_run_stands_aside_while_leaving_is_asked_about() {
    let held = |b: &Bench| b.session.state().phase_question().unwrap().clone();
    let begun = |b: &Bench| b.log.iter().filter(|e| matches!(e.event, Event::TaskStarted { .. })).count();
    let mut b = running();
    b.mumble();
    let asked = held(&b);
    assert!(b.session.foretell("/exit").does(&Deed::AsksToLeave));
    b.say("/exit");
    assert_eq!(held(&b).kind.held(), Some(&asked));
    let call = run_thinking(&b);
    b.reply_to(call, "nothing to change: done", &[]).unwrap();
    assert_eq!(begun(&b), 1, "the next step began unasked");
    b.say("n");
    assert_eq!((held(&b).kind, phase(&b)), (asked.kind, Phase::Executing));
    b.say("c");
    assert_eq!(begun(&b), 2, "and then it goes on");
}

#[test]
fn a_plan_that_gets_ready_does_not_take_the_place_of_leaving() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.say("/exit");
    b.plan(&[("One", "modify")], &[]);
    b.say("n");
    assert_eq!(phase(&b), Phase::AwaitingApproval);
    b.question(is_plan);
}

#[test]
fn leaving_is_possible_when_the_run_ended_meanwhile() {
    let mut b = running();
    b.say("/exit");
    b.reply("done", &[]);
    b.reply("done", &[]);
    assert_eq!(phase(&b), Phase::Idle);
    b.say("y");
    assert!(b.log.iter().any(|e| matches!(&e.event, Event::ControlGiven { control: Control::Exit })));
}

#[test]
fn q_at_a_red_gate_stops_the_run_also_beside_an_answer() {
    let mut b = at_its_gate();
    b.end_tool(exited(1, "error: no"));
    b.say("what does this function do?");
    b.say("q");
    assert_eq!(phase(&b), Phase::Idle);
    assert_eq!(b.session.pending().len(), 1, "the answer goes on");
}

#[test]
fn giving_a_plan_up_leaves_an_answer_that_is_being_written() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify")], &[]);
    b.say("what does this function do?");
    b.say("q");
    assert_eq!(phase(&b), Phase::Idle);
    answer_lane(&b);
}

#[test]
fn stopping_a_goal_leaves_a_question_beside_it() {
    let mut b = Bench::new();
    b.say("run the tests");
    b.say("what does this function do?");
    b.say("/replan");
    answer_lane(&b);
}

#[test]
fn go_on_after_a_finished_plan_does_not_offer_it_again() {
    let mut b = running();
    b.reply("done", &[]);
    b.reply("done", &[]);
    assert_eq!(phase(&b), Phase::Idle);
    b.say("go on");
    assert_eq!(phase(&b), Phase::Idle, "{:?}", b.names());
    b.say("/redo");
    assert_eq!(phase(&b), Phase::AwaitingApproval);
}

#[test]
fn a_task_that_runs_out_of_rounds_is_not_done() {
    let mut b = running();
    for _ in 0..80 {
        b.reply("", &[("nonsense", json!({}))]);
        if phase(&b) != Phase::Executing {
            break;
        }
    }
    assert_eq!(phase(&b), Phase::Failed);
    assert_eq!(b.session.state().plan.as_ref().unwrap().tasks[0].status, TaskStatus::Failed);
}

#[test]
fn lowering_the_ceiling_never_lets_a_task_pass_for_done() {
    let mut b = running();
    b.input(Input::SetPermission(PermissionMode::ReadOnly)).unwrap();
    b.reply("", &[("edit", edit_of("a.txt"))]);
    assert_eq!(phase(&b), Phase::Executing, "it waits");
    assert!(b.session.pending().is_empty());
    let statuses = |b: &Bench| {
        b.session.state().plan.as_ref().unwrap().tasks.iter().map(|t| t.status).collect::<Vec<_>>()
    };
    assert_eq!(statuses(&b), [TaskStatus::Running, TaskStatus::Pending]);
    let told = b.session.state().waits_below_ceiling().unwrap();
    assert_eq!(told, "read-only: step 1 waits; Shift-Tab lets it go on");
    b.input(Input::SetPermission(PermissionMode::Ask)).unwrap();
    assert_eq!(b.tool().1, Tool::Edit, "the call that waited");
    assert_eq!(b.session.state().waits_below_ceiling(), None);
}

#[test]
fn no_further_task_begins_under_a_ceiling_that_was_lowered() {
    let mut b = running();
    b.input(Input::SetPermission(PermissionMode::ReadOnly)).unwrap();
    b.reply("nothing to do", &[]);
    assert_eq!(phase(&b), Phase::Executing);
    assert_eq!(b.session.state().plan.as_ref().unwrap().tasks[1].status, TaskStatus::Pending);
    assert!(b.session.state().waits_below_ceiling().is_some());
    b.input(Input::SetPermission(PermissionMode::Auto)).unwrap();
    assert_eq!(b.session.state().plan.as_ref().unwrap().tasks[1].status, TaskStatus::Running);
}

/// From auto the key comes by read-only to ask: the step at work goes on as if nothing had been.
#[test]
fn a_step_at_work_outlives_a_way_through_read_only() {
    let mut b = running();
    b.input(Input::SetPermission(PermissionMode::ReadOnly)).unwrap();
    assert!(b.notices().iter().any(|n| n.contains("Shift-Tab or /ask lets it go on")), "{:?}", b.notices());
    b.input(Input::SetPermission(PermissionMode::Ask)).unwrap();
    b.reply("", &[("edit", edit_of("a.txt"))]);
    assert_eq!(b.tool().1, Tool::Edit);
}

/// A gate that was asked about or ran has its turn again.
#[test]
fn a_gate_that_the_ceiling_stopped_has_its_turn_again() {
    let mut b = at_its_gate();
    b.input(Input::SetPermission(PermissionMode::ReadOnly)).unwrap();
    assert_eq!(phase(&b), Phase::Executing);
    assert!(b.session.pending().is_empty(), "{:?}", b.session.pending());
    b.input(Input::SetPermission(PermissionMode::Ask)).unwrap();
    b.answer(is_risk, Answer::Approve).unwrap();
    b.end_tool(exited(0, "ok"));
    assert_eq!(phase(&b), Phase::Idle);
}

#[test]
fn an_escalated_answer_that_fails_is_a_failure_and_leaves_no_orphans() {
    let mut b = Bench::new();
    b.say("where is it?");
    b.reply("", &[("edit", edit_of("a.txt"))]);
    b.answer(is_transition, Answer::Approve).unwrap();
    b.propose("a.txt", "1\n", "2\n");
    let call = b.thinking();
    b.input(Input::Replied { call, reply: Err(fault()) }).unwrap();
    assert_eq!(phase(&b), Phase::Failed);
    assert_eq!(b.session.state().open_proposals().count(), 0);
    let failed =
        b.log.iter().any(|e| matches!(&e.event, Event::RunCompleted { status: RunStatus::Failed, .. }));
    assert!(failed);
    b.say("r");
    b.reply("", &[("edit", edit_of("a.txt"))]);
    b.answer(is_transition, Answer::Approve).unwrap();
    assert_eq!(b.tool().1, Tool::Edit);
    b.propose("a.txt", "1\n", "2\n");
    b.reply("done", &[]);
    b.approve_all(None).unwrap();
    b.write();
    assert_eq!(phase(&b), Phase::Idle);
}

#[test]
fn a_failed_repair_tried_again_runs_the_gate_again() {
    let mut b = at_its_gate();
    b.end_tool(exited(1, "error: no"));
    b.say("a");
    let call = b.thinking();
    b.input(Input::Replied { call, reply: Err(fault()) }).unwrap();
    assert_eq!(phase(&b), Phase::Failed);
    b.say("r");
    b.answer(is_risk, Answer::Approve).unwrap();
    b.end_tool(exited(0, "ok"));
    assert_eq!(phase(&b), Phase::Idle);
}

#[test]
fn the_partial_reply_of_a_stopped_run_is_kept_and_starts_nothing() {
    let mut b = running();
    let call = run_thinking(&b);
    b.input(Input::Cancel).unwrap();
    let calls = vec![pilothouse_core::talk::ModelCall {
        id: "x".into(),
        name: "edit".into(),
        args: edit_of("a.txt").to_string(),
    }];
    let reply = ModelReply { text: "part".into(), calls, ..ModelReply::default() };
    b.input(Input::Replied { call, reply: Ok(reply) }).unwrap();
    assert!(b.session.pending().is_empty());
}

#[test]
fn an_answer_with_a_run_of_its_own_that_was_given_up_is_not_asked_again_read_only() {
    let mut b = Bench::new();
    b.say("where is it?");
    b.reply("", &[("edit", edit_of("a.txt"))]);
    b.answer(is_transition, Answer::Approve).unwrap();
    b.propose("a.txt", "1\n", "1\n");
    let call = b.thinking();
    b.input(Input::Replied { call, reply: Err(fault()) }).unwrap();
    assert_eq!(phase(&b), Phase::Failed);
    b.say("q");
    assert_eq!(phase(&b), Phase::Idle);
    let refused = b.input(Input::say("/redo")).unwrap_err().reason;
    assert!(refused.contains("no earlier plan"), "{refused}");
}

#[test]
fn a_line_that_only_looks_runs_beside_a_plan_that_waits_or_is_made() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    for wanted in [Phase::Planning, Phase::AwaitingApproval] {
        assert_eq!(phase(&b), wanted);
        assert!(b.session.foretell("!ls").does(&Deed::Talks), "{wanted:?}");
        b.say("!ls");
        assert_eq!(b.tool().1, Tool::Run, "{wanted:?}");
        b.end_tool(exited(0, "a"));
        assert_eq!((phase(&b), b.session.state().queue.is_empty()), (wanted, true));
        if wanted == Phase::Planning {
            b.plan(&[("One", "modify"), ("Two", "modify")], &[]);
        }
    }
    b.question(is_plan);
    b.say("!make");
    assert_eq!(b.session.state().queue.works().count(), 1, "what writes waits as before");
}

/// At a red gate the line is how the user mends it.
#[test]
fn a_line_of_the_users_own_runs_at_a_red_gate_and_after_by_hand() {
    let red = || {
        let mut b = Bench::new();
        b.say("fix the bug in a.txt");
        b.plan(&[("One", "modify")], &[("t", "make test")]);
        b.say("y");
        b.reply("", &[("edit", edit_of("a.txt"))]);
        b.propose("a.txt", "1\n", "2\n");
        b.reply("done", &[]);
        b.approve_all(None).unwrap();
        b.write();
        b.answer(is_risk, Answer::Approve).unwrap();
        b
    };
    let mut b = red();
    b.end_tool(exited(1, "error: no module"));
    assert!(b.session.foretell("!npm ci").does(&Deed::Talks));
    b.say("!npm ci");
    let runs = |b: &Bench| match b.session.pending().into_values().find(|w| matches!(w, Work::Tool { .. })) {
        Some(Work::Tool { permit, .. }) => permit.tool() == Tool::Run,
        _ => false,
    };
    assert!(runs(&b), "{:?}", b.names());
    b.end_tool(exited(1, "no network"));
    assert_eq!(phase(&b), Phase::Executing);
    b.say("g");
    b.answer(is_risk, Answer::Approve).unwrap();
    b.end_tool(exited(0, "ok"));
    assert_eq!(phase(&b), Phase::Idle);
    b.say("!exit 1");
    b.end_tool(exited(1, ""));
    assert_eq!(RunInfo::of(b.session.state()).status, Standing::Done, "the plan is what it came to");

    // Queued while the gate ran: it has its turn as soon as the user mends by hand.
    let mut b = red();
    b.say("!npm ci");
    assert_eq!(b.session.state().queue.len(), 1);
    b.end_tool(exited(1, "error: no module"));
    b.say("m");
    assert!(runs(&b) && b.session.state().queue.is_empty(), "{:?}", b.notices());
}

#[test]
fn an_order_of_its_own_sets_the_plan_that_waits_aside_and_says_so() {
    for line in ["Fix the typo in README", "rename Foo to Bar in lib.rs", "Implement logging"] {
        let mut b = Bench::new();
        b.say("create a REST API");
        b.plan(&[("Write the server", "create")], &[]);
        b.say(line);
        assert_eq!((phase(&b), head_of_planning(&b).as_str()), (Phase::Planning, line));
        assert_eq!(b.session.state().suspended.as_ref().unwrap().title, "Plan", "{line}");
        assert!(
            b.notices().iter().any(|n| n.contains("Set aside the plan") && n.contains("/redo")),
            "{line}"
        );
        b.plan(&[("Two", "modify")], &[]);
        assert_eq!(b.session.state().plan.as_ref().unwrap().version, 1, "{line}");
    }
    // What names something of the plan, or says that it changes it, goes on with it.
    for line in
        ["fix the port of the server", "fix the bug in a.txt", "also fix the typo in README", "add tests"]
    {
        let mut b = Bench::new();
        b.say("create a REST API");
        b.plan(&[("Write the server", "create")], &[]);
        b.say(line);
        assert_eq!(phase(&b), Phase::Planning, "{line}");
        assert!(b.session.state().suspended.is_none(), "{line}: {:?}", b.notices());
    }
}

#[test]
fn what_is_said_after_a_no_changes_the_plan_unless_it_only_asks() {
    for line in ["too long", "look at q3 only", "what about q2?", "I'd rather have it in Rust", "fewer steps"]
    {
        let mut b = Bench::doubting(&[]);
        b.say("create notes.txt");
        b.plan(&[("One", "create")], &[]);
        b.say("n");
        b.say(line);
        assert_eq!(head_of_planning(&b), line);
        b.plan(&[("Two", "create")], &[]);
        assert_eq!(b.session.state().plan.as_ref().unwrap().version, 2, "{line}");
    }
    let mut b = Bench::new();
    b.say("create notes.txt");
    b.plan(&[("One", "create")], &[]);
    b.say("n");
    b.say("why is there one step?");
    answer_lane(&b);
    assert!(b.session.state().planning_lane().is_none(), "the wait for guidance goes on");
}

#[test]
fn a_letter_that_no_question_offers_does_nothing() {
    let mut b = Bench::new();
    b.say("create notes.txt");
    b.plan(&[("One", "create")], &[]);
    for letter in ["p", "r", "s", "x"] {
        let refused = b.input(Input::say(letter)).unwrap_err();
        assert!(refused.reason.contains("y run the plan"), "{letter}: {refused:?}");
    }
    assert_eq!(phase(&b), Phase::AwaitingApproval);
    let mut b = running();
    for letter in ["r", "p"] {
        assert!(b.input(Input::say(letter)).is_err(), "{letter}");
    }
    assert_eq!(b.session.state().queue.len(), 0);
    let mut b = failed();
    b.say("r");
    assert_eq!(phase(&b), Phase::Executing, "where it is offered it is one");
}

#[test]
fn a_step_of_the_plan_that_waits_is_dropped_by_its_name_without_a_question() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("Fix it", "modify"), ("Update the docs", "modify")], &[]);
    b.question(is_plan);
    let line = "drop the docs step, we have no docs folder";
    let told = b.session.foretell(line);
    assert!(told.does(&pilothouse_core::session::Deed::Plans), "{told:?}");
    let step = b.say(line);
    assert_eq!((starts(&step), phase(&b)), (vec!["think".to_owned()], Phase::Planning));
    assert!(!b.session.state().open.values().any(|c| c.kind.asks_back()));
}
