//! What stays in sight where there is little room, in the scenes that are kept as frames.

use super::*;

/// A scene by its name at any size.
fn scene(name: &str, width: u16, height: u16) -> Desk {
    let (_, make) = scenes::ALL.into_iter().find(|(n, _)| *n == name).unwrap();
    make(width, height)
}

fn shown(desk: &mut Desk) -> String {
    crate::story::text(&desk.draw().0).join("\n")
}

#[test]
fn a_merge_says_at_once_that_it_looks() {
    let mut desk = scene("runs-orphaned", 100, 30);
    desk.press("M");
    assert!(shown(&mut desk).contains("it asks before it merges"), "{}", shown(&mut desk));
}

#[test]
fn an_order_of_which_nothing_came_is_not_done() {
    let mut desk = scene("runs", 100, 30);
    desk.app.runs[5].info.status = pilothouse_core::runs::RunStatus::Ended;
    (desk.app.runs[5].info.done, desk.app.runs[5].info.steps) = (0, 0);
    let text = shown(&mut desk);
    let row = text.lines().position(|l| l.contains("Explain the lock order")).unwrap();
    let rows: Vec<&str> = text.lines().skip(row).take(2).collect();
    assert!(rows[0].contains("– ended") && rows[1].contains("nothing came of it"), "{rows:?}");
}

#[test]
fn a_question_of_a_pipeline_ends_with_what_came_of_it() {
    let text = shown(&mut scene("research-leaving", 100, 30));
    assert!(text.contains("asked whether to leave") && !text.contains("stopped"), "{text}");
}
