#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::wildcard_enum_match_arm,
    clippy::format_collect
)]
mod any;
mod calls;
mod failed;
mod plans;
mod scroll;
mod settled;
mod told;

use std::collections::BTreeSet;

use pilothouse_core::{
    blob::BlobId,
    checkpoint::{Answer, Checkpoint, CheckpointKind},
    event::{CallStatus, Event, FileChange, Level, Proof, RunStatus},
    ids::*,
    intent::IntentNode,
    question::Clarification,
    session::LaneKind,
    talk::DeltaKind,
    tool::{ChangeKind, ReadCall, Tool},
};
use proptest::prelude::*;

use super::*;
use crate::story::*;

struct Screen {
    story: Story,
    pane: ConversationPane,
}

impl Screen {
    fn new() -> Self {
        Self { story: Story::new(), pane: ConversationPane::default() }
    }

    fn tell(&mut self, event: Event) {
        let stamped = self.story.tell(event);
        self.pane.fold(self.story.session.state(), &stamped);
    }

    fn delta(&mut self, call: u64, offset: u64, kind: DeltaKind, text: &str) {
        self.pane.delta(&Delta { call: CallId(call), offset, kind, text: text.into() });
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

    fn act(&mut self, action: ConversationAction) -> Outcome {
        self.pane.carry_out(action, &self.story.ctx())
    }

    fn search(&mut self, text: &str) {
        self.pane.typed(text.to_owned(), &self.story.ctx());
    }
}

fn read(screen: &mut Screen, call: u64, file: &str, lines: usize, ms: u64) {
    screen.tell(started(call, Tool::Read, file));
    screen.story.later(ms);
    screen.tell(ended(call, &format!("{lines} lines"), "fn a() {}\nfn b() {}\n"));
}

fn proof(code: i32, diagnostics: &str) -> Proof {
    Proof {
        command: "cargo check".into(),
        exit: exit(code),
        output: BlobId::of(b""),
        diagnostics: diagnostics.into(),
        advice: Vec::new(),
        tree: None,
        tree_before: None,
    }
}

fn file(path_: &str, kind: ChangeKind, added: usize, removed: usize, lines: usize) -> FileChange {
    FileChange {
        proposal: ProposalId(1),
        path: path(path_),
        kind,
        before: None,
        after: None,
        mode: None,
        added,
        removed,
        lines,
        rest: None,
        changes: Vec::new(),
    }
}

/// A question, its answer and a run with everything that it says.
fn whole_story() -> Screen {
    let mut s = Screen::new();
    s.tell(said(1, "Add rate limiting to the login endpoint"));
    s.tell(understood(1, IntentNode::Modify));
    s.tell(lane(1, LaneKind::Planning, IntentNode::Plan));
    read(&mut s, 2, "src/auth/login.rs", 188, 2);
    s.tell(started(3, Tool::Search, "Retry-After"));
    s.story.later(8);
    s.tell(ended(3, "3 matches", ""));
    s.tell(Event::PlanReady { plan: plan() });
    let question = Checkpoint {
        id: CheckpointId(5),
        kind: pilothouse_core::question::Confirmation::default().into(),
        message: "Proceed?".into(),
        run: None,
    };
    s.tell(Event::CheckpointOpened { checkpoint: question });
    s
}

fn run_story() -> Screen {
    let mut s = whole_story();
    s.tell(Event::CheckpointResolved {
        checkpoint: CheckpointId(5),
        answer: Some(Answer::Approve),
        approval: Some(ApprovalId(6)),
    });
    s.tell(Event::RunStarted { run: RunId(7), turn: TurnId(1), approval: None });
    s.tell(Event::TaskStarted { task: TaskId(1), lane: LaneId(1) });
    let files = vec![
        file("src/core/bucket.rs", ChangeKind::Create, 38, 0, 38),
        file("src/core/mod.rs", ChangeKind::Modify, 1, 0, 9),
        file("src/auth/login.rs", ChangeKind::Modify, 3, 1, 190),
    ];
    s.tell(Event::ApplyStarted { apply: ApplyId(8), files });
    s.tell(Event::Applied { apply: ApplyId(8) });
    s.tell(Event::GatePassed { gate: GateId(1), evidence: EvidenceId(9), proof: proof(0, "") });
    s.tell(Event::TaskCompleted { task: TaskId(1), took: Millis(4_100) });
    s
}

#[test]
fn a_plan_that_waits_is_shown_whole_and_its_question_stands_in_the_bar() {
    let mut s = whole_story();
    assert_eq!(
        s.text(60, 19),
        [
            " ▎ you                                                14:02",
            " ▎ Add rate limiting to the login endpoint",
            "",
            " ▸ Read      src/auth/login.rs   188 lines              2ms",
            " ▸ Searched  \"Retry-After\"   3 matches                  8ms",
            "",
            " ★ Plan ready (5 tasks, 2 validation gates)",
            "",
            "   1. Token bucket in core",
            "   2. Wire it into login",
            "   3. Answer 429 with Retry-After",
            "   4. Tests for burst and refill",
            "   5. Describe the limits in docs",
            "",
            " Buckets live in memory and are lost on a restart.",
            "",
            "   gate syntax: cargo check --quiet",
            "   gate tests: cargo test login",
            "",
        ]
    );
    let buf = s.draw(60, 19);
    assert_eq!(inks(&buf, &s.story.theme, 0), " a sss                                                fffff");
    assert_eq!(inks(&buf, &s.story.theme, 3), " s ssss      .................   sss sssss              fff");
    assert_eq!(inks(&buf, &s.story.theme, 6), " a AAAA AAAAA AA AAAAAA A AAAAAAAAAA AAAAAA");
}

#[test]
fn a_run_tells_what_it_did_line_by_line() {
    let mut s = run_story();
    s.tell(Event::RunCompleted {
        run: RunId(7),
        status: RunStatus::Completed,
        summary: String::new(),
        files: ["a", "b", "c", "d"].map(path).to_vec(),
        goal: None,
        came_to: None,
    });
    assert_eq!(
        s.text(60, 17)[5..],
        [
            "",
            " ★ Plan ready (5 tasks, 2 validation gates)      ✓ approved",
            "",
            " [1/5] Token bucket in core",
            " ✓ wrote src/core/bucket.rs (38 lines)",
            " ✓ edited src/core/mod.rs (+1 line)",
            " ✓ edited src/auth/login.rs (+3 -1 lines)",
            " [Gate: syntax] ✓ passed   exit 0",
            " Complete (4100ms)",
            "",
            " ✓ Complete. 4 files created/modified.",
            "",
        ]
    );
    let buf = s.draw(60, 17);
    assert_eq!(inks(&buf, &s.story.theme, 12), " ssssss sssssss g gggggg   ssss s");
}

/// HOK-02: a yes that a hook refused leaves a plan that waits.
#[test]
fn a_plan_that_is_asked_about_again_is_not_called_approved() {
    let mut s = run_story();
    assert!(s.text(60, 17).join("\n").contains("✓ approved"));
    let kind = pilothouse_core::question::Confirmation::default().into();
    let checkpoint = Checkpoint { id: CheckpointId(50), kind, message: "Proceed?".into(), run: None };
    s.tell(Event::CheckpointOpened { checkpoint });
    let text = s.text(60, 40).join("\n");
    assert!(!text.contains("approved") && text.contains("1. Token bucket in core"), "{text}");
    let (checkpoint, answer) = (CheckpointId(50), Some(Answer::Approve));
    s.tell(Event::CheckpointResolved { checkpoint, answer, approval: Some(ApprovalId(51)) });
    assert!(s.text(60, 40).join("\n").contains("✓ approved"));
}

#[test]
fn what_became_of_a_plan_stands_on_its_card_where_its_words_leave_no_room() {
    let mut s = run_story();
    for width in [40, 50, 53, 56] {
        let rows = s.text(width, 30);
        let card = rows.iter().find(|row| row.contains("Plan ready")).unwrap();
        assert!(card.ends_with("✓ approved"), "{width}: {card}");
    }
}

#[test]
fn at_every_width_what_is_secondary_goes_first_and_names_stay() {
    let rows = |width| {
        let mut s = Screen::new();
        read(&mut s, 2, "crates/core/src/session/decide/change.rs", 188, 2);
        s.text(width, 1).remove(0)
    };
    let blanks = |n: usize| " ".repeat(n);
    let whole = " ▸ Read      crates/core/src/session/decide/change.rs   188 lines";
    assert_eq!(rows(120), format!("{whole}{}2ms", blanks(51)));
    assert_eq!(rows(80), format!("{whole}{}2ms", blanks(11)));
    assert_eq!(rows(60), " ▸ Read      crates/core/src/session/decide/change.rs   2ms");
    assert_eq!(rows(40), " ▸ Read      crates/…/change.rs     2ms");
    assert_eq!(rows(25), " ▸ Read      …/change.rs");
}

#[test]
fn a_red_gate_shows_what_is_wrong() {
    let mut s = run_story();
    s.tell(Event::GateFailed {
        gate: GateId(2),
        evidence: EvidenceId(10),
        proof: proof(101, "error: mismatched types\n  --> src/a.rs:3"),
    });
    let rows = s.text(60, 30);
    let at = rows.iter().position(|r| r.contains("[Gate: tests]")).unwrap();
    assert_eq!(
        rows[at..at + 3],
        [" [Gate: tests] ✗ failed   exit 101", "   │ error: mismatched types", "   │   --> src/a.rs:3"]
    );
}

#[test]
fn an_answer_grows_and_its_end_replaces_what_was_streamed() {
    let mut s = Screen::new();
    s.tell(said(1, "where?"));
    s.tell(lane(1, LaneKind::Answer, IntentNode::Read));
    s.tell(thinking(2, 1));
    s.story.later(3_000);
    assert_eq!(s.text(40, 5)[3], " ⠋ thinking                          3s");
    s.delta(2, 0, DeltaKind::Text, "In **login");
    s.delta(2, 5, DeltaKind::Text, "ogin");
    s.delta(2, 10, DeltaKind::Text, ".rs**.");
    assert_eq!(s.text(40, 5)[3], " In login.rs.▌");
    s.tell(replied(2, 1, "In **login.rs**, line 45."));
    assert_eq!(s.text(40, 5)[3], " In login.rs, line 45.");
    assert!(!s.pane.animated());
}

#[test]
fn what_is_written_is_counted_in_place_until_the_reply_is_there() {
    let mut s = Screen::new();
    s.tell(said(1, "where?"));
    s.tell(lane(1, LaneKind::Answer, IntentNode::Read));
    s.tell(thinking(2, 1));
    s.story.later(3_000);
    s.delta(2, 0, DeltaKind::Reasoning, &"x".repeat(40));
    assert_eq!(s.text(40, 5)[3], " ⠋ thinking             10 tokens… · 3s");
    s.delta(2, 4_000, DeltaKind::Call, "edit");
    s.delta(2, 400, DeltaKind::Call, "read");
    assert_eq!(s.text(40, 5)[3], " ⠋ read              1,110 tokens… · 3s");
    // The server knows better.
    s.delta(2, 1_234, DeltaKind::Written, "");
    s.delta(2, 0, DeltaKind::Text, "In login.rs.");
    assert_eq!(s.text(40, 6)[3..5], [" In login.rs.▌", "                          1,234 tokens…"]);
    s.tell(replied(2, 1, "In login.rs."));
    assert_eq!(s.text(40, 6)[3..5], [" In login.rs.", ""]);
}

#[test]
fn output_of_a_command_is_seen_while_it_runs_with_its_errors_told_apart() {
    let mut s = Screen::new();
    s.tell(started(2, Tool::Run, "cargo test"));
    s.delta(2, 0, DeltaKind::Stdout, "running 3 te");
    s.delta(2, 12, DeltaKind::Stdout, "sts\n");
    s.delta(2, 16, DeltaKind::Stderr, "warning: \x1b[33munused\n");
    assert_eq!(
        s.text(40, 4)[..3],
        [" ⠋ Running   cargo test", "   │ running 3 tests", "   ! warning: ␛[33munused"]
    );
    s.story.later(1_500);
    s.tell(ended(2, "exit 0", "running 3 tests\nok\n"));
    assert_eq!(
        s.text(40, 5)[..4],
        [" ▾ Ran       cargo test   exit 0   1.5s", "   │ running 3 tests", "   │ ok", ""]
    );
    s.act(ConversationAction::Fold);
    assert_eq!(
        s.text(40, 4)[..3],
        [" ▾ Ran       cargo test   exit 0   1.5s", "   │ running 3 tests", "   │ ok"]
    );
}

#[test]
fn how_long_a_step_took_is_told_in_minutes_once_it_is_no_number_of_milliseconds_any_more() {
    for (took, told) in [(4_100, "Complete (4100ms)"), (71_853, "Complete (1m 11s)")] {
        let mut s = Screen::new();
        s.tell(Event::TaskCompleted { task: TaskId(1), took: Millis(took) });
        let text = s.text(60, 6).join("\n");
        assert!(text.contains(told), "{text}");
    }
}

#[test]
fn only_what_is_answered_beside_a_run_is_said_to_be() {
    let beside = |turn: u64| {
        let mut s = Screen::new();
        s.tell(said(1, "mend it"));
        s.tell(Event::RunStarted { run: RunId(7), turn: TurnId(1), approval: None });
        if turn != 1 {
            s.tell(said(turn, "what is in a.rs?"));
        }
        let Event::LaneOpened { lane, kind, node, ceiling, fixed, .. } =
            lane(9, LaneKind::Answer, IntentNode::Read)
        else {
            return false;
        };
        s.tell(Event::LaneOpened { lane, kind, turn: TurnId(turn), node, ceiling, fixed });
        s.tell(thinking(20, 9));
        s.delta(20, 0, DeltaKind::Text, "It is done.");
        s.text(60, 20).join("\n").contains("beside the run")
    };
    assert!(beside(2), "a question while something runs");
    assert!(!beside(1), "the words of what runs itself");
}

#[test]
fn what_thought_when_a_session_was_left_does_not_think_when_it_is_opened_again() {
    let mut s = Screen::new();
    s.tell(said(1, "where?"));
    s.tell(lane(1, LaneKind::Answer, IntentNode::Read));
    s.tell(thinking(2, 1));
    assert!(s.text(40, 6).join("").contains('⠋'));
    s.tell(Event::LaneClosed { lane: LaneId(1) });
    assert!(!s.text(40, 6).join("").contains('⠋'), "{:?}", s.text(40, 6));
}

/// Lines of the end of what a command wrote that stand below it once it ended.
fn shown_of(lines: usize, status: CallStatus, typed: bool) -> Vec<String> {
    let output: String = (1..=lines).map(|n| format!("line {n}\n")).collect();
    shown_below(&output, status, typed)
}

fn shown_below(output: &str, status: CallStatus, typed: bool) -> Vec<String> {
    let mut s = Screen::new();
    s.tell(lane(1, LaneKind::Answer, IntentNode::Execute));
    if typed {
        let (args, tool) = (excerpt("{}"), Tool::Run);
        s.tell(Event::CallMade { call: CallId(2), lane: LaneId(1), tool, args: args.head, typed: true });
    }
    s.tell(started(2, Tool::Run, "cargo test"));
    let Event::CallEnded { call, lane, summary, result, notes, seen, parts, ruling, answer, .. } =
        ended(2, "exit 0", output)
    else {
        return Vec::new();
    };
    s.tell(Event::CallEnded { call, lane, status, summary, result, notes, seen, parts, ruling, answer });
    let text = s.text(60, 60);
    let at = text.iter().position(|l| l.contains("cargo test")).unwrap();
    text.iter().skip(at + 1).take_while(|l| !l.is_empty()).map(|l| l.trim().to_owned()).collect()
}

#[test]
fn the_end_of_what_a_command_wrote_stands_below_it_and_the_rest_is_folded() {
    // The user's own line, and what failed, to twenty rows, the last of which says so; what passed for the agent, short.
    for (status, typed, most, last) in [
        (CallStatus::Done, true, 20, "│ line 30"),
        (CallStatus::Failed, true, 19, "✗ exit 0"),
        (CallStatus::Failed, false, 19, "✗ exit 0"),
        (CallStatus::Done, false, 5, "│ line 30"),
    ] {
        let rows = shown_of(30, status, typed);
        let above = format!("▸ {} lines above, Ctrl-O shows all", 30 - most);
        assert_eq!(rows[0], above, "{status:?} typed {typed}: {rows:?}");
        assert_eq!((rows[most].as_str(), rows.last().unwrap().as_str()), ("│ line 30", last), "{rows:?}");
        assert_eq!(shown_of(2, status, typed), ["│ line 1", "│ line 2"]);
    }
}

#[test]
fn lines_that_were_cut_before_they_came_are_not_counted() {
    let lines: String = (1..=40).map(|n| format!("line {n}\n")).collect();
    for mark in ["[… 1264832 bytes left out; read output:ab12 has them …]", "[... 9000 bytes in all ...]"]
    {
        let output = format!("exit 0, took 1 s\nstdout:\n{lines}{mark}\n{lines}");
        let rows = shown_below(&output, CallStatus::Done, false);
        assert!(
            rows[0].starts_with("▸ more than ") && rows[0].ends_with("lines above, Ctrl-O shows more"),
            "{rows:?}"
        );
    }
}

#[test]
fn of_a_command_that_ended_well_the_end_of_its_result_is_shown_and_not_of_its_progress() {
    let lines = |word: &str| (1..=9).map(|n| format!("{word} {n}\n")).collect::<String>();
    let output = format!("exit 0, took 1 s\nstdout:\n{}stderr:\n{}", lines("test"), lines("Compiling"));
    let rows = shown_below(&output, CallStatus::Done, false);
    assert_eq!(
        (rows[0].as_str(), rows.last().unwrap().as_str()),
        ("▸ 14 more lines, Ctrl-O shows all", "│ test 9"),
        "{rows:?}"
    );
    let rows = shown_below(&output, CallStatus::Failed, false);
    assert_eq!(rows[rows.len() - 2], "│ Compiling 9", "what failed says so there: {rows:?}");
}

/// A reply that calls a tool, and of whose arguments nothing was read.
fn calling(id: u64, tool: &str) -> Event {
    let mut reply = replied(1, 1, "");
    if let Event::MessageCompleted { calls, intermediate, .. } = &mut reply {
        *intermediate = true;
        calls.push(pilothouse_core::event::CallHead {
            call: CallId(id),
            provider: "x".into(),
            name: tool.into(),
            args: excerpt("{}"),
            read: ReadCall::default(),
        });
    }
    reply
}

#[test]
fn what_was_refused_or_lost_says_so() {
    let mut s = Screen::new();
    s.tell(calling(2, "write"));
    let Event::CallEnded { call, lane, result, notes, seen, parts, .. } = ended(2, "", "") else { return };
    s.tell(Event::CallEnded {
        call,
        lane,
        status: CallStatus::Refused,
        summary: "the path is read".into(),
        result,
        notes,
        seen,
        parts,
        ruling: None,
        answer: None,
    });
    s.tell(Event::Notice { level: Level::Warn, text: "the log was torn and has been mended".into() });
    s.tell(Event::ApplyFailed {
        apply: ApplyId(1),
        message: "src/a.rs has changed since".into(),
        stale: true,
    });
    assert_eq!(
        s.text(60, 5),
        [
            " ✗ write     not allowed: the path is read",
            " ⚠ the log was torn and has been mended",
            " ✗ Not written: src/a.rs has changed since",
            "",
            ""
        ]
    );
}

#[test]
fn without_unicode_the_glyphs_have_stand_ins() {
    let mut s = run_story();
    s.story.glyphs = Glyphs::ASCII;
    for row in s.text(60, 40) {
        assert!(row.is_ascii(), "{row}");
    }
}

#[test]
fn an_empty_conversation_says_how_to_begin() {
    let rows = Screen::new().text(60, 9);
    assert_eq!(
        rows[3..6],
        [
            " ✧  Nothing said yet.",
            "    Ask about the code, or say what to change;",
            "    nothing is written before you approve it."
        ]
    );
}
