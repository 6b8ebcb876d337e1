//! What is settled has one row, and unfolds.

use pilothouse_core::{
    completion::{Completion, GateFact, StepLeft},
    lane::LaneKind,
    plan::{GateStatus, TaskStatus},
    question::Review,
    sandbox::Confine,
};

use super::*;

fn rows_with(s: &mut Screen, what: &str) -> Vec<String> {
    s.text(60, 40).into_iter().filter(|row| row.contains(what)).collect()
}

fn unfold(s: &mut Screen) {
    let focus = Focus::Pane(ID);
    s.pane.carry_out(ConversationAction::Fold, &Ctx { focus, ..s.story.ctx() });
}

#[test]
fn an_answered_question_is_one_row_that_unfolds_with_its_answer_marked() {
    let mut s = Screen::new();
    s.tell(said(1, "add a due date"));
    let choices = ["a new field due", "the field paid"].map(str::to_owned).to_vec();
    let kind = CheckpointKind::Clarification(Clarification { choices, ..Clarification::default() });
    let message = "Where should it come from?\nBoth are there.".to_owned();
    s.tell(Event::CheckpointOpened {
        checkpoint: Checkpoint { id: CheckpointId(9), kind, message, run: None },
    });
    assert_eq!(s.text(60, 12)[3..6], [" ⚑ Asks you below", "", ""], "the bar shows all of it");
    s.tell(Event::CheckpointResolved {
        checkpoint: CheckpointId(9),
        answer: Some(Answer::Pick(0)),
        approval: None,
    });
    let text = s.text(60, 12);
    assert_eq!(text[3..6], [" ✓ Where should it come from? – a new field due", "", ""], "{text:?}");
    s.act(ConversationAction::Up);
    unfold(&mut s);
    let text = s.text(60, 12);
    assert_eq!(
        text[3..8],
        [
            " ✓ Where should it come from?",
            "   Both are there.",
            " ✓ 1. a new field due",
            "   2. the field paid",
            ""
        ],
        "{text:?}"
    );
    // Both of a long one are told, however narrow it is.
    unfold(&mut s);
    let row = s.text(30, 12).remove(3);
    assert!(row.starts_with(" ✓ Where sh") && row.contains("… – a new fiel"), "{row}");
}

/// A lane asks this, and is answered.
fn asked_in_lane(s: &mut Screen, message: &str, choices: &[&str], answer: Answer) {
    let choices = choices.iter().map(|c| (*c).to_owned()).collect();
    let kind = Clarification { choices, lane: Some(LaneId(1)), ..Clarification::default() };
    let kind = CheckpointKind::Clarification(kind);
    let checkpoint = Checkpoint { id: CheckpointId(9), kind, message: message.to_owned(), run: None };
    s.tell(Event::CheckpointOpened { checkpoint });
    s.text(60, 20);
    let answer = Some(answer);
    s.tell(Event::CheckpointResolved { checkpoint: CheckpointId(9), answer, approval: None });
}

#[test]
fn what_the_user_says_to_a_question_stands_whole_as_his_message() {
    let words = "the second one, and log the stack of the error to stderr too, with the time";
    let mut s = Screen::new();
    s.tell(said(1, "mend it"));
    asked_in_lane(&mut s, "Which one?", &["the first", "the second"], Answer::Text(words.into()));
    let text = s.text(60, 20);
    assert_eq!(
        text[3..8],
        [
            " ✓ Which one?",
            "",
            &format!(" ▎ you{}14:02", " ".repeat(48)),
            " ▎ the second one, and log the stack of the error to stderr",
            " ▎ too, with the time",
        ],
        "{text:?}"
    );
}

#[test]
fn a_question_that_a_reply_asks_itself_is_not_drawn_again() {
    for (answer, told) in [(Answer::Pick(1), "the second"), (Answer::Text("both".into()), "both")] {
        let mut s = Screen::new();
        s.tell(said(1, "mend it"));
        s.tell(lane(1, LaneKind::Planning, IntentNode::Plan));
        s.tell(thinking(2, 1));
        s.tell(replied(2, 1, "There are two.\n\nWhich one?\n- the first\n- the second"));
        asked_in_lane(&mut s, "Which one?", &["the first", "the second"], answer);
        assert_eq!(rows_with(&mut s, "Which one?").len(), 1);
        let text = s.text(60, 20);
        assert!(text.iter().any(|row| *row == format!(" ▎ {told}")), "{text:?}");
    }
}

