//! What is unfinished when work stops is set aside, found again and taken up.

use pilothouse_core::{
    checkpoint::{Answer, CheckpointKind},
    event::Event,
    input::{Found, Input},
    intent::Phase,
    plan::TaskStatus,
    proposal::{Decision, ProposalStatus},
    runs::{RunInfo, RunStatus},
    session::{Deed, LaneKind, Session},
};

use crate::{phase, reviewing, support::*};

/// Decides the first hunk of the one proposal.
fn decide(b: &mut Bench) {
    let p = b.session.state().open_proposals().next().unwrap();
    let (proposal, shown) = (p.id, p.shown());
    b.input(Input::Decide { proposal, hunk: 0, decision: Some(Decision::Taken), shown }).unwrap();
}

fn aside(b: &Bench) -> usize {
    b.session.state().set_aside().count()
}

#[test]
fn every_way_to_stop_work_sets_its_proposals_aside_with_their_decisions() {
    for stop in ["/abort", "/replan", "stop"] {
        let mut b = reviewing();
        decide(&mut b);
        b.say(stop);
        assert_eq!(aside(&b), 1, "{stop}");
        assert!(b.session.state().set_aside().all(|p| p.decided[&0] == Decision::Taken), "{stop}");
        assert_eq!(b.session.state().open_proposals().count(), 0, "{stop}");
        let closed = b.log.iter().any(|e| matches!(e.event, Event::ProposalClosed { .. }));
        assert!(!closed, "{stop}: nothing is dropped that nobody named");
    }
}

#[test]
fn what_was_set_aside_is_listed_and_taken_up_with_its_decisions() {
    let mut b = reviewing();
    decide(&mut b);
    b.input(Input::Cancel).unwrap();
    b.say("/proposals");
    assert!(b.notices().iter().any(|n| n.contains("a.txt") && n.contains("1 taken")), "{:?}", b.notices());
    b.say("/proposals a.txt");
    assert_eq!(aside(&b), 0);
    let open: Vec<_> = b.session.state().open_proposals().collect();
    assert_eq!(open.len(), 1);
    assert_eq!(open[0].decided[&0], Decision::Taken);
    assert!(b.session.state().open.values().any(|c| matches!(c.kind, CheckpointKind::Diff(_))));
    b.approve_all(None).unwrap();
    b.write();
    assert!(b.session.state().proposals().values().all(|p| matches!(p.status, ProposalStatus::Applied(_))));
    assert!(b.session.state().open.is_empty());
}

#[test]
fn set_aside_proposals_and_plans_survive_the_end_of_the_process() {
    let mut b = reviewing();
    b.input(Input::Cancel).unwrap();
    b.input(Input::Open(opening())).unwrap();
    assert_eq!(aside(&b), 1);
    let told =
        "The plan \"Plan\" was left at 0 of 1 steps. `/redo` resumes it. 1 proposal is set aside with it.";
    let all = b.notices().into_iter().filter(|n| n.contains("set aside") || n.contains("was left"));
    assert_eq!(all.collect::<Vec<_>>(), [told]);
    b.say("/proposals all");
    b.approve_all(None).unwrap();
}

#[test]
fn only_giving_up_by_name_drops_what_is_set_aside() {
    let mut b = reviewing();
    b.input(Input::Cancel).unwrap();
    b.say("/proposals drop");
    assert_eq!(aside(&b), 0);
    assert!(b.input(Input::say("/proposals all")).is_err());
}

