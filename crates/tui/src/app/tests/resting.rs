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
}

#[test]
fn the_end_of_a_draft_is_handed_out_before_what_it_became() {
    let mut desk = Desk::new(80, 24);
    typed(&mut desk, "where is it?");
    desk.wait(2_000);
    desk.app.keep_rested(desk.now);
    desk.collect();
    desk.app.terminal(&Event::Key(KeyCode::Enter.into()), desk.now);
    let sent: Vec<bool> = desk.app.outbox.requests.iter().map(|r| matches!(r, Request::Draft(_))).collect();
    assert_eq!(sent.first(), Some(&true), "{sent:?}");
    desk.collect();
    assert_eq!(desk.kept, ["where is it?", ""]);
}