#[test]
fn a_gate_has_the_row_of_the_command_that_it_ran() {
    for (code, word, rows) in [(0, "✓ passed", 1), (1, "✗ failed", 2)] {
        let mut s = Screen::new();
        s.tell(Event::PlanReady { plan: plan() });
        s.tell(Event::RunStarted { run: RunId(7), turn: TurnId(1), approval: None });
        s.tell(lane(4, LaneKind::Gate(GateId(1)), IntentNode::Execute));
        let mut begins = started(2, Tool::Run, "cargo check");
        if let Event::CallStarted { lane, .. } = &mut begins {
            *lane = LaneId(4);
        }
        s.tell(begins);
        let mut ends = ended(2, &format!("exit {code}"), "everything that it wrote\n");
        if let Event::CallEnded { lane, .. } = &mut ends {
            *lane = LaneId(4);
        }
        s.tell(ends);
        let (gate, evidence) = (GateId(1), EvidenceId(9));
        s.tell(match code {
            0 => Event::GatePassed { gate, evidence, proof: proof(0, "") },
            _ => Event::GateFailed { gate, evidence, proof: proof(code, "error: no such thing") },
        });
        let text = s.text(60, 40);
        let at = text.iter().position(|row| row.contains("cargo check") && row.contains("[Gate")).unwrap();
        assert!(
            text[at].starts_with(&format!(" ▸ [Gate: syntax] {word}   cargo check   exit {code}")),
            "{text:?}"
        );
        let below = text[at..].iter().take_while(|row| !row.is_empty()).count();
        assert_eq!((text.join("\n").matches("exit").count(), below), (1, rows), "{text:?}");
        let narrow = s.text(38, 40).join("\n");
        assert!(narrow.contains(&format!("{word}   exit {code}")), "how it ended stays: {narrow}");
        unfold(&mut s);
        assert_eq!(rows_with(&mut s, "everything that it wrote").len(), 1);
    }
}

#[test]
fn a_gate_that_a_call_of_the_agent_proved_is_one_line_below_it() {
    let mut s = Screen::new();
    s.tell(Event::PlanReady { plan: plan() });
    s.tell(Event::RunStarted { run: RunId(7), turn: TurnId(1), approval: None });
    s.tell(lane(1, LaneKind::Task(TaskId(1)), IntentNode::Write));
    s.tell(started(2, Tool::Run, "cargo check"));
    s.tell(ended(2, "exit 2", "exit 2, took 0.0 s\nstderr:\nno rule for it\n"));
    let (gate, evidence) = (GateId(1), EvidenceId(9));
    let proof = proof(2, "it ended with exit 2\n\nno rule for it");
    s.tell(Event::GateFailed { gate, evidence, proof });
    let text = s.text(60, 40);
    let at = text.iter().position(|row| row.contains("[Gate: syntax]")).unwrap();
    assert_eq!(text[at].trim_end(), " [Gate: syntax] ✗ failed", "{text:?}");
    let all = text.join("\n");
    assert_eq!((all.matches("exit 2").count(), all.matches("no rule for it").count()), (1, 1), "{text:?}");
    assert!(!all.contains("stderr:"), "{text:?}");
}

#[test]
fn a_command_that_ran_beyond_the_sandbox_tells_of_its_gate_once_as_well() {
    let line = "cargo check";
    let mut s = Screen::new();
    s.tell(Event::PlanReady { plan: plan() });
    s.tell(Event::RunStarted { run: RunId(7), turn: TurnId(1), approval: None });
    s.tell(lane(1, LaneKind::Task(TaskId(1)), IntentNode::Write));
    let mut asks = any::event(18, 2, line);
    let Event::CommandProposed { command, confine, .. } = &mut asks else { panic!("{asks:?}") };
    (*command, *confine) = (line.to_owned(), Confine::Outside);
    s.tell(asks);
    s.tell(started(2, Tool::Run, line));
    s.tell(ended(2, "exit 2", "exit 2, took 0.0 s\nstderr:\nno rule for it\n"));
    let (gate, evidence) = (GateId(1), EvidenceId(9));
    let proof = proof(2, "it ended with exit 2\n\nno rule for it");
    s.tell(Event::GateFailed { gate, evidence, proof });
    let all = s.text(90, 40).join("\n");
    assert!(all.contains("outside the sandbox"), "{all}");
    assert_eq!((all.matches("exit 2").count(), all.matches("no rule for it").count()), (1, 1), "{all}");
}

