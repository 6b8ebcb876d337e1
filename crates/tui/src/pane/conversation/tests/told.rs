//! What is told of the queue, of steps and of changes.

use pilothouse_core::{
    completion::{Completion, FileTally, GateFact, LastRun},
    goal::{Attempt, GoalStatus, GoalSummary},
    plan::{GateStatus, Task},
    proposal::Decision,
    scope::ToolScope,
    shell::Risk,
    tool::{ABSENT, Exit},
};

use super::*;

#[test]
fn a_plan_that_is_set_aside_is_told_once() {
    let paused = |told: Option<&str>| {
        let mut s = whole_story();
        s.tell(Event::PlanShelved { suspended: true, discarded: false });
        if let Some(text) = told {
            s.tell(Event::Notice { level: Level::Info, text: text.into() });
        }
        s.text(80, 40).join("\n")
    };
    assert!(paused(None).contains("plan paused – /redo resumes it"));
    assert!(paused(Some("OK, noted.")).contains("plan paused"));
    let told = paused(Some("Stopped. The plan \"P\" is set aside; `/redo` brings it back."));
    assert!(!told.contains("plan paused") && told.contains("is set aside"), "{told}");
}

fn run_begins(s: &mut Screen) {
    s.tell(Event::RunStarted { run: RunId(7), turn: TurnId(1), approval: None });
}

fn holds(s: &mut Screen, wanted: &str) {
    let text = s.text(100, 40).join("\n");
    assert!(text.contains(wanted), "{wanted}\n{text}");
}

#[test]
fn what_is_queued_is_said_below_its_message_and_once() {
    let mut s = Screen::new();
    s.tell(said(1, "mend it"));
    run_begins(&mut s);
    let queue = |plan_new, more| Event::QueueChanged {
        plan_new,
        more,
        control: vec![],
        later: vec![],
        stopped: false,
    };
    s.tell(said(2, "rename by_day"));
    s.tell(queue(Some(TurnId(2)), vec![]));
    holds(&mut s, "· Queued: starts when the run ends; /queue lists it");
    s.tell(said(3, "add a page"));
    s.tell(Event::Notice { level: Level::Info, text: "The rules decided".into() });
    s.tell(queue(Some(TurnId(2)), vec![TurnId(3)]));
    holds(&mut s, "· Queued \"add a page\": starts when");
    assert_eq!(s.text(100, 40).iter().filter(|l| l.contains("Queued")).count(), 2, "each is told once");
    s.tell(queue(Some(TurnId(3)), vec![]));
    let text = s.text(100, 40);
    let rows = |part: &str| text.iter().filter(|l| l.contains(part)).count();
    assert_eq!((rows("Queued"), rows("– removed from the queue")), (1, 1), "{text:?}");
}

#[test]
fn a_queued_message_that_goes_to_the_agent_keeps_its_own_mark() {
    let mut s = Screen::new();
    s.tell(said(1, "mend it"));
    run_begins(&mut s);
    s.tell(lane(1, LaneKind::Task(TaskId(1)), IntentNode::Write));
    let queue = |plan_new, later| Event::QueueChanged {
        plan_new,
        more: vec![],
        control: vec![],
        later,
        stopped: false,
    };
    s.tell(said(2, "rename by_day"));
    s.tell(queue(Some(TurnId(2)), vec![]));
    s.tell(said(3, "how does it read a line?"));
    s.tell(queue(Some(TurnId(2)), vec![TurnId(3)]));
    holds(&mut s, "· Queued: answered when the run ends; /queue lists it");
    let below = |s: &mut Screen, message: &str| {
        let rows = s.text(100, 40);
        let at = rows.iter().position(|row| row.contains(message)).unwrap();
        let end = rows[at + 1..].iter().position(|row| row.contains("▎ you")).map_or(rows.len(), |n| at + n);
        rows[at + 1..end].join("\n")
    };
    s.tell(queue(None, vec![TurnId(3)]));
    s.tell(Event::TurnTold { turn: TurnId(2), run_of: TurnId(1) });
    let told = below(&mut s, "rename by_day");
    assert!(
        told.contains("· Reaches the agent with its next request") && !told.contains("removed"),
        "{told}"
    );
    s.tell(thinking(5, 1));
    let (told, other) = (below(&mut s, "rename by_day"), below(&mut s, "how does it read"));
    assert!(told.contains("✓ passed to the agent"), "{told}");
    assert!(other.contains("Queued") && !other.contains("agent"), "{other}");
}

