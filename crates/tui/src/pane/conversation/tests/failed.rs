//! What is shown of a command that failed, and where an answer stands that comes late.

use pilothouse_core::{
    completion::{Completion, FileTally, GateFact},
    plan::GateStatus,
    talk::{Fault, FaultKind},
};

use super::*;

#[test]
fn of_a_command_that_failed_twenty_rows_are_shown_and_what_failed_is_among_them() {
    let warnings: String = (1..=40)
        .map(|n| {
            format!("warning: unused import number {n}, which is a long line that is wrapped for sure\n")
        })
        .collect();
    let tests: String = (1..=30).map(|n| format!("test parse::case_{n} ... ok\n")).collect();
    let output = format!(
        "exit 101, took 4 s\nstdout:\n{tests}test parse::weeks ... FAILED\n\nfailures:\n\n---- parse::weeks stdout ----\n\
         thread 'parse::weeks' panicked at src/lib.rs:7\nassertion failed\n\n{tests}\n\
         test result: FAILED. 59 passed; 1 failed\n\nstderr:\n{warnings}error: test failed, to rerun pass `--lib`\n"
    );
    let rows = shown_below(&output, CallStatus::Failed, false);
    assert!(rows.len() <= 21, "{} {rows:#?}", rows.len());
    for part in
        ["parse::weeks ... FAILED", "panicked at src/lib.rs:7", "test result: FAILED", "error: test failed"]
    {
        assert!(rows.iter().any(|row| row.contains(part)), "{part} {rows:#?}");
    }
    let rows = shown_below(&warnings, CallStatus::Failed, false);
    assert!(rows.len() <= 21, "rows count, not lines: {} {rows:#?}", rows.len());
    let rows = shown_below(&"word ".repeat(900), CallStatus::Failed, false);
    assert!(rows.len() <= 21, "{} {rows:#?}", rows.len());
}

#[test]
fn of_what_failed_first_the_lines_behind_it_stand_with_it_and_the_counts_do() {
    let noise: String = (1..=30).map(|n| format!("   Compiling part_{n}\n")).collect();
    let output = format!(
        "exit 101, took 4 s\nstderr:\n{noise}error[E0425]: cannot find function `find_notes`\n  --> src/store.rs:43:12\n   |\n\
         {noise}warning: build failed, waiting for other jobs\n"
    );
    let rows = shown_below(&output, CallStatus::Failed, false);
    let at = rows.iter().position(|row| row.contains("E0425")).unwrap();
    assert!(rows[at + 1].contains("src/store.rs:43:12"), "{rows:#?}");
    let output =
        format!("exit 0\nstdout:\n{noise}# tests 4\n# pass 4\n# fail 0\n# todo 0\n# duration_ms 81\n");
    let rows = shown_below(&output, CallStatus::Done, false);
    assert!(rows.iter().any(|row| row.contains("# pass 4")), "{rows:#?}");
}

#[test]
fn a_row_of_blanks_is_not_wrapped_for_them_and_no_row_stands_for_one_line() {
    let dots = format!("{}{}[100%]", ".".repeat(12), " ".repeat(80));
    let rows = shown_below(&format!("exit 1\nstdout:\n{dots}\n"), CallStatus::Failed, false);
    assert!(rows.iter().any(|row| row.contains(&format!("{}  [100%]", ".".repeat(12)))), "{rows:#?}");
    let lines: String = (1..=20).map(|n| format!("line {n}\n")).collect();
    let rows = shown_below(&lines, CallStatus::Failed, false);
    assert!(!rows.iter().any(|row| row.contains("above")), "{rows:#?}");
    assert!(rows.iter().any(|row| row.ends_with("line 1")), "{rows:#?}");
}

#[test]
fn a_reply_that_is_asked_for_again_begins_anew() {
    let mut s = Screen::new();
    s.tell(said(1, "where?"));
    s.tell(lane(1, LaneKind::Answer, IntentNode::Read));
    s.tell(thinking(2, 1));
    s.delta(2, 0, DeltaKind::Text, "In half a sen");
    s.delta(2, 0, DeltaKind::Notice, "it broke; try 2 in 1 s");
    assert!(!s.text(40, 5).concat().contains("half"));
    s.delta(2, 0, DeltaKind::Text, "All of it");
    assert_eq!(s.text(40, 5)[3], " All of it▌");
}

#[test]
fn a_wait_for_the_server_counts_down_in_one_number() {
    let mut s = Screen::new();
    s.tell(said(1, "where?"));
    s.tell(lane(1, LaneKind::Answer, IntentNode::Read));
    s.tell(thinking(2, 1));
    let why = "the server accepts requests again\nthe server answered 429: slow down\ntry 2";
    s.delta(2, s.story.at + 31_200, DeltaKind::Wait, why);
    let row = |s: &mut Screen| s.text(120, 5)[3].trim().to_owned();
    let first = row(&mut s);
    let wait = "the server accepts requests again in 32 s · /retry asks at once · the server answered 429: slow down";
    assert!(first.ends_with(wait), "{first}");
    s.story.later(28_000);
    let then = row(&mut s);
    assert!(then.ends_with("again in 4 s · the server answered 429: slow down"), "{then}");
    s.story.later(27_000);
    assert!(row(&mut s).contains("thinking"), "{}", row(&mut s));
}

