#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::wildcard_enum_match_arm,
    clippy::format_collect
)]
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
        tree: None,
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
    }
}

/// A question, its answer and a run with everything that it says.
fn whole_story() -> Screen {
    let mut s = Screen::new();
    s.tell(said(1, "Add rate limiting to the login endpoint"));
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
fn a_plan_that_waits_is_shown_whole_with_its_question() {
    let mut s = whole_story();
    assert_eq!(
        s.text(60, 19),
        [
            " ▎ you                                                14:02",
            " ▎ Add rate limiting to the login endpoint",
            "",
            " ▸ Read      src/auth/login.rs   188 lines             2 ms",
            " ▸ Searched  \"Retry-After\"   3 matches                 8 ms",
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
            " Proceed?",
            "",
            "",
        ]
    );
    let buf = s.draw(60, 19);
    assert_eq!(inks(&buf, &s.story.theme, 0), " a sss                                                fffff");
    assert_eq!(inks(&buf, &s.story.theme, 3), " s ssss      .................   sss sssss             f ff");
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

#[test]
fn at_every_width_what_is_secondary_goes_first_and_names_stay() {
    let rows = |width| {
        let mut s = Screen::new();
        read(&mut s, 2, "crates/core/src/session/decide/change.rs", 188, 2);
        s.text(width, 1).remove(0)
    };
    let blanks = |n: usize| " ".repeat(n);
    let whole = " ▸ Read      crates/core/src/session/decide/change.rs   188 lines";
    assert_eq!(rows(120), format!("{whole}{}2 ms", blanks(50)));
    assert_eq!(rows(80), format!("{whole}{}2 ms", blanks(10)));
    assert_eq!(rows(60), " ▸ Read      crates/core/src/session/decide/change.rs  2 ms");
    assert_eq!(rows(40), " ▸ Read      crates/…/change.rs    2 ms");
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
    assert_eq!(s.text(40, 5)[3], " ⠋ thinking                         3 s");
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
    assert_eq!(s.text(40, 5)[3], " ⠋ thinking            10 tokens… · 3 s");
    s.delta(2, 4_000, DeltaKind::Call, "edit");
    s.delta(2, 400, DeltaKind::Call, "read");
    assert_eq!(s.text(40, 5)[3], " ⠋ read             1,110 tokens… · 3 s");
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
        [" ▾ Ran       cargo test   exit 0  1.5 s", "   │ running 3 tests", "   │ ok", ""]
    );
    s.act(ConversationAction::Fold);
    assert_eq!(
        s.text(40, 4)[..3],
        [" ▾ Ran       cargo test   exit 0  1.5 s", "   │ running 3 tests", "   │ ok"]
    );
}

#[test]
fn how_long_a_step_took_is_told_in_minutes_once_it_is_no_number_of_milliseconds_any_more() {
    for (took, told) in [(4_100, "Complete (4100ms)"), (71_853, "Complete (1 min 11 s)")] {
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
    let mut s = Screen::new();
    s.tell(lane(1, LaneKind::Answer, IntentNode::Execute));
    if typed {
        let (args, tool) = (excerpt("{}"), Tool::Run);
        s.tell(Event::CallMade { call: CallId(2), lane: LaneId(1), tool, args: args.head, typed: true });
    }
    s.tell(started(2, Tool::Run, "cargo test"));
    let output: String = (1..=lines).map(|n| format!("line {n}\n")).collect();
    let Event::CallEnded { call, lane, summary, result, seen, parts, ruling, .. } =
        ended(2, "exit 0", &output)
    else {
        return Vec::new();
    };
    s.tell(Event::CallEnded { call, lane, status, summary, result, seen, parts, ruling });
    let text = s.text(60, 60);
    let at = text.iter().position(|l| l.contains("cargo test")).unwrap();
    text.iter().skip(at + 1).take_while(|l| !l.is_empty()).map(|l| l.trim().to_owned()).collect()
}

#[test]
fn the_end_of_what_a_command_wrote_stands_below_it_and_the_rest_is_folded() {
    // The user's own line, and what failed, to twenty lines; what passed for the agent, short.
    for (status, typed, most) in [
        (CallStatus::Done, true, 20),
        (CallStatus::Failed, true, 20),
        (CallStatus::Failed, false, 20),
        (CallStatus::Done, false, 5),
    ] {
        let rows = shown_of(30, status, typed);
        assert_eq!(rows[0], format!("▸ {} lines above", 30 - most), "{status:?} typed {typed}: {rows:?}");
        assert_eq!((rows.len(), rows.last().unwrap().as_str()), (most + 1, "│ line 30"), "{rows:?}");
        assert_eq!(shown_of(2, status, typed), ["│ line 1", "│ line 2"]);
    }
}

#[test]
fn what_was_refused_or_lost_says_so() {
    let mut s = Screen::new();
    let Event::MessageCompleted { turn, lane, call, text, reasoning, usage, finish, model, .. } =
        replied(1, 1, "")
    else {
        return;
    };
    let head = pilothouse_core::event::CallHead {
        call: CallId(2),
        provider: "x".into(),
        name: "write".into(),
        args: excerpt("{}"),
        read: ReadCall::default(),
    };
    s.tell(Event::MessageCompleted {
        turn,
        lane,
        call,
        text,
        reasoning,
        echo: None,
        calls: vec![head],
        usage,
        finish,
        model,
        intermediate: true,
        cut: false,
    });
    let Event::CallEnded { call, lane, result, seen, parts, .. } = ended(2, "", "") else { return };
    s.tell(Event::CallEnded {
        call,
        lane,
        status: CallStatus::Refused,
        summary: "the path is read".into(),
        result,
        seen,
        parts,
        ruling: None,
    });
    s.tell(Event::Notice { level: Level::Warn, text: "the log was torn and has been mended".into() });
    s.tell(Event::ApplyFailed { apply: ApplyId(1), message: "src/a.rs".into(), stale: true });
    assert_eq!(
        s.text(60, 5),
        [
            " ✗ write     not allowed: the path is read",
            " ⚠ the log was torn and has been mended",
            " ✗ src/a.rs (the file changed on disk, nothing was",
            "   written)",
            ""
        ]
    );
}

#[test]
fn scrolled_up_it_stays_put_and_counts_what_is_new() {
    let mut s = Screen::new();
    for n in 0..40 {
        s.tell(said(n, &format!("message {n}")));
    }
    s.draw(40, 10);
    s.act(ConversationAction::PageUp);
    let before = s.text(40, 10);
    for n in 40..43 {
        s.tell(said(n, &format!("message {n}")));
    }
    let after = s.text(40, 10);
    assert_eq!(before[..9], after[..9]);
    assert!(after[9].ends_with("▾ 3 new"), "{:?}", after[9]);
    s.act(ConversationAction::Bottom);
    assert_eq!(s.text(40, 10)[9], " ▎ message 42");
    s.act(ConversationAction::Top);
    assert_eq!(s.text(40, 10)[1], " ▎ message 0");
    for _ in 0..200 {
        s.act(ConversationAction::Down);
    }
    assert_eq!(s.text(40, 10)[9], " ▎ message 42");
}

#[test]
fn brackets_go_from_message_to_message() {
    let mut s = Screen::new();
    for n in 0..9 {
        s.tell(said(n, &format!("message {n}")));
        read(&mut s, 100 + n, "a.rs", 1, 1);
    }
    s.draw(40, 6);
    s.act(ConversationAction::Top);
    s.act(ConversationAction::Next);
    assert_eq!(s.text(40, 6)[1], " ▎ message 1");
    s.act(ConversationAction::Previous);
    assert_eq!(s.text(40, 6)[1], " ▎ message 0");
}

#[test]
fn a_search_goes_to_older_matches_and_marks_them() {
    let mut s = Screen::new();
    for n in 0..30 {
        s.tell(said(n, &format!("word{n} common")));
    }
    s.draw(40, 6);
    s.search("word7 ");
    let rows = s.text(40, 6);
    assert!(rows.iter().any(|r| r.contains("word7 ")), "{rows:?}");
    assert!(s.act(ConversationAction::SearchNext).notice.unwrap().contains("no further match"));
    s.search("common");
    let at = s.pane.cursor.unwrap();
    s.act(ConversationAction::SearchNext);
    assert!(s.pane.cursor.unwrap() < at);
    s.act(ConversationAction::SearchPrevious);
    assert_eq!(s.pane.cursor.unwrap(), at);
    let outcome = s.act(ConversationAction::Copy);
    assert_eq!(outcome.copy.unwrap(), "word8 common");
}

#[test]
fn older_pages_join_in_front_and_the_screen_does_not_move() {
    let all = run_story();
    let events = all.story.events.clone();
    for cut in 1..events.len() {
        let (older, newer) = events.split_at(cut);
        let mut s = Screen { story: all_again(&all.story), pane: ConversationPane::default() };
        for e in newer {
            s.pane.fold(s.story.session.state(), e);
        }
        let tail = s.text(60, 3);
        assert!(s.pane.asks().contains(&Ask::History { before: newer[0].seq, count: PAGE_EVENTS }));
        s.pane.prepend(older.to_vec());
        if tail[2].is_empty() {
            continue;
        }
        assert_eq!(s.text(60, 3)[2], tail[2], "cut at {cut}");
        let mut whole = Screen { story: all_again(&all.story), pane: ConversationPane::default() };
        for e in &events {
            whole.pane.fold(whole.story.session.state(), e);
        }
        let titles = |rows: Vec<String>| rows.into_iter().filter(|r| !r.contains("Gate")).collect::<Vec<_>>();
        if !matches!(
            newer[0].event,
            Event::Applied { .. } | Event::CheckpointOpened { .. } | Event::CheckpointResolved { .. }
        ) {
            assert_eq!(titles(s.text(60, 40)), titles(whole.text(60, 40)), "cut at {cut}");
        }
    }
}

fn all_again(story: &Story) -> Story {
    let mut again = Story::new();
    again.session = story.session.clone();
    again.at = story.at;
    again
}

#[test]
fn a_long_message_asks_for_its_text_and_shows_it() {
    let mut s = Screen::new();
    let long = "word ".repeat(3_000);
    s.tell(replied(1, 1, &long));
    s.draw(40, 6);
    let asks = s.pane.asks();
    let [Ask::Blob(id)] = asks[..] else { panic!("{asks:?}") };
    assert!(s.pane.asks().is_empty());
    s.pane.answered(&Reply::Blob(id, Some(b"the whole".to_vec())), &Redactor::default());
    assert_eq!(s.text(40, 6)[0], " the whole");
}

#[test]
fn a_frame_lays_out_what_is_seen_however_long_the_conversation() {
    let mut s = Screen::new();
    for n in 0..20_000 {
        s.tell(said(n, "a message of some words"));
    }
    s.draw(80, 30);
    assert!(s.pane.laid.len() <= 40, "{}", s.pane.laid.len());
    for _ in 0..300 {
        s.act(ConversationAction::PageUp);
        s.draw(80, 30);
    }
    assert!(s.pane.laid.len() <= LAID + 60, "{}", s.pane.laid.len());
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

fn any_event() -> impl Strategy<Value = (u8, u64, String)> {
    (0u8..22, 1u64..6, "\\PC{0,30}|[\\x00-\\x{10ffff}]{0,20}|[-*`|# \\n\\x1b]{0,30}")
}

fn failed_run(id: u64, t: &str) -> Event {
    let (run, status, summary) = (RunId(id), RunStatus::Failed, t.into());
    Event::RunCompleted { run, status, summary, files: vec![], goal: None, came_to: None }
}

/// Any of the events that have rows, with these ids and text.
fn event(kind: u8, id: u64, t: &str) -> Event {
    match kind {
        0 => said(id, t),
        1 => lane(id, LaneKind::Answer, IntentNode::Read),
        2 => thinking(id, id),
        3 => replied(id, id, t),
        4 => started(id, Tool::ALL[usize::try_from(id).unwrap()], t),
        5 => ended(id, t, t),
        6 => Event::PlanReady { plan: plan() },
        7 => Event::TaskStarted { task: TaskId(id), lane: LaneId(id) },
        8 => Event::GateFailed { gate: GateId(id), evidence: EvidenceId(id), proof: proof(1, t) },
        9 => Event::Notice { level: Level::Info, text: t.into() },
        10 => review(id, &[id, id + 1]),
        11 => proposal(id, "src/a.rs", "a\nb\n", &format!("a\n{}\n", t.replace('\n', " "))).0,
        12 => Event::CheckpointResolved { checkpoint: CheckpointId(id), answer: None, approval: None },
        13 => Event::ApplyApproved {
            apply: ApplyId(id),
            approval: ApprovalId(id),
            by: t.into(),
            take: vec![(ProposalId(id), BTreeSet::new())],
        },
        14 => failed_run(id, t),
        15 => Event::RunStarted { run: RunId(id), turn: TurnId(id), approval: None },
        16 => Event::TaskFailed { task: TaskId(id), message: t.into(), hint: String::new() },
        17 => Event::CallLost { call: None, apply: None, found: t.into() },
        18 => Event::CommandProposed {
            call: CallId(id),
            lane: LaneId(id),
            command: t.into(),
            folder: String::new(),
            risk: pilothouse_core::shell::Risk::Low,
            why: t.into(),
            confine: pilothouse_core::sandbox::Confine::Outside,
            reason: t.into(),
            rule: t.into(),
            shown: BlobId::of(b""),
            typed: false,
            ruling: None,
        },
        19 => Event::CheckpointOpened {
            checkpoint: Checkpoint {
                id: CheckpointId(id),
                kind: CheckpointKind::Clarification(Clarification {
                    choices: vec![t.into()],
                    lane: None,
                    call: None,
                    turn: None,
                }),
                message: t.into(),
                run: None,
            },
        },
        20 => Event::ProposalClosed { proposal: ProposalId(id), reason: t.into(), dropped: true },
        _ => Event::RepairStarted { gate: GateId(id), lane: LaneId(id), attempt: 1, of: 3, detour: false },
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]
    #[test]
    fn any_events_at_any_size_draw_inside_their_area(
        events in prop::collection::vec(any_event(), 0..25),
        sizes in prop::collection::vec((1u16..200, 1u16..60), 1..4),
        acts in prop::collection::vec(0u8..12, 0..12),
    ) {
        let mut s = Screen::new();
        for (n, (kind, id, t)) in events.iter().enumerate() {
            s.tell(event(*kind, *id, t));
            s.delta(*id, 0, [DeltaKind::Text, DeltaKind::Stderr, DeltaKind::Notice][n % 3], t);
        }
        for (w, h) in sizes {
            let outer = Rect::new(0, 0, w + 4, h + 4);
            let inner = Rect::new(2, 2, w, h);
            for a in &acts {
                s.pane.layout(&s.story.ctx(), inner.as_size());
                let action = match a {
                    0 => ConversationAction::PageUp,
                    1 => ConversationAction::PageDown,
                    2 => ConversationAction::Up,
                    3 => ConversationAction::Down,
                    4 => ConversationAction::Top,
                    5 => ConversationAction::Bottom,
                    6 => ConversationAction::Fold,
                    7 => ConversationAction::Next,
                    8 => ConversationAction::Previous,
                    9 => {
                        s.search("a");
                        ConversationAction::Why
                    }
                    10 => ConversationAction::SearchNext,
                    _ => ConversationAction::Copy,
                };
                s.act(action);
            }
            let mut buf = Buffer::empty(outer);
            s.pane.layout(&s.story.ctx(), inner.as_size());
            s.pane.render(&s.story.ctx(), inner, &mut buf, true);
            for (i, cell) in buf.content.iter().enumerate() {
                let (x, y) = buf.pos_of(i);
                if !inner.contains((x, y).into()) {
                    prop_assert_eq!(cell, &ratatui::buffer::Cell::default());
                }
                prop_assert!(cell.symbol().chars().all(|c| !pilothouse_core::clean::is_forbidden(c)));
            }
        }
    }
}