#[test]
fn a_gate_says_how_it_ended_itself_where_another_command_ran_last() {
    let mut s = Screen::new();
    s.tell(Event::PlanReady { plan: plan() });
    s.tell(Event::RunStarted { run: RunId(7), turn: TurnId(1), approval: None });
    s.tell(lane(1, LaneKind::Task(TaskId(1)), IntentNode::Write));
    for (call, line) in [(2, "cargo check"), (3, "git log")] {
        s.tell(started(call, Tool::Run, line));
        s.tell(ended(call, "exit 0", "exit 0, took 0.0 s\n"));
    }
    let (gate, evidence) = (GateId(1), EvidenceId(9));
    s.tell(Event::GateFailed { gate, evidence, proof: proof(2, "it ended with exit 2\n\nno rule for it") });
    let all = s.text(90, 40).join("\n");
    assert!(all.contains("[Gate: syntax] ✗ failed   exit 2") && all.contains("no rule for it"), "{all}");
}

#[test]
fn of_a_gate_with_a_long_name_how_it_ended_stays() {
    let gated = super::super::entry::Gated {
        name: "cargo test --locked --workspace --all-targets".into(),
        green: false,
        diagnostics: String::new(),
    };
    let row = gated.row(("✓", "✗"), (30, "…"));
    assert_eq!((row.text().as_str(), row.width()), ("[Gate: cargo test -…] ✗ failed", 30));
}

#[test]
fn a_gate_that_is_called_as_its_line_is_named_without_the_variables_before_it() {
    let mut s = Screen::new();
    let mut plan = plan();
    plan.gates[0].name = "RUSTUP_HOME=/root/.rustup CARGO_HOME=/c cargo test".into();
    s.tell(Event::PlanReady { plan });
    let gate = GateId(1);
    s.tell(Event::GatePassed { gate, evidence: EvidenceId(9), proof: proof(0, "") });
    assert_eq!(rows_with(&mut s, "[Gate: cargo test] ✓ passed").len(), 1, "{:?}", s.text(60, 40));
}

#[test]
fn a_file_that_waits_has_one_row_with_its_figures() {
    let mut s = Screen::new();
    s.tell(started(901, Tool::Edit, "src/a.rs"));
    s.tell(proposal(1, "src/a.rs", "a\nb\n", "x\nb\nc\n").0);
    s.tell(ended(901, "proposed", ""));
    let kind = Review { lane: LaneId(1), proposals: vec![ProposalId(1)] }.into();
    let checkpoint = Checkpoint { id: CheckpointId(9), kind, message: String::new(), run: None };
    s.tell(Event::CheckpointOpened { checkpoint });
    let rows = rows_with(&mut s, "src/a.rs");
    assert!(
        matches!(rows.as_slice(), [one] if one.contains("⚑ src/a.rs   1 hunk waits for you")),
        "{rows:?}"
    );
    assert!(rows[0].ends_with("+2 -1"), "{rows:?}");
}

#[test]
fn what_is_proposed_is_told_by_its_path_in_the_folder_however_its_model_named_it() {
    let mut s = Screen::new();
    s.tell(started(901, Tool::Edit, "/home/kim/tally/src/a.rs"));
    s.tell(proposal(1, "src/a.rs", "a\n", "x\n").0);
    s.tell(ended(901, "proposed", ""));
    let rows = rows_with(&mut s, "src/a.rs");
    assert!(rows.len() == 1 && !rows[0].contains("tally"), "{rows:?}");
}

#[test]
fn files_that_wait_stand_by_path_in_whatever_order_they_were_proposed() {
    let mut s = Screen::new();
    for (id, path) in [(1, "src/slug.js"), (2, "src/cli.js")] {
        s.tell(proposal(id, path, "a\n", "b\n").0);
    }
    let kind = Review { lane: LaneId(1), proposals: vec![ProposalId(1), ProposalId(2)] }.into();
    let checkpoint = Checkpoint { id: CheckpointId(9), kind, message: String::new(), run: None };
    s.tell(Event::CheckpointOpened { checkpoint });
    let rows = rows_with(&mut s, "waits for you");
    assert!(rows.len() == 2 && rows[0].contains("cli.js") && rows[1].contains("slug.js"), "{rows:?}");
}

