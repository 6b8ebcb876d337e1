#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::wildcard_enum_match_arm,
    clippy::format_collect
)]
use pilothouse_core::{
    blob::BlobId,
    checkpoint::Checkpoint,
    event::RunStatus,
    ids::*,
    intent::{IntentNode, IntentPath},
    plan::{GateStatus, Pause, TaskStatus},
    session::LaneKind,
};
use proptest::prelude::*;

use super::*;
use crate::{story::*, theme::Glyphs};

mod edited;
mod room;

struct Screen {
    story: Story,
    pane: PlanPane,
}

impl Screen {
    fn new() -> Self {
        Self { story: Story::new(), pane: PlanPane::new() }
    }

    fn tell(&mut self, event: Event) {
        let stamped = self.story.tell(event);
        self.pane.fold(self.story.session.state(), &stamped);
    }

    fn draw(&mut self, width: u16, height: u16) -> Buffer {
        let (size, area) = area(width, height);
        let mut buf = Buffer::empty(area);
        self.pane.layout(&self.story.ctx(), size);
        self.pane.render(&self.story.ctx(), area, &mut buf, true);
        buf
    }

    fn text(&mut self, width: u16, height: u16) -> Vec<String> {
        text(&self.draw(width, height))
    }

    fn act(&mut self, action: PlanAction) -> Outcome {
        self.pane.carry_out(action, &self.story.ctx())
    }
}

#[test]
fn a_stopped_step_is_counted_apart_and_fills_no_bar() {
    let mut s = Screen::new();
    let mut two = plan();
    two.tasks.truncate(2);
    two.tasks[0].status = TaskStatus::Done;
    two.tasks[1].status = TaskStatus::Cancelled;
    s.tell(Event::PlanReady { plan: two });
    let text = s.text(80, 24).join("\n");
    assert!(text.contains("1 of 2 steps, 1 stopped") && !text.contains("100%"), "{text}");
}

#[test]
fn a_step_that_was_added_to_what_runs_is_marked_until_it_begins() {
    let mut s = running();
    let task = pilothouse_core::plan::Task {
        id: TaskId(6),
        title: "Also a test".into(),
        turn: Some(TurnId(2)),
        status: TaskStatus::Pending,
        files: Vec::new(),
        ..plan().tasks[0].clone()
    };
    s.tell(Event::TaskAdded { task });
    let marked = |s: &mut Screen| -> Vec<String> {
        s.text(60, 40).into_iter().filter(|r| r.contains('★') || r.contains("NEW")).collect()
    };
    let row = marked(&mut s);
    assert_eq!(row.len(), 1, "{:#?}", s.text(60, 40));
    assert!(row[0].starts_with(" ★ 6 Also a test") && row[0].ends_with(" NEW"), "{row:?}");
    s.tell(Event::TaskStarted { task: TaskId(6), lane: LaneId(9) });
    assert_eq!(marked(&mut s), Vec::<String>::new());
}

#[test]
fn what_became_of_the_steps_is_told_before_a_bar_is_drawn() {
    let mut s = Screen::new();
    let mut three = plan();
    three.tasks.truncate(3);
    let ends = [TaskStatus::Done, TaskStatus::Cancelled, TaskStatus::TakenBack];
    three.tasks.iter_mut().zip(ends).for_each(|(task, status)| task.status = status);
    s.tell(Event::PlanReady { plan: three });
    for width in [28, 44, 60, 90] {
        let text = s.text(width, 40).join(" ").split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains("1 of 3 steps, 1 stopped, 1 taken back"), "{width}: {text}");
    }
}

#[test]
fn no_bar_is_full_while_a_gate_is_red_or_to_come() {
    let mut all = plan();
    all.tasks.iter_mut().for_each(|t| t.status = TaskStatus::Done);
    all.gates[0].status = GateStatus::Passed(EvidenceId(9));
    all.gates[1].status = GateStatus::Failed(EvidenceId(9));
    let (done, of) = (all.tasks.len(), all.gates.len());
    let mut s = Screen::new();
    s.tell(Event::PlanReady { plan: all.clone() });
    let text = s.text(80, 30).join("\n");
    assert!(
        !text.contains("100%") && text.contains(&format!("{done} of {done} steps, 1/{of} gates")),
        "{text}"
    );
    let title = |s: &mut Screen| s.pane.title(&s.story.ctx()).right.to_string();
    assert!(title(&mut s).contains("gate"), "{}", title(&mut s));
    // A gate that was left out by name is no longer waited for.
    all.gates[1].status = GateStatus::Skipped;
    let mut s = Screen::new();
    s.tell(Event::PlanReady { plan: all });
    let text = s.text(80, 30).join("\n");
    assert!(text.contains("5 of 5 steps") && !text.contains('%'), "what is over goes no further: {text}");
    assert_eq!(title(&mut s), format!("{done}/{done}"));
}