#[test]
fn what_waited_is_said_again_where_it_begins() {
    let mut s = Screen::new();
    let queue = |plan_new| Event::QueueChanged {
        plan_new,
        more: vec![],
        control: vec![],
        later: vec![],
        stopped: false,
    };
    s.tell(said(1, "mend it"));
    run_begins(&mut s);
    for turn in [2, 3] {
        s.tell(said(turn, &format!("order {turn}")));
        s.tell(queue(Some(TurnId(turn))));
        s.tell(Event::Notice { level: Level::Info, text: "The rules decided".into() });
        s.tell(queue(None));
        // One that was told to what runs instead begins nothing.
        let of = if turn == 2 { TurnId(2) } else { TurnId(1) };
        let kind = LaneKind::Planning;
        let (node, ceiling, fixed) = (IntentNode::Plan, ToolScope::READ_ONLY, false);
        s.tell(Event::LaneOpened { lane: LaneId(turn), kind, turn: of, node, ceiling, fixed });
    }
    let text = s.text(100, 40).join("\n");
    assert_eq!((text.matches("order 2").count(), text.matches("order 3").count()), (2, 1), "{text}");
    assert_eq!(
        (text.matches("queued; starts below").count(), text.matches("removed from the queue").count()),
        (1, 1),
        "{text}"
    );
}

#[test]
fn a_goal_that_ran_no_command_does_not_say_that_nothing_was_run() {
    let mut s = Screen::new();
    s.tell(said(1, "add two numbers by the source"));
    run_begins(&mut s);
    s.tell(lane(1, LaneKind::Goal, IntentNode::Execute));
    s.tell(Event::ThinkingStarted { call: CallId(2), lane: LaneId(1) });
    let goal = GoalSummary::of(&[], Millis(5), None);
    s.tell(Event::RunCompleted {
        run: RunId(7),
        status: RunStatus::Completed,
        summary: String::new(),
        files: vec![],
        goal: Some(goal),
        came_to: None,
    });
    holds(&mut s, "– No command was run.");
}

#[test]
fn a_goal_that_failed_names_its_command_without_marks_of_code() {
    let mut s = Screen::new();
    s.tell(said(1, "run the tests"));
    run_begins(&mut s);
    s.tell(lane(1, LaneKind::Goal, IntentNode::Execute));
    s.tell(Event::ThinkingStarted { call: CallId(2), lane: LaneId(1) });
    let exit = Exit {
        code: Some(1),
        signal: None,
        timed_out: false,
        took: Millis(5),
        process: None,
        put_back: false,
    };
    let tried = Attempt {
        call: CallId(3),
        command: "cargo test".into(),
        risk: Risk::Medium,
        changed: false,
        exit: Some(exit),
        stopped: false,
    };
    let before = GoalSummary::of(&[], Millis(5), None);
    let goal = GoalSummary { status: GoalStatus::Failed, attempts: vec![tried], ran: 1, failed: 1, ..before };
    s.tell(Event::RunCompleted {
        run: RunId(7),
        status: RunStatus::Failed,
        summary: String::new(),
        files: vec![],
        goal: Some(goal),
        came_to: None,
    });
    holds(&mut s, "Failed: cargo test ended with exit 1.");
}

#[test]
fn a_step_that_was_added_has_its_number_and_title_and_tells_that_it_changed_nothing() {
    let mut s = Screen::new();
    s.tell(Event::PlanReady { plan: plan() });
    run_begins(&mut s);
    let task = Task { id: TaskId(6), title: "Also a test".into(), ..plan().tasks[0].clone() };
    s.tell(Event::TaskAdded { task });
    s.tell(Event::TaskStarted { task: TaskId(6), lane: LaneId(1) });
    s.tell(Event::TaskCompleted { task: TaskId(6), took: Millis(1_310) });
    holds(&mut s, "[6/6] Also a test");
    holds(&mut s, "Complete (1310ms), no file changed");
    s.tell(Event::TaskCancelled { task: TaskId(6) });
    holds(&mut s, "– [6/6] Also a test: stopped");
}

#[test]
fn what_a_step_wrote_before_it_was_cut_off_is_its_own() {
    let (mut s, applied) = (Screen::new(), Event::Applied { apply: ApplyId(70) });
    s.tell(Event::PlanReady { plan: plan() });
    run_begins(&mut s);
    s.tell(Event::TaskStarted { task: TaskId(1), lane: LaneId(1) });
    s.tell(applied);
    run_begins(&mut s);
    s.tell(Event::TaskStarted { task: TaskId(1), lane: LaneId(2) });
    s.tell(Event::TaskCompleted { task: TaskId(1), took: Millis(7_312) });
    holds(&mut s, "Complete (7312ms)");
    let text = s.text(100, 40).join("\n");
    assert!(!text.contains("no file changed"), "{text}");
    // Another go at a step that was over has what it writes itself.
    s.tell(Event::TaskStarted { task: TaskId(1), lane: LaneId(3) });
    s.tell(Event::TaskCompleted { task: TaskId(1), took: Millis(1) });
    holds(&mut s, "Complete (1ms), no file changed");
}

#[test]
fn a_step_that_needs_no_change_is_told_in_one_line() {
    let mut s = Screen::new();
    s.tell(Event::PlanReady { plan: plan() });
    run_begins(&mut s);
    s.tell(lane(1, LaneKind::Task(TaskId(1)), IntentNode::Modify));
    s.tell(Event::TaskStarted { task: TaskId(1), lane: LaneId(1) });
    s.tell(replied(1, 1, "nothing to change: it is called so already"));
    s.tell(Event::LaneClosed { lane: LaneId(1) });
    s.tell(Event::TaskCompleted { task: TaskId(1), took: Millis(900) });
    let text = s.text(100, 40);
    let told: Vec<&String> = text.iter().filter(|l| l.contains("it is called so already")).collect();
    assert_eq!(told, [" Complete (900ms), nothing changed: it is called so already"]);
    assert!(!text.iter().any(|l| l.contains("nothing to change")), "{text:?}");
}