#[test]
fn at_a_stop_the_step_is_named_once_and_green_gates_share_a_row() {
    let mut s = Screen::new();
    s.tell(Event::PlanReady { plan: plan() });
    s.tell(Event::RunStarted { run: RunId(7), turn: TurnId(1), approval: None });
    s.tell(Event::TaskCancelled { task: TaskId(2) });
    assert_eq!(rows_with(&mut s, "Wire it into login: stopped").len(), 1, "others may be at work");
    let gates = ["syntax", "lint"].map(|name| GateFact {
        name: name.into(),
        command: "make".into(),
        status: GateStatus::Passed(EvidenceId(3)),
        waived: false,
        exit: None,
    });
    let left =
        vec![StepLeft { number: 2, title: "Wire it into login".into(), status: TaskStatus::Cancelled }];
    s.tell(Event::RunCompleted {
        run: RunId(7),
        status: RunStatus::Cancelled,
        summary: "Completed 0 tasks before cancel.".into(),
        files: vec![],
        goal: None,
        came_to: Some(Box::new(Completion { gates: gates.to_vec(), left, ..Completion::default() })),
    });
    let rows = rows_with(&mut s, "Wire it into login");
    assert_eq!(rows.iter().filter(|row| row.contains("stopped")).count(), 1, "{rows:?}");
    assert_eq!(rows_with(&mut s, "passed"), ["   ✓ syntax, lint passed"]);
    assert_eq!(rows_with(&mut s, "Stopped."), [" – Stopped. No file changed."]);
}

#[test]
fn a_message_to_the_agent_says_when_it_was_handed_over() {
    let mut s = Screen::new();
    s.tell(said(1, "mend it"));
    s.tell(Event::RunStarted { run: RunId(7), turn: TurnId(1), approval: None });
    s.tell(lane(1, LaneKind::Task(TaskId(1)), IntentNode::Modify));
    s.tell(said(2, "call it by_month"));
    s.tell(Event::TurnTold { turn: TurnId(2), run_of: TurnId(1) });
    assert_eq!(rows_with(&mut s, "Reaches the agent with its next request.").len(), 1);
    s.tell(thinking(20, 1));
    assert_eq!(rows_with(&mut s, "✓ passed to the agent").len(), 1);
    assert!(rows_with(&mut s, "Reaches the agent").is_empty());
}

#[test]
fn of_a_command_that_ended_well_what_sums_it_up_is_seen_on_whichever_stream_it_stands() {
    let tests: String = (1..=8).map(|n| format!("test_{n} (tests.Store.test_{n}) ... ok\n")).collect();
    let output = format!(
        "exit 0, took 1 s\nstdout:\n2026-002 Foo 23.8000 open\n2026-001 ACME 119.0000 open\nstderr:\n{tests}\nRan 8 tests in 0.002s\n\nOK\n"
    );
    let rows = shown_below(&output, CallStatus::Done, false);
    for part in ["2026-002 Foo", "2026-001 ACME", "Ran 8 tests", "OK"] {
        assert!(rows.iter().any(|row| row.contains(part)), "{part}: {rows:?}");
    }
    // Of a run of several programs that which found something.
    let output = "exit 0, took 1 s\nstdout:\n".to_owned()
        + "running 9 tests\ntest result: ok. 9 passed; 0 failed\n"
        + &"\n   Doc-tests demo\n\nrunning 0 tests\n\ntest result: ok. 0 passed; 0 failed\n".repeat(3);
    let rows = shown_below(&output, CallStatus::Done, false);
    assert!(rows.iter().any(|row| row.contains("9 passed")), "{rows:?}");
}

#[test]
fn a_paste_in_what_was_said_is_folded_between_its_beginning_and_its_end_and_unfolds() {
    let mut s = Screen::new();
    let lines = |of: std::ops::RangeInclusive<usize>| of.map(|n| format!("line {n}\n")).collect::<String>();
    s.tell(said(1, &format!("why is this slow?\n{}thanks", lines(1..=200))));
    let text = s.text(60, 24);
    let at = text.iter().position(|row| row.contains("folded")).unwrap();
    assert!(text[at].contains("▸ 190 lines folded, ") && text[at].contains(" shows all"), "{text:?}");
    assert!(text[at - 1].ends_with("line 8") && text[at + 1].ends_with("line 199"), "{text:?}");
    assert!(text[at + 3].ends_with("thanks") && text[at - 9].ends_with("why is this slow?"), "{text:?}");
    unfold(&mut s);
    assert!(rows_with(&mut s, "folded").is_empty());
    unfold(&mut s);
    assert_eq!(rows_with(&mut s, "190 lines folded").len(), 1);
    // What is no longer than output is shown whole.
    let mut s = Screen::new();
    s.tell(said(1, &lines(1..=12)));
    assert_eq!(rows_with(&mut s, "line ").len(), 12);
}