#[test]
fn a_plan_that_waits_says_what_was_asked_for_where_it_reaches_beyond() {
    for (meant, beyond) in [(IntentNode::Modify, false), (IntentNode::Explain, true)] {
        let text = waiting_after(meant).text(60, 30).join("\n");
        assert_eq!(text.contains("Asked for    "), beyond, "{text}");
        assert_eq!(text.contains("Goes beyond"), beyond, "{text}");
        assert_eq!(text.contains("only what was asked"), !beyond, "{text}");
    }
}

/// A plan that waits, made of a message that asks for changes.
fn waiting() -> Screen {
    waiting_after(IntentNode::Modify)
}

/// The same plan, made of a message that was understood as something else.
fn waiting_after(meant: IntentNode) -> Screen {
    let mut s = Screen::new();
    s.tell(said(1, "Add rate limiting"));
    s.tell(understood(1, meant));
    s.tell(Event::PlanReady { plan: plan() });
    let kind = pilothouse_core::question::Confirmation::default().into();
    let checkpoint = Checkpoint { id: CheckpointId(5), kind, message: "Proceed?".into(), run: None };
    s.tell(Event::CheckpointOpened { checkpoint });
    s
}

fn running() -> Screen {
    let mut s = waiting();
    s.tell(Event::CheckpointResolved {
        checkpoint: CheckpointId(5),
        answer: Some(Answer::Approve),
        approval: None,
    });
    s.tell(Event::RunStarted { run: RunId(7), turn: TurnId(1), approval: None });
    s.tell(lane(1, LaneKind::Task(TaskId(1)), IntentNode::Write));
    s.tell(Event::TaskStarted { task: TaskId(1), lane: LaneId(1) });
    s.tell(Event::TaskCompleted { task: TaskId(1), took: Millis(4_100) });
    let proof = Proof {
        command: "cargo check --quiet".into(),
        exit: exit(0),
        output: BlobId::of(b""),
        diagnostics: String::new(),
        advice: Vec::new(),
        tree: None,
        tree_before: None,
    };
    s.tell(Event::GatePassed { gate: GateId(1), evidence: EvidenceId(9), proof });
    s.tell(Event::TaskStarted { task: TaskId(2), lane: LaneId(1) });
    s.tell(replied(3, 1, "x"));
    s.tell(proposal(20, "src/auth/mod.rs", "a\n", "a\nb\nc\nd\n").0);
    s.tell(Event::ApplyApproved {
        apply: ApplyId(21),
        approval: ApprovalId(22),
        by: "user".into(),
        take: vec![(ProposalId(20), [0].into())],
    });
    s.tell(Event::Applied { apply: ApplyId(21) });
    s.tell(
        proposal(23, "src/auth/login.rs", "a\n1\n2\n3\n4\n5\n6\n7\n8\nz\n", "b\n1\n2\n3\n4\n5\n6\n7\n8\ny\n")
            .0,
    );
    s.story.later(12_000);
    s.tell(review(24, &[23]));
    s.tell(Event::HunkDecided {
        proposal: ProposalId(23),
        hunk: 0,
        decision: Some(pilothouse_core::proposal::Decision::Taken),
        comment: None,
    });
    s
}

#[test]
fn a_plan_that_waits_says_what_it_may_do() {
    assert_eq!(
        waiting().text(60, 20),
        [
            " Path: Conversation → Plan → Act → Write → Modify",
            "",
            " ○ 1 Token bucket in core                src/core/bucket.rs",
            " ○ 2 Wire it into login                   src/auth/login.rs",
            " ○ 3 Answer 429 with Retry-After          src/http/error.rs",
            " ○ 4 Tests for burst and refill         tests/login_rate.rs",
            " ○ 5 Describe the limits in docs             docs/limits.md",
            "",
            " Gates   each asks before it runs",
            " ○ syntax  cargo check --quiet                after 1, 2, 3",
            " ○ tests   cargo test login                         after 4",
            "",
            " Allowed      read, propose edits, run commands (each one",
            "              checked), run the gates; only what was asked",
            " Not allowed  delete, reach the network",
            "",
            " Note         Buckets live in memory and are lost on a",
            "              restart.",
            "",
            " Tokens: 0 │ Time: – │ Cost: –",
        ]
    );
}

