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