#[test]
fn an_answer_that_comes_after_a_notice_stands_below_it() {
    for streamed in [false, true] {
        let mut s = Screen::new();
        s.tell(said(1, "where is main?"));
        s.tell(lane(1, LaneKind::Answer, IntentNode::Explain));
        s.tell(thinking(2, 1));
        let text = "The model could not tell what you mean.".to_owned();
        s.tell(Event::Notice { level: pilothouse_core::event::Level::Warn, text });
        if streamed {
            s.delta(2, 0, DeltaKind::Text, "In src");
        }
        s.tell(replied(2, 1, "In src/main.rs."));
        let rows = s.text(60, 20);
        let at = |part: &str| {
            rows.iter().position(|r| r.contains(part)).unwrap_or_else(|| panic!("{part} {rows:#?}"))
        };
        assert!(at("could not tell") < at("In src/main.rs."), "{rows:#?}");
        assert_eq!(rows.iter().filter(|r| r.contains("In src")).count(), 1, "{rows:#?}");
    }
}

#[test]
fn a_path_gives_up_its_middle_before_it_takes_a_second_row() {
    let mut s = Screen::new();
    let long = "src/a_rather_long_folder_name/another_even_longer_folder_name/the_file.rs";
    let files = [long, "b.rs"].map(|p| pilothouse_core::completion::FileTally {
        path: path(p),
        added: 12,
        removed: 3,
        gone: false,
    });
    let came_to = pilothouse_core::completion::Completion { files: files.to_vec(), ..Default::default() };
    let (run, status, summary) = (RunId(1), RunStatus::Completed, String::new());
    let files = came_to.files.iter().map(|file| file.path.clone()).collect();
    s.tell(Event::RunCompleted { run, status, summary, files, goal: None, came_to: Some(Box::new(came_to)) });
    let rows = s.text(44, 20);
    let named: Vec<_> = rows.iter().filter(|row| row.contains("the_file.rs")).collect();
    assert!(matches!(named.as_slice(), [one] if one.contains("+12 -3")), "{rows:#?}");
}

#[test]
fn what_a_run_came_to_names_its_tokens_as_its_own_and_titles_without_marks_of_code() {
    let mut s = Screen::new();
    s.tell(said(1, "Add rate limiting"));
    s.tell(Event::PlanReady { plan: plan() });
    let left = pilothouse_core::completion::StepLeft {
        number: 1,
        title: "Rename `a` to `b`".to_owned(),
        status: pilothouse_core::plan::TaskStatus::Cancelled,
    };
    let usage = pilothouse_core::talk::Usage { input: 900, output: 12, ..Default::default() };
    let came_to = pilothouse_core::completion::Completion { left: vec![left], usage, ..Default::default() };
    let (run, status, summary) = (RunId(1), RunStatus::Cancelled, String::new());
    let came_to = Some(Box::new(came_to));
    s.tell(Event::RunCompleted { run, status, summary, files: vec![], goal: None, came_to });
    let rows = s.text(80, 40);
    let bill = rows.iter().find(|row| row.contains("Tokens: 912 in this run"));
    assert!(bill.is_some_and(|row| row.contains("Cost: –")), "what is not known is said to be: {rows:#?}");
    assert!(rows.iter().any(|row| row.contains("stopped: Rename a to b")), "{rows:#?}");
}

#[test]
fn why_a_command_did_not_begin_is_said_once() {
    let mut s = Screen::new();
    s.tell(lane(1, LaneKind::Answer, IntentNode::Execute));
    let args = r#"{"why":"x"}"#.to_owned();
    s.tell(Event::CallMade { call: CallId(2), lane: LaneId(1), tool: Tool::Run, args, typed: false });
    let Event::CallEnded { call, lane, summary, result, notes, seen, parts, ruling, answer, .. } =
        ended(2, "the arguments do not fit", "the arguments do not fit")
    else {
        return;
    };
    let status = CallStatus::Failed;
    s.tell(Event::CallEnded { call, lane, status, summary, result, notes, seen, parts, ruling, answer });
    let text = s.text(100, 20).join("\n");
    assert_eq!(text.matches("the arguments do not fit").count(), 1, "{text}");
}

#[test]
fn a_gate_that_has_another_line_is_not_said_to_have_failed() {
    let mut s = Screen::new();
    s.tell(Event::PlanReady { plan: plan() });
    s.tell(Event::RunStarted { run: RunId(7), turn: TurnId(1), approval: None });
    s.tell(Event::GateFailed { gate: GateId(1), evidence: EvidenceId(9), proof: proof(1, "") });
    let (from, to) = ("make".to_owned(), "make test".to_owned());
    s.tell(Event::GateChanged { gate: GateId(1), from, to: to.clone(), approval: ApprovalId(8) });
    let gate = GateFact {
        name: "syntax".into(),
        command: to,
        status: GateStatus::Pending,
        waived: false,
        exit: None,
    };
    s.tell(ended_with(Completion { gates: vec![gate], done: 1, ..Completion::default() }));
    let text = s.text(100, 40).join("\n");
    assert!(text.contains("syntax not run") && !text.contains("not run again"), "{text}");
}