#[test]
fn a_plan_that_goes_beyond_its_message_says_what_a_yes_allows() {
    let text = waiting_after(IntentNode::Explain).text(60, 24);
    assert_eq!(
        text[12..17],
        [
            " Asked for    list, read",
            " Goes beyond  write, execute: your yes allows it",
            " Allowed      read, propose edits, run commands (each one",
            "              checked), run the gates",
            " Not allowed  delete, reach the network",
        ]
    );
}

#[test]
fn what_a_run_beside_the_plan_takes_does_not_stand_below_it() {
    let mut s = running();
    s.tell(Event::RunCompleted {
        run: RunId(7),
        status: RunStatus::Cancelled,
        summary: String::new(),
        files: Vec::new(),
        goal: None,
        came_to: None,
    });
    let below = s.text(60, 18).pop().unwrap();
    assert_eq!(below, " Tokens: 4,523 │ Time: 12s │ Cost: $0.03");
    s.tell(Event::RunStarted { run: RunId(8), turn: TurnId(2), approval: None });
    s.story.later(30_000);
    assert_eq!(s.text(60, 18).pop().unwrap(), below);
}

#[test]
fn a_run_shows_where_it_is_and_what_waits() {
    let mut s = running();
    assert_eq!(
        s.text(60, 18),
        [
            " Path: Conversation → Act → Write → Modify",
            "",
            " ✓ 1 Token bucket in core                              4.1s",
            " ✦ 2 Wire it into login                 [██████░░░░░░]  50%",
            "    ├─ ⚑ src/auth/login.rs                     1 hunk waits",
            "    └─ ✓ src/auth/mod.rs                                 +3",
            " ○ 3 Answer 429 with Retry-After",
            " ○ 4 Tests for burst and refill",
            " ○ 5 Describe the limits in docs",
            "",
            " 1 of 5 steps, 1/2 gates",
            "",
            " Gates",
            " ✓ syntax  cargo check --quiet               exit 0 · 14:02",
            " ○ tests   cargo test login                         after 4",
            "",
            "",
            " Tokens: 4,523 │ Time: 12s │ Cost: $0.03",
        ]
        .map(str::to_owned)
    );
    let buf = s.draw(60, 18);
    assert_eq!(inks(&buf, &s.story.theme, 0), " ..... dddddddddddd f ddd f AAAAA f ffffff");
    assert_eq!(inks(&buf, &s.story.theme, 3), " a A AAAA AA AAAA AAAAA                 aaaaaaaaaaaaaa  aaa");
    assert_eq!(inks(&buf, &s.story.theme, 4), "    ff w .................                     w wwww wwwww");
}

#[test]
fn a_file_has_one_row_and_what_waits_of_it_stands_first_with_what_is_written() {
    let mut s = running();
    s.tell(proposal(30, "src/auth/mod.rs", "a\nb\nc\nd\n", "a\nb\nc\nD\n").0);
    s.tell(review(31, &[30]));
    let rows: Vec<String> = s.text(60, 30).into_iter().filter(|row| row.contains("src/auth")).collect();
    let of_file: Vec<&String> = rows.iter().filter(|row| row.contains("mod.rs")).collect();
    assert_eq!(of_file.len(), 1, "{rows:#?}");
    assert!(of_file[0].contains("⚑") && of_file[0].ends_with("1 hunk waits"), "{rows:#?}");
    assert!(
        rows.iter().all(|row| row.contains('⚑')) && rows[0].contains("├─") && rows[1].contains("└─"),
        "{rows:#?}"
    );
}

#[test]
fn the_files_of_a_step_stand_by_path_in_whatever_order_they_were_proposed() {
    let mut s = running();
    for (id, path) in [(30, "src/z.rs"), (31, "src/auth/a.rs")] {
        s.tell(proposal(id, path, "a\n", "b\n").0);
    }
    s.tell(review(32, &[30, 31]));
    let rows: Vec<String> = s.text(60, 30).into_iter().filter(|row| row.contains("src/")).collect();
    let at = |name: &str| rows.iter().position(|row| row.contains(name)).unwrap();
    assert!(at("src/auth/a.rs") < at("src/z.rs"), "{rows:#?}");
}

