//! Promises about what stands on the screen: nothing spins that does not work, nothing is counted twice or for more
//! than it is, and what waits says so.

use pilothouse_core::{
    checkpoint::Answer,
    proposal::Decision,
    session::LaneKind,
    tool::{Exit, ToolOutcome},
};

use super::{
    held::{appear, before},
    review::Bench,
    *,
};

fn opening(desk: &Desk) -> Opening {
    Opening {
        slug: desk.state().slug.clone(),
        folder: "inkwell".into(),
        version: "0".into(),
        mode: None,
        permission: None,
        sandbox: desk.state().sandbox.clone(),
        standing: pilothouse_core::trust::Standing::default(),
        found: Vec::new(),
    }
}

/// The plan of three steps is approved, and its first step thinks.
fn running(plan: Option<&str>) -> Desk {
    let desk = Desk::new(120, 40);
    let mut desk = if let Some(plan) = plan { desk.planned(plan) } else { desk.with_plan() };
    let id = desk.state().phase_question().unwrap().id;
    let shown = desk.state().open[&id].kind.shown();
    desk.give(Input::Answer { checkpoint: id, answer: Answer::Approve, shown });
    desk.draw();
    desk.wait(1_000);
    desk
}

fn at_work(text: &str) -> bool {
    ["thinking", "answering", "⠋", "⠙", "⠹", "⠸"].iter().any(|sign| text.contains(sign))
}

#[test]
fn nothing_thinks_once_it_was_stopped_whatever_stopped_it() {
    type State = fn() -> Desk;
    let asked: State = || {
        let mut desk = Desk::new(120, 40);
        desk.press("what is this<enter>").deliver();
        desk
    };
    let planning: State = || {
        let mut desk = Desk::new(120, 40);
        desk.press("add rate limiting to the login endpoint<enter>").deliver();
        desk
    };
    let working: State = || running(None);
    for (state, name, ways) in [
        (asked, "an answer", &["<ctrl-c>", "stop<enter>", "<esc><esc>", "/abort<enter>"][..]),
        (planning, "a planning", &["<ctrl-c>", "stop<enter>", "/abort<enter>"]),
        (working, "a step", &["<ctrl-c>", "stop<enter>", "/abort<enter>"]),
    ] {
        for way in ways {
            let mut desk = state();
            assert!(at_work(&desk.text()), "{name}: {}", desk.text());
            desk.press(way).deliver();
            let text = desk.wait(1_000).text();
            assert!(!at_work(&text) && !desk.app.animated(), "{name} after {way}:\n{text}");
        }
    }
    // A plan that is made anew thinks once: what the step thought of is over.
    let mut desk = running(None);
    desk.press("/replan<enter>").deliver();
    let text = desk.wait(1_000).text();
    assert_eq!(text.matches(" thinking ").count(), 1, "{text}");
}

#[test]
fn what_waits_for_a_decision_stands_once_when_the_session_is_opened_again() {
    let mut bench = Bench::new(120, 40);
    let rows = |bench: &mut Bench| {
        let text = bench.desk.text();
        let rows = text.lines().filter(|l| l.starts_with("│ ⚑ src/"));
        rows.map(|l| l.chars().take(40).collect::<String>()).collect::<Vec<_>>()
    };
    let before = rows(&mut bench);
    assert_eq!(before.len(), 2, "{}", bench.desk.text());
    for _ in 0..2 {
        let again = opening(&bench.desk);
        bench.desk.give(Input::Open(again));
        assert_eq!(rows(&mut bench), before, "{}", bench.desk.text());
    }
}

#[test]
fn the_page_of_the_status_counts_what_is_done_and_nothing_else_as_done() {
    let mut desk = running(None);
    desk.reply("nothing to change: it is right", &[]);
    desk.press("stop<enter>").deliver();
    let text = desk.press("/status<enter>").text();
    assert!(text.contains("1 of 3 steps, 1 stopped, 0/1 gate"), "{text}");
    // A step in which nothing was done is called that: nobody skipped it.
    let plan = r#"{"title":"T","tasks":[{"title":"a","kind":"modify"},{"title":"b","kind":"modify"}]}"#;
    let mut desk = running(Some(plan));
    desk.reply("It is done.", &[]);
    desk.reply("I said so.", &[]);
    desk.reply("nothing to change: it is right", &[]);
    let text = desk.press("/status<enter>").text();
    assert!(text.contains("T, 1 of 2 steps, 1 not done"), "{text}");
    assert!(!text.contains("100%"), "{text}");
}

