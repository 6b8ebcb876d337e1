//! How long what is told stays, and which line comes back with it.

use super::*;

#[test]
fn a_line_that_was_done_here_does_not_come_back_when_something_else_is_refused() {
    for line in ["/status", "/theme night-owl", "/runs"] {
        let mut desk = Desk::new(100, 30);
        desk.press(line).press("<enter>");
        desk.press("<esc>");
        desk.app.update(Update::Refused("the ceiling is read-only".to_owned()), desk.now);
        assert_eq!(desk.app.composer.draft.shown(), "", "{line}");
    }
    let mut desk = Desk::new(100, 30);
    desk.press("fix it<enter>");
    desk.app.update(Update::Refused("not now".to_owned()), desk.now);
    assert_eq!(desk.app.composer.draft.shown(), "fix it", "what was handed in itself comes back");
}

#[test]
fn what_is_told_while_an_answer_is_waited_for_goes_with_that_answer() {
    let mut desk = Desk::new(100, 30);
    desk.press("/kb where<enter>");
    let number = desk.number;
    desk.app.update(Update::Notice("reading the project: 15 files".to_owned()), desk.now);
    assert!(desk.text().contains("15 files"), "{}", desk.text());
    let found = pilothouse_core::port::KnowledgeReply::Passages(Vec::new());
    desk.app.update(Update::Answered(number, Reply::Knowledge(Box::new(Ok(found)))), desk.now);
    assert!(!desk.text().contains("15 files"), "{}", desk.text());
    desk.app.update(Update::Notice("the desktop cannot be told".to_owned()), desk.now);
    assert!(desk.text().contains("cannot be told"), "anything else stays until the next key");
}