#[test]
fn what_was_taken_back_is_not_shown_as_written() {
    let mut s = running();
    let row =
        |s: &mut Screen, of: &str| s.text(60, 40).into_iter().find(|l| l.contains(of)).unwrap_or_default();
    assert!(row(&mut s, "mod.rs").contains("+3"));
    s.tell(Event::RevertStarted { apply: ApplyId(21), redo: false, keep: false, to: None });
    s.tell(Event::Reverted { apply: ApplyId(21), redo: false, already: false });
    assert!(row(&mut s, "mod.rs").contains("taken back"), "{}", row(&mut s, "mod.rs"));
    s.tell(Event::TaskCompleted { task: TaskId(2), took: Millis(4_100) });
    let title = s.story.session.state().plan.as_ref().unwrap().tasks[1].title.clone();
    let head: String = title.chars().take(8).collect();
    assert!(row(&mut s, &head).contains("taken back"), "{}", row(&mut s, &head));
}

#[test]
fn between_steps_one_bar_tells_how_far_the_plan_is() {
    let mut s = waiting();
    s.tell(Event::TaskStarted { task: TaskId(1), lane: LaneId(1) });
    s.tell(Event::TaskCompleted { task: TaskId(1), took: Millis(10) });
    assert!(s.text(60, 24).contains(&" [█░░░░░░░░░░░]  14%  1 of 5 steps, 0/2 gates".to_owned()));
}

#[test]
fn the_path_stands_only_where_it_is_deep_and_shrinks_from_the_left() {
    let crumb =
        |node, width| breadcrumb(&IntentPath::to(node), node, width, &Glyphs::UNICODE).map(|r| r.text());
    assert_eq!(crumb(IntentNode::Act, 80), None);
    assert_eq!(crumb(IntentNode::Write, 80).unwrap(), "Path: Conversation → Act → Write");
    assert_eq!(crumb(IntentNode::Modify, 36).unwrap(), "Path: Conv… → Act → Write → Modify");
    assert_eq!(crumb(IntentNode::Modify, 12).unwrap(), "Path: Conv……");
}

#[test]
fn approving_answers_the_open_question_and_nothing_else() {
    let mut s = waiting();
    s.draw(60, 20);
    let input = Input::Answer { checkpoint: CheckpointId(5), answer: Answer::Approve, shown: None };
    assert_eq!(s.act(PlanAction::Approve).inputs, [input]);
    let mut r = running();
    assert!(r.act(PlanAction::Approve).inputs.is_empty());
    assert!(r.act(PlanAction::Reject).notice.is_some());
}

#[test]
fn details_open_below_their_step_and_the_cursor_stays_visible() {
    let mut s = waiting();
    s.draw(60, 10);
    s.act(PlanAction::Detail);
    let rows = s.text(60, 10);
    assert_eq!(rows[2..4], ["     src/core/bucket.rs", "     reaches Modify"]);
    s.act(PlanAction::Bottom);
    let rows = s.text(60, 10);
    assert!(rows.iter().any(|r| r.contains("cargo test login")), "{rows:?}");
    let buf = s.draw(60, 10);
    assert!((0..10).any(|y| grounds(&buf, &s.story.theme, y).contains('s')));
}

#[test]
fn enter_on_a_proposal_goes_to_the_diff() {
    let mut s = running();
    s.draw(60, 20);
    for _ in 0..3 {
        s.act(PlanAction::Down);
    }
    assert_eq!(s.act(PlanAction::Detail).focus, Some(Focus::Pane(diff::ID)));
}

#[test]
fn costs_are_rounded_and_an_unknown_one_is_a_dash() {
    let mut s = Screen::new();
    s.tell(Event::PlanReady { plan: plan() });
    let foot = |s: &mut Screen| s.text(60, 20)[19].clone();
    assert!(foot(&mut s).ends_with("Cost: –"));
    s.tell(replied(3, 1, "x"));
    assert!(foot(&mut s).starts_with(" Tokens: 4,523 │"), "{}", foot(&mut s));
    assert!(foot(&mut s).ends_with("Cost: $0.03"));
}

/// A plan that a model made, for 4,523 tokens.
fn planned() -> Screen {
    let mut s = Screen::new();
    s.tell(said(1, "rename it"));
    s.tell(lane(2, LaneKind::Planning, IntentNode::Plan));
    s.tell(thinking(3, 2));
    s.tell(replied(3, 2, "x"));
    s.tell(Event::PlanReady { plan: plan() });
    s
}

