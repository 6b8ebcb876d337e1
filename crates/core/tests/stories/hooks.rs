//! Hooks: what may refuse is heard before it happens, and refuses for good; the rest only hears.

use pilothouse_core::{
    checkpoint::Answer,
    event::Event,
    hook::{HookMode, HookStatus, Occasion, When},
    input::Input,
    intent::{IntentNode, Phase},
    plan::GateStatus,
    scope::PermissionMode,
    tool::Tool,
    work::Work,
};
use serde_json::json;

use crate::{phase, support::*};

fn plan_to_act() -> Bench {
    let mut b = Bench::hooked(vec![on_the_way(IntentNode::Plan, IntentNode::Act)]);
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify")], &[]);
    b
}

/// The names of events from the first of this name on.
fn from(b: &Bench, name: &str) -> Vec<String> {
    b.names().into_iter().skip_while(|n| n != name).collect()
}

#[test]
fn an_approved_plan_waits_for_the_hook_and_goes_on_in_the_order_of_the_model() {
    let mut b = plan_to_act();
    let before = b.log.len();
    let step = b.answer(is_plan, Answer::Approve).unwrap();
    assert_eq!(starts(&step), ["hook"]);
    assert_eq!(phase(&b), Phase::AwaitingApproval);
    assert!(b.session.state().open.is_empty(), "it is answered, and not asked again meanwhile");
    b.end_hook(HookStatus::Passed);
    assert_eq!(phase(&b), Phase::Executing);
    let names: Vec<String> = b.log[before..].iter().map(|e| name(&e.event)).take(8).collect();
    let wanted = [
        "checkpoint_resolved",
        "move_held",
        "hook_started",
        "hook_ended",
        "node_transition",
        "lane_closed",
        "phase_changed",
        "run_started",
    ];
    assert_eq!(names, wanted);
    assert_eq!(starts(&b.reply("nothing to do", &[])), Vec::<String>::new());
}

#[test]
fn a_hook_that_refuses_keeps_the_plan_waiting_and_says_why() {
    for status in [HookStatus::Failed, HookStatus::TimedOut, HookStatus::Unable] {
        let mut b = plan_to_act();
        b.answer(is_plan, Answer::Approve).unwrap();
        b.end_hook(status);
        assert_eq!(phase(&b), Phase::AwaitingApproval, "{status:?}");
        let state = b.session.state();
        assert_eq!(state.planning_lane().unwrap().node, IntentNode::Plan);
        assert!(state.run.is_none() && b.session.pending().is_empty());
        let why = b.log.iter().find_map(|e| match &e.event {
            Event::MoveBlocked { why, .. } => Some(why.clone()),
            _ => None,
        });
        let wanted = if status == HookStatus::Unable {
            "the hook `plan act` could not run: exit 1"
        } else {
            "the hook `plan act` refused it (exit 1): no way"
        };
        assert_eq!(why.unwrap(), wanted);
        // The user may try again, and the hook is heard again.
        b.answer(is_plan, Answer::Approve).unwrap();
        b.end_hook(HookStatus::Passed);
        assert_eq!(phase(&b), Phase::Executing);
    }
}

#[test]
fn nothing_in_auto_mode_passes_a_hook_by() {
    let mut b = Bench::hooked(vec![on_the_way(IntentNode::Plan, IntentNode::Act)]);
    b.input(Input::SetPermission(PermissionMode::Auto)).unwrap();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify")], &[]);
    assert_eq!((phase(&b), b.hooks().len()), (Phase::AwaitingApproval, 1));
    b.end_hook(HookStatus::Failed);
    assert_eq!(phase(&b), Phase::AwaitingApproval);
    b.question(is_plan);
}

#[test]
fn a_plan_that_is_shown_again_is_held_as_well() {
    let mut b = plan_to_act();
    b.answer(is_plan, Answer::Approve).unwrap();
    b.end_hook(HookStatus::Passed);
    drop(b.input(Input::Cancel));
    b.say("/redo");
    let step = b.answer(is_plan, Answer::Approve).unwrap();
    assert_eq!(starts(&step), ["hook"]);
    assert_eq!(phase(&b), Phase::AwaitingApproval);
    b.end_hook(HookStatus::Passed);
    assert_eq!(phase(&b), Phase::Executing);
}

#[test]
fn giving_the_plan_up_stops_the_hook_and_its_late_word_changes_nothing() {
    let mut b = plan_to_act();
    b.answer(is_plan, Answer::Approve).unwrap();
    let running = b.hooks()[0];
    b.input(Input::Cancel).unwrap();
    assert!(phase(&b) == Phase::Idle && b.session.pending().is_empty());
    let late = Input::HookEnded { call: running, outcome: hook_said(HookStatus::Passed, "") };
    assert!(b.input(late).is_err());
    assert!(!b.names().contains(&"run_started".to_owned()));
}

