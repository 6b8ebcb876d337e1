//! What is seen of a plan where there is little room.

use super::*;

const LONG: &str =
    "Name the function format_duration_short and have it leave out what is nought, as the others do";

/// The plan waits for its yes.
fn confirmed() -> Event {
    let kind = pilothouse_core::question::Confirmation::default().into();
    Event::CheckpointOpened {
        checkpoint: Checkpoint { id: CheckpointId(5), kind, message: "Proceed?".into(), run: None },
    }
}

fn long() -> pilothouse_core::plan::Plan {
    let mut long = plan();
    for task in &mut long.tasks {
        task.title = format!("{LONG} ({})", task.id.0);
    }
    long
}

#[test]
fn the_step_at_work_is_seen_and_what_is_done_takes_one_row_where_rows_are_short() {
    let mut s = Screen::new();
    let mut all = long();
    let last = all.tasks.len() - 1;
    all.tasks[..last].iter_mut().for_each(|t| t.status = TaskStatus::Done);
    all.tasks[last].status = TaskStatus::Running;
    all.tasks[last].title = "The one at work".to_owned();
    s.tell(Event::PlanReady { plan: all.clone() });
    for height in 4..12 {
        let rows = s.text(46, height);
        assert!(rows.iter().any(|r| r.contains("The one at work")), "{height}: {rows:#?}");
    }
    // With rows to spare, what is done is read whole; with one too few each takes one.
    let whole = |rows: &[String]| rows.iter().filter(|r| r.contains("do (")).count() == last;
    assert!(whole(&s.text(46, 40)), "{:#?}", s.text(46, 40));
    let short = (12..40).rev().find(|height| !whole(&s.text(46, *height))).unwrap();
    let rows = s.text(46, short);
    let of = |n: usize| rows.iter().position(|r| r.contains(&format!(" {n} "))).unwrap();
    assert!((1..last).all(|n| of(n + 1) == of(n) + 1), "{rows:#?}");
    // What was unfolded folds once it is done.
    let id = all.tasks[last].id;
    s.pane.open.insert(Target::Task(id));
    s.tell(Event::TaskCompleted { task: id, took: Millis(7) });
    assert!(!s.pane.open.contains(&Target::Task(id)));
}

#[test]
fn a_long_title_is_not_wrapped_into_a_strip_beside_a_file() {
    let mut s = Screen::new();
    let mut one = long();
    one.tasks.truncate(1);
    one.tasks[0].files = vec![path("src/formatting/duration.rs")];
    s.tell(Event::PlanReady { plan: one });
    s.tell(confirmed());
    let rows = s.text(46, 30);
    let from = rows.iter().position(|r| r.contains("1 Name")).unwrap();
    let file = rows.iter().position(|r| r.contains("duration.rs")).unwrap();
    assert_eq!(rows[file].trim(), "src/formatting/duration.rs", "below the title: {rows:#?}");
    assert!(file - from <= 4, "{rows:#?}");
}

#[test]
fn a_plan_that_was_done_and_committed_gives_its_room_back_with_the_next_message() {
    let mut s = Screen::new();
    let mut all = plan();
    all.tasks.iter_mut().for_each(|t| t.status = TaskStatus::Done);
    s.tell(Event::PlanReady { plan: all });
    let stands = |s: &Screen, focused| s.pane.stand(&s.story.ctx(), focused) != Stand::Hidden;
    s.tell(said(7, "and what else?"));
    assert!(stands(&s, false), "what is not committed stays");
    let made = pilothouse_core::commit::Committed { id: "1234567".into(), on: "main".into() };
    s.tell(Event::CommitEnded { commit: CallId(77), made: Some(made), told: String::new() });
    assert!(stands(&s, false), "until something else is said");
    s.tell(said(8, "where is main?"));
    assert!(!stands(&s, false) && stands(&s, true), "a key still shows it");
    s.tell(Event::PlanReady { plan: plan() });
    assert!(stands(&s, false));
}

