//! What takes a write back stands beside other changes, and is written apart from them.

use pilothouse_core::{
    diff::{Lines, Version},
    input::{Rebased, WriteFault},
    proposal::Decision,
    session::ApplyStatus,
};

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
    let draft =
        ProposalDraft { notes: Vec::new(), path, kind, before: Some(before), after: Some(after), hunks };
    let rebased = vec![Rebased {
        proposal: written.id,
        redraft: Redraft { draft, same: Vec::new() },
        meets: Vec::new(),
    }];
    let fault = WriteFault { message: "src/a.rs has changed".into(), stale: true, rebased };
    b.desk.give(Input::RevertEnded { apply, result: Err(fault) });
    assert_eq!(b.desk.state().open_proposals().count(), 2);
    for left in [1, 0] {
        b.press("A");
        let text = b.desk.text();
        assert_eq!(text.contains("are written separately"), left == 1, "{text}");
        b.press("A");
        assert_eq!(b.desk.state().open_proposals().count(), left, "{}", b.desk.text());
    }
}

#[test]
fn a_hunk_that_others_changed_as_well_is_marked_and_waits_for_its_own_decision() {
    for said in [false, true] {
        let mut b = Bench::new(120, 40);
        b.press("<ctrl-x>d");
        let p = b.desk.state().open_proposals().next().unwrap().clone();
        let shown = p.shown();
        let decision = Some(Decision::Taken);
        b.desk.give(Input::Decide { proposal: p.id, hunk: 0, decision, shown });
        if said {
            let text = "in capitals".to_owned();
            b.desk.give(Input::Comment { proposal: p.id, hunk: 1, text, shown });
        }
        b.desk.give(Input::Apply { proposals: vec![(p.id, shown)], word: None, rest: false });
        let apply = b.desk.state().applies().values().find(|a| a.status == ApplyStatus::Approved).unwrap().id;
        let theirs = Blob::new(format!("// mine\n{OLD}").into_bytes());
        let ours = Blob::new(NEW.as_bytes().to_vec());
        for blob in [&theirs, &ours] {
            b.blobs.insert(blob.id(), blob.bytes().to_vec());
        }
        let draft = ProposalDraft {
            notes: Vec::new(),
            path: p.path.clone(),
            kind: ChangeKind::Modify,
            before: Some(theirs),
            after: Some(ours),
            hunks: Vec::new(),
        };
        let older = Version { before: OLD.as_bytes(), after: NEW.as_bytes(), hunks: &p.hunks };
        let meets = vec![Lines { start: 0, len: 2 }];
        let rebased = vec![Rebased { proposal: p.id, redraft: Redraft::since(older, draft), meets }];
        let message = "src/a.rs has changed; both changed src/a.rs at lines 1-2".to_owned();
        b.desk.give(Input::ApplyPrepared { apply, files: Err(WriteFault { message, stale: true, rebased }) });
        let text = b.desk.text();
        assert!(text.contains("Not written: src/a.rs has changed"), "{said}: {text}");
        assert!(text.contains("changed by both"), "{said}: {text}");
        b.press("");
        let text = b.desk.text();
        assert!(text.contains("changed by both: removes \"// mine\""), "{said}: {text}");
        b.press("A");
        let text = b.desk.text();
        assert!(text.contains("1 of 2 hunks, waits: 1 hunk changed by both"), "{said}: {text}");
        assert!(
            text.contains("Apply a part; src/a.rs waits") && !text.contains("atomically"),
            "{said}: {text}"
        );
        b.press("A");
        assert!(b.desk.state().open_proposals().any(|p| p.meets(0)), "{said}: {}", b.desk.text());
    }
}