/// The model's word for its work is prose; whether anything changed is counted.
#[test]
fn a_step_that_wrote_is_never_told_to_have_changed_nothing() {
    let mut s = Screen::new();
    s.tell(Event::PlanReady { plan: plan() });
    run_begins(&mut s);
    s.tell(lane(1, LaneKind::Task(TaskId(1)), IntentNode::Modify));
    s.tell(Event::TaskStarted { task: TaskId(1), lane: LaneId(1) });
    s.tell(Event::Applied { apply: ApplyId(70) });
    s.tell(replied(1, 1, "nothing to change: the 404 is in"));
    s.tell(Event::LaneClosed { lane: LaneId(1) });
    s.tell(Event::TaskCompleted { task: TaskId(1), took: Millis(900) });
    let text = s.text(100, 40);
    assert!(!text.iter().any(|l| l.contains("nothing changed")), "{text:?}");
    assert!(text.iter().any(|l| l.contains("the 404 is in")), "{text:?}");
}

/// A run of a plan whose only gate comes after its first step.
fn with_a_gate_behind_its_first_step() -> Screen {
    let mut s = Screen::new();
    let mut plan = plan();
    plan.gates.truncate(1);
    plan.gates[0].after = vec![TaskId(1)];
    plan.gates[0].status = GateStatus::Pending;
    s.tell(Event::PlanReady { plan });
    run_begins(&mut s);
    s
}

#[test]
fn a_step_whose_gate_is_due_says_which_one_comes_next() {
    let mut s = with_a_gate_behind_its_first_step();
    for _ in 0..2 {
        s.tell(Event::TaskStarted { task: TaskId(1), lane: LaneId(1) });
        s.tell(Event::ApplyStarted {
            apply: ApplyId(8),
            files: vec![file("a", ChangeKind::Modify, 1, 0, 9)],
        });
        s.tell(Event::Applied { apply: ApplyId(8) });
        s.tell(Event::TaskCompleted { task: TaskId(1), took: Millis(900) });
        s.tell(Event::GatePassed { gate: GateId(1), evidence: EvidenceId(9), proof: proof(0, "") });
    }
    let text = s.text(100, 40);
    let told: Vec<&String> = text.iter().filter(|l| l.contains("Complete")).collect();
    assert_eq!(told, [" Complete (900ms); next: gate syntax", " Complete (900ms)"]);
}

#[test]
fn no_gate_is_next_while_another_step_is_at_work() {
    let mut s = with_a_gate_behind_its_first_step();
    for task in 1..=2 {
        let lane = LaneId(task);
        let (kind, node, ceiling) = (LaneKind::Task(TaskId(task)), IntentNode::Modify, ToolScope::WORKSPACE);
        s.tell(Event::LaneOpened { lane, kind, turn: TurnId(1), node, ceiling, fixed: false });
        s.tell(Event::TaskStarted { task: TaskId(task), lane });
    }
    s.tell(Event::LaneClosed { lane: LaneId(1) });
    s.tell(Event::TaskCompleted { task: TaskId(1), took: Millis(900) });
    let text = s.text(100, 40).join("\n");
    assert!(text.contains("Step 1 complete (900ms)") && !text.contains("next:"), "{text}");
}

#[test]
fn what_stands_below_the_heading_of_another_step_names_its_own() {
    // Step 1 is at work alone; so many steps began, the others are over.
    let told = |steps: u64| {
        let mut s = Screen::new();
        s.tell(Event::PlanReady { plan: plan() });
        run_begins(&mut s);
        for task in 1..=steps {
            let (lane, kind) = (LaneId(task), LaneKind::Task(TaskId(task)));
            let (node, ceiling) = (IntentNode::Modify, ToolScope::WORKSPACE);
            s.tell(Event::LaneOpened { lane, kind, turn: TurnId(1), node, ceiling, fixed: false });
            s.tell(Event::TaskStarted { task: TaskId(task), lane });
        }
        for over in 2..=steps {
            s.tell(Event::LaneClosed { lane: LaneId(over) });
        }
        s.tell(thinking(20, 1));
        s.tell(replied(20, 1, "I look first."));
        s.tell(started(21, Tool::Read, "src/a.rs"));
        s.tell(ended(21, "3 lines", ""));
        let (task, message) = (TaskId(1), "out of tokens".to_owned());
        s.tell(Event::TaskFailed { task, message, hint: String::new() });
        s.text(100, 40).join("\n")
    };
    let text = told(2);
    assert!(text.contains("step 1\n I look first."), "{text}");
    assert!(text.lines().any(|row| row.contains("src/a.rs") && row.contains("step 1")), "{text}");
    assert!(text.contains("✗ step 1: out of tokens"), "{text}");
    let text = told(1);
    assert!(!text.contains("step 1") && text.contains("✗ out of tokens"), "{text}");
}