#[test]
fn what_was_spent_on_a_plan_does_not_go_back_to_nothing_when_its_run_begins() {
    let mut s = planned();
    let foot = |s: &mut Screen| s.text(60, 20)[19].clone();
    assert!(foot(&mut s).starts_with(" Tokens: 4,523 │"), "{}", foot(&mut s));
    s.tell(Event::RunStarted { run: RunId(7), turn: TurnId(1), approval: None });
    assert!(foot(&mut s).starts_with(" Tokens: 4,523 │"), "{}", foot(&mut s));
}

#[test]
fn a_session_that_is_opened_again_counts_what_was_spent_once() {
    let mut s = planned();
    s.tell(Event::RunStarted { run: RunId(7), turn: TurnId(1), approval: None });
    s.tell(lane(8, LaneKind::Task(TaskId(1)), IntentNode::Modify));
    s.tell(thinking(9, 8));
    s.tell(replied(9, 8, "x"));
    let status = RunStatus::Completed;
    let (summary, files) = (String::new(), Vec::new());
    s.tell(Event::RunCompleted { run: RunId(7), status, summary, files, goal: None, came_to: None });
    let foot = |s: &mut Screen| s.text(60, 20)[19].clone();
    let before = foot(&mut s);
    assert!(before.starts_with(" Tokens: 9,046 │"), "{before}");
    // All of it is folded when the pane is told of it again.
    s.pane = PlanPane::new();
    for event in s.story.events.clone() {
        s.pane.fold(s.story.session.state(), &event);
    }
    assert_eq!(foot(&mut s), before);
}

#[test]
fn without_a_plan_it_says_how_to_get_one() {
    let rows = Screen::new().text(60, 9);
    assert_eq!(rows[3], " ✧  No plan yet.");
}

#[test]
fn a_step_where_runs_pause_is_marked_and_a_key_sets_and_takes_it_back() {
    let mut s = waiting();
    s.draw(60, 20);
    s.act(PlanAction::Down);
    let set = |on| Input::SetPause(Pause::Step(TaskId(2)), on);
    assert_eq!(s.act(PlanAction::Pause).inputs, [set(true)]);
    s.tell(Event::PauseSet { pause: Pause::Step(TaskId(2)), on: true });
    s.tell(Event::PauseSet { pause: Pause::Lines(200), on: true });
    s.tell(Event::PauseSet { pause: Pause::FirstWrite, on: true });
    let rows = s.text(60, 30);
    assert_eq!(rows[3], " ○ 2 ● Wire it into login          pause  src/auth/login.rs");
    assert!(rows.contains(&" Pauses       past 200 lines, before the first change".to_owned()), "{rows:?}");
    assert_eq!(s.act(PlanAction::Pause).inputs, [set(false)]);
}

#[test]
fn a_plan_of_several_says_which_it_is_and_a_key_takes_the_next() {
    let mut s = waiting();
    assert_eq!(s.act(PlanAction::Candidate).inputs, []);
    s.tell(Event::PlanCandidate { plan: plan() });
    let mut other = plan();
    other.title = "Another".to_owned();
    s.tell(Event::PlanCandidate { plan: other });
    let rows = s.text(60, 30);
    assert!(
        rows.iter().any(|r| r.starts_with(" Plan         1 of 2; ") && r.contains(" points: ")),
        "{rows:?}"
    );
    assert_eq!(s.act(PlanAction::Candidate).inputs, [Input::say("/plan take 2")]);
}

/// The plan in its second version, which waits.
fn revised() -> Screen {
    let mut s = waiting();
    s.tell(Event::CheckpointResolved { checkpoint: CheckpointId(5), answer: None, approval: None });
    let text = s.story.session.state().plan.as_ref().unwrap().document();
    let text = text.replace("2. [ ] Wire it into login", "2. [ ] Wire it into every login");
    let text = text.replace("cargo test login", "cargo test");
    let at = text.find("5. [ ]").unwrap();
    let text = format!(
        "{}- [ ] Read the logs\n   kind: read\n{}",
        &text[..at],
        text[at..].split_once("\n\n").unwrap().1
    );
    let edited = s.story.session.state().plan.as_ref().unwrap().edited(&text).unwrap();
    s.tell(Event::PlanReady { plan: edited });
    let kind = pilothouse_core::question::Confirmation::default().into();
    let checkpoint = Checkpoint { id: CheckpointId(6), kind, message: "Proceed?".into(), run: None };
    s.tell(Event::CheckpointOpened { checkpoint });
    s
}

