//! Words on the screen that say what is so.

use pilothouse_core::relpath::RelPath;

use super::*;

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
