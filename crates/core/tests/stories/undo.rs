//! Changes taken back in part, and several of them that stop half way.

use pilothouse_core::{
    blob::BlobId,
    checkpoint::{Answer, CheckpointKind},
    ids::{ApplyId, CallId},
    input::{Input, Rebased, Reversal, WriteFault},
    question::UndoAnswer,
    relpath::RelPath,
    session::{Deed, Session},
    tool::{Doubt, ProposalDraft, Redraft, Wrote},
    work::Work,
};

use crate::{
    changes::{going_back, is_undo, since_a_message, went_back},
    support::*,
};

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
        Rebased { proposal: f.proposal, redraft: Redraft { draft, same: Vec::new() }, meets: Vec::new() }
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
    b.input(Input::RevertEnded { apply, result: Ok(true) }).unwrap();
}

#[test]
fn what_a_take_back_does_not_name_stays_in_the_ledger() {
    let mut b = two_files_back();
    let whole = b.session.state().ledger()[0];
    let all: Vec<_> =
        b.session.state().open_proposals().map(|p| (p.id, p.path.to_string(), p.shown())).collect();
    let named =
        |path: &str| all.iter().find(|(_, p, _)| p == path).map(|(id, _, shown)| (*id, *shown)).unwrap();
    b.input(Input::Apply { proposals: vec![named("a.txt")], word: None, rest: false }).unwrap();
    b.write();
    b.input(Input::Skip { proposals: vec![named("b.txt").0], reason: String::new() }).unwrap();
    let (ledger, undone) = (b.session.state().ledger().to_vec(), b.session.state().undone().to_vec());
    assert_eq!((ledger.as_slice(), paths(&b, &ledger)), (&[whole][..], vec!["b.txt".to_owned()]));
    assert_eq!(paths(&b, &undone), ["a.txt"]);
    assert!(undone[0] != whole, "the part stands by itself");
    let told = b.notices().into_iter().find(|n| n.starts_with("Took back")).unwrap();
    assert!(
        told.contains("the change to a.txt") && told.ends_with("Still in place from that change: b.txt."),
        "{told}"
    );
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

#[test]
fn what_was_taken_back_before_one_that_fails_is_told() {
    let (mut b, _, since) = since_a_message();
    b.input(Input::UndoTo { to: since[0], last: since[2] }).unwrap();
    went_back(&mut b, Ok(true));
    b.answer(is_undo, UndoAnswer::All.given()).unwrap();
    went_back(&mut b, Ok(true));
    let fault = WriteFault { message: "a is another".into(), stale: true, rebased: Vec::new() };
    went_back(&mut b, Err(fault));
    assert_eq!(going_back(&b), None);
    let told = b.notices().pop().unwrap();
    assert_eq!(told, "Took back 2 changes: 1 file by `touch c`, 2 files by `make b`; the rest stays.");
    // Another one is another.
    b.input(Input::Undo).unwrap();
    went_back(&mut b, Ok(true));
    assert!(b.notices().pop().unwrap().starts_with("Took back the change to 1 file by `touch a`"));
}

#[test]
fn a_question_that_another_takes_the_place_of_tells_what_was_taken_back() {
    let (mut b, _, since) = since_a_message();
    b.input(Input::UndoTo { to: since[0], last: since[2] }).unwrap();
    went_back(&mut b, Ok(true));
    b.input(Input::Undo).unwrap();
    assert!(b.notices().contains(&"Took back 1 change: 1 file by `touch c`; the rest stays.".to_owned()));
    b.answer(is_undo, UndoAnswer::Leave.given()).unwrap();
    assert_eq!(b.notices().pop().unwrap(), "Nothing was taken back.");
}

/// A run that wrote one file.
fn ran(b: &mut Bench, goal: &str, path: &str, old: &str, new: &str) -> ApplyId {
    b.say(goal);
    b.plan(&[("Fix it", "modify")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("", &[("edit", edit_of(path))]);
    b.propose(path, old, new);
    b.reply("done", &[]);
    b.approve_all(None).unwrap();
    b.write();
    *b.session.state().ledger().last().unwrap()
}

/// Three runs: two of one file, one of two files of the same name but for the folder.
fn ran_thrice() -> (Bench, [ApplyId; 3]) {
    let mut b = Bench::new();
    let first = ran(&mut b, "fix the greeting", "README.md", OLD, NEW);
    let second = ran(&mut b, "fix the parser", "lib/parse.js", OLD, NEW);
    let third = ran(&mut b, "move the greeting to the end", "README.md", NEW, "1\n2\nfour\n");
    (b, [first, second, third])
}

/// The file that is looked at to be taken back.
fn sought(b: &Bench) -> Option<String> {
    b.session.pending().into_values().find_map(|w| match w {
        Work::TakeBack { files, .. } => files.first().map(|f| f.path.to_string()),
        _ => None,
    })
}

#[test]
fn lines_that_a_later_run_changed_again_are_not_put_back_before_that_is_taken_back() {
    for (meets, offered) in [(true, false), (false, true)] {
        let (mut b, [first, ..]) = ran_thrice();
        let path = RelPath::new("README.md").unwrap();
        b.input(Input::UndoFile { path, writes: vec![first] }).unwrap();
        let lane = b.session.pending().into_values().find_map(|w| match w {
            Work::TakeBack { lane, .. } => Some(lane),
            _ => None,
        });
        let draft = proposing("README.md", "1\n2\nfour\n", OLD).proposals.remove(0);
        let result = Ok(Reversal { draft, meets: met(meets) });
        b.input(Input::TakeBackMade { lane: lane.unwrap(), result }).unwrap();
        assert_eq!(b.session.state().open_proposals().count() == 1, offered, "{:?}", b.notices());
        assert!(!b.session.state().is_taking_back());
        let told = "Nothing was taken back: a later run in this session, \"move the greeting to the end\", changed the same lines of README.md. Take that back first (/undo README.md), then this.";
        assert_eq!(b.notices().iter().any(|n| n == told), !offered, "{:?}", b.notices());
    }
}

#[test]
fn words_take_back_what_was_written_to_a_file_by_the_name_that_they_call_it() {
    for (line, file) in [
        ("revert only the README", "README.md"),
        ("put README.md back as it was", "README.md"),
        ("undo README.md but keep the rest", "README.md"),
        ("take the README change back", "README.md"),
        ("undo parse.js", "lib/parse.js"),
        ("/undo readme", "README.md"),
    ] {
        let (mut b, _) = ran_thrice();
        b.say(line);
        assert_eq!(sought(&b).as_deref(), Some(file), "{line}: {:?}", b.notices());
    }
    // Nothing of that name was written: it is an order like any other.
    let (mut b, _) = ran_thrice();
    b.say("revert only the CHANGELOG");
    assert_eq!(sought(&b), None);
    assert!(!b.names().iter().any(|n| n == "revert_started"));
    // Two of that name: which is to be said.
    let (mut b, _) = ran_thrice();
    ran(&mut b, "fix the tests", "test/parse.js", OLD, NEW);
    b.say("undo parse.js");
    let told = b.notices().pop().unwrap();
    assert_eq!(told, "parse.js could be lib/parse.js or test/parse.js; say which: /undo lib/parse.js");
}

#[test]
fn several_changes_that_one_word_takes_back_come_back_by_one_and_name_each_file_once() {
    let (mut b, [first, second, third]) = ran_thrice();
    assert!(b.session.foretell("undo the last two changes").does(&Deed::UndoesSeveral));
    b.say("undo the last two changes");
    went_back(&mut b, Ok(true));
    went_back(&mut b, Ok(true));
    assert_eq!(b.session.state().ledger(), [first]);
    b.say("undo the last 4 changes");
    assert!(b.notices().pop().unwrap().contains("only 1 change"), "{:?}", b.notices());
    b.input(Input::Redo).unwrap();
    end(&mut b);
    end(&mut b);
    assert_eq!(b.session.state().ledger(), [first, second, third]);
    let put = "Put back 2 changes: README.md, lib/parse.js; /undo takes the last of them back again.";
    assert_eq!(b.notices().pop().unwrap(), put);
    // Everything goes after a question, and a no leaves all.
    b.say("revert everything you did");
    assert_eq!(going_back(&b), None);
    let asked = b.session.state().open[&b.question(is_undo)].message.clone();
    assert_eq!(asked, "Take back all 3 changes of this session: README.md, lib/parse.js?");
    b.say("no");
    assert_eq!(b.session.state().ledger().len(), 3);
    b.say("revert everything you did");
    b.say("yes");
    for _ in 0..3 {
        went_back(&mut b, Ok(true));
    }
    let told = b.notices().pop().unwrap();
    assert_eq!(told, "Took back 3 changes: README.md, lib/parse.js; /unundo puts them back.");
    b.input(Input::Redo).unwrap();
    for _ in 0..3 {
        end(&mut b);
    }
    assert_eq!(b.session.state().ledger(), [first, second, third]);
    // What was taken back alone comes back alone.
    b.say("undo that");
    went_back(&mut b, Ok(true));
    b.input(Input::Undo).unwrap();
    went_back(&mut b, Ok(true));
    b.input(Input::Redo).unwrap();
    end(&mut b);
    assert_eq!((b.session.state().ledger(), reverting(&b).len()), (&[first, second][..], 0));
}

#[test]
fn a_yes_to_what_may_be_somebody_else_s_is_none_to_taking_everything_back() {
    let (mut b, ..) = ran_thrice();
    let doubt = Doubt { names: vec!["x.txt".into()], count: 1, all: false };
    let wrote = Wrote { count: 2, record: Some(BlobId::of(b"r")), doubt, ..Wrote::default() };
    b.input(Input::Recovered { call: CallId(900), line: "make".into(), wrote: Box::new(wrote) }).unwrap();
    b.say("undo everything");
    let asks_of = |b: &Bench, all: bool| {
        let mut kinds = b.session.state().open.values().map(|c| &c.kind);
        kinds.any(|kind| matches!(kind, CheckpointKind::UndoAll(_)) == all && kind.takes_back())
    };
    assert!(asks_of(&b, true) && !asks_of(&b, false), "a question of its own kind");
    let asked = |b: &Bench| b.session.state().open[&b.question(is_undo)].message.clone();
    assert!(asked(&b).starts_with("Take back all 4 changes of this session: "), "{}", asked(&b));
    b.say("yes");
    assert_eq!(going_back(&b), None, "what may be somebody else's is asked about as ever");
    assert!(asks_of(&b, false) && !asks_of(&b, true));
    assert!(asked(&b).starts_with("Take back 2 files by `make`? x.txt was changed"), "{}", asked(&b));
    b.answer(is_undo, UndoAnswer::Keep.given()).unwrap();
    for _ in 0..4 {
        went_back(&mut b, Ok(true));
    }
    assert_eq!(b.session.state().ledger(), []);
}

#[test]
fn a_later_run_is_named_only_where_the_lines_can_be_nobody_else_s() {
    let (mut b, [first, ..]) = ran_thrice();
    let path = RelPath::new("README.md").unwrap();
    b.input(Input::UndoFile { path, writes: vec![first] }).unwrap();
    let lane = b.session.pending().into_values().find_map(|w| match w {
        Work::TakeBack { lane, .. } => Some(lane),
        _ => None,
    });
    // An editor wrote the line after the last run did.
    let draft = proposing("README.md", "1\n2\nfive\n", OLD).proposals.remove(0);
    let result = Ok(Reversal { draft, meets: met(true) });
    b.input(Input::TakeBackMade { lane: lane.unwrap(), result }).unwrap();
    assert_eq!(b.session.state().open_proposals().count(), 1, "{:?}", b.notices());
}

#[test]
fn a_file_that_is_named_letter_by_letter_is_that_one() {
    for name in ["Makefile", "makefile"] {
        let mut b = Bench::new();
        ran(&mut b, "fix the greeting", "makefile", OLD, NEW);
        ran(&mut b, "fix the parser", "Makefile", OLD, NEW);
        b.say(&format!("/undo {name}"));
        assert_eq!(sought(&b).as_deref(), Some(name), "{:?}", b.notices());
    }
}

/// A plan of two steps, each of which wrote a file, and a review of its own for each.
fn two_steps() -> (Bench, [ApplyId; 2]) {
    let mut b = Bench::new();
    b.say("fix the greeting");
    b.plan(&[("Fix it", "modify"), ("Say it", "modify")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    for path in ["src/greet.py", "README.md"] {
        b.reply("", &[("edit", edit_of(path))]);
        b.propose(path, OLD, NEW);
        b.reply("done", &[]);
        b.approve_all(None).unwrap();
        b.write();
    }
    let ledger = b.session.state().ledger().to_vec();
    (b, [ledger[0], ledger[1]])
}

#[test]
fn words_take_back_what_a_step_wrote_and_the_file_at_a_place() {
    // Nothing was written since: it goes as the last change does.
    for line in ["undo step 2", "revert the last step, keep the rest", "- take back what step 2 did, please"]
    {
        let (mut b, [first, second]) = two_steps();
        assert!(b.session.foretell(line).does(&Deed::Undoes), "{line}");
        b.say(line);
        assert_eq!(going_back(&b), Some(second), "{line}: {:?}", b.notices());
        went_back(&mut b, Ok(true));
        assert_eq!(b.session.state().ledger(), [first]);
    }
    // Another step wrote since: its file is looked at to be taken back.
    for (line, file) in [
        ("undo step 1", "src/greet.py"),
        ("mach den ersten Schritt rückgängig", "src/greet.py"),
        // A file has the place that it has in every list: by path.
        ("undo the second file", "src/greet.py"),
        ("undo the first file", "README.md"),
    ] {
        let (mut b, _) = two_steps();
        b.say(line);
        assert_eq!((sought(&b).as_deref(), going_back(&b)), (Some(file), None), "{line}");
    }
    let (mut b, _) = two_steps();
    b.say("undo steps 1 and 2");
    went_back(&mut b, Ok(true));
    went_back(&mut b, Ok(true));
    assert_eq!(b.session.state().ledger(), []);
    // No step or file stands at that place: it is an order like any other.
    for line in ["undo step 3", "undo the third file", "undo step 2 and do it with a loop"] {
        let (mut b, _) = two_steps();
        assert!(!b.session.foretell(line).does(&Deed::Undoes), "{line}");
        b.say(line);
        assert_eq!((sought(&b), going_back(&b)), (None, None), "{line}");
    }
    // A plan that waits has steps of its own.
    let (mut b, _) = two_steps();
    b.say("fix the parser");
    b.plan(&[("Parse", "modify"), ("Test it", "modify")], &[]);
    assert!(!b.session.foretell("undo step 2").does(&Deed::Undoes));
}

#[test]
fn a_step_of_several_files_between_others_says_how_each_goes_back() {
    let mut b = Bench::new();
    b.say("fix the greeting");
    b.plan(&[("Fix it", "modify"), ("Say it", "modify")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    for paths in [&["src/greet.py", "src/main.py"][..], &["README.md"]] {
        for path in paths {
            b.reply("", &[("edit", edit_of(path))]);
            b.propose(path, OLD, NEW);
        }
        b.reply("done", &[]);
        b.approve_all(None).unwrap();
        b.write();
    }
    b.say("undo step 1");
    assert_eq!((sought(&b), going_back(&b)), (None, None));
    let told = b.notices().pop().unwrap();
    assert_eq!(
        told,
        "it wrote 2 files along with other changes: take them back one by one, /undo src/greet.py, /undo src/main.py"
    );
}

#[test]
fn a_name_means_the_nearest_of_what_was_written() {
    let wrote = |paths: &[&str], line: &str| {
        let mut b = Bench::new();
        for path in paths {
            ran(&mut b, "fix the greeting", path, OLD, NEW);
        }
        b.say(line);
        sought(&b)
    };
    let index = &["src/index.test.ts", "src/index.ts"][..];
    assert_eq!(wrote(index, "/undo index").as_deref(), Some("src/index.ts"));
    assert_eq!(wrote(index, "/undo index.test").as_deref(), Some("src/index.test.ts"));
    assert_eq!(wrote(&["src/index.test.ts"], "revert only the index").as_deref(), Some("src/index.test.ts"));
}

#[test]
fn what_was_already_as_before_is_not_told_as_taken_back() {
    let mut b = crate::commit::written();
    let told = |b: &mut Bench, way: Input| {
        b.input(way).unwrap();
        let apply = b.session.state().applies().values().find(|a| a.status.is_open()).unwrap().id;
        b.input(Input::RevertEnded { apply, result: Ok(false) }).unwrap();
        b.notices().last().unwrap().clone()
    };
    assert_eq!(told(&mut b, Input::Undo), "a.txt is already as it was before; /unundo puts it back.");
    assert!(b.session.state().ledger().is_empty(), "the next one is the one before it");
    assert_eq!(told(&mut b, Input::Redo), "a.txt already has the change; /undo takes it back again.");
    assert!(Session::replay(&b.log) == b.session);
}