#[test]
fn a_second_version_marks_what_it_changed() {
    let mut s = revised();
    assert_eq!(
        s.text(60, 30)[1..14],
        [
            " Since v1     + 1 added, ~ 1 reworded, - 1 removed; gates:",
            "              ~ 1 changed",
            "",
            "   ○ 1 Token bucket in core              src/core/bucket.rs",
            " ~ ○ 2 Wire it into every login           src/auth/login.rs",
            "   ○ 3 Answer 429 with Retry-After        src/http/error.rs",
            "   ○ 4 Tests for burst and refill       tests/login_rate.rs",
            " + ○ 5 Read the logs",
            " - Describe the limits in docs                      removed",
            "",
            " Gates   each asks before it runs",
            "   ○ syntax  cargo check --quiet              after 1, 2, 3",
            " ~ ○ tests   cargo test                             after 4",
        ]
    );
    s.act(PlanAction::Down);
    s.act(PlanAction::Detail);
    assert!(s.text(60, 20).contains(&"     was: Wire it into login".to_owned()));
}

#[test]
fn an_earlier_version_is_looked_at_and_never_answered_about() {
    let mut s = revised();
    s.draw(60, 20);
    s.act(PlanAction::Earlier);
    let rows = s.text(60, 20);
    assert_eq!(rows[0], " Version 1 of 2, as it was; v shows the others");
    assert!(rows.iter().any(|r| r.contains("5 Describe the limits in docs")), "{rows:?}");
    assert!(s.pane.title(&s.story.ctx()).left.starts_with("Plan v1 of 2 "));
    assert!(!s.pane.shows(CheckpointId(6), true), "Enter approves nothing that is not on the screen");
    let outcome = s.act(PlanAction::Approve);
    assert!(outcome.inputs.is_empty() && outcome.notice.is_some());
    assert_eq!(s.act(PlanAction::Approve).inputs.len(), 1, "what is on the screen now");
    s.act(PlanAction::Earlier);
    s.act(PlanAction::Earlier);
    assert!(s.text(60, 20)[1].starts_with(" Since v1"), "and back again");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(80))]
    #[test]
    fn any_size_and_any_keys_stay_inside(w in 1u16..200, h in 1u16..60, keys in prop::collection::vec(0usize..9, 0..20), title in "\\PC{0,60}|[\\x00-\\x{10ffff}]{0,12}") {
        for made in [Screen::new as fn() -> Screen, waiting, running, revised] {
            let mut s = made();
            let mut p = plan();
            p.tasks[0].title.clone_from(&title);
            p.gates[0].command.clone_from(&title);
            p.note.clone_from(&title);
            p.gates[1].name.clone_from(&title);
            s.tell(Event::PlanReady { plan: p });
            let outer = Rect::new(0, 0, w + 4, h + 4);
            let inner = Rect::new(2, 2, w, h);
            for k in &keys {
                s.pane.layout(&s.story.ctx(), inner.as_size());
                let all = [PlanAction::Down, PlanAction::Up, PlanAction::PageDown, PlanAction::PageUp, PlanAction::Top, PlanAction::Bottom, PlanAction::Detail, PlanAction::Approve, PlanAction::Earlier];
                s.act(all[*k]);
            }
            s.pane.layout(&s.story.ctx(), inner.as_size());
            let mut buf = Buffer::empty(outer);
            s.pane.render(&s.story.ctx(), inner, &mut buf, true);
            for (i, cell) in buf.content.iter().enumerate() {
                let (x, y) = buf.pos_of(i);
                prop_assert!(inner.contains((x, y).into()) || *cell == ratatui::buffer::Cell::default());
            }
        }
    }
}