#[test]
fn a_gate_that_waits_for_a_yes_is_neither_running_nor_the_next_step() {
    let mut desk = running(None);
    for _ in 0..3 {
        desk.reply("nothing to change: it is right", &[]);
    }
    desk.collect();
    let text = desk.text();
    let gate = text.lines().find(|l| l.contains("tests  cargo test")).unwrap();
    assert!(gate.contains("waits for you") && !text.contains("running"), "{text}");
    let status = text.lines().last().unwrap();
    assert!(status.contains("waits for you gate \"tests\"") && !status.contains("step"), "{status}");
    assert!(!at_work(&text) && !desk.app.animated(), "{text}");
    // A gate that is due before the last step does not stand for that step either.
    let plan = r#"{"title":"T","tasks":[{"title":"One"},{"title":"Two","after":[1]}],
        "gates":[{"name":"early","command":"cargo check","after":[1]}]}"#;
    let mut desk = running(Some(plan));
    desk.reply("nothing to change: it is right", &[]);
    desk.collect();
    let text = desk.text();
    let status = text.lines().last().unwrap();
    assert!(status.contains("gate \"early\"") && !status.contains("Two"), "{status}");
}

#[test]
fn a_rejected_plan_waits_for_words_and_spins_nowhere() {
    let mut desk = Desk::new(120, 40).with_plan();
    desk.draw();
    desk.wait(1_000).press("n<enter>").deliver();
    let text = desk.text();
    let status = text.lines().last().unwrap();
    assert!(status.contains("planning ⚑ waits for you"), "{status}");
    assert!(!at_work(&text) && !desk.app.animated(), "{text}");
}

#[test]
fn a_command_of_the_users_own_that_waits_for_the_end_says_so() {
    let mut bench = Bench::new(120, 40);
    bench.press("!make test");
    assert!(bench.desk.text().contains("queued"), "before it is sent: {}", bench.desk.text());
    bench.press("<enter>");
    let text = bench.desk.text();
    assert!(text.contains("[queued: 1]") && text.contains("Queued: starts when the run ends"), "{text}");
    assert_eq!(bench.desk.state().open_proposals().count(), 2, "the review waits on");
}

/// A gate is red, and the screen was looked at.
pub(super) fn red_gate() -> Desk {
    let mut desk = before("red gate", (120, 40));
    let call = desk.tools.pop().unwrap();
    let exit = Exit {
        code: Some(1),
        signal: None,
        timed_out: false,
        took: Millis(1),
        process: None,
        put_back: false,
    };
    let said = "first line of it\nsecond line of it\n\nthird\n";
    let outcome = ToolOutcome { exit: Some(exit), ..ToolOutcome::text(said, "exit 1") };
    desk.give(Input::ToolEnded { call, outcome });
    desk.draw();
    desk
}

#[test]
fn the_bar_names_the_gate_that_failed_and_no_line_break() {
    let text = red_gate().text();
    let bar = text.lines().find(|l| l.starts_with("▎ ✗")).unwrap();
    assert!(bar.contains("Gate g failed"), "{bar}");
    assert!(!text.contains(['␊', '␍', '\u{2424}']), "{text}");
}

#[test]
fn a_gate_that_is_skipped_is_called_skipped_and_its_run_no_more_than_it_is() {
    let mut desk = red_gate();
    desk.wait(1_000).press("s<enter>").deliver();
    assert_eq!(desk.state().phase, Phase::Idle);
    let text = desk.text();
    let gate = text.lines().find(|l| l.contains("[Gate: g]") && l.contains("skipped"));
    assert!(gate.is_some() && !text.contains("left out"), "{text}");
    for row in
        ["– Done. No file changed. g failed (exit 1), skipped by", "✗ g failed (exit 1), skipped by you"]
    {
        assert!(text.contains(row), "{row}: {text}");
    }
    let pane = text.lines().find(|l| l.contains("Plan · T")).unwrap();
    assert!(pane.contains("ended 1/1") && !text.contains("100%"), "{text}");
}

/// Each letter that the bar names beside a question does something to that question when it is typed and sent; none is
/// taken for a message.
#[test]
fn every_letter_that_the_bar_names_answers_its_question() {
    for scene in ["plan", "red gate", "error"] {
        let asked = || {
            let mut desk = before(scene, (120, 40));
            appear(&mut desk, scene);
            desk.draw();
            desk.wait(2_000);
            desk
        };
        let desk = asked();
        let question = desk.state().phase_question().unwrap();
        let spec = desk.state().spec(question);
        let keys: Vec<&str> = spec.choices.iter().map(|c| c.key).filter(|k| !k.is_empty()).collect();
        assert!(keys.len() > 1, "{scene}: {keys:?}");
        for key in keys {
            let mut desk = asked();
            let id = desk.state().phase_question().unwrap().id;
            desk.press(&format!("{key}<enter>"));
            let opens = desk.top().is_some() || !desk.app.wishes().is_empty();
            desk.deliver();
            let answered = !desk.state().open.contains_key(&id);
            assert!(opens || answered, "{scene}: {key} does nothing\n{}", desk.text());
            let talks = desk.state().lanes.values().any(|l| l.kind == LaneKind::Answer);
            assert!(!talks, "{scene}: {key} is a message");
        }
    }
}