#[test]
fn a_lowered_ceiling_meanwhile_keeps_the_plan_waiting() {
    let mut b = plan_to_act();
    b.answer(is_plan, Answer::Approve).unwrap();
    b.input(Input::SetPermission(PermissionMode::ReadOnly)).unwrap();
    b.end_hook(HookStatus::Passed);
    assert!(phase(&b) == Phase::AwaitingApproval && b.session.state().run.is_none());
    b.question(is_plan);
}

#[test]
fn a_task_begins_only_after_the_hooks_of_every_step_on_its_way() {
    let hooks = vec![
        on_the_way(IntentNode::Conversation, IntentNode::Act),
        on_the_way(IntentNode::Act, IntentNode::Write),
    ];
    let mut b = Bench::hooked(hooks);
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    for node in [IntentNode::Conversation, IntentNode::Act] {
        assert_eq!(b.session.state().run_lane().unwrap().node, node);
        b.end_hook(HookStatus::Passed);
    }
    assert_eq!(b.session.state().run_lane().unwrap().node, IntentNode::Modify);
    b.reply("nothing to do", &[]);
    assert_eq!(phase(&b), Phase::Idle);

    let mut b = Bench::hooked(vec![on_the_way(IntentNode::Act, IntentNode::Write)]);
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.end_hook(HookStatus::Failed);
    assert_eq!(phase(&b), Phase::Failed);
    b.say("r");
    b.end_hook(HookStatus::Passed);
    assert_eq!(b.session.state().run_lane().unwrap().node, IntentNode::Modify);
}

#[test]
fn a_question_that_may_not_look_is_told_so_as_data() {
    let mut b = Bench::hooked(vec![on_the_way(IntentNode::Explain, IntentNode::Read)]);
    b.say("explain what a closure is");
    assert_eq!(b.session.state().node(), IntentNode::Explain);
    b.reply("", &[("read", json!({"path": "a.txt"}))]);
    assert_eq!(b.session.pending().len(), 1, "the hook, and no tool");
    b.end_hook(HookStatus::Failed);
    let told = b.log.iter().rev().find_map(|e| match &e.event {
        Event::CallEnded { result, .. } => Some(result.head.clone()),
        _ => None,
    });
    assert!(told.unwrap().contains("refused it"));
    b.reply("then without", &[]);
    assert!(b.session.state().lanes.is_empty());
}

#[test]
fn a_question_that_may_not_begin_ends_and_the_next_one_asks_again() {
    let mut b = Bench::hooked(vec![on_the_way(IntentNode::Conversation, IntentNode::Read)]);
    for status in [HookStatus::Failed, HookStatus::Passed] {
        let step = b.say("where is main?");
        assert_eq!(starts(&step), ["hook"]);
        b.end_hook(status);
    }
    b.reply("here", &[]);
    assert!(b.session.state().lanes.is_empty() && phase(&b) == Phase::Idle);
}

#[test]
fn a_command_is_not_begun_before_its_hook_passed() {
    for passes in [true, false] {
        let mut b = Bench::hooked(vec![hook(Occasion::Command, HookMode::Blocks)]);
        b.input(Input::SetPermission(PermissionMode::Auto)).unwrap();
        b.say("!ls");
        let running = b.hooks();
        assert_eq!((running.len(), b.session.pending().len()), (1, 1), "nothing but the hook runs");
        b.end_hook(if passes { HookStatus::Passed } else { HookStatus::Failed });
        if passes {
            assert_eq!(b.tool().1, Tool::Run);
            b.end_tool(exited(0, "a.txt"));
        }
        assert_eq!(phase(&b), Phase::Idle);
        assert_eq!(b.names().contains(&"command_exited".to_owned()), passes);
    }
}

#[test]
fn nothing_is_written_before_its_hook_passed_and_a_refusal_leaves_the_proposals_open() {
    for on in [hook(Occasion::Apply, HookMode::Blocks), on_the_way(IntentNode::Modify, IntentNode::Delete)] {
        let delete = on.on == Occasion::NodeTransition;
        let mut b = Bench::hooked(vec![on]);
        b.say("fix the bug in a.txt");
        b.plan(&[("One", "modify")], &[]);
        b.answer(is_plan, Answer::Approve).unwrap();
        let (tool, after) = if delete { ("delete", "") } else { ("edit", "2\n") };
        let args = if delete { json!({"path": "a.txt"}) } else { edit_of("a.txt") };
        b.reply("", &[(tool, args)]);
        b.propose("a.txt", "1\n", after);
        b.reply("", &[]);
        b.approve_all(delete.then_some("delete")).unwrap();
        assert!(!b.session.pending().values().any(|w| matches!(w, Work::Prepare { .. })));
        b.end_hook(HookStatus::Failed);
        assert_eq!(b.session.state().open_proposals().count(), 1);
        b.question(is_diff);
        b.approve_all(delete.then_some("delete")).unwrap();
        b.end_hook(HookStatus::Passed);
        b.write();
        assert_eq!(b.session.state().ledger().len(), 1);
    }
}

