//! What takes a write back stands beside other changes, and is written apart from them.

use pilothouse_core::input::{Rebased, WriteFault};

use super::*;

#[test]
fn the_sheet_of_all_holds_what_can_be_written_together() {
    let mut b = Bench::new(120, 40);
    b.press("<ctrl-x>d");
    b.press("a");
    b.press("a");
    b.desk.give(Input::Undo);
    b.desk.writes.clear();
    let apply = b.desk.state().applies().values().find(|a| a.status.is_open()).unwrap().id;
    let written = b.desk.state().proposals().values().next().unwrap().clone();
    let [before, after] = [NEW, OLD].map(|t| Blob::new(format!("{t}mine\n").into_bytes()));
    for blob in [&before, &after] {
        b.blobs.insert(blob.id(), blob.bytes().to_vec());
    }
    let hunks = diff::hunks(before.bytes(), after.bytes());
    let (kind, path) = (ChangeKind::Modify, written.path.clone());
    let draft = ProposalDraft { path, kind, before: Some(before), after: Some(after), hunks };
    let rebased =
        vec![Rebased { proposal: written.id, redraft: Redraft { draft, same: Vec::new() }, meets: false }];
    let fault = WriteFault { message: "src/a.rs has changed".into(), stale: true, rebased };
    b.desk.give(Input::RevertEnded { apply, result: Err(fault) });
    assert_eq!(b.desk.state().open_proposals().count(), 2);
    for left in [1, 0] {
        b.press("A");
        let text = b.desk.text();
        assert_eq!(text.contains("is written apart"), left == 1, "{text}");
        b.press("A");
        assert_eq!(b.desk.state().open_proposals().count(), left, "{}", b.desk.text());
    }
}