#[test]
fn a_second_edit_of_a_file_that_waits_says_that_its_counts_are_of_all() {
    let mut s = Screen::new();
    for (id, after) in [(1, "x\nb\n"), (2, "x\ny\n")] {
        s.tell(started(900 + id, Tool::Edit, "src/a.rs"));
        s.tell(proposal(id, "src/a.rs", "a\nb\n", after).0);
        s.tell(ended(900 + id, "proposed", ""));
    }
    let text = s.text(100, 10);
    assert!(text[0].contains("+1 -1") && !text[0].contains("total"), "{text:?}");
    assert!(text[1].contains("+2 -2 total"), "{text:?}");
}

#[test]
fn what_is_looked_for_and_not_there_is_no_failure() {
    for (tool, told, row) in [
        (Tool::Read, format!("src/gone.rs {ABSENT}"), " – Read      src/gone.rs   not there"),
        (Tool::Read, "src/gone.rs is a folder".to_owned(), " ✗ Read      src/gone.rs   is a folder"),
        (Tool::Edit, format!("src/gone.rs {ABSENT}"), " ✗ edit      src/gone.rs"),
    ] {
        let mut s = Screen::new();
        s.tell(started(2, tool, "src/gone.rs"));
        let Event::CallEnded { call, lane, result, notes, seen, parts, .. } = ended(2, "", &told) else {
            return;
        };
        let (status, summary) = (CallStatus::Failed, told.chars().take(80).collect());
        s.tell(Event::CallEnded {
            call,
            lane,
            status,
            summary,
            result,
            notes,
            seen,
            parts,
            ruling: None,
            answer: None,
        });
        let text = s.text(120, 4);
        assert!(text[0].starts_with(row), "{row}: {text:?}");
    }
}

#[test]
fn hunks_that_were_left_out_are_counted_where_the_rest_is_written() {
    let mut s = Screen::new();
    for decision in [Some(Decision::Left), None, Some(Decision::Left)] {
        s.tell(Event::HunkDecided { proposal: ProposalId(1), hunk: 1, decision, comment: None });
    }
    s.tell(Event::HunkDecided {
        proposal: ProposalId(1),
        hunk: 0,
        decision: Some(Decision::Taken),
        comment: None,
    });
    s.tell(Event::ApplyStarted { apply: ApplyId(8), files: vec![file("a.rs", ChangeKind::Modify, 1, 1, 9)] });
    s.tell(Event::Applied { apply: ApplyId(8) });
    holds(&mut s, "✓ edited a.rs (+1 -1 lines), 1 hunk left out");
}

#[test]
fn many_files_of_one_write_are_told_in_one_row_that_unfolds() {
    let written = |kinds: &dyn Fn(usize) -> ChangeKind, files: usize| {
        let mut s = whole_story();
        let files =
            (0..files).map(|n| file(&format!("src/f{n}.rs"), kinds(n), 1, usize::from(n == 0), 9)).collect();
        s.tell(Event::ApplyStarted { apply: ApplyId(80), files });
        s.tell(Event::Applied { apply: ApplyId(80) });
        let text = s.text(100, 200);
        text.into_iter()
            .filter(|line| line.contains("src/f") || line.contains(" files ("))
            .collect::<Vec<_>>()
    };
    let edited = |_| ChangeKind::Modify;
    assert_eq!(written(&edited, 8).len(), 8);
    assert_eq!(written(&edited, 29), [" ✓ edited 29 files (+29 -1 lines)"]);
    let mixed = |n| if n == 3 { ChangeKind::Create } else { ChangeKind::Modify };
    assert_eq!(written(&mixed, 9), [" ✓ changed 9 files (+9 -1 lines)"]);
}

#[test]
fn a_command_that_is_judged_again_as_it_was_is_not_said_to_be_changed() {
    for (second, changed) in [("make test", false), ("make check", true)] {
        let mut s = Screen::new();
        for line in ["make test", second] {
            let Event::CommandProposed {
                call, lane, folder, risk, why, rule, confine, reason, shown, ..
            } = any::event(18, 3, line)
            else {
                panic!("no command")
            };
            let (command, typed, ruling) = (line.to_owned(), false, None);
            s.tell(Event::CommandProposed {
                call,
                lane,
                command,
                folder,
                risk,
                why,
                rule,
                confine,
                reason,
                shown,
                typed,
                ruling,
            });
        }
        s.tell(ended(3, "exit 0", ""));
        assert_eq!(s.text(100, 10).join("\n").contains("changed by you"), changed, "{second}");
    }
}

#[test]
fn the_output_of_a_command_stands_without_the_frame_that_a_model_reads() {
    for (result, wanted) in [
        ("exit 0, took 0.2 s\nstdout:\nfine\n", "fine"),
        ("exit 1, took 0.2 s\nstderr:\nbad\n", "bad"),
        ("exit early, they took it\n", "exit early, they took it"),
    ] {
        let mut s = Screen::new();
        s.tell(started(3, Tool::Run, "git log"));
        s.tell(ended(3, "exit 0", result));
        let text = s.text(100, 10);
        assert_eq!(text[1].trim_start_matches([' ', '│']), wanted, "{text:?}");
    }
}

