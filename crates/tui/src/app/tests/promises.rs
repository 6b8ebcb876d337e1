//! Promises about what stands on the screen: nothing is counted for more than it is.

use pilothouse_core::checkpoint::Answer;

use super::*;

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
