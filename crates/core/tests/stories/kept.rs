//! A no in words to what waits in the diff: it leaves what it names, and in doubt nothing.

use pilothouse_core::{
    event::Event,
    ids::Seq,
    input::Input,
    proposal::{Decision, ProposalStatus},
    session::Deed,
};
use serde_json::json;

use crate::support::*;

/// A step whose agent wants files gone, or changed, all of them shown for review.
fn reviewing(files: &[(&str, bool)]) -> Bench {
    let mut b = Bench::new();
    b.say("delete the old files");
    b.plan(&[("Remove them", "delete")], &[]);
    b.answer(is_plan, pilothouse_core::checkpoint::Answer::Approve).unwrap();
    let call = |(path, gone): &(&str, bool)| {
        if *gone { ("delete", json!({ "path": path })) } else { ("edit", edit_of(path)) }
    };
    b.reply("", &files.iter().map(call).collect::<Vec<_>>());
    for (path, gone) in files {
        b.propose(path, "1\n", if *gone { "" } else { "2\n" });
    }
    b.reply("done", &[]);
    b.question(is_diff);
    b
}

/// Everything that waits is taken, and not written.
fn take(b: &mut Bench) {
    let open: Vec<_> = b.session.state().open_proposals().map(|p| (p.id, p.shown())).collect();
    for (proposal, shown) in open {
        b.input(Input::Decide { proposal, hunk: 0, decision: Some(Decision::Taken), shown }).unwrap();
    }
}

fn open(b: &Bench) -> Vec<String> {
    b.session.state().open_proposals().map(|p| p.path.to_string()).collect()
}

#[test]
fn a_no_that_names_a_removal_leaves_it_though_it_was_taken() {
    for line in ["no, keep the tests", "don't delete tests/a.rs", "leave the tests alone", "keep the tests"] {
        for taken in [false, true] {
            let mut b = reviewing(&[("tests/a.rs", true), ("old.rs", true)]);
            if taken {
                take(&mut b);
            }
            let foretold = b.session.foretell(line);
            assert!(foretold.does(if taken { &Deed::Leaves } else { &Deed::Tells }), "{line}: {foretold:?}");
            let step = b.say(line);
            assert_eq!(open(&b), ["old.rs"], "{line}");
            let of =
                b.session.state().proposals().values().find(|p| p.path.as_str() == "tests/a.rs").unwrap();
            let aside = !taken && of.status == ProposalStatus::SetAside;
            assert!(aside || of.status == ProposalStatus::Skipped, "{line}: {:?}", of.status);
            let told = b.log.iter().any(|e| matches!(e.event, Event::TurnTold { .. }));
            assert!(told && starts(&step).contains(&"think".to_owned()), "{line}: its agent hears it");
            assert!(!b.names().contains(&"apply_approved".into()), "{line}: nothing is written");
        }
    }
}

#[test]
fn a_no_to_the_only_change_that_waits_leaves_it_without_its_name() {
    for line in ["don't remove it", "don't delete the file", "leave the file as it was"] {
        let mut b = reviewing(&[("tests/a.rs", true)]);
        take(&mut b);
        b.say(line);
        assert!(open(&b).is_empty(), "{line}");
        assert!(!b.names().contains(&"apply_approved".into()), "{line}");
    }
}

#[test]
fn in_doubt_a_no_leaves_nothing() {
    let two = [("src/a.rs", true), ("lib/a.rs", true)];
    // Two wait, and two are called so; a change is kept as well as a file.
    for (line, files) in [
        ("no", &two[..]),
        ("no, keep a.rs", &two),
        ("keep src/a.rs", &[("src/a.rs", false)]),
        ("keep it", &[("src/a.rs", false)]),
        ("no, keep the old name", &[("src/a.rs", false)]),
        ("no, rename it to b", &[("src/a.rs", false)]),
    ] {
        let mut b = reviewing(files);
        take(&mut b);
        let _ = b.input(Input::say(line));
        assert_eq!(open(&b).len(), files.len(), "{line}");
        let taken = |p: &pilothouse_core::proposal::Proposal| p.tally().0 == 1;
        assert!(b.session.state().open_proposals().all(taken), "{line}: what was decided holds");
    }
    // A bare no is told the keys; and nobody says no to what they had not seen.
    for (line, seen) in [("no", Seq(u64::MAX)), ("don't", Seq(u64::MAX)), ("don't remove it", Seq(1))] {
        let mut b = reviewing(&[("tests/a.rs", true)]);
        take(&mut b);
        let said = b.input(Input::Say { text: line.into(), seen });
        assert_eq!(said.is_err_and(|no| no.reason.contains("n leaves it")), seen != Seq(1), "{line}");
        assert_eq!(open(&b), ["tests/a.rs"], "{line}");
    }
}
