//! Any events at any size.

use super::*;

pub(super) fn any_event() -> impl Strategy<Value = (u8, u64, String)> {
    (0u8..22, 1u64..6, "\\PC{0,30}|[\\x00-\\x{10ffff}]{0,20}|[-*`|# \\n\\x1b]{0,30}")
}

pub(super) fn failed_run(id: u64, t: &str) -> Event {
    let (run, status, summary) = (RunId(id), RunStatus::Failed, t.into());
    Event::RunCompleted { run, status, summary, files: vec![], goal: None, came_to: None }
}

/// Any of the events that have rows, with these ids and text.
pub(super) fn event(kind: u8, id: u64, t: &str) -> Event {
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
        11 => proposal(id, "src/a.rs", "a\nb\n", format!("a\n{}\n", t.replace('\n', " "))).0,
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
                    beside: None,
                }),
                message: t.into(),
                run: None,
            },
        },
        20 => {
            Event::ProposalClosed { proposal: ProposalId(id), reason: t.into(), dropped: true, there: false }
        }
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

#[test]
fn the_steps_of_a_plan_that_waits_are_read_whole_whatever_the_width() {
    let mut s = Screen::new();
    s.tell(said(1, "Add rate limiting"));
    s.tell(Event::PlanReady { plan: plan() });
    let rows = s.text(24, 30);
    let at = rows.iter().position(|row| row.contains("3. Answer")).unwrap();
    let step: Vec<&str> = rows[at..at + 2].iter().map(|row| row.trim_end()).collect();
    let indent = rows[at].find("Answer").unwrap();
    assert_eq!(step, [" ".repeat(indent - 3) + "3. Answer 429 with", " ".repeat(indent) + "Retry-After"]);
}

#[test]
fn a_step_hangs_below_its_title_whatever_that_begins_with() {
    let mut s = Screen::new();
    let mut plan = plan();
    plan.tasks.truncate(1);
    plan.tasks[0].title = "404 page for readers that are lost".to_owned();
    s.tell(said(1, "Add a page"));
    s.tell(Event::PlanReady { plan });
    let rows = s.text(24, 30);
    let at = rows.iter().position(|row| row.contains("1. 404")).unwrap();
    assert_eq!(rows[at].find("404"), rows[at + 1].find("readers"), "{rows:?}");
}

#[test]
fn a_question_that_led_to_nothing_bears_no_tick() {
    use pilothouse_core::checkpoint::Answer;
    for (answer, mark) in
        [(None, "–"), (Some(Answer::Reject(String::new())), "–"), (Some(Answer::Approve), "✓")]
    {
        let mut s = Screen::new();
        s.tell(Event::CheckpointOpened {
            checkpoint: Checkpoint {
                id: CheckpointId(7),
                kind: CheckpointKind::Clarification(Clarification::default()),
                message: "Commit 3 files on main?".into(),
                run: None,
            },
        });
        s.tell(Event::CheckpointResolved { checkpoint: CheckpointId(7), answer, approval: None });
        let rows = s.text(60, 10);
        let row = rows.iter().find(|row| row.contains("Commit 3 files")).unwrap();
        assert!(row.trim_start().starts_with(mark), "{row}");
    }
}

/// A plan with these gates that waits for its answer.
fn waiting(gates: &[&str]) -> Screen {
    use pilothouse_core::question::Confirmation;
    let mut s = Screen::new();
    let mut plan = plan();
    let gate = plan.gates[0].clone();
    let with = |(n, line): (u64, &&str)| pilothouse_core::plan::Gate {
        id: GateId(n + 1),
        name: "t".into(),
        command: (*line).to_owned(),
        ..gate.clone()
    };
    plan.gates = (0..).zip(gates).map(with).collect();
    s.tell(Event::PlanReady { plan });
    let kind = CheckpointKind::Confirmation(Confirmation::default());
    let checkpoint = Checkpoint { id: CheckpointId(70), kind, message: "Proceed?".into(), run: None };
    s.tell(Event::CheckpointOpened { checkpoint });
    s
}

#[test]
fn the_line_of_a_gate_stands_on_the_card_as_it_runs() {
    let line = "test -n `./deploy.sh` && test -z `git status -s`";
    let mut s = waiting(&[line]);
    let rows = s.text(100, 30);
    assert!(rows.iter().any(|row| row.contains(line)), "{rows:#?}");
}

#[test]
fn gates_that_are_longer_than_the_screen_are_read_by_scrolling() {
    let lines: Vec<String> =
        (0..6).map(|n| format!("./check-{n}.sh {}", "--some-option ".repeat(9))).collect();
    let mut s = waiting(&lines.iter().map(String::as_str).collect::<Vec<_>>());
    let shows = |s: &mut Screen| {
        s.draw(50, 8);
        let shown = s.pane.shows(CheckpointId(70), true);
        s.pane.drew(true, &s.story.ctx(), std::time::Instant::now());
        shown
    };
    assert!(!shows(&mut s), "the first of them are above the screen");
    for n in 0.. {
        s.act(ConversationAction::PageUp);
        if shows(&mut s) {
            break;
        }
        assert!(n < 9, "there is a way on");
    }
    // In another width they are other rows.
    s.draw(60, 8);
    assert!(!s.pane.shows(CheckpointId(70), true));
}