#[test]
fn an_unfinished_plan_is_not_lost_behind_a_later_one() {
    let mut b = reviewing();
    b.input(Input::Cancel).unwrap();
    b.say("create notes.txt");
    b.plan(&[("Notes", "create")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("done", &[]);
    assert_eq!(phase(&b), Phase::Idle);
    assert_eq!(b.session.state().plan_aside().unwrap().tasks[0].title, "Fix it");
    b.say("/redo");
    assert_eq!(phase(&b), Phase::AwaitingApproval);
    assert_eq!(b.session.state().plan.as_ref().unwrap().tasks[0].title, "Fix it");
}

#[test]
fn a_plan_that_was_set_aside_outlives_the_end_of_the_process_in_a_later_one() {
    let mut b = reviewing();
    b.input(Input::Cancel).unwrap();
    b.say("create notes.txt");
    b.plan(&[("Notes", "create")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.input(Input::Open(opening())).unwrap();
    let first_steps = |b: &Bench| -> Vec<String> {
        let state = b.session.state();
        let plans = state.earlier.iter().chain(&state.suspended);
        plans.map(|p| p.tasks[0].title.clone()).collect()
    };
    assert_eq!(first_steps(&b), ["Fix it", "Notes"]);
    b.say("/redo");
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("done", &[]);
    assert_eq!(b.session.state().plan_aside().unwrap().tasks[0].title, "Fix it");
    assert!(Session::replay(&b.log) == b.session);
}

#[test]
fn a_reset_keeps_the_unfinished_plan_where_it_can_be_taken_up_by_name() {
    let mut b = reviewing();
    b.input(Input::Open(opening())).unwrap();
    b.say("/reset");
    b.say("y");
    assert_eq!((phase(&b), aside(&b)), (Phase::Idle, 1));
    let told = "Set aside: the plan \"Plan\", 0 of 1 steps done; `/proposals plan` brings the last one back.";
    assert_eq!(b.notices().last().unwrap(), told);
    b.say("/proposals plan");
    assert_eq!(phase(&b), Phase::AwaitingApproval);
}

#[test]
fn a_plan_that_waits_is_never_dropped_without_a_word() {
    for word in ["/reset", "/abort", "q", "never mind"] {
        let mut b = Bench::new();
        b.say("fix the bug in a.txt");
        b.plan(&[("One", "modify"), ("Two", "modify")], &[]);
        let foretold = b.session.foretell(word);
        let asks = foretold.does(&Deed::AsksToStartOver);
        assert!(
            asks == (word == "/reset") && (asks || foretold.does(&Deed::SetsAside)),
            "{word}: {foretold:?}"
        );
        b.say(word);
        if asks {
            b.say("y");
        }
        assert!(
            b.notices().iter().any(|n| n.to_lowercase().contains("set aside")),
            "{word}: {:?}",
            b.notices()
        );
        b.say("/proposals plan");
        assert_eq!(phase(&b), Phase::AwaitingApproval, "{word}");
    }
}

#[test]
fn a_plan_taken_up_after_a_crash_leaves_one_open_proposal_for_a_file() {
    let mut b = reviewing();
    b.input(Input::Open(opening())).unwrap();
    assert_eq!(b.session.state().open_proposals().count(), 1, "it waits again");
    b.say("/redo");
    assert_eq!((b.session.state().open_proposals().count(), aside(&b)), (0, 1));
    let step = b.answer(is_plan, Answer::Approve).unwrap();
    assert_eq!(starts(&step), Vec::<String>::new(), "its agent was done: no model is asked again");
    b.question(is_diff);
    assert_eq!((b.session.state().open_proposals().count(), aside(&b)), (1, 0));
    assert!(b.input(Input::say("/proposals all")).is_err(), "nothing else is set aside");
    b.approve_all(None).unwrap();
    b.write();
    assert_eq!((phase(&b), b.session.state().ledger().len()), (Phase::Idle, 1));
}

/// A plan of two steps, cut off in the middle of the first, which had proposed a change.
fn cut_off(by: Input) -> Bench {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify"), ("Two", "modify")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("", &[("edit", edit_of("a.txt"))]);
    b.propose("a.txt", "1\n", "one\n");
    b.input(by).unwrap();
    b
}

fn first_step(b: &Bench) -> TaskStatus {
    let state = b.session.state();
    state.plan.as_ref().or(state.suspended.as_ref()).unwrap().tasks[0].status
}

#[test]
fn a_step_that_was_cut_off_goes_on_with_what_it_had_proposed() {
    for by in [Input::Open(opening()), Input::Cancel] {
        let mut b = cut_off(by);
        b.say("/redo");
        assert_eq!((b.session.state().open_proposals().count(), aside(&b)), (0, 1));
        let step = b.answer(is_plan, Answer::Approve).unwrap();
        assert_eq!(starts(&step), ["think"]);
        let lane = b.session.state().run_lanes().next().unwrap().id;
        let told = |e: &Event| matches!(e, Event::ProposalTakenUp { lane: Some(of), .. } if *of == lane);
        assert!(b.log.iter().any(|e| told(&e.event)));
        let goes_on: Vec<_> = b.session.state().proposals_of(lane).map(|p| p.path.to_string()).collect();
        assert_eq!((goes_on, aside(&b)), (vec!["a.txt".to_owned()], 0));
        b.reply("", &[("edit", edit_of("b.txt"))]);
        b.propose("b.txt", "1\n", "2\n");
        b.reply("done", &[]);
        b.question(is_diff);
        assert_eq!(b.session.state().open_proposals().count(), 2, "both are looked at together");
        b.approve_all(None).unwrap();
        b.write();
        assert_eq!(first_step(&b), TaskStatus::Done);
        assert!(Session::replay(&b.log) == b.session);
    }
}

/// A run whose steps are done and whose gate is red.
fn with_a_red_gate() -> Bench {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify"), ("Two", "modify")], &[("tests", "make test")]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("one", &[]);
    b.reply("two", &[]);
    b.answer(is_risk, Answer::Approve).unwrap();
    b.end_tool(exited(1, "no"));
    b
}

/// A run whose gate is red and whose repair had proposed a change when it was stopped.
fn stopped_in_repair(by: Input) -> Bench {
    let mut b = with_a_red_gate();
    b.answer(is_failure, Answer::AutoFix).unwrap();
    b.reply("", &[("edit", edit_of("a.txt"))]);
    b.propose("a.txt", "1\n", "one\n");
    b.input(by).unwrap();
    b
}

#[test]
fn what_was_to_mend_a_gate_is_looked_at_before_the_plan_goes_on() {
    for by in [Input::Cancel, Input::Open(opening())] {
        let mut b = stopped_in_repair(by);
        b.say("go on");
        assert_eq!((phase(&b), b.session.state().open_proposals().count(), aside(&b)), (Phase::Idle, 1, 0));
        assert!(
            b.notices().last().unwrap().contains("review them, and the plan continues"),
            "{:?}",
            b.notices()
        );
        b.approve_all(None).unwrap();
        let before = b.log.len();
        b.write();
        assert_eq!(phase(&b), Phase::Executing, "{:?}", b.notices());
        assert!(b.log[before..].iter().any(|e| matches!(e.event, Event::GateStarted { .. })));
        assert!(Session::replay(&b.log) == b.session);
    }
}

#[test]
fn what_was_to_mend_a_gate_comes_back_with_the_plan_and_its_gate_waits_for_that() {
    for by in [Input::Cancel, Input::Open(opening())] {
        for word in ["/redo", "/proposals plan"] {
            let mut b = stopped_in_repair(by.clone());
            b.say(word);
            let waits = |b: &Bench| (phase(b), b.session.state().open_proposals().count(), aside(b));
            assert_eq!(waits(&b), (Phase::AwaitingApproval, 1, 0), "{word}");
            let before = b.log.len();
            b.answer(is_plan, Answer::Approve).unwrap();
            let gates = |b: &Bench| {
                b.log[before..].iter().filter(|e| matches!(e.event, Event::GateStarted { .. })).count()
            };
            assert_eq!(
                (waits(&b), gates(&b)),
                ((Phase::Executing, 1, 0), 0),
                "{word}: it is looked at first"
            );
            b.approve_all(None).unwrap();
            assert_eq!(gates(&b), 0, "{word}: nothing is written yet");
            b.write();
            assert_eq!((phase(&b), gates(&b)), (Phase::Executing, 1), "{word}: {:?}", b.notices());
            assert!(Session::replay(&b.log) == b.session);
        }
    }
}

#[test]
fn a_step_is_done_by_what_it_left_only_where_nothing_else_was_left_to_do() {
    let mut b = cut_off(Input::Open(opening()));
    let asked = b.session.state().open.values().next().unwrap().message.clone();
    assert!(asked.ends_with("Their step was still running: `/redo` continues it."), "{asked}");
    b.approve_all(None).unwrap();
    b.write();
    assert_eq!(first_step(&b), TaskStatus::Pending, "its agent was still at work");
    let mut b = cut_off(Input::Cancel);
    b.say("/proposals all");
    b.approve_all(None).unwrap();
    b.write();
    assert_eq!(first_step(&b), TaskStatus::Cancelled);
    // Its agent had ended, and two files waited: it is done with the second.
    let mut b = cut_off(Input::Cancel);
    b.say("/redo");
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("", &[("edit", edit_of("b.txt"))]);
    b.propose("b.txt", "1\n", "2\n");
    b.reply("done", &[]);
    b.input(Input::Cancel).unwrap();
    for (file, then) in [("a.txt", TaskStatus::Cancelled), ("b.txt", TaskStatus::Done)] {
        b.say(&format!("/proposals {file}"));
        b.approve_all(None).unwrap();
        b.write();
        assert_eq!(first_step(&b), then, "{file}");
    }
}

#[test]
fn where_only_its_gates_are_left_a_plan_is_taken_up_for_them_alone() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify"), ("Two", "modify")], &[("tests", "make test")]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("nothing to do", &[]);
    b.reply("", &[("edit", edit_of("a.txt"))]);
    b.propose("a.txt", "1\n", "one\n");
    b.reply("done", &[]);
    b.input(Input::Open(opening())).unwrap();
    b.approve_all(None).unwrap();
    b.write();
    only_gates_are_left(&mut b, "/redo");
}

/// That it is offered to run the gates of a plan, and that this word does so and does no step again.
fn only_gates_are_left(b: &mut Bench, word: &str) {
    let notices = b.notices();
    assert!(notices.last().is_some_and(|n| n.ends_with("gates are left: `/redo` runs them.")), "{notices:?}");
    let before = b.log.len();
    b.say(word);
    let done = |b: &Bench| b.session.state().plan.as_ref().unwrap().done();
    // "Go on" takes up what began by a yes; what is shown once more asks for one.
    let (asks, goes) = (Phase::AwaitingApproval, Phase::Executing);
    let then = if word == "go on" { goes } else { asks };
    assert_eq!((phase(b), done(b)), (then, 2), "no step is done again");
    if then == asks {
        b.answer(is_plan, Answer::Approve).unwrap();
    }
    assert!(b.log[before..].iter().any(|e| matches!(e.event, Event::GateStarted { .. })));
    assert_eq!(done(b), 2);
    assert!(Session::replay(&b.log) == b.session);
}

#[test]
fn a_plan_whose_gate_was_red_when_the_program_ended_is_taken_up_for_its_gates_alone() {
    let mut b = with_a_red_gate();
    b.question(is_failure);
    b.input(Input::Open(opening())).unwrap();
    only_gates_are_left(&mut b, "go on");
}

#[test]
fn what_was_being_written_of_the_last_step_when_the_program_ended_is_done() {
    for gates in [&[("tests", "make test")][..], &[]] {
        let mut b = Bench::new();
        b.say("fix the bug in a.txt");
        b.plan(&[("One", "modify"), ("Two", "modify")], gates);
        b.answer(is_plan, Answer::Approve).unwrap();
        b.reply("nothing to do", &[]);
        b.reply("", &[("edit", edit_of("a.txt"))]);
        b.propose("a.txt", "1\n", "one\n");
        b.reply("done", &[]);
        b.approve_all(None).unwrap();
        let (apply, files) = (b.writing(), b.prepared());
        b.input(Input::ApplyPrepared { apply, files: Ok((files, Vec::new())) }).unwrap();
        let mut open = opening();
        open.found = vec![(apply, Found::After)];
        b.input(Input::Open(open)).unwrap();
        assert!(b.session.pending().is_empty());
        if gates.is_empty() {
            let done = b.session.state().suspended.as_ref().unwrap().complete();
            assert!(done && b.notices().iter().any(|n| n == "Every step of the plan is done."));
        } else {
            only_gates_are_left(&mut b, "/redo");
        }
    }
}

#[test]
fn a_plan_that_waits_again_is_asked_about_as_it_is_once_a_step_of_it_is_done() {
    let mut b = reviewing();
    b.input(Input::Cancel).unwrap();
    b.say("/redo");
    let asked = b.question(is_plan);
    b.say("/proposals all");
    b.approve_all(None).unwrap();
    b.write();
    assert_eq!(first_step(&b), TaskStatus::Done);
    assert_ne!(b.question(is_plan), asked);
    b.answer(is_plan, Answer::Approve).unwrap();
    assert_eq!(phase(&b), Phase::Idle);
}

#[test]
fn leaving_with_something_at_stake_asks_once_and_names_it() {
    let mut b = reviewing();
    b.say("/exit");
    let asked = b.session.state().phase_question().unwrap().message.clone();
    assert!(asked.contains("0 of 1 done") && asked.contains("1 file waits"), "{asked}");
    b.say("y");
    assert!(b.log.iter().any(|e| matches!(e.event, Event::ControlGiven { .. })));
    let mut b = reviewing();
    b.input(Input::Open(opening())).unwrap();
    b.say("/exit");
    assert!(b.session.state().phase_question().is_some(), "a review waits although nothing runs");
}

#[test]
fn the_question_whether_to_leave_tells_what_is_at_stake_by_now() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify"), ("Two", "modify")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.say("/exit");
    let asks = |b: &Bench| {
        let spec = b.session.state().spec(b.session.state().phase_question().unwrap());
        assert_eq!(spec.title, spec.text);
        spec.title.as_str().to_owned()
    };
    assert_eq!(asks(&b), "Stop and leave? Kept: a plan (0 of 2 done)");
    let asked = b.session.state().phase_question().unwrap().id;
    b.reply("nothing to do", &[]);
    b.input(Input::Queue("fix another thing".into())).unwrap();
    assert_eq!(asks(&b), "Stop and leave? Kept: a plan (1 of 2 done); 1 queued");
    b.say("/queue drop 1");
    b.reply("nothing to do", &[]);
    assert_eq!(asks(&b), "Leave? Nothing is at stake any longer");
    let left = b.session.state().phase_question().unwrap();
    assert_eq!(left.id, asked, "it is the same question, answered once");
    b.say("n");
    assert!(b.session.state().phase_question().is_none());
}

#[test]
fn what_waits_stands_once_however_often_the_session_is_opened() {
    let mut b = reviewing();
    for _ in 0..3 {
        b.input(Input::Open(opening())).unwrap();
        let reviews: Vec<_> = b.session.state().open.values().filter_map(|c| c.kind.review()).collect();
        assert_eq!((reviews.len(), reviews[0].proposals.len()), (1, 1));
        assert_eq!(b.session.state().open_proposals().count(), 1);
    }
}

#[test]
fn starting_over_asks_once_where_something_would_be_lost() {
    let over = |b: &Bench| b.log.iter().any(|e| matches!(e.event, Event::ControlGiven { .. }));
    let asked = |b: &Bench| {
        let state = b.session.state();
        state.phase_question().map(|c| state.spec(c).text.as_str().to_owned())
    };
    // A plan that waits, and facts.
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify"), ("Two", "modify")], &[]);
    b.say("/reset");
    let told = "Start over? Set aside: a plan (0 of 2 done)";
    assert_eq!((asked(&b).as_deref(), over(&b)), (Some(told), false));
    b.say("n");
    assert_eq!(phase(&b), Phase::AwaitingApproval);
    b.question(is_plan);
    b.say("/clear");
    b.say("y");
    assert!(over(&b) && b.session.state().plan.is_none() && phase(&b) == Phase::Idle);
    // Facts alone.
    let mut b = Bench::new();
    b.say("!ls");
    b.end_tool(exited(0, "a"));
    assert_eq!(b.session.state().facts.len(), 1);
    b.say("/new");
    assert_eq!(asked(&b).as_deref(), Some("Start over? Forgotten: 1 fact"));
    b.say("y");
    assert!(over(&b) && b.session.state().facts.is_empty());
    // Twice is no yes, and leaving is asked about for itself.
    let mut b = Bench::new();
    b.say("/reset");
    assert!(over(&b) && asked(&b).is_none(), "nothing is at stake");
}

#[test]
fn a_list_of_sessions_says_what_stays_in_one_to_be_taken_up() {
    let mut b = reviewing();
    b.input(Input::Queue("rename the greeting".into())).unwrap();
    let of = |b: &Bench| RunInfo::of(b.session.state());
    assert_eq!(of(&b).status, RunStatus::Waiting);
    b.input(Input::Cancel).unwrap();
    assert!(of(&b).doing.starts_with("1 change set aside"), "{:?}", of(&b));
}

#[test]
fn a_list_of_sessions_counts_the_files_that_wait_now() {
    let mut b = Bench::new();
    b.say("fix the greeting");
    b.plan(&[("Fix", "modify")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("", &[("edit", edit_of("a.txt")), ("edit", edit_of("b.txt"))]);
    b.propose("a.txt", "1\n", "2\n");
    b.propose("b.txt", "1\n", "2\n");
    b.reply("", &[]);
    let of = |b: &Bench| RunInfo::of(b.session.state()).doing;
    assert_eq!(of(&b), "2 files wait for your decision: a.txt  b.txt");
    let first = b.session.state().open_proposals().next().unwrap().id;
    b.input(Input::Skip { proposals: vec![first], reason: String::new() }).unwrap();
    assert_eq!(of(&b), "1 file waits for your decision: b.txt");
}

#[test]
fn a_list_of_sessions_calls_nothing_done_of_which_nothing_came() {
    let of = |b: &Bench| RunInfo::of(b.session.state());
    let mut b = Bench::new();
    b.say("rename the greeting in a.txt to hello");
    // Asked once more for a plan, it gives none.
    b.reply("It is called hello already.", &[]);
    b.reply("It is called hello already.", &[]);
    assert_eq!(b.session.state().phase, Phase::Idle, "no plan came of it");
    assert_eq!((of(&b).status, of(&b).came_to().as_deref()), (RunStatus::Ended, Some("nothing came of it")));
    b.say("where is the greeting?");
    b.reply("In a.txt.", &[]);
    assert_eq!((of(&b).status, of(&b).came_to()), (RunStatus::Done, None), "a question was answered");
}

#[test]
fn a_list_of_sessions_says_that_a_command_failed_until_something_else_is_said() {
    let of = |b: &Bench| RunInfo::of(b.session.state());
    for line in ["!exit 1", "!sleep 4; npm test", "!!make check"] {
        let mut b = Bench::new();
        b.say(line);
        assert_eq!(of(&b).status, RunStatus::Tool, "{line}");
        b.end_tool(exited(1, "1 failed"));
        let failed = of(&b);
        assert_eq!(
            (failed.status, failed.doing.as_str()),
            (RunStatus::Failed, "ended with exit 1"),
            "{line}"
        );
        assert_eq!(failed.came_to(), None, "{line}");
        b.say(line);
        b.end_tool(exited(0, "1 passed"));
        assert_eq!((of(&b).status, of(&b).doing.as_str()), (RunStatus::Done, ""), "{line}");
        b.say(line);
        b.end_tool(exited(1, "1 failed"));
        b.say("where is the greeting?");
        b.reply("In a.txt.", &[]);
        assert_eq!(of(&b).status, RunStatus::Done, "{line}");
    }
}

#[test]
fn a_list_of_sessions_says_that_a_command_was_stopped() {
    let of = |b: &Bench| RunInfo::of(b.session.state()).came_to();
    let mut b = Bench::new();
    b.say("!sleep 5");
    b.input(Input::Cancel).unwrap();
    assert!(of(&b).is_some_and(|words| words.starts_with("stopped after ")), "{:?}", of(&b));
    b.say("where is the greeting?");
    b.reply("In a.txt.", &[]);
    assert_eq!(of(&b), None);
}

#[test]
fn what_is_taken_between_two_runs_of_a_plan_counts_for_what_it_came_to() {
    let mut b = cut_off(Input::Open(opening()));
    b.approve_all(None).unwrap();
    b.write();
    b.say("/redo");
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("done", &[]);
    b.reply("done", &[]);
    let ended = b.log.iter().rev().find_map(|e| match &e.event {
        Event::RunCompleted { came_to, summary, .. } => came_to.clone().map(|c| (c, summary.clone())),
        _ => None,
    });
    let (came_to, summary) = ended.unwrap();
    assert_eq!(came_to.files.iter().map(|f| f.path.as_str()).collect::<Vec<_>>(), ["a.txt"]);
    assert_eq!(summary, "Complete. 1 file created/modified. 1 of 2 steps changed nothing: Two.");
}

#[test]
fn what_waits_behind_a_rejected_plan_has_its_turn_once_that_is_set_aside() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.say("create notes.txt");
    let waits = b.session.state().queue.plan_new.unwrap();
    b.plan(&[("One", "modify")], &[]);
    b.answer(is_plan, Answer::Reject(String::new())).unwrap();
    b.input(Input::say("")).unwrap();
    assert!(b.session.state().queue.is_empty());
    assert!(!b.notices().iter().any(|n| n.contains("Not begun")), "{:?}", b.notices());
    let planning = b.session.state().lanes.values().find(|l| l.kind == LaneKind::Planning).unwrap();
    assert_eq!((planning.turn, phase(&b)), (waits, Phase::Planning));
}

/// TRN-09, amendment 2: an empty line loses nothing.
#[test]
fn a_rejected_plan_of_which_nothing_is_said_is_set_aside_and_comes_back() {
    for again in ["/redo", "/proposals plan", "go on"] {
        let mut b = rejected();
        b.input(Input::say("")).unwrap();
        assert_eq!(phase(&b), Phase::Idle);
        let told = b.notices().pop().unwrap();
        assert!(told.contains("the plan \"Plan\" is set aside; `/redo` brings it back"), "{told}");
        b.say(again);
        assert_eq!(phase(&b), Phase::AwaitingApproval, "{again}");
        assert_eq!(b.session.state().plan.as_ref().unwrap().tasks[0].title, "Notes");
    }
}

/// A plan that was rejected, and waits to hear what is to be different.
fn rejected() -> Bench {
    let mut b = Bench::new();
    b.say("create notes.txt");
    b.plan(&[("Notes", "create")], &[]);
    b.answer(is_plan, Answer::Reject(String::new())).unwrap();
    b
}

#[test]
fn who_leaves_while_a_rejected_plan_waits_for_words_keeps_it() {
    let mut b = rejected();
    b.input(Input::say("/exit")).unwrap();
    if b.session.state().phase_question().is_some_and(|c| c.kind.is_exit()) {
        b.say("y");
    }
    let shelved = b.log.iter().any(|e| matches!(e.event, Event::PlanShelved { discarded: true, .. }));
    assert!(!shelved && b.session.state().last_plan().is_some());
}