#[test]
fn a_search_unfolds_what_holds_what_is_looked_for_and_counts_it() {
    let mut s = Screen::new();
    let lines = (1..=200).map(|n| format!("line {n}\n")).collect::<String>();
    s.tell(said(1, &format!("why so?\n{lines}thanks")));
    s.tell(said(2, &format!("and here?\n{lines}please")));
    s.text(60, 24);
    let at_cursor = |s: &Screen| {
        let at = s.pane.cursor.unwrap();
        s.pane.log.get(at.key).unwrap().row(at.row).unwrap().0.text()
    };
    let open = |s: &Screen| {
        let entries = (s.pane.log.first()..s.pane.log.end()).filter_map(|key| s.pane.log.get(key));
        entries.filter(|entry| entry.folds()).map(|entry| entry.open).collect::<Vec<bool>>()
    };
    // What stands there although it is folded unfolds nothing.
    s.search("please");
    assert!(at_cursor(&s).ends_with("please"));
    assert_eq!((s.pane.counted, open(&s)), (Some((1, 1)), vec![false, false]));
    // Only where it goes to it unfolds; what is folded elsewhere is counted as well.
    s.search("line 100");
    assert!(at_cursor(&s).ends_with("line 100"), "{}", at_cursor(&s));
    assert_eq!((s.pane.counted, open(&s)), (Some((2, 2)), vec![false, true]));
    assert!(rows_with(&mut s, "line 100").len() == 1);
    s.act(ConversationAction::SearchNext);
    assert_eq!((s.pane.counted, open(&s)), (Some((1, 2)), vec![true, true]));
    assert!(at_cursor(&s).ends_with("line 100"), "{}", at_cursor(&s));
    // From the fold itself both ways lead into what is folded.
    for (from, to, action) in [
        ("line 200", "line 199", ConversationAction::SearchNext),
        ("line 7", "line 8", ConversationAction::SearchPrevious),
    ] {
        for at_fold in [false, true] {
            s.search("line ");
            let key = s.pane.log.end() - 1;
            s.pane.log.get_mut(key).unwrap().unfold(false);
            s.pane.lay(&s.story.ctx(), key);
            let row = |s: &Screen, what: &str| {
                let entry = s.pane.log.get(key).unwrap();
                (0..entry.height()).find(|n| entry.row(*n).unwrap().0.text().contains(what)).unwrap()
            };
            let row = row(&s, if at_fold { "folded" } else { from });
            s.pane.cursor = Some(view::Pos { key, row });
            s.act(action);
            let to = match (at_fold, from) {
                (false, _) => to,
                (true, "line 7") => "line 9",
                (true, _) => "line 198",
            };
            assert!(at_cursor(&s).ends_with(to), "{from} {at_fold}: {}", at_cursor(&s));
            assert_eq!(s.pane.counted.unwrap().1, 400);
        }
    }
}

#[test]
fn a_search_unfolds_the_section_of_an_answer() {
    let mut s = Screen::new();
    s.tell(said(1, "how is it?"));
    let text = "It is so.\n\n## One\n\nits line\n\nits needle\n\n## Two\n\nlast line\n\nlast one\n";
    s.tell(lane(1, LaneKind::Pipeline, IntentNode::Explain));
    s.tell(thinking(2, 1));
    s.tell(replied(2, 1, text));
    s.tell(stage_ended(false));
    s.text(60, 40);
    s.search("two");
    assert!(rows_with(&mut s, "its needle").is_empty(), "its title stands there");
    s.search("needle");
    assert_eq!((rows_with(&mut s, "its needle").len(), s.pane.counted), (1, Some((1, 1))));
}

#[test]
fn how_a_message_reaches_the_agent_is_told_once() {
    let mut s = Screen::new();
    s.tell(said(1, "mend it"));
    s.tell(Event::TurnTold { turn: TurnId(1), run_of: TurnId(1) });
    assert_eq!(rows_with(&mut s, "Reaches the agent").len(), 1);
    let text = "The agent gets that with your answer: y lets it change files, n does not.";
    s.tell(Event::Notice { level: Level::Info, text: text.to_owned() });
    assert_eq!((rows_with(&mut s, "Reaches the agent").len(), rows_with(&mut s, "gets that").len()), (0, 1));
}
