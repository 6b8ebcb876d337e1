//! What is being written is kept once typing rests, and stands there again.

use crossterm::event::Event;

use super::*;

fn typed(desk: &mut Desk, text: &str) {
    for letter in text.chars() {
        let code = if letter == '\n' { KeyCode::Enter } else { KeyCode::Char(letter) };
        desk.wait(90);
        desk.app.terminal(&Event::Key(code.into()), desk.now);
        desk.app.keep_rested(desk.now);
        desk.collect();
    }
}

#[test]
fn a_draft_is_kept_once_typing_rests_and_nobody_is_woken_after_that() {
    let mut desk = Desk::new(80, 24);
    typed(&mut desk, "and then the changelog");
    assert_eq!(desk.kept, [""; 0], "not at each key");
    let at = desk.app.alarm().unwrap();
    desk.app.keep_rested(at);
    desk.collect();
    assert_eq!(desk.kept, ["and then the changelog"]);
    assert_eq!(desk.app.alarm(), None);
    typed(&mut desk, &", of all that was said of it".repeat(3));
    assert!(desk.kept.len() >= 3, "who never rests has it kept all the same: {:?}", desk.kept);
    desk.kept.truncate(1);
    typed(&mut desk, "\n");
    assert_eq!(desk.kept, ["and then the changelog", ""], "what was sent is no draft");
    assert_eq!(desk.app.alarm(), None);
    typed(&mut desk, "half");
    desk.app.quit();
    desk.collect();
    assert_eq!(desk.kept.last().unwrap(), "half", "leaving does not wait");
}

#[test]
fn a_draft_that_was_kept_stands_there_again_unless_something_else_is_written() {
    let mut desk = Desk::new(80, 24);
    desk.app.update(Update::Draft("and then the\nchangelog".to_owned()), desk.now);
    assert_eq!(desk.app.composer.draft.shown(), "and then the\nchangelog");
    assert_eq!(desk.app.alarm(), None);
    let mut desk = Desk::new(80, 24);
    typed(&mut desk, "new");
    desk.app.update(Update::Draft("old".to_owned()), desk.now);
    assert_eq!(desk.app.composer.draft.shown(), "new");
    let text = desk.text();
    assert!(text.contains("your earlier draft is not lost: Up brings it back"), "{text}");
    desk.press("<up>");
    assert_eq!(desk.app.composer.draft.shown(), "old");
    desk.press("<down>");
    assert_eq!(desk.app.composer.draft.shown(), "new");
}

#[test]
fn a_draft_that_was_kept_and_is_written_already_is_told_of_by_nobody() {
    for (written, kept) in [("old", "old"), ("new", " \n")] {
        let mut desk = Desk::new(80, 24);
        typed(&mut desk, written);
        desk.app.update(Update::Draft(kept.to_owned()), desk.now);
        let text = desk.text();
        assert!(!text.contains("Up brings it"), "{text}");
        assert_eq!(desk.app.composer.history.newest_first().count(), 0);
    }
}

#[test]
fn a_draft_that_was_kept_waits_in_the_history_where_a_command_is_being_written() {
    let mut desk =
        golden::scenes::ALL.iter().find(|(name, _)| *name == "command-changed").unwrap().1(120, 40);
    assert!(desk.app.composer.offered().is_some());
    desk.app.update(Update::Draft("old".to_owned()), desk.now);
    assert_eq!(desk.app.composer.history.newest_first().next().unwrap().whole(), "old");
}
