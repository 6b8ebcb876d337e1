//! Words after an undo: what was taken back is put back, and nothing else is taken.

use pilothouse_core::{checkpoint::Answer, input::Input, proposal::Decision, session::Deed, work::Work};

use crate::{
    support::*,
    take_back::{decide, formatted, offered},
};

fn writes(b: &mut Bench, path: &str) {
    b.say(&format!("fix the bug in {path}"));
    b.plan(&[("One", "modify")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("", &[("edit", edit_of(path))]);
    b.propose(path, "old\n", "new\n");
    b.reply("done", &[]);
    b.approve_all(None).unwrap();
    b.write();
}

/// Which files are put back or taken back now, and which of it.
fn reverting(b: &Bench) -> Option<(Vec<String>, bool)> {
    b.session.pending().into_values().find_map(|w| match w {
        Work::Revert { files, redo, .. } => Some((files.iter().map(|f| f.path.to_string()).collect(), redo)),
        _ => None,
    })
}

fn end(b: &mut Bench) {
    let apply = b.session.state().applies().values().find(|a| a.status.is_open()).unwrap().id;
    b.input(Input::RevertEnded { apply, result: Ok(true) }).unwrap();
}

/// Two changes, the last of which was taken back.
fn undone() -> Bench {
    let mut b = Bench::new();
    writes(&mut b, "a.txt");
    writes(&mut b, "b.txt");
    b.say("/undo");
    end(&mut b);
    assert_eq!(b.session.state().ledger().len(), 1);
    b
}

const BACK: &[&str] = &[
    "put it back",
    "no, put it back",
    "bring it back",
    "undo the undo",
    "actually keep it",
    "reapply it",
    "put the last change back",
    "put b.txt back",
    "redo",
    "redo that",
    "redo it",
    "/redo",
    "/unundo",
];

#[test]
fn after_an_undo_words_put_back_what_was_taken_and_take_nothing_else() {
    for line in BACK {
        let mut b = undone();
        assert!(b.session.foretell(line).does(&Deed::PutsBack), "{line}: {:?}", b.session.foretell(line));
        b.say(line);
        assert_eq!(reverting(&b), Some((vec!["b.txt".to_owned()], true)), "{line}");
        end(&mut b);
        assert_eq!(b.session.state().ledger().len(), 2, "{line}");
        assert!(b.notices().pop().unwrap().starts_with("Put back the change to b.txt"), "{line}");
    }
}

#[test]
fn the_same_after_an_undo_by_hunks() {
    for line in BACK.iter().filter(|line| !line.contains("b.txt")) {
        let mut b = formatted(pilothouse_core::tool::Doubt::default());
        offered(&mut b);
        decide(&mut b, 0, Decision::Taken);
        decide(&mut b, 1, Decision::Left);
        b.approve_all(None).unwrap();
        b.write();
        let picked = *b.session.state().ledger().last().unwrap();
        assert!(b.session.foretell(line).does(&Deed::PutsBack), "{line}: {:?}", b.session.foretell(line));
        b.say(line);
        let going = b.session.state().applies().values().find(|a| a.status.is_open()).map(|a| a.id);
        assert_eq!(going, Some(picked), "{line}");
        end(&mut b);
        assert_eq!(b.session.state().ledger().len(), 1, "{line}");
        assert!(b.notices().pop().unwrap().starts_with("Put back"), "{line}: {:?}", b.notices());
    }
}

#[test]
fn redo_is_the_plans_again_once_something_else_was_done() {
    let mut b = undone();
    b.say("what is in a.txt?");
    b.reply("a greeting", &[]);
    b.say("/redo");
    assert_eq!(reverting(&b), None);
    assert!(b.session.state().open.values().any(|c| is_plan(&c.kind)));
}

#[test]
fn what_names_another_file_gives_nothing_back() {
    let mut b = undone();
    b.say("put README.md back");
    assert_eq!(reverting(&b), None);
    assert_eq!(b.session.state().ledger().len(), 1);
}

#[test]
fn words_that_only_point_give_nothing_back_once_something_else_may_be_meant() {
    let lines = ["no, keep it", "actually keep it", "put it back", "apply it again", "put everything back"];
    for line in lines {
        // Talk came after it, and ends with an offer.
        let mut b = undone();
        b.say("what is in a.txt?");
        b.reply("A greeting, and nothing uses it. Shall I remove it?", &[]);
        drop(b.input(Input::say(line)));
        assert_eq!(reverting(&b), None, "{line}");
        // A question waits.
        let mut b = undone();
        b.say("!rm -rf /etc/x");
        assert!(b.session.state().newest_question().is_some());
        drop(b.input(Input::say(line)));
        assert_eq!(reverting(&b), None, "{line}");
    }
    let mut b = undone();
    b.say("what is in a.txt?");
    b.reply("a greeting", &[]);
    let why = b.input(Input::say("put it back")).unwrap_err().to_string();
    assert!(why.contains("what was said since") && why.contains("/unundo"), "{why}");
    // By its name it comes back at any time.
    b.say("put b.txt back");
    assert_eq!(reverting(&b), Some((vec!["b.txt".to_owned()], true)));
    // Of two that were undone "everything" is not one.
    let mut b = undone();
    b.say("/undo");
    end(&mut b);
    drop(b.input(Input::say("put everything back")));
    assert_eq!(reverting(&b), None);
}

#[test]
fn where_all_was_taken_back_another_undo_is_told_that_nothing_is_left() {
    for line in ["undo that", "revert that", "undo the last change", "undo everything"] {
        let mut b = Bench::new();
        writes(&mut b, "a.txt");
        b.say("/undo");
        end(&mut b);
        b.say(line);
        let told = b.notices().last().cloned().unwrap();
        assert!(b.session.state().lanes.is_empty(), "{line}: no model is asked");
        assert_eq!(
            told, "this session has no applied change left to take back; /unundo puts the last one back",
            "{line}"
        );
    }
}
