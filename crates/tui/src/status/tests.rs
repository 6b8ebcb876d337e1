//! Tests of the status line: exact forms, and what goes first.

#![allow(clippy::unwrap_used)]

use pilothouse_core::{
    checkpoint::{Checkpoint, CheckpointKind, Failure},
    ids::{CheckpointId, Millis, RunId, Seq, TaskId, TurnId},
    intent::{Control, IntentPath, Source, Turn},
    plan::{PlanDraft, TaskDraft, TaskStatus},
    session::{PendingMessage, Run, TurnInfo},
};

use super::*;
use std::collections::BTreeSet;

fn state(mode: Mode, phase: Phase) -> State {
    let mut state = State::default();
    (state.mode, state.phase) = (mode, phase);
    state
}

fn turn(state: &mut State, head: &str) {
    let info = TurnInfo {
        directed: None,
        output: None,
        seq: Seq(1),
        at: pilothouse_core::ids::Millis(0),
        used: pilothouse_core::talk::Usage::default(),
        head: head.into(),
        class: Turn::Query(None),
        path: IntentPath::root(),
        confidence: 1.0,
        forbids: false,
        forbids_run: false,
        widened: pilothouse_core::scope::ToolScope::NONE,
        continues: None,
        told: None,
        spares: Vec::new(),
        frees: Vec::new(),
        request: None,
        source: Source::Fallback,
        reasoning: String::new(),
        phase: Phase::Idle,
        plan_active: false,
        fixed: false,
    };
    state.turn = Some(TurnId(1));
    state.turns.insert(TurnId(1), info.into());
}

fn plan(state: &mut State, title: &str, titles: &[&str], running: usize) {
    let tasks = titles.iter().map(|t| TaskDraft { title: (*t).into(), ..TaskDraft::default() }).collect();
    let draft = PlanDraft { title: title.into(), note: String::new(), tasks, gates: vec![], unchecked: None };
    let mut plan = draft.build(TurnId(1), 1).unwrap();
    for (i, task) in plan.tasks.iter_mut().enumerate() {
        task.status = match i + 1 {
            n if n < running => TaskStatus::Done,
            n if n == running => TaskStatus::Running,
            _ => TaskStatus::Pending,
        };
    }
    state.plan = Some(plan);
}

fn failed(state: &mut State, step: usize, message: &str) {
    state.failure = Some(Failure {
        spent: false,
        detoured: false,
        asks: None,
        origin: Phase::Executing,
        task: Some(TaskId(1)),
        step,
        gate: None,
        message: message.into(),
        hint: String::new(),
        planner: None,
        staged: false,
    });
}

fn wait(state: &mut State, ids: std::ops::Range<u64>) {
    for id in ids {
        let kind = CheckpointKind::from(pilothouse_core::question::Exit::default());
        let c = Checkpoint { id: CheckpointId(id), kind, message: String::new(), run: None };
        state.open.insert(c.id, c);
    }
}

fn text(state: &State, width: u16) -> (String, String) {
    silent_text(state, width, 0)
}

fn silent_text(state: &State, width: u16, silent: u64) -> (String, String) {
    waiting_text(state, width, silent, false)
}

fn waiting_text(state: &State, width: u16, silent: u64, served: bool) -> (String, String) {
    let (left, right) = line(
        state,
        Form {
            width,
            frame: 0,
            glyphs: &Glyphs::UNICODE,
            runs: &[],
            utc_offset_minutes: 0,
            silent,
            served,
            reads: false,
            free: false,
        },
    );
    let join = |pieces: Vec<Piece>| pieces.into_iter().map(|p| p.text).collect::<String>();
    (join(left), join(right))
}