#[test]
fn a_plan_whose_question_fell_away_for_another_was_replaced() {
    let mut s = whole_story();
    s.tell(Event::CheckpointResolved { checkpoint: CheckpointId(5), answer: None, approval: None });
    s.tell(said(2, "make it in two steps"));
    s.tell(Event::PlanReady { plan: plan() });
    holds(&mut s, "– replaced");
}

#[test]
fn one_failure_is_told_once() {
    let mut s = Screen::new();
    s.tell(Event::PlanReady { plan: plan() });
    run_begins(&mut s);
    s.tell(Event::TaskFailed { task: TaskId(1), message: "no connection".into(), hint: "check it".into() });
    s.tell(Event::RunCompleted {
        run: RunId(7),
        status: RunStatus::Failed,
        summary: "no connection".into(),
        files: vec![],
        goal: None,
        came_to: None,
    });
    let text = s.text(100, 40).join("\n");
    assert_eq!(text.matches("no connection").count(), 1, "{text}");
}

#[test]
fn at_the_end_a_gate_that_was_red_is_not_said_to_have_never_run() {
    let mut s = Screen::new();
    s.tell(Event::PlanReady { plan: plan() });
    run_begins(&mut s);
    s.tell(Event::GateFailed { gate: GateId(1), evidence: EvidenceId(9), proof: proof(1, "") });
    s.tell(Event::GateReset { gate: GateId(1), skipped: false, why: None });
    let gates = ["syntax", "lint"].map(|name| GateFact {
        name: name.into(),
        command: "make".into(),
        status: GateStatus::Pending,
        waived: false,
        exit: None,
    });
    let files = vec![FileTally { path: path("a.rs"), added: 1, removed: 0, gone: false }];
    let came_to = Completion { gates: gates.to_vec(), files, done: 1, ..Completion::default() };
    let end = |came_to| Event::RunCompleted {
        run: RunId(7),
        status: RunStatus::Cancelled,
        summary: String::new(),
        files: vec![],
        goal: None,
        came_to: Some(Box::new(came_to)),
    };
    s.tell(end(came_to.clone()));
    for wanted in ["– syntax failed, not run again", "– lint not run", "Stopped. 1 file created/modified."]
    {
        holds(&mut s, wanted);
    }
    let Event::RunCompleted { run, status, files, goal, came_to: told, .. } = end(came_to.clone()) else {
        return;
    };
    let summary = "Completed 1 task before cancel.".to_owned();
    s.tell(Event::RunCompleted { run, status, summary, files, goal, came_to: told });
    holds(&mut s, "Stopped. Completed 1 task before cancel. 1 file created/modified.");
    s.tell(end(Completion { gates: vec![], ..came_to.clone() }));
    holds(&mut s, "not checked: the plan has no gate");
    let files = [("a.rs", false), ("b.rs", true)].map(|(name, gone)| FileTally {
        path: path(name),
        added: 0,
        removed: 3,
        gone,
    });
    s.tell(end(Completion { files: files.to_vec(), ..came_to.clone() }));
    holds(&mut s, "Stopped. 1 file created/modified, 1 removed.");
    s.tell(end(Completion { files: files[1..].to_vec(), ..came_to }));
    holds(&mut s, "Stopped. 1 file removed.");
}

#[test]
fn an_answer_of_passages_shows_the_first_of_them_and_any_other_its_summary() {
    let passages: String =
        (1..=7).map(|n| format!("\n## part {n}\n\nits line {n}\n\nand one more\n")).collect();
    let text = format!("# Q\n\nIt is so.\n{passages}");
    for (word_for_word, folded) in [(false, 7), (true, 4)] {
        let mut s = Screen::new();
        s.tell(said(1, "how is it?"));
        s.tell(lane(1, LaneKind::Pipeline, IntentNode::Explain));
        s.tell(thinking(2, 1));
        s.tell(replied(2, 1, &text));
        s.tell(stage_ended(word_for_word));
        let shown = s.text(100, 60);
        assert_eq!(shown.iter().filter(|l| l.contains("its line")).count(), 7 - folded, "{shown:#?}");
    }
}

#[test]
fn a_section_that_takes_no_more_than_a_row_is_not_folded() {
    let text = "# Q\n\nIt is so.\n\n## Short\n\nA line of `code` [1].\n\n## Long\n\nOne.\n\nTwo.\n";
    let mut s = Screen::new();
    s.tell(said(1, "how is it?"));
    s.tell(lane(1, LaneKind::Pipeline, IntentNode::Explain));
    s.tell(thinking(2, 1));
    s.tell(replied(2, 1, text));
    let shown = s.text(100, 30);
    assert!(shown.contains(&" ▾ Short".to_owned()), "{shown:#?}");
    assert!(shown.iter().any(|l| l.trim_end() == "   A line of code [1]."), "{shown:#?}");
    assert!(shown.iter().any(|l| l.starts_with(" ▸ Long") && l.ends_with("3 lines")), "{shown:#?}");
    // Where it takes two, it is folded, and its size is what it takes there.
    let shown = s.text(20, 30);
    assert!(shown.iter().any(|l| l.starts_with(" ▸ Short") && l.ends_with("2 lines")), "{shown:#?}");
}