#[test]
fn a_plan_that_was_done_gives_its_room_to_another_order_and_not_to_a_question() {
    let mut s = Screen::new();
    let mut all = plan();
    all.tasks.iter_mut().for_each(|t| t.status = TaskStatus::Done);
    let of_another = |kind| match lane(9, kind, IntentNode::Plan) {
        Event::LaneOpened { lane, kind, node, ceiling, fixed, .. } => {
            Event::LaneOpened { lane, kind, turn: TurnId(8), node, ceiling, fixed }
        }
        other => other,
    };
    let stands = |s: &Screen| s.pane.stand(&s.story.ctx(), false) != Stand::Hidden;
    s.tell(Event::PlanReady { plan: all });
    s.tell(said(8, "and another thing"));
    s.tell(of_another(LaneKind::Answer));
    assert!(stands(&s), "what is only asked leaves it");
    s.tell(of_another(LaneKind::Planning));
    assert!(!stands(&s));
    s.tell(Event::PlanReady { plan: plan() });
    assert!(stands(&s));
    s.tell(of_another(LaneKind::Planning));
    assert!(stands(&s), "of this one nothing is done");
}

#[test]
fn what_is_opened_is_seen_and_a_long_path_takes_one_row() {
    let mut s = Screen::new();
    let mut plan = plan();
    let deep =
        "src/a_rather_long_folder_name/another_even_longer_folder_name/the_last_of_these_folders/name.rs";
    plan.tasks[0].files =
        [deep, "src/other.rs"].map(|f| pilothouse_core::relpath::RelPath::new(f).unwrap()).into();
    s.tell(Event::PlanReady { plan: plan.clone() });
    s.tell(confirmed());
    let rows = s.text(46, 30);
    let named = rows.iter().filter(|r| r.contains("name.rs")).count();
    assert_eq!((named, rows.iter().any(|r| r.contains("another_even_longer"))), (1, false), "{rows:#?}");
    // The chosen step stands in the last row that there is for steps; its detail is seen all the same.
    let last = plan.tasks.len() - 1;
    for _ in 0..last {
        s.act(PlanAction::Down);
    }
    let height = 4 + 2 * u16::try_from(last).unwrap();
    s.text(46, height);
    s.act(PlanAction::Detail);
    let rows = s.text(46, height);
    assert!(rows.iter().any(|r| r.contains("reaches")), "{rows:#?}");
}

#[test]
fn how_long_a_plan_waited_is_told_whole_or_not_at_all() {
    let mut s = waiting();
    s.tell(Event::CheckpointResolved {
        checkpoint: CheckpointId(5),
        answer: Some(Answer::Approve),
        approval: None,
    });
    s.tell(Event::RunStarted { run: RunId(7), turn: TurnId(1), approval: None });
    s.story.later(12_000);
    let spell = pilothouse_core::money::Spell { worked: Millis(12_000), waited: Millis(600_000) };
    s.pane.took = Some(spell);
    s.tell(Event::RunCompleted {
        run: RunId(7),
        status: RunStatus::Completed,
        summary: String::new(),
        files: Vec::new(),
        goal: None,
        came_to: None,
    });
    s.pane.took = Some(spell);
    for (width, told) in [(80, true), (46, false)] {
        let footer = s.text(width, 24).last().unwrap().clone();
        assert_eq!(footer.contains("waited 10m for you"), told, "{footer}");
        assert!(footer.contains("Cost: ") && !footer.contains('…'), "{footer}");
    }
}

#[test]
fn the_note_of_a_plan_stands_without_marks_of_code() {
    let mut s = Screen::new();
    let mut plan = plan();
    plan.note = "11 places of `find_notes`".to_owned();
    plan.unchecked = Some("Nothing checks this plan: so `make` won't run.".to_owned());
    s.tell(said(1, "Rename it"));
    s.tell(Event::PlanReady { plan });
    let kind = pilothouse_core::question::Confirmation::default().into();
    let checkpoint = Checkpoint { id: CheckpointId(5), kind, message: String::new(), run: None };
    s.tell(Event::CheckpointOpened { checkpoint });
    let text = s.text(80, 40).join("\n");
    let told =
        " Note         11 places of find_notes\n              Nothing checks this plan: so make won't run.\n";
    assert!(text.contains(told), "{text}");
}