#[test]
fn the_figures_of_a_name_that_fills_its_row_stand_below_it() {
    let name = format!("{}.txt", "name".repeat(13));
    let files = [(name.as_str(), 3), ("b.rs", 2)].map(|(name, added)| FileTally {
        path: path(name),
        added,
        removed: 1,
        gone: false,
    });
    for width in [60, 62, 100] {
        let mut s = Screen::new();
        s.tell(Event::RunStarted { run: RunId(7), turn: TurnId(1), approval: None });
        s.tell(ended_with(Completion { files: files.to_vec(), done: 1, ..Completion::default() }));
        let rows = s.text(width, 30);
        let text = rows.join("\n");
        assert!(text.contains("+3 -1") && text.contains("+2 -1"), "{width}\n{text}");
        let at = rows.iter().position(|row| row.contains("namename")).unwrap();
        assert!(!rows[at - 1].trim().is_empty(), "{width}\n{text}");
    }
}

fn ended_with(came_to: Completion) -> Event {
    Event::RunCompleted {
        run: RunId(7),
        status: RunStatus::Completed,
        summary: String::new(),
        files: vec![],
        goal: None,
        came_to: Some(Box::new(came_to)),
    }
}

#[test]
fn a_check_that_is_a_gate_as_well_is_told_once() {
    let line = "npx tape test/qs.js";
    let gate = GateFact {
        name: "tests".into(),
        command: line.into(),
        status: GateStatus::Pending,
        waived: false,
        exit: None,
    };
    let came_to = Completion { gates: vec![gate], red: vec![line.into()], ..Completion::default() };
    let mut s = Screen::new();
    s.tell(said(1, "mend it"));
    s.tell(ended_with(came_to));
    let text = s.text(100, 20).join("\n");
    assert_eq!(text.matches(line).count(), 1, "{text}");
    assert!(text.contains("tests failed, not run again"), "{text}");
}

#[test]
fn a_run_without_a_plan_says_that_nothing_checked_it() {
    let file = FileTally { path: path("a.rs"), added: 1, removed: 0, gone: false };
    let came_to = Completion { files: vec![file], ..Completion::default() };
    let mut s = Screen::new();
    s.tell(said(1, "yes"));
    s.tell(ended_with(came_to));
    let text = s.text(100, 20).join("\n");
    assert!(text.contains("not checked: nothing was run"), "{text}");
}

#[test]
fn a_reply_that_broke_off_is_not_said_to_be_stopped() {
    for (kind, how, other) in
        [(FaultKind::Cut, "– broke off", "– stopped"), (FaultKind::Cancelled, "– stopped", "– broke off")]
    {
        let mut s = Screen::new();
        s.tell(said(1, "where?"));
        s.tell(lane(1, LaneKind::Answer, IntentNode::Read));
        s.tell(thinking(2, 1));
        s.delta(2, 0, DeltaKind::Text, "In login");
        let mut reply = replied(2, 1, "In login");
        if let Event::MessageCompleted { cut, .. } = &mut reply {
            *cut = true;
        }
        s.tell(reply);
        let fault = Fault { kind, message: "no more came".into(), hint: String::new(), status: None };
        s.tell(Event::ThinkingFailed { call: CallId(2), lane: LaneId(1), fault });
        let text = s.text(60, 14).join("\n");
        assert!(text.contains(how) && !text.contains(other) && text.contains("In login"), "{text}");
    }
}

#[test]
fn a_sub_agent_whose_model_failed_is_shown_as_failed_with_its_reason_and_one_that_was_stopped_is_not() {
    for (kind, mark) in [(FaultKind::Refused, "✗"), (FaultKind::Cancelled, "–")] {
        let mut s = Screen::new();
        s.tell(said(1, "where?"));
        s.tell(lane(1, LaneKind::Answer, IntentNode::Read));
        s.tell(started(2, Tool::Delegate, "check the routes"));
        s.tell(lane(3, LaneKind::Child(LaneId(1)), IntentNode::Read));
        s.tell(Event::ChildStarted {
            lane: LaneId(3),
            call: CallId(2),
            work: pilothouse_core::lane::ChildWork::Verify,
            task: excerpt("check the routes"),
            agent: None,
        });
        s.tell(thinking(4, 3));
        let message = "the server answered 500: out of memory".to_owned();
        let fault = Fault { kind, message: message.clone(), hint: String::new(), status: None };
        s.tell(Event::ThinkingFailed { call: CallId(4), lane: LaneId(3), fault });
        let report = format!("It failed: {message}");
        s.tell(Event::ChildEnded { lane: LaneId(3), call: CallId(2), report, done: false });
        let rows = s.text(100, 12);
        let row = rows.iter().position(|r| r.contains("verify")).unwrap();
        assert!(rows[row].contains(&format!("{mark} verify")), "{rows:#?}");
        assert_eq!(rows[row + 1].contains(&message), mark == "✗", "{rows:#?}");
    }
}