#[test]
fn a_failure_and_what_was_written_are_two_sentences() {
    for (summary, status) in [
        ("the model said nothing", RunStatus::Failed),
        ("the model said nothing.", RunStatus::Failed),
        ("Step 2 was cut off", RunStatus::Cancelled),
        ("Ended with 1 step left", RunStatus::Ended),
    ] {
        let mut s = Screen::new();
        s.tell(said(1, "mend it"));
        run_begins(&mut s);
        s.tell(Event::RunCompleted {
            run: RunId(7),
            status,
            summary: summary.into(),
            files: vec![],
            goal: None,
            came_to: None,
        });
        holds(&mut s, &format!("{}. No file changed.", summary.trim_end_matches('.')));
    }
}

#[test]
fn what_is_set_aside_names_the_line_that_takes_it_up() {
    let mut s = Screen::new();
    s.tell(said(1, "mend it"));
    s.tell(lane(1, LaneKind::Answer, IntentNode::Modify));
    for (id, name, wanted) in [
        (20, "src/a.rs", "/proposals src/a.rs brings it back"),
        (21, "src/b.rs", "/proposals all brings them back"),
    ] {
        s.tell(proposal(id, name, "a\n", "b\n").0);
        s.tell(Event::ProposalSetAside { proposal: ProposalId(id), reason: "stopped".into() });
        holds(&mut s, wanted);
    }
}

#[test]
fn a_plan_that_is_begun_unasked_does_not_ask_to_proceed() {
    let mut s = Screen::new();
    s.tell(said(1, "mend it"));
    s.tell(Event::PlanReady { plan: plan() });
    run_begins(&mut s);
    s.tell(Event::TaskStarted { task: TaskId(1), lane: LaneId(1) });
    let text = s.text(100, 40).join("\n");
    assert!(text.contains("Plan ready") && !text.contains("Proceed?"), "{text}");
}

#[test]
fn a_plan_that_was_run_to_its_end_is_not_replaced_by_the_next() {
    let mut s = whole_story();
    let approved = Some(Answer::Approve);
    s.tell(Event::CheckpointResolved { checkpoint: CheckpointId(5), answer: approved, approval: None });
    run_begins(&mut s);
    s.tell(Event::RunCompleted {
        run: RunId(7),
        status: RunStatus::Completed,
        summary: String::new(),
        files: vec![],
        goal: None,
        came_to: None,
    });
    s.tell(said(2, "and another"));
    s.tell(Event::PlanReady { plan: plan() });
    let text = s.text(100, 80).join("\n");
    assert!(!text.contains("replaced"), "{text}");
}

#[test]
fn a_plan_that_ran_unasked_is_no_longer_under_way_when_its_run_is_over() {
    for (status, word) in
        [(RunStatus::Completed, "done"), (RunStatus::Cancelled, "stopped"), (RunStatus::Failed, "failed")]
    {
        let mut s = Screen::new();
        s.tell(said(1, "Add rate limiting"));
        s.tell(Event::PlanReady { plan: plan() });
        s.tell(Event::RunStarted { run: RunId(7), turn: TurnId(1), approval: None });
        s.tell(Event::TaskStarted { task: TaskId(1), lane: LaneId(1) });
        let card = |s: &mut Screen| s.text(80, 40).iter().find(|r| r.contains("Plan ready")).unwrap().clone();
        assert!(card(&mut s).trim_end().ends_with("under way"), "{}", card(&mut s));
        let (summary, files) = (String::new(), Vec::new());
        s.tell(Event::RunCompleted { run: RunId(7), status, summary, files, goal: None, came_to: None });
        assert!(card(&mut s).trim_end().ends_with(word), "{}", card(&mut s));
    }
}

#[test]
fn a_question_that_is_asked_anew_says_where_it_went() {
    let mut s = whole_story();
    s.tell(Event::CheckpointResolved { checkpoint: CheckpointId(5), answer: None, approval: None });
    assert!(s.text(80, 40).join("\n").contains("no longer asked"));
    let kind = pilothouse_core::question::Confirmation::default().into();
    s.tell(Event::CheckpointOpened {
        checkpoint: Checkpoint { id: CheckpointId(6), kind, message: "Proceed?".into(), run: None },
    });
    assert!(!s.text(80, 40).join("\n").contains("no longer asked"), "the plan is waiting again");
    let asked = |id| Event::CheckpointOpened {
        checkpoint: Checkpoint {
            id: CheckpointId(id),
            kind: CheckpointKind::Clarification(Clarification::default()),
            message: format!("Which one, {id}?"),
            run: None,
        },
    };
    s.tell(asked(7));
    s.tell(Event::CheckpointResolved { checkpoint: CheckpointId(7), answer: None, approval: None });
    s.tell(asked(8));
    let text = s.text(80, 40).join("\n");
    assert!(text.contains("replaced by the question below") && !text.contains("no longer asked"), "{text}");
}