/// The letters in the diff's own frame and in the hints below it, pressed as they are drawn.
#[test]
fn the_letters_of_the_diff_do_what_stands_beside_them() {
    type Did = fn(&mut Desk) -> bool;
    let labels: [(&str, &str, Did); 7] = [
        ("[a]pply", "a", |d| d.inputs.iter().any(|i| matches!(i, Input::Apply { .. }))),
        ("[s]kip", "s", |d| d.inputs.iter().any(|i| matches!(i, Input::Skip { .. }))),
        ("[e]dit", "e", |d| d.app.wishes().iter().any(|w| matches!(w, AppCommand::Edit { .. }))),
        ("[d]iff all", "d", |d| {
            let text = d.text();
            text.contains("src/a.rs") && text.contains("src/b.rs")
        }),
        ("[u]p", "u", |d| d.app.panes.focus == PLAN),
        ("y take", "y", |d| decides(d, Decision::Taken)),
        ("n leave", "n", |d| decides(d, Decision::Left)),
    ];
    for (label, letter, did) in labels {
        let mut bench = Bench::new(120, 40);
        bench.press("<ctrl-x>d");
        if letter == "a" {
            bench.press("y");
            bench.press("y");
        }
        let text = bench.desk.text();
        assert!(text.contains(label), "{label}: {text}");
        bench.settle();
        bench.desk.wait(1_000).press(letter);
        let done = did(&mut bench.desk);
        assert!(done, "{label}: {}", bench.desk.text());
    }
}

fn decides(desk: &Desk, wanted: Decision) -> bool {
    desk.inputs.iter().any(|i| matches!(i, Input::Decide { decision, .. } if *decision == Some(wanted)))
}

#[test]
fn a_draft_that_esc_clears_is_in_the_history() {
    let mut bench = Bench::new(120, 40);
    bench.press("half a thought<esc>");
    assert!(bench.desk.app.composer.draft.is_empty());
    bench.press("<up>");
    assert_eq!(bench.desk.app.composer.draft.shown(), "half a thought");
    assert_eq!(bench.desk.inputs, []);
}

/// No question outlives its process: nothing in the conversation still asks what the opened session does not.
#[test]
fn what_asked_when_the_program_ended_asks_no_more_once_it_is_opened_again() {
    for scene in ["plan", "question", "goal", "choice", "transition", "red gate", "error"] {
        let mut desk = before(scene, (120, 40));
        appear(&mut desk, scene);
        desk.draw();
        assert!(!desk.state().open.is_empty(), "{scene}");
        let again = opening(&desk);
        desk.give(Input::Open(again));
        assert!(desk.state().open.is_empty(), "{scene}: {:?}", desk.state().open);
        let text = desk.text();
        for sign in ["⚑", "waits for you", "Proceed? [", "wait for you"] {
            assert!(!text.contains(sign), "{scene}: {sign}\n{text}");
        }
        assert!(!at_work(&text), "{scene}: {text}");
    }
}

/// Of no state of the screen does anything work or wait on that its session knows nothing of, once that was stopped or
/// opened again.
#[test]
fn no_state_works_or_waits_on_when_its_session_was_stopped_or_opened_again() {
    for (name, scene) in super::golden::scenes::ALL {
        for stop in [true, false] {
            let mut desk = scene(120, 40);
            desk.press("<esc><esc><esc>");
            if desk.state().slug.is_empty() {
                continue;
            }
            let input = if stop { Input::Cancel } else { Input::Open(opening(&desk)) };
            desk.give(input);
            let text = desk.wait(2_000).text();
            let what = if stop { "stopped" } else { "opened again" };
            assert!(desk.state().busy() || !at_work(&text), "{name}, {what}:\n{text}");
            assert!(stop || !desk.state().busy(), "{name}");
            let asks = text.contains("waits for you") || text.contains("wait for you");
            assert!(!asks || !desk.state().open.is_empty(), "{name}, {what}:\n{text}");
        }
    }
}

#[test]
fn a_command_that_was_denied_or_skipped_was_not_run() {
    for keys in [&["<ctrl-x>a", "n", "<enter>"][..], &["/abort<enter>"], &["stop<enter>"]] {
        let mut desk = before("question", (120, 40));
        appear(&mut desk, "question");
        desk.draw();
        for part in keys {
            desk.wait(1_000).press(part);
        }
        desk.deliver();
        assert!(desk.tools.is_empty(), "{keys:?}");
        let text = desk.text();
        assert!(!text.contains("Ran ") && !text.contains("waits for you"), "{keys:?}\n{text}");
        assert!(desk.state().open.is_empty(), "{keys:?}\n{text}");
    }
}

#[test]
fn the_hint_names_what_a_letter_does_at_a_red_gate() {
    let mut desk = red_gate();
    for (letter, does) in [("a", "auto-fix"), ("s", "skip"), ("m", "manual"), ("g", "run again")] {
        desk.app.composer.draft.set(Saved::plain(letter));
        let text = desk.text();
        assert!(text.contains(&format!("answers the question above: {does}")), "{letter}: {text}");
    }
}
