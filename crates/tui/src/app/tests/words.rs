//! Words on the screen that say what is so.

use pilothouse_core::{
    checkpoint::Answer,
    digest::Place,
    relpath::RelPath,
    tool::{Exit, ToolOutcome},
};

use super::{
    held::{appear, before},
    review::Bench,
    *,
};

/// The first of three steps works.
fn running() -> Desk {
    let mut desk = Desk::new(120, 40).with_plan();
    let id = desk.state().phase_question().unwrap().id;
    let shown = desk.state().open[&id].kind.shown();
    desk.give(Input::Answer { checkpoint: id, answer: Answer::Approve, shown });
    desk
}

#[test]
fn the_list_behind_an_at_sign_is_called_what_its_rows_are() {
    let mut desk = Desk::new(100, 30);
    desk.press("@");
    desk.collect();
    let files = ["src/review.rs", "src/main.rs"].map(|p| RelPath::new(p).unwrap()).to_vec();
    let number = desk.number;
    desk.app.update(Update::Answered(number, Reply::Files(files)), desk.now);
    let text = desk.text();
    assert!(text.contains("files and paths  "), "{text}");
    desk.press("exp");
    let text = desk.text();
    assert!(text.contains("paths  1 of 17") && !text.contains("files"), "{text}");
    desk.press(" see @main");
    let text = desk.text();
    assert!(text.contains("files  1 of 2"), "{text}");
}

#[test]
fn the_conversation_says_that_a_step_works_and_not_that_it_answers() {
    let mut desk = running();
    let text = desk.text();
    assert!(text.contains(" working ") && !text.contains("answering"), "{text}");
}

#[test]
fn a_command_in_its_other_spelling_is_foretold_like_itself() {
    let desk = running();
    let session = &desk.session;
    for (line, same) in [(":abort", "/abort"), ("::reset", "/reset"), ("::abort", "/abort")] {
        let preview = crate::preview::preview(same, session);
        assert!(preview.is_some(), "{same}");
        assert_eq!(crate::preview::preview(line, session), preview, "{line}");
    }
}

#[test]
fn what_never_ran_was_not_run_once_it_is_cancelled() {
    let mut desk = before("question", (120, 40));
    appear(&mut desk, "question");
    assert!(desk.text().contains("Run       make"), "{}", desk.text());
    desk.give(Input::Cancel);
    let text = desk.text();
    assert!(text.contains("Not run") && !text.contains("Ran "), "{text}");
}