#[test]
fn a_change_is_told_once_when_it_is_written_and_its_only_file_is_named_at_the_end() {
    let mut s = Screen::new();
    s.tell(Event::PlanReady { plan: plan() });
    run_begins(&mut s);
    for id in [1, 2] {
        s.tell(started(900 + id, Tool::Edit, "src/a.rs"));
        s.tell(proposal(id, "src/a.rs", "a\nb\n", "x\nb\n").0);
        s.tell(ended(900 + id, "proposed", ""));
    }
    let named = |s: &mut Screen| {
        let text = s.text(100, 40);
        text.into_iter().filter(|l| l.contains("src/a.rs")).collect::<Vec<_>>()
    };
    assert_eq!(named(&mut s).len(), 2, "what waits stands there");
    s.tell(Event::ApplyStarted {
        apply: ApplyId(8),
        files: vec![file("src/a.rs", ChangeKind::Modify, 1, 1, 9)],
    });
    s.tell(Event::Applied { apply: ApplyId(8) });
    let tally = FileTally { path: path("src/a.rs"), added: 1, removed: 1, gone: false };
    let came_to = Some(Box::new(Completion { files: vec![tally], ..Completion::default() }));
    s.tell(Event::RunCompleted {
        run: RunId(7),
        status: RunStatus::Completed,
        summary: String::new(),
        files: vec![path("src/a.rs")],
        goal: None,
        came_to,
    });
    let card = " ✓ Complete. 1 file created/modified: src/a.rs.";
    assert_eq!(named(&mut s), [" ✓ edited src/a.rs (+1 -1 lines)", card]);
}

#[test]
fn a_session_that_is_opened_again_and_again_says_so_once() {
    let mut s = Screen::new();
    s.tell(said(1, "mend it"));
    let resumed = |interrupted| Event::SessionReopened {
        version: "0".into(),
        interrupted,
        run: None,
        permission: None,
        sandbox: None,
        branch: None,
        left_on: None,
    };
    let count = |s: &mut Screen| {
        let text = s.text(100, 40);
        text.iter().filter(|l| l.contains("session resumed")).count()
    };
    for _ in 0..3 {
        s.tell(resumed(vec![]));
    }
    assert_eq!(count(&mut s), 1);
    // What was cut off then is told, and so is each resume that something was said before.
    s.tell(resumed(vec![CallId(9)]));
    s.tell(resumed(vec![]));
    assert_eq!(count(&mut s), 2);
    s.tell(said(2, "go on"));
    s.tell(resumed(vec![]));
    assert_eq!(count(&mut s), 3);
}

#[test]
fn a_command_that_ran_when_the_program_ended_is_not_said_to_have_never_run() {
    let mut s = Screen::new();
    s.tell(calling(3, "run"));
    s.tell(started(3, Tool::Run, "make all"));
    s.tell(Event::SessionReopened {
        version: "0".into(),
        interrupted: vec![],
        run: None,
        permission: None,
        sandbox: None,
        branch: None,
        left_on: None,
    });
    let text = s.text(100, 10).join("\n");
    assert!(text.contains("– Ran       make all   stopped") && !text.contains("Not run"), "{text}");
}

#[test]
fn what_a_stopped_command_had_printed_stays() {
    let end = |result: &str| {
        let mut s = Screen::new();
        s.tell(started(3, Tool::Run, "seq 3; sleep 9"));
        let mut end = ended(3, "cancelled", result);
        if let Event::CallEnded { status, .. } = &mut end {
            *status = CallStatus::Interrupted;
        }
        s.tell(end);
        s.text(100, 12).join("\n")
    };
    let text = end("cancelled\nIt had printed by then:\nline 1\nline 2\nline 3\n");
    assert!(text.contains("– Ran       seq 3; sleep 9   cancelled"), "{text}");
    assert!(text.contains("│ line 1") && text.contains("│ line 3"), "{text}");
    assert!(!text.contains("by then"), "{text}");
    let text = end("cancelled");
    assert_eq!(text.matches("cancelled").count(), 1, "what printed nothing has a row and no more: {text}");
}

#[test]
fn a_run_that_is_stopped_in_a_command_does_not_say_that_no_file_changed() {
    for status in [CallStatus::Interrupted, CallStatus::Done] {
        let mut s = Screen::new();
        run_begins(&mut s);
        s.tell(started(3, Tool::Run, "make all"));
        let mut end = ended(3, "", "");
        if let Event::CallEnded { status: of, .. } = &mut end {
            *of = status;
        }
        s.tell(end);
        s.tell(Event::RunCompleted {
            run: RunId(7),
            status: RunStatus::Cancelled,
            summary: "Stopped.".into(),
            files: vec![],
            goal: None,
            came_to: None,
        });
        let text = s.text(100, 12).join("\n");
        let says = "Stopped. A command was running: what it changed is listed below.";
        assert_eq!(text.contains(says), status == CallStatus::Interrupted, "{text}");
    }
}