#[test]
fn a_text_that_was_not_taken_opens_again_with_what_is_wrong_until_it_is_right_or_given_up() {
    let mut s = waiting();
    let opened = |s: &mut Screen| s.act(PlanAction::Edit).edit.unwrap().text;
    let whole = opened(&mut s);
    let spoilt = whole.replacen("   kind: ", "   kinds: ", 1).replacen("Token bucket", "My bucket", 1);
    let sent = |text: &str| [Input::EditPlan { text: text.to_owned(), version: 1 }];
    assert_eq!(s.pane.take_back(Ok(spoilt.clone())).inputs, sent(&spoilt));
    let again = opened(&mut s);
    let (told, rest) = again.split_once('\n').unwrap();
    assert_eq!(rest, spoilt);
    let line: usize =
        told.strip_prefix("<!-- not taken: line ").unwrap().split_once(':').unwrap().0.parse().unwrap();
    assert!(again.lines().nth(line - 1).unwrap().contains("kinds: "), "{told}");
    // Once more with the fault in it, then without.
    assert_eq!(s.pane.take_back(Ok(again.clone())).inputs, sent(&spoilt));
    assert_eq!(opened(&mut s), again);
    let right = again.replacen("kinds: ", "kind: ", 1);
    let right_sent = right.split_once('\n').unwrap().1.to_owned();
    assert_eq!(s.pane.take_back(Ok(right)).inputs, sent(&right_sent));
    let edited = s.story.session.state().plan.as_ref().unwrap().edited(&right_sent).unwrap();
    let document = edited.document();
    s.tell(Event::PlanReady { plan: edited });
    let kind = pilothouse_core::question::Confirmation::default().into();
    let checkpoint = Checkpoint { id: CheckpointId(6), kind, message: "Proceed?".into(), run: None };
    s.tell(Event::CheckpointOpened { checkpoint });
    assert_eq!(opened(&mut s), document);
    assert!(!s.pane.take_back(Ok("spoilt".to_owned())).inputs.is_empty());
    assert!(opened(&mut s).contains("spoilt"));
    assert!(s.pane.take_back(Ok("\n".to_owned())).inputs.is_empty(), "it is given up");
    assert_eq!(opened(&mut s), document);
}

#[test]
fn the_footer_counts_the_plan_s_own_run_and_no_other() {
    let mut s = waiting();
    let tasks: Vec<TaskId> =
        s.story.session.state().plan.as_ref().unwrap().tasks.iter().map(|t| t.id).collect();
    s.tell(Event::CheckpointResolved {
        checkpoint: CheckpointId(5),
        answer: Some(Answer::Approve),
        approval: None,
    });
    s.tell(Event::RunStarted { run: RunId(7), turn: TurnId(1), approval: None });
    for task in tasks {
        s.tell(Event::TaskStarted { task, lane: LaneId(1) });
        s.tell(Event::TaskCompleted { task, took: Millis(1_000) });
    }
    s.story.later(12_000);
    let ended = |run| Event::RunCompleted {
        run: RunId(run),
        status: RunStatus::Completed,
        summary: String::new(),
        files: Vec::new(),
        goal: None,
        came_to: None,
    };
    s.tell(ended(7));
    let footer = |s: &mut Screen| s.text(80, 24).last().unwrap().clone();
    assert!(footer(&mut s).contains("Time: 12s"), "{}", footer(&mut s));
    s.tell(said(2, "!!echo"));
    s.tell(Event::RunStarted { run: RunId(8), turn: TurnId(2), approval: None });
    assert!(footer(&mut s).contains("Time: 12s"), "{}", footer(&mut s));
    s.tell(ended(8));
    assert!(footer(&mut s).contains("Time: 12s"), "{}", footer(&mut s));
}

#[test]
fn the_choice_stays_with_the_step_that_was_moved_and_beside_the_one_that_went() {
    let mut s = waiting();
    let take = |s: &mut Screen, action| {
        s.text(90, 30);
        let inputs = s.act(action).inputs;
        let [Input::EditPlan { text, .. }] = inputs.as_slice() else { panic!("{inputs:?}") };
        let edited = s.story.session.state().plan.as_ref().unwrap().edited(text).unwrap();
        s.tell(Event::PlanReady { plan: edited });
        let kind = pilothouse_core::question::Confirmation::default().into();
        let checkpoint = Checkpoint { id: CheckpointId(6), kind, message: "Proceed?".into(), run: None };
        s.tell(Event::CheckpointOpened { checkpoint });
        s.text(90, 30);
        let plan = s.story.session.state().plan.as_ref().unwrap();
        (s.pane.step().and_then(|id| plan.task(id)).unwrap().title.clone(), plan.tasks.len())
    };
    let titles: Vec<String> =
        s.story.session.state().plan.as_ref().unwrap().tasks.iter().map(|t| t.title.clone()).collect();
    s.text(90, 30);
    s.act(PlanAction::Down);
    assert_eq!(take(&mut s, PlanAction::MoveUp).0, titles[1]);
    assert_eq!(take(&mut s, PlanAction::MoveDown).0, titles[1]);
    assert_eq!(take(&mut s, PlanAction::Remove), (titles[2].clone(), titles.len() - 1));
}

