//! How long what is told stays.

use super::*;

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
