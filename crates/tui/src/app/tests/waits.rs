//! The list of what waits, where a letter of the bar answers.

use pilothouse_core::checkpoint::Answer;

use super::{
    held::{appear, before},
    *,
};

/// The list lies over a gate that is red, and stood there for long enough.
fn listed(scene: &str) -> Desk {
    let mut desk = before(scene, (120, 40));
    appear(&mut desk, scene);
    desk.draw();
    desk.wait(1_000).press("<ctrl-x>a");
    desk.inputs.clear();
    desk
}

fn answered(desk: &Desk) -> Option<&Answer> {
    desk.inputs.iter().find_map(|i| if let Input::Answer { answer, .. } = i { Some(answer) } else { None })
}

#[test]
fn the_letters_of_a_red_gate_answer_it_in_the_list_as_in_the_plan() {
    for (letter, answer) in [
        ("a", Answer::AutoFix),
        ("r", Answer::Retry),
        ("s", Answer::Skip),
        ("m", Answer::Manual),
        ("g", Answer::Again),
    ] {
        let mut desk = listed("red gate");
        desk.press(letter);
        assert!(desk.text().contains("pressed before"), "{letter} came too early: {}", desk.text());
        assert_eq!(answered(&desk), None, "{letter}");
        desk.wait(1_000).press(letter);
        assert_eq!(answered(&desk), Some(&answer), "{letter}");
    }
    let mut desk = listed("red gate");
    desk.wait(1_000).press("q");
    assert_eq!((answered(&desk), desk.top()), (None, None), "q goes back, and it stays open");
}

#[test]
fn a_number_answers_a_question_with_choices_in_the_list() {
    let mut desk = listed("choice");
    desk.wait(1_000).press("9");
    assert_eq!(answered(&desk), None, "there is no such choice");
    desk.press("2");
    assert_eq!(answered(&desk), Some(&Answer::Pick(1)));
}

#[test]
fn the_list_names_the_letters_that_answer() {
    let mut desk = listed("red gate");
    let text = desk.text();
    for part in ["s skip", "g run again", "m manual"] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn a_line_that_was_carried_out_here_does_not_come_back_when_something_else_is_refused() {
    for line in ["/theme night-owl", "/runs", "/kb who checks a login", "/status", "/sessions limit"] {
        let mut desk = Desk::new(100, 30);
        desk.press(line).press("<enter>");
        desk.collect();
        assert!(desk.inputs.is_empty() && desk.app.composer.draft.is_empty(), "{line}: {:?}", desk.inputs);
        desk.app.update(Update::Refused("the ceiling is read-only: nothing runs".into()), desk.now);
        assert_eq!(desk.app.composer.draft.shown(), "", "{line}");
    }
    // What was sent and refused can be mended.
    let mut desk = Desk::new(100, 30);
    desk.press("add a limit<enter>");
    desk.app.update(Update::Refused("no".into()), desk.now);
    assert_eq!(desk.app.composer.draft.shown(), "add a limit");
}

#[test]
fn a_line_that_can_go_nowhere_stays_in_the_draft() {
    let mut desk = Desk::new(100, 30);
    let around = Surroundings { read_only: true, ..desk.app.world.surroundings.clone() };
    desk.app.update(Update::Surroundings(Box::new(around)), desk.now);
    desk.press("add a limit<enter>");
    desk.collect();
    assert!(desk.inputs.is_empty());
    assert_eq!(desk.app.composer.draft.shown(), "add a limit");
}

#[test]
fn a_command_of_one_word_that_was_answered_with_a_no_is_no_draft() {
    let mut desk = Desk::new(100, 30);
    for (line, left) in [("/unundo", ""), ("/undo", ""), ("/queue drop 7", "/queue drop 7")] {
        desk.app.composer.draft.set(Saved::plain(line));
        desk.press("<enter>").deliver();
        desk.app.update(Update::Refused("there is none".into()), desk.now);
        assert_eq!(desk.app.composer.draft.shown(), left, "{line}");
        desk.app.composer.draft.set(Saved::plain(""));
    }
}
