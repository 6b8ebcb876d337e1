//! Changes taken back in part.

use pilothouse_core::{
    checkpoint::Answer,
    input::{Input, Rebased, WriteFault},
    tool::ProposalDraft,
    work::Work,
};

use crate::support::*;

const OLD: &str = "1\n2\n3\n";
const NEW: &str = "1\n2\nthree\n";

/// One write of two files, of which both are proposed to be taken back, since others changed one of them.
fn two_files_back() -> Bench {
    let mut b = Bench::new();
    b.say("fix the greeting");
    b.plan(&[("Fix it", "modify")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    for path in ["a.txt", "b.txt"] {
        b.reply("", &[("edit", edit_of(path))]);
        b.propose(path, OLD, NEW);
    }
    b.reply("done", &[]);
    b.approve_all(None).unwrap();
    b.write();
    let apply = b.session.state().ledger()[0];
    let files = b.session.state().applies()[&apply].files.clone();
    assert_eq!(files.len(), 2);
    b.input(Input::Undo).unwrap();
    let draft = |path: &str| -> ProposalDraft {
        let now = if path == "a.txt" { "0\n1\n2\nthree\n" } else { NEW };
        proposing(path, now, &now.replace("three", "3")).proposals.remove(0)
    };
    let rebased = files.iter().map(|f| {
        let draft = draft(f.path.as_str());
        Rebased { proposal: f.proposal, draft, meets: false }
    });
    let fault = WriteFault { message: "a.txt has changed".into(), stale: true, rebased: rebased.collect() };
    b.input(Input::RevertEnded { apply, result: Err(fault) }).unwrap();
    b
}

fn paths(b: &Bench, list: &[pilothouse_core::ids::ApplyId]) -> Vec<String> {
    let files = list.iter().flat_map(|id| &b.session.state().applies()[id].files);
    files.map(|f| f.path.to_string()).collect()
}

/// What the runtime is to take back, or to put back.
fn reverting(b: &Bench) -> Vec<String> {
    let files = b.session.pending().into_values().find_map(|w| match w {
        Work::Revert { files, .. } => Some(files),
        _ => None,
    });
    files.unwrap_or_default().iter().map(|f| f.path.to_string()).collect()
}

fn end(b: &mut Bench) {
    let apply = b.session.state().applies().values().find(|a| a.status.is_open()).unwrap().id;
    b.input(Input::RevertEnded { apply, result: Ok(()) }).unwrap();
}

#[test]
fn what_a_take_back_does_not_name_stays_in_the_ledger() {
    let mut b = two_files_back();
    let whole = b.session.state().ledger()[0];
    let all: Vec<_> =
        b.session.state().open_proposals().map(|p| (p.id, p.path.to_string(), p.shown())).collect();
    let named =
        |path: &str| all.iter().find(|(_, p, _)| p == path).map(|(id, _, shown)| (*id, *shown)).unwrap();
    b.input(Input::Apply { proposals: vec![named("a.txt")], word: None }).unwrap();
    b.write();
    b.input(Input::Skip { proposals: vec![named("b.txt").0], reason: String::new() }).unwrap();
    let (ledger, undone) = (b.session.state().ledger().to_vec(), b.session.state().undone().to_vec());
    assert_eq!((ledger.as_slice(), paths(&b, &ledger)), (&[whole][..], vec!["b.txt".to_owned()]));
    assert_eq!(paths(&b, &undone), ["a.txt"]);
    assert!(undone[0] != whole, "the part stands by itself");
    let told = b.notices().into_iter().find(|n| n.starts_with("Took back")).unwrap();
    assert!(told.contains("the change to a.txt") && told.ends_with("Left of that change: b.txt."), "{told}");
    // The rest goes back as any change, and each part comes back by itself.
    b.input(Input::Undo).unwrap();
    assert_eq!(reverting(&b), ["b.txt"]);
    end(&mut b);
    assert!(b.session.state().ledger().is_empty());
    for path in ["b.txt", "a.txt"] {
        b.input(Input::Redo).unwrap();
        assert_eq!(reverting(&b), [path]);
        end(&mut b);
    }
    let ledger = b.session.state().ledger().to_vec();
    assert_eq!(paths(&b, &ledger), ["b.txt", "a.txt"]);
    assert!(b.session.state().undone().is_empty());
    b.input(Input::Undo).unwrap();
    assert_eq!(reverting(&b), ["a.txt"]);
    end(&mut b);
    assert!(b.notices().pop().unwrap().contains("1 to go"), "{:?}", b.notices());
}