#[test]
fn a_wait_for_the_server_is_said_and_not_how_long_nothing_came() {
    let mut s = state(Mode::Exploratory, Phase::Planning);
    turn(&mut s, "Compare Q3 vs Q4 metrics");
    let says = |served| waiting_text(&s, 100, 40_000, served).0;
    assert_eq!(says(true), r#"[EXPLORE] planning ⠋ waiting for the server "Compare Q3 vs Q4 metrics""#);
    assert!(says(false).contains("nothing for 40s"));
}

#[test]
fn how_long_a_model_sent_nothing_is_said_once_that_is_long() {
    let mut s = state(Mode::Exploratory, Phase::Planning);
    turn(&mut s, "Compare Q3 vs Q4 metrics");
    let says = |silent| silent_text(&s, 100, silent).0;
    assert_eq!(says(14_999), r#"[EXPLORE] planning ⠋ "Compare Q3 vs Q4 metrics""#);
    assert_eq!(says(40_200), r#"[EXPLORE] planning ⠋ nothing for 40s "Compare Q3 vs Q4 metrics""#);
    assert!(says(130_000).contains("nothing for 2m"), "{}", says(130_000));
    assert!(silent_text(&s, 40, 40_000).0.contains("nothing for 40s"));
}

fn the_ten() -> Vec<(State, &'static str)> {
    use Mode::{Exploratory, Proof};
    let mut out = vec![
        (state(Proof, Phase::Idle), "[PROOF] idle"),
        (state(Exploratory, Phase::Idle), "[EXPLORE] idle"),
    ];
    let mut planning = |mode, goal, says| {
        let mut s = state(mode, Phase::Planning);
        turn(&mut s, goal);
        out.push((s, says));
    };
    planning(Proof, "Analyze revenue by region", r#"[PROOF] planning ⠋ "Analyze revenue by region""#);
    planning(Exploratory, "Compare Q3 vs Q4 metrics", r#"[EXPLORE] planning ⠋ "Compare Q3 vs Q4 metrics""#);
    let mut s = state(Proof, Phase::AwaitingApproval);
    plan(&mut s, "Revenue by region", &["a", "b", "c"], 0);
    out.push((s, r#"[PROOF] awaiting_approval    plan: "Revenue by region" (3 steps)    [y/n/suggest]"#));
    let mut s = state(Exploratory, Phase::AwaitingApproval);
    plan(&mut s, "Q3 vs Q4 comparison", &["a", "b", "c", "d", "e"], 0);
    out.push((s, r#"[EXPLORE] awaiting_approval    plan: "Q3 vs Q4 comparison" (5 steps)    [y/n/suggest]"#));
    let mut s = state(Proof, Phase::Executing);
    plan(&mut s, "x", &["a", "Loading sales data", "c", "d", "e"], 2);
    out.push((s, r#"[PROOF] executing ⠋ step 2/5 "Loading sales data""#));
    let mut s = state(Exploratory, Phase::Executing);
    plan(&mut s, "x", &["a", "b", "Calculating metrics", "d"], 3);
    s.queue.control.push_back(Control::Redo);
    out.push((s, r#"[EXPLORE] executing ⠋ step 3/4 "Calculating metrics"    [queued: 1]"#));
    let mut s = state(Proof, Phase::Failed);
    failed(&mut s, 3, "Database connection error");
    out.push((s, r#"[PROOF] failed ✗ step 3    "Database connection error"    [retry/replan/abandon]"#));
    let mut s = state(Exploratory, Phase::Failed);
    failed(&mut s, 2, "API timeout");
    out.push((s, r#"[EXPLORE] failed ✗ step 2    "API timeout"    [retry/replan/abandon]"#));
    out
}

#[test]
fn the_ten_forms_are_exact() {
    for (state, says) in the_ten() {
        assert_eq!(text(&state, 120).0, says);
    }
}

#[test]
fn every_form_fits_every_width_and_keeps_mode_and_phase() {
    for (mut state, _) in the_ten() {
        wait(&mut state, 1..3);
        for width in [1, 5, 12, 20, 40, 60, 80, 120] {
            let (left, right) = text(&state, width);
            let gap = if right.is_empty() { 0 } else { 2 };
            assert!(left.width() + right.width() + gap <= usize::from(width), "{left}|{right} at {width}");
            if width >= 40 {
                assert!(left.contains(state.phase.name()), "{left}");
            }
        }
    }
}

#[test]
fn narrow_lines_lose_words_first_then_the_name_and_keep_the_hints() {
    let mut s = state(Mode::Exploratory, Phase::AwaitingApproval);
    plan(&mut s, "Add rate limiting to the login endpoint", &["a", "b"], 0);
    wait(&mut s, 1..3);
    let at = |width| text(&s, width);
    assert_eq!(at(120).1, "⚑ 2 waiting");
    let eighty = (
        r#"[EXPLORE] awaiting_approval    plan: "Add rate li…" (2 steps)    [y/n/suggest]"#.to_owned(),
        "⚑ 2".to_owned(),
    );
    assert!(at(80).0.starts_with(r#"[EXPLORE] awaiting_approval    plan: "Add "#), "{:?} {eighty:?}", at(80));
    assert_eq!(at(80).1, "⚑ 2");
    assert!(at(60).0.ends_with("[y/n/suggest]") && at(60).1 == "⚑ 2", "{:?}", at(60));
    assert!(at(40).0.contains("awaiting_approval"), "{:?}", at(40));
}

#[test]
fn steps_at_work_together_are_all_named_by_number_and_the_first_by_name() {
    let mut s = state(Mode::Proof, Phase::Executing);
    plan(&mut s, "x", &["a", "Loading sales data", "c", "d", "e"], 2);
    for task in s.plan.iter_mut().flat_map(|p| &mut p.tasks).filter(|t| t.id.0 > 3) {
        task.status = TaskStatus::Running;
    }
    assert_eq!(text(&s, 120).0, r#"[PROOF] executing ⠋ steps 2,4,5/5 "Loading sales data""#);
    assert_eq!(text(&s, 48).0, r#"[PROOF] executing ⠋ steps 2,4,5/5 "Loading sal…""#);
    assert_eq!(text(&s, 40).0, "[PROOF] executing ⠋ steps 2,4,5/5");
}

#[test]
fn a_run_without_a_plan_shows_its_goal() {
    let mut s = state(Mode::Proof, Phase::Executing);
    turn(&mut s, "push the release");
    s.run = Some(Run {
        id: RunId(2),
        turn: TurnId(1),
        began: Millis(0),
        waited: Millis(0),
        lines: 0,
        files: BTreeSet::new(),
        approval: None,
        tried: None,
        fault: None,
        refused: false,
        stopped: false,
        looking: None,
        overtaken: 0,
        writing_gates: std::collections::BTreeSet::new(),
        after: None,
        broke: None,
        red: Vec::new(),
        replaced: Vec::new(),
        reds: std::collections::BTreeMap::new(),
        repairs: std::collections::BTreeMap::new(),
        called: 0,
    });
    assert_eq!(text(&s, 120).0, r#"[PROOF] executing ⠋ "push the release""#);
}

#[test]
fn a_name_with_line_breaks_stays_on_the_line() {
    let mut s = state(Mode::Proof, Phase::Planning);
    turn(&mut s, "first\nsecond\u{1b}[31m");
    let (left, _) = text(&s, 80);
    assert!(left.starts_with(r#"[PROOF] planning ⠋ "first second"#));
    assert!(!left.contains('\u{1b}'));
}

#[test]
fn texts_are_cut_between_what_a_reader_sees() {
    assert_eq!(shorten("漢字漢字", 5), "漢字…");
    assert_eq!(shorten("e\u{301}e\u{301}e\u{301}", 2), "e\u{301}…");
    assert_eq!(shorten("abc", 3), "abc");
    assert_eq!(shorten("abc", 0), "");
}

#[test]
fn a_message_that_is_not_understood_yet_is_seen_in_every_phase() {
    let hearing =
        |n: u64| PendingMessage { turn: TurnId(n), seen: Seq(1), epoch: 0, vectors: false, model: n == 1 };
    let mut s = state(Mode::Exploratory, Phase::Idle);
    s.pending_messages.push_back(hearing(1));
    assert_eq!(text(&s, 100).0, "[EXPLORE] ⠋ classifying");
    s.pending_messages.push_back(hearing(2));
    assert_eq!(text(&s, 100).0, "[EXPLORE] ⠋ classifying    [queued: 1]");
    for phase in [Phase::Planning, Phase::AwaitingApproval, Phase::Executing, Phase::Failed] {
        s.phase = phase;
        assert!(text(&s, 120).0.contains("[classifying]    [queued: 1]"), "{}", text(&s, 120).0);
    }
}

/// T-17: a goal has no plan that could be made anew.
#[test]
fn a_goal_that_cannot_go_on_names_no_other_plan() {
    let mut s = state(Mode::Exploratory, Phase::Failed);
    failed(&mut s, 0, "no command came");
    s.failure.as_mut().unwrap().planner = Some(pilothouse_core::goal::PlannerError::Empty);
    assert_eq!(text(&s, 120).0, r#"[EXPLORE] failed ✗    "no command came"    [retry/abort]"#);
    assert!(text(&s, 30).0.ends_with("[r/q]"), "{:?}", text(&s, 30));
}

/// Every row of the table at three widths, as it is drawn.
#[test]
fn every_row_at_200_80_and_40_columns() {
    let mut told = String::new();
    for (state, _) in the_ten() {
        for width in [200, 80, 40] {
            told.push_str(&format!("{width:>3} {}\n", text(&state, width).0));
        }
    }
    assert_eq!(told, include_str!("rows.txt"));
}

#[test]
fn what_waits_for_the_user_says_so_and_how_long() {
    let mut s = state(Mode::Exploratory, Phase::Executing);
    plan(&mut s, "Rate limits", &["a", "b"], 1);
    assert_eq!(text(&s, 120).0, r#"[EXPLORE] executing ⠋ step 1/2 "a""#);
    wait(&mut s, 1..2);
    assert_eq!(text(&s, 120).0, r#"[EXPLORE] executing ⚑ waits for you step 1/2 "a""#);
    if let Some(plan) = s.plan.as_mut() {
        plan.tasks.iter_mut().for_each(|t| t.status = TaskStatus::Skipped);
    }
    assert_eq!(
        text(&s, 120).0,
        r#"[EXPLORE] executing ⚑ waits for you "Rate limits""#,
        "none is named that is not at work"
    );
    s.phase = Phase::Idle;
    assert_eq!(text(&s, 120), ("[EXPLORE] idle".to_owned(), "⚑ 1 waiting".to_owned()));
}

#[test]
fn what_is_too_long_for_a_hint_goes_by_whole_parts_of_it() {
    let text = "rejected \u{2013} describe the change, or press Enter to discard the plan";
    assert_eq!(shorten_parts(text, 90), text);
    assert_eq!(shorten_parts(text, 56), "rejected \u{2013} describe the change\u{2026}");
    assert_eq!(shorten_parts(text, 26), "rejected \u{2013} describe the\u{2026}", "else behind a word");
    let control = "a applies the control file AGENTS.md; it asks for its word first";
    assert_eq!(shorten_parts(control, 56), "a applies the control file AGENTS.md\u{2026}");
}

#[test]
fn what_was_said_that_is_summed_up_is_no_answer() {
    let mut state = state(Mode::Exploratory, Phase::Idle);
    let call = pilothouse_core::ids::CallId(2);
    let (upto, keep) = (Seq(1), String::new());
    state.compacting =
        Some(pilothouse_core::session::Compacting { call, upto, keep, again: false, held: None });
    let (left, _) = text(&state, 100);
    assert!(left.contains("summing up") && !left.contains("answering"), "{left}");
}
