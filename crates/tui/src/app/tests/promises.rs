//! Promises about what stands on the screen: nothing spins that does not work, nothing is counted twice or for more
//! than it is, and what waits says so.

use pilothouse_core::checkpoint::Answer;

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
    assert!(text.contains("1 of 3 steps, 2 stopped, 0/1 gate"), "{text}");
    // A step in which nothing was done counts as skipped.
    let plan = r#"{"title":"T","tasks":[{"title":"a","kind":"modify"},{"title":"b","kind":"modify"}]}"#;
    let mut desk = running(Some(plan));
    desk.reply("It is done.", &[]);
    desk.reply("I said so.", &[]);
    desk.reply("nothing to change: it is right", &[]);
    let text = desk.press("/status<enter>").text();
    assert!(text.contains("T, 1 of 2 steps, 1 skipped"), "{text}");
    assert!(!text.contains("100%"), "{text}");
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