#[test]
fn what_is_spent_stands_below_a_plan_as_the_plan_s_before_its_run_as_well() {
    let mut s = Screen::new();
    s.tell(said(1, "where is it?"));
    s.tell(lane(2, LaneKind::Answer, IntentNode::Explain));
    s.tell(thinking(3, 2));
    s.tell(replied(3, 2, "x"));
    s.tell(said(4, "rename it"));
    s.tell(Event::PlanReady { plan: pilothouse_core::plan::Plan { turn: TurnId(4), ..plan() } });
    let foot = |s: &mut Screen| s.text(60, 20)[19].clone();
    assert!(foot(&mut s).starts_with(" Tokens: 0 │"), "{}", foot(&mut s));
    s.tell(Event::RunStarted { run: RunId(7), turn: TurnId(4), approval: None });
    assert!(foot(&mut s).starts_with(" Tokens: 0 │"), "{}", foot(&mut s));
}

#[test]
fn every_row_of_a_plan_can_be_read_however_low_its_pane_is() {
    for (height, key) in (1..12).flat_map(|h| [(h, PlanAction::Down), (h, PlanAction::PageDown)]) {
        let mut s = Screen::new();
        s.tell(Event::PlanReady { plan: pilothouse_core::plan::Plan { note: LONG.to_owned(), ..long() } });
        s.tell(confirmed());
        let whole = s.text(46, 60);
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..60 {
            seen.extend(s.text(46, height).iter().map(|row| own(row).trim().to_owned()));
            s.act(key);
        }
        for row in whole.iter().map(|row| row.trim()).filter(|row| !row.is_empty()) {
            let told = seen.contains(row) || row.starts_with("Tokens");
            assert!(told, "{height} {key:?}: {row}\n{seen:#?}");
        }
        // And back again.
        for _ in 0..60 {
            s.act(if key == PlanAction::Down { PlanAction::Up } else { PlanAction::PageUp });
        }
        assert_eq!(s.text(46, height)[0], whole[0], "{height}");
    }
}

#[test]
fn what_was_added_to_a_plan_counts_with_it() {
    let mut s = Screen::new();
    s.tell(said(1, "rename it"));
    s.tell(Event::PlanReady { plan: plan() });
    s.tell(said(2, "and a test"));
    s.tell(Event::RunStarted { run: RunId(7), turn: TurnId(1), approval: None });
    let task =
        pilothouse_core::plan::Task { id: TaskId(6), turn: Some(TurnId(2)), ..plan().tasks[0].clone() };
    s.tell(Event::TaskAdded { task });
    for (n, turn, used) in [(10, 1, "4,523"), (20, 2, "9,046")] {
        let mut opened = lane(n, LaneKind::Task(TaskId(1)), IntentNode::Modify);
        if let Event::LaneOpened { turn: of, .. } = &mut opened {
            *of = TurnId(turn);
        }
        s.tell(opened);
        s.tell(thinking(n + 1, n));
        s.tell(replied(n + 1, n, "x"));
        let foot = s.text(60, 24).last().unwrap().clone();
        assert!(foot.starts_with(&format!(" Tokens: {used} │")), "{foot}");
    }
}

