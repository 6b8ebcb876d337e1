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
fn a_question_of_a_pipeline_ends_with_what_came_of_it() {
    let text = shown(&mut scene("research-leaving", 100, 30));
    assert!(text.contains("asked whether to leave") && !text.contains("stopped"), "{text}");
}