#[test]
fn what_is_set_in_and_does_not_fit_goes_on_below_its_own_beginning() {
    let long = "            self.assertNotIn(cachetools.keys.typedkey(1), self.cache_of_this_test)";
    let mut s = Screen::new();
    s.tell(started(2, Tool::Run, "pytest"));
    s.tell(ended(2, "exit 0", &format!("Traceback:\n{long}\n")));
    let text = s.text(60, 12);
    let rows: Vec<&String> = text.iter().filter(|l| l.contains('│')).collect();
    assert!(rows.len() == 3 && rows[1].contains("self.assertNotIn("), "{rows:?}");
    assert!(rows[1..].iter().all(|row| row.contains("│             ")), "{rows:?}");
    let message = "Commit 1 file on main?\nwith the message:\n    - Added a peek that does not count as a use, and a test of it";
    let mut s = Screen::new();
    s.tell(said(1, "commit it"));
    let kind = pilothouse_core::question::UndoAllQuestion {
        last: ApplyId(2),
        first: ApplyId(1),
        what: String::new(),
        in_bar: true,
    };
    let checkpoint =
        Checkpoint { id: CheckpointId(9), kind: kind.into(), message: message.into(), run: None };
    s.tell(Event::CheckpointOpened { checkpoint });
    let text = s.text(50, 12);
    let at = text.iter().position(|l| l.contains("- Added a peek")).unwrap();
    assert!(text[at + 1].starts_with("       ") && text[at + 1].contains("of it"), "{text:?}");
}

#[test]
fn enter_opens_the_place_that_the_chosen_row_of_an_answer_names() {
    let mut s = Screen::new();
    s.tell(said(1, "where is it?"));
    s.tell(lane(1, LaneKind::Answer, IntentNode::Explain));
    s.tell(thinking(2, 1));
    let mark = pilothouse_core::fact::Mark { line: 3, why: "there is no lib/nothing.js".into() };
    s.tell(Event::AnswerChecked { call: CallId(2), lane: LaneId(1), statements: 2, marks: vec![mark] });
    s.tell(replied(2, 1, "In `src/auth/login.rs:42`, I think.\n\nAnd in lib/nothing.js:3.\n\nThat is all."));
    let text = s.text(100, 20);
    assert!(
        text.iter().any(|l| l.contains("lib/nothing.js:3.  ⚠ not proven: there is no lib/nothing.js")),
        "{text:?}"
    );
    let opened = |s: &mut Screen| {
        let focus = Focus::Pane(ID);
        s.pane.carry_out(ConversationAction::Fold, &Ctx { focus, ..s.story.ctx() })
    };
    s.act(ConversationAction::Up);
    assert_eq!(opened(&mut s).notice.as_deref(), Some("nothing to expand here"));
    s.act(ConversationAction::Up);
    s.act(ConversationAction::Up);
    let told = opened(&mut s);
    assert_eq!((told.place, told.notice.as_deref()), (None, Some("there is no lib/nothing.js")));
    s.act(ConversationAction::Up);
    s.act(ConversationAction::Up);
    let place = opened(&mut s).place.unwrap().place;
    assert_eq!((place.path.as_str(), place.line), ("src/auth/login.rs", 42));
}

#[test]
fn instructions_of_a_folder_are_named_once_however_many_lines_of_work_are_told_them() {
    let mut s = Screen::new();
    for lane in 1..=2 {
        let path = pilothouse_core::relpath::RelPath::new("packages/core/AGENTS.md").unwrap();
        let text = pilothouse_core::blob::Excerpt::of("be brief".to_owned(), &mut Vec::new());
        s.tell(Event::InstructionsTold { lane: LaneId(lane), path, text });
    }
    let text = s.text(80, 40).join("\n");
    assert_eq!(
        text.matches("read packages/core/AGENTS.md (instructions for that folder)").count(),
        1,
        "{text}"
    );
}

#[test]
fn a_run_whose_last_command_failed_says_so_below_its_end_and_is_not_called_complete() {
    for (broke, told) in [(Some(1), true), (None, false)] {
        let mut s = Screen::new();
        s.tell(Event::PlanReady { plan: plan() });
        run_begins(&mut s);
        let broke = broke.map(|code| LastRun { command: "node src/main.js".into(), exit: Some(code) });
        s.tell(Event::RunCompleted {
            run: RunId(7),
            status: RunStatus::Completed,
            summary: "Done. 1 file created/modified.".into(),
            files: vec![],
            goal: None,
            came_to: Some(Box::new(Completion { broke, done: 1, ..Completion::default() })),
        });
        let text = s.text(100, 40).join("\n");
        assert_eq!(text.contains("the agent's last command failed (exit 1)"), told, "{text}");
        assert_eq!(text.contains("node src/main.js"), told, "{text}");
        assert_eq!(text.contains("✓ Done."), told, "{text}");
    }
}