#[test]
fn a_gate_that_may_run_already_is_counted_with_those_that_a_yes_covers() {
    let mut s = Screen::new();
    let mut many = plan();
    many.gates = (0..7)
        .map(|n| Gate { id: GateId(40 + n), command: format!("touch G{n}"), ..plan().gates[0].clone() })
        .collect();
    let trust = pilothouse_core::question::TrustQuestion {
        parts: Vec::new(),
        sheet: BlobId::of(b""),
        shown: BlobId::of(b""),
        gates: vec!["touch G6".to_owned()],
        checks: Vec::new(),
        withholds: Vec::new(),
    };
    let asks = |s: &mut Screen| {
        let rows = s.text(80, 60);
        rows.iter().find(|row| row.contains("Gates ")).unwrap().trim().to_owned()
    };
    s.tell(Event::SessionOpened {
        slug: "calm-otter".into(),
        folder: "inkwell".into(),
        version: "0".into(),
        mode: pilothouse_core::intent::Mode::Exploratory,
        permission: pilothouse_core::scope::PermissionMode::Ask,
        sandbox: Some(pilothouse_core::sandbox::Sandbox {
            backend: Some(pilothouse_core::sandbox::Backend::Landlock),
            ..Default::default()
        }),
        mode_said: false,
    });
    let trusted = pilothouse_core::trust::Trust::Once;
    s.tell(Event::TrustChanged {
        trust: trusted,
        of: BlobId::of(b""),
        gives: Vec::new(),
        checks: Vec::new(),
    });
    s.tell(said(1, "rename it"));
    s.tell(Event::PlanReady { plan: many });
    s.tell(confirmed());
    assert_eq!(asks(&mut s), "Gates   your yes covers 6 of 7; the rest ask");
    let (id, kind) = (CheckpointId(6), trust.into());
    let checkpoint = Checkpoint { id, kind, message: String::new(), run: None };
    s.tell(Event::CheckpointOpened { checkpoint });
    let approval = Some(ApprovalId(9));
    s.tell(Event::CheckpointResolved { checkpoint: id, answer: Some(Answer::Approve), approval });
    assert_eq!(asks(&mut s), "Gates   your yes covers exactly these");
}

#[test]
fn the_writes_of_one_file_in_a_step_are_one_row() {
    let mut s = running();
    let texts = ["1\n2\n3\n", "1\n2\n3\n4\n5\n", "1\n2\n3\n4\n"];
    for (n, pair) in [40, 50].into_iter().zip(texts.windows(2)) {
        let (event, _) = proposal(n, "src/timed.rs", pair[0], pair[1]);
        let Event::Proposed { proposal: of, added, removed } = event.clone() else { panic!() };
        s.tell(event);
        let take = vec![(ProposalId(n), [0].into())];
        s.tell(Event::ApplyApproved {
            apply: ApplyId(n + 1),
            approval: ApprovalId(n + 2),
            by: "user".into(),
            take,
        });
        let file = pilothouse_core::event::FileChange {
            proposal: of.id,
            path: of.path,
            kind: of.kind,
            before: of.before,
            after: of.after,
            mode: None,
            added,
            removed,
            lines: 9,
            rest: None,
            changes: Vec::new(),
        };
        s.tell(Event::ApplyStarted { apply: ApplyId(n + 1), files: vec![file] });
        s.tell(Event::Applied { apply: ApplyId(n + 1) });
    }
    let rows: Vec<String> = s.text(60, 30).into_iter().filter(|row| row.contains("timed.rs")).collect();
    assert_eq!(rows.len(), 1, "{rows:#?}");
    assert!(rows[0].trim_end().ends_with("+1"), "{rows:#?}");
}

/// A row without what is counted beside it, which hides nothing of it.
fn own(row: &str) -> &str {
    row.rsplit_once(" … ").map_or(row, |(own, _)| own).trim_end()
}

/// Goes through a plan in a low pane; `seen` is told each frame and whether a yes counts there, and says whether all of what
/// it looks for was seen.
fn go_through(s: &mut Screen, (width, height): (u16, u16), mut seen: impl FnMut(&[String]) -> bool) {
    for _ in 0..16 {
        let rows = s.text(width, height);
        let read = seen(&rows);
        assert!(read || !s.pane.shows_gates(true), "{width}x{height}: {rows:#?}");
        s.pane.note_gates();
        s.act(PlanAction::Down);
    }
    assert!(s.pane.shows_gates(false), "{width}x{height}");
}

