//! What was written, taken back hunk by hunk from the page of changes.

use super::*;

/// Both files are written, and the page of changes stands.
fn listed(width: u16) -> Bench {
    let mut b = Bench::new(width, 30);
    b.press("<ctrl-x>d");
    for key in ["y", "y", "a", "y", "y", "a", "<esc>", "<ctrl-c>"] {
        b.press(key);
    }
    b.desk.app.composer.draft.set(Saved::plain("/changes"));
    b.press("<enter>");
    assert_eq!(b.desk.top(), Some("changes"), "{}", b.desk.text());
    b.desk.collect();
    b.desk.inputs.clear();
    b
}

#[test]
fn a_key_on_a_file_opens_the_review_of_what_takes_it_back() {
    for from_diff in [false, true] {
        let mut b = listed(100);
        assert!(b.desk.text().contains("u take back"), "{}", b.desk.text());
        b.press("j");
        if from_diff {
            b.press("<enter>");
            assert!(b.desk.text().contains("u take back, hunk by hunk"), "{}", b.desk.text());
        }
        let written = b.desk.state().ledger()[1];
        b.desk.wait(800).press("u");
        let path = RelPath::new("src/b.rs").unwrap();
        assert_eq!(b.desk.inputs, [Input::UndoFile { path, writes: vec![written] }]);
        assert_eq!((b.desk.top(), b.desk.app.panes.focus), (None, DIFF));
        b.settle();
        b.settle();
        let text = b.desk.text();
        assert!(text.contains("src/b.rs") && text.contains("- ONE") && text.contains("+ one"), "{text}");
        // One hunk goes, the other stays, and that is a write by itself.
        for key in ["y", "n", "a"] {
            b.press(key);
        }
        let state = b.desk.state();
        assert_eq!((state.ledger().len(), state.open_proposals().count()), (3, 0), "{}", b.desk.text());
        let back = &state.applies()[&state.ledger()[2]];
        assert_eq!(back.take[0].1.iter().copied().collect::<Vec<_>>(), [0]);
        assert!(b.desk.app.panes.focus == Focus::Composer, "nothing is left to decide");
    }
}

#[test]
fn what_cannot_be_taken_back_now_is_said_and_the_page_stays() {
    let mut b = listed(100);
    b.desk.give(Input::SetPermission(pilothouse_core::scope::PermissionMode::ReadOnly));
    b.press("u");
    assert_eq!(b.desk.top(), Some("changes"));
    assert!(b.desk.text().contains("read-only"), "{}", b.desk.text());
}

#[test]
fn where_nothing_is_found_to_take_back_the_keys_return() {
    let mut b = listed(100);
    b.desk.wait(800).press("u");
    b.desk.deliver();
    let sought = b.desk.writes.pop();
    let Some(Work::TakeBack { lane, .. }) = sought else { panic!("{sought:?}") };
    b.desk.give(Input::TakeBackMade { lane, result: Err("src/a.rs is not text".into()) });
    b.desk.draw();
    assert_eq!(b.desk.app.panes.focus, Focus::Composer);
    assert!(b.desk.text().contains("src/a.rs is not text"), "{}", b.desk.text());
}

/// The first file is written, and the second waits on in the review.
fn half_written() -> Bench {
    let mut b = Bench::new(100, 30);
    b.press("<ctrl-x>d");
    for key in ["y", "y", "a", "<esc>"] {
        b.press(key);
    }
    assert_eq!((b.desk.state().ledger().len(), b.desk.state().open_proposals().count()), (1, 1));
    b
}

#[test]
fn the_diff_stands_at_what_goes_back_and_says_so_where_other_files_wait() {
    let mut b = half_written();
    b.desk.app.composer.draft.set(Saved::plain("/changes"));
    b.press("<enter>");
    b.desk.wait(800).press("u");
    b.settle();
    b.settle();
    let text = b.desk.text();
    assert!(text.contains("Taking back changes to src/a.rs:") && text.contains("- ONE"), "{text}");
    assert!(text.contains("y reverts a hunk, n keeps it"), "{text}");
    assert!(!text.contains("Conversation → "), "the path is another message's: {text}");
    b.press("A");
    let text = b.desk.text();
    let row =
        |name: &str| text.lines().find(|l| l.contains(name) && l.contains("undecided")).unwrap_or_default();
    assert!(row("src/a.rs").contains("take-back"), "{text}");
    assert!(row("src/b.rs").contains("hunk") && !row("src/b.rs").contains("take-back"), "{text}");
}

#[test]
fn undo_of_a_file_brings_its_diff_with_the_keys_unless_something_is_being_written() {
    for draft in ["", "and then"] {
        let mut b = half_written();
        b.desk.app.composer.draft.set(Saved::plain("/undo src/a.rs"));
        b.desk.wait(800).press("<enter>");
        b.desk.press(draft);
        b.settle();
        b.settle();
        let at = b.desk.app.panes.focus;
        assert_eq!(at == DIFF, draft.is_empty(), "{draft:?}: {}", b.desk.text());
        if draft.is_empty() {
            assert!(b.desk.text().contains("Taking back changes to src/a.rs:"), "{}", b.desk.text());
        }
    }
}

#[test]
fn what_is_not_taken_back_is_told_as_left_as_it_is() {
    let mut b = half_written();
    b.desk.app.composer.draft.set(Saved::plain("/undo src/a.rs"));
    b.desk.wait(800).press("<enter>");
    b.settle();
    b.press("<ctrl-x>d");
    if !b.desk.text().contains("- ONE") {
        b.press("<ctrl-x>d");
    }
    let back = b.desk.state().open_proposals().find(|p| p.back.is_some()).unwrap().id;
    b.desk.give(Input::Skip { proposals: vec![back], reason: String::new() });
    b.press("<esc>");
    b.desk.draw();
    let text = b.desk.text();
    assert!(text.contains("left src/a.rs as it is") && !text.contains("skipped"), "{text}");
}

#[test]
fn of_a_change_that_is_written_in_part_it_is_said_how_much_was_left() {
    let mut b = Bench::new(100, 30);
    b.press("<ctrl-x>d");
    for key in ["y", "a", "{", "n", "a"] {
        b.press(key);
    }
    b.press("<esc>");
    let text = b.desk.text();
    assert!(text.contains("left src/a.rs: 1 of 2 hunks left"), "{text}");
    assert!(!text.contains("every hunk was left"), "{text}");
}