#[test]
fn a_hook_that_cannot_block_holds_nothing_and_is_called_for_what_it_hears() {
    let hooks: Vec<_> = Occasion::ALL.into_iter().map(|on| hook(on, HookMode::Shown)).collect();
    let mut b = Bench::hooked(hooks);
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify")], &[("t", "make")]);
    b.answer(is_plan, Answer::Approve).unwrap();
    assert_eq!(phase(&b), Phase::Executing);
    b.reply("", &[("edit", edit_of("a.txt"))]);
    b.propose("a.txt", "1\n", "2\n");
    b.reply("", &[]);
    b.approve_all(None).unwrap();
    b.write();
    b.answer(is_risk, Answer::Approve).unwrap();
    b.end_tool(exited(0, "ok"));
    assert_eq!(phase(&b), Phase::Idle);
    let called: std::collections::BTreeSet<String> = b
        .log
        .iter()
        .filter_map(|e| match &e.event {
            Event::HookStarted { hook: id, holds: None, .. } => {
                b.session.state().hooks.iter().find(|h| h.id == *id).map(|h| h.name.clone())
            }
            _ => None,
        })
        .collect();
    assert_eq!(called.len(), Occasion::ALL.len(), "{called:?}");
    // At most four at a time; all of them run once those before have ended.
    let mut ended = 0;
    while let Some(call) = b.hooks().first().copied() {
        assert!(b.hooks().len() <= 4);
        b.input(Input::HookEnded { call, outcome: hook_said(HookStatus::Failed, "") }).unwrap();
        ended += 1;
    }
    assert!(ended >= Occasion::ALL.len());
    let green = &b.session.state().suspended.as_ref().unwrap().gates[0];
    assert!(matches!(green.status, GateStatus::Passed(_)), "what they say changes nothing");
}

#[test]
fn when_chooses_by_the_outcome() {
    let only =
        |when| pilothouse_core::hook::Hook { when, ..hook(Occasion::CommandEnd, HookMode::Background) };
    for (when, code, called) in [
        (When::Success, 0, true),
        (When::Success, 1, false),
        (When::Failure, 0, false),
        (When::Failure, 1, true),
        (When::Always, 1, true),
    ] {
        let mut b = Bench::hooked(vec![only(when)]);
        b.input(Input::SetPermission(PermissionMode::Auto)).unwrap();
        b.say("!ls");
        b.end_tool(exited(code, ""));
        assert_eq!(!b.hooks().is_empty(), called, "{when:?} {code}");
        assert!(!b.session.state().busy(), "nothing waits for a background hook");
    }
}

#[test]
fn an_old_log_calls_no_hook_and_a_new_process_calls_its_own() {
    let mut b = plan_to_act();
    b.answer(is_plan, Answer::Approve).unwrap();
    assert_eq!(b.hooks().len(), 1);
    b.input(Input::Open(opening())).unwrap();
    assert!(b.session.pending().is_empty() && b.session.state().hooks.is_empty());
    let standing = pilothouse_core::trust::Standing {
        hooks: vec![hook(Occasion::Session, HookMode::Shown)],
        ..pilothouse_core::trust::Standing::default()
    };
    b.input(Input::Open(pilothouse_core::input::Opening { standing, ..opening() })).unwrap();
    assert_eq!(b.hooks().len(), 1);
    let last = from(&b, "session_reopened");
    assert!(last.contains(&"hook_started".to_owned()));
}

#[test]
fn own_hooks_that_are_read_again_hold_at_once_and_touch_no_trust() {
    let mut b = Bench::hooked(Vec::new());
    let own = || vec![on_the_way(IntentNode::Plan, IntentNode::Act)];
    let trust = b.session.state().trust;
    let step = b.input(Input::HooksRead(own())).unwrap();
    let names: Vec<String> = step.events.iter().map(|e| name(&e.event)).collect();
    assert_eq!((names, trust), (vec!["hooks_known".into(), "notice".into()], b.session.state().trust));
    assert_eq!(b.notices().last().unwrap(), "hooks.toml changed: 1 hook of yours from now on");
    assert!(b.input(Input::HooksRead(own())).is_err(), "of what is the same nothing is said");
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify")], &[]);
    let step = b.answer(is_plan, Answer::Approve).unwrap();
    assert_eq!(starts(&step), ["hook"]);
    // A look at trust that is under way is none the wiser, and no hook of before is called any more.
    b.end_hook(HookStatus::Failed);
    b.say("/trust");
    b.input(Input::HooksRead(Vec::new())).unwrap();
    assert!(b.session.pending().values().any(|w| matches!(w, Work::Survey(_))));
    assert!(b.session.state().hooks.is_empty());
}

#[test]
fn a_hook_that_could_not_run_says_so_and_one_that_is_shown_can_be_stopped() {
    let mut b = Bench::hooked(vec![hook(Occasion::Turn, HookMode::Shown)]);
    b.say("where is main?");
    b.reply("here", &[]);
    b.end_hook(HookStatus::Unable);
    assert!(b.notices().iter().any(|n| n.contains("could not run")), "{:?}", b.notices());
    b.say("where is main?");
    b.reply("here", &[]);
    assert!(b.session.state().busy());
    b.input(Input::Cancel).unwrap();
    assert!(!b.session.state().busy() && b.hooks().is_empty());
}