#[test]
fn where_a_yes_counts_the_end_of_a_gate_s_line_was_seen() {
    let forms = [(Glyphs::UNICODE, 0), (Glyphs::UNICODE, 1), (Glyphs::ASCII, 0), (Glyphs::ASCII, 1)];
    for ((glyphs, after), height) in forms.iter().flat_map(|form| [5, 6, 7, 8].map(|height| (form, height))) {
        for long in 34..44 {
            let mut s = Screen::new();
            s.story.glyphs = *glyphs;
            let mut one = plan();
            one.tasks.truncate(1);
            one.gates.truncate(1);
            one.note.clear();
            one.gates[0].name.clear();
            one.gates[0].after = one.tasks.iter().map(|t| t.id).take(*after).collect();
            one.gates[0].command = format!("make {}zq", "x".repeat(long - 7));
            s.tell(Event::PlanReady { plan: one });
            s.tell(confirmed());
            let mut seen = false;
            go_through(&mut s, (56, height), |rows| {
                seen |= rows.iter().any(|row| row.contains("zq"));
                seen
            });
        }
    }
}

#[test]
fn where_a_yes_counts_it_was_seen_what_goes_beyond_what_was_asked_for() {
    for (gates, height) in [0, 1].into_iter().flat_map(|gates| (1..14).map(move |height| (gates, height))) {
        let mut s = Screen::new();
        s.tell(said(1, "Add rate limiting"));
        s.tell(understood(1, IntentNode::Explain));
        let mut plan = plan();
        plan.gates.truncate(gates);
        s.tell(Event::PlanReady { plan });
        s.tell(confirmed());
        let mut missing = vec!["Goes beyond  write, execute: your yes allows", "             it"];
        assert!(
            missing.iter().all(|row| s.text(46, 60).iter().any(|r| r.ends_with(row))),
            "{:#?}",
            s.text(46, 60)
        );
        go_through(&mut s, (46, height), |rows| {
            missing.retain(|row| !rows.iter().any(|r| own(r).ends_with(row)));
            missing.is_empty()
        });
    }
}

#[test]
fn the_rows_of_a_plan_have_one_order_however_low_its_pane_is() {
    let mut s = Screen::new();
    s.tell(Event::PlanReady {
        plan: pilothouse_core::plan::Plan { note: format!("{LONG}. {LONG}"), ..long() },
    });
    s.tell(confirmed());
    let mut rows = |height| {
        s.text(46, height);
        let rows = s.pane.items.iter().map(|item| item.row.text().trim().to_owned());
        rows.filter(|row| !row.is_empty()).collect::<Vec<_>>()
    };
    let whole = rows(60);
    for height in 1..30 {
        let low = rows(height);
        let mut all = whole.iter();
        assert!(low.iter().all(|row| all.any(|of| of == row)), "{height}: {low:#?}\nof {whole:#?}");
    }
}

#[test]
fn empty_rows_make_room_for_what_has_none() {
    let mut s = Screen::new();
    s.tell(Event::PlanReady { plan: plan() });
    let whole = s.text(46, 40).iter().rposition(|row| !row.is_empty()).unwrap() + 1;
    let rows = |s: &mut Screen, height: usize| s.text(46, u16::try_from(height).unwrap());
    let empty = |rows: &[String]| rows.iter().filter(|row| row.trim().is_empty()).count();
    let (all, spare) = (rows(&mut s, whole), empty(&s.text(46, 40)[..whole]));
    assert!(spare >= 2, "{all:?}");
    for less in 1..=spare {
        let short = rows(&mut s, whole - less);
        assert!(!short.iter().any(|row| row.contains(" more")), "{less}: {short:#?}");
        assert_eq!(empty(&short), spare - less, "{short:#?}");
        for gate in all.iter().filter(|row| !row.trim().is_empty()) {
            assert!(short.contains(gate), "{gate}: {short:#?}");
        }
    }
}

#[test]
fn a_title_breaks_inside_no_word_for_what_stands_beside_its_first_row() {
    let mut s = Screen::new();
    let mut one = long();
    one.tasks.truncate(1);
    one.tasks[0].title = "Test it with test_lfu_peek_keeps_order_of_all".to_owned();
    one.tasks[0].status = TaskStatus::Running;
    s.tell(Event::PlanReady { plan: one });
    for width in 44..60 {
        let rows = s.text(width, 30);
        assert!(
            rows.iter().any(|row| row.contains("test_lfu_peek_keeps_order_of_all")),
            "{width}: {rows:#?}"
        );
    }
}