#[test]
fn a_file_that_was_seen_here_is_not_called_new() {
    let mut s = Screen::new();
    s.tell(said(1, "Add tests"));
    s.tell(understood(1, IntentNode::Create));
    s.tell(lane(1, LaneKind::Answer, IntentNode::Read));
    let there = pilothouse_core::relpath::RelPath::new("tests/there.rs").unwrap();
    let Event::CallEnded { call, lane, status, summary, result, notes, parts, ruling, answer, .. } =
        ended(2, "1 line", "x")
    else {
        panic!()
    };
    let seen = vec![(there.clone(), BlobId::of(b"x"))];
    s.tell(Event::CallEnded { call, lane, status, summary, result, notes, seen, parts, ruling, answer });
    let mut plan = plan();
    plan.tasks.truncate(2);
    for task in &mut plan.tasks {
        task.node = IntentNode::Create;
    }
    let other = pilothouse_core::relpath::RelPath::new("tests/other.rs").unwrap();
    plan.tasks[0].files = vec![other, there.clone()];
    plan.tasks[1].files = vec![there];
    s.tell(Event::PlanReady { plan });
    let kind = pilothouse_core::question::Confirmation::default().into();
    let checkpoint = Checkpoint { id: CheckpointId(5), kind, message: "Proceed?".into(), run: None };
    s.tell(Event::CheckpointOpened { checkpoint });
    let text = s.text(60, 20).join("\n");
    assert!(text.contains("tests/there.rs, new tests/other.rs"), "{text}");
    assert!(!text.contains("new tests/there.rs"), "{text}");
}

#[test]
fn a_file_that_is_not_there_is_called_new_once_whatever_its_step_is_called() {
    let mut s = Screen::new();
    s.tell(said(1, "Add tests"));
    s.tell(understood(1, IntentNode::Modify));
    let mut plan = plan();
    plan.tasks.truncate(2);
    let path = |name: &str| pilothouse_core::relpath::RelPath::new(name).unwrap();
    plan.tasks[0].node = IntentNode::Modify;
    plan.tasks[0].files = vec![path("src/csv.py"), path("src/there.py")];
    plan.tasks[1].node = IntentNode::Create;
    plan.tasks[1].files = vec![path("src/csv.py"), path("src/old.py")];
    plan.missing = Some(vec![path("src/csv.py")]);
    s.tell(Event::PlanReady { plan });
    let kind = pilothouse_core::question::Confirmation::default().into();
    let checkpoint = Checkpoint { id: CheckpointId(5), kind, message: "Proceed?".into(), run: None };
    s.tell(Event::CheckpointOpened { checkpoint });
    let text = s.text(60, 20).join("\n");
    assert!(text.contains("src/there.py, new src/csv.py"), "{text}");
    assert!(text.contains("src/csv.py, src/old.py"), "{text}");
}

#[test]
fn what_stands_below_the_edge_of_the_pane_is_counted() {
    let mut s = waiting();
    assert!(!s.text(60, 40).join("\n").contains(" more "), "all of it is there");
    let edge = |rows: &[String]| {
        let row = rows.iter().find(|row| row.contains(" more ")).unwrap_or_else(|| panic!("{rows:#?}"));
        row.rsplit('…').next().unwrap().trim().to_owned()
    };
    let short = s.text(60, 6);
    let seen = short.iter().filter(|row| row.trim_start().starts_with('○')).count();
    let tasks = s.story.session.state().plan.as_ref().unwrap().tasks.len();
    assert!(seen > 0 && seen < tasks, "{short:#?}");
    assert_eq!(
        edge(&short),
        if tasks - seen == 1 { "1 more step".to_owned() } else { format!("{} more steps", tasks - seen) }
    );
}

/// PLN-02: what gives way to that is cut once.
#[test]
fn a_title_beside_what_is_below_the_edge_has_one_ellipsis() {
    let mut s = Screen::new();
    let mut plan = plan();
    for task in &mut plan.tasks {
        task.title = "word ".repeat(12) + "end";
    }
    s.tell(Event::PlanReady { plan });
    for height in 3..12 {
        for row in s.text(60, height).iter().filter(|row| row.contains(" more ")) {
            assert_eq!(row.matches('…').count(), 1, "{height}: {row}");
        }
    }
}
