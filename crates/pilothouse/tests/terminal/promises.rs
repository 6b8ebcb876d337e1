//! Promises that broke in ordinary use, at a real terminal.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::fs;

use crate::support;
use support::{
    Desk, Terminal,
    alone::{edit, plan},
    server::{Server, Turn},
};

/// Somebody else changes the very line that waits for a decision: both stand beside each other, and the change is made
/// against what stands there now, once it is decided anew.
#[test]
fn a_line_that_both_changed_is_shown_with_both_sides_and_can_be_decided_anew() {
    let desk = Desk::new();
    let server = Server::start(vec![
        Turn::Say("", vec![("submit_plan", plan(&[("modify", "src/search.rs")]))]),
        Turn::Say("", vec![("edit", edit("src/search.rs", "fn score(", "fn points_of("))]),
        Turn::Say("Done.", vec![]),
    ]);
    let model = [("PILOTHOUSE_BASE_URL", server.base.as_str()), ("PILOTHOUSE_MODEL", "desk")];
    let mut terminal = Terminal::open(&desk, &[], &model);
    terminal.see("[EXPLORE] idle");
    terminal.say("rename score to points_of in src/search.rs");
    terminal.see("1 file waits for your decision");
    terminal.keys("\x18d");
    terminal.see("Proposed changes to src/search.rs");
    terminal.decide("y");
    terminal.see("a applies 1 taken hunk of search.rs");
    let theirs = desk.file("src/search.rs").replace("fn score(", "fn rating(");
    fs::write(desk.path().join("src/search.rs"), &theirs).unwrap();
    terminal.decide("a");
    terminal.see("the two changes overlap in");
    let text = terminal.see("fn rating(");
    assert!(text.contains("fn points_of("), "{text}");
    assert_eq!(desk.file("src/search.rs"), theirs, "nothing was written over theirs");
    terminal.decide("y");
    terminal.see("a applies 1 taken hunk of search.rs");
    terminal.decide("a");
    terminal.see("Complete. 1 file created/modified: src/search.rs.");
    assert_eq!(desk.file("src/search.rs"), theirs.replace("fn rating(", "fn points_of("));
    terminal.kill();
    desk.verified();
}
