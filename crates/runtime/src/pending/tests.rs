#![allow(clippy::unwrap_used)]

use std::fs;

use pilothouse_core::intent::{Control, IntentNode, QuerySub};

use super::*;

fn suggest(p: &Pending, text: &str) -> bool {
    let path = IntentPath::to(IntentNode::Modify);
    p.suggest(text, &Turn::PlanNew(None), &path, Exemplars::builtin()).unwrap()
}

#[test]
fn what_is_no_file_in_its_place_is_not_waited_for() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("exemplars.pending.yaml");
    let kind = rustix::fs::FileType::Fifo;
    rustix::fs::mknodat(rustix::fs::CWD, &path, kind, rustix::fs::Mode::RWXU, 0).unwrap();
    let pending = Pending::at(&path, &Secrets::default());
    let to = IntentPath::to(IntentNode::Modify);
    let why = pending.suggest("give it a polish", &Turn::PlanNew(None), &to, Exemplars::builtin());
    assert!(why.unwrap_err().contains("it is not a regular file"));
}

#[test]
fn a_phrase_is_suggested_once_and_can_be_moved_as_it_stands() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("config/exemplars.pending.yaml");
    let pending = Pending::at(&path, &Secrets::default());
    assert!(suggest(&pending, "give the thing a polish"));
    assert!(!suggest(&pending, "Give the thing  a polish!"));
    let known = Exemplars::builtin().entries().first().unwrap().phrase.clone();
    assert!(!suggest(&pending, &known), "{known}");
    assert!(!suggest(&pending, "two\nlines") && !suggest(&pending, &"word ".repeat(60)));
    let cancel = Turn::Control(Control::Cancel);
    assert!(
        pending.suggest("hold it right there", &cancel, &IntentPath::root(), &Exemplars::default()).unwrap()
    );
    let text = fs::read_to_string(&path).unwrap();
    let set = Exemplars::parse(&text).unwrap();
    let all: Vec<_> = set.iter().collect();
    assert!(all.contains(&("leaves", "modify", "give the thing a polish")), "{text}");
    assert!(all.contains(&("sub", "control.cancel", "hold it right there")), "{text}");
    assert!(text.starts_with("# Phrases that the model resolved."));
}

#[test]
fn a_phrase_stands_under_the_intent_that_it_was_resolved_to_last_and_under_no_other() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("p.yaml");
    let pending = Pending::at(&path, &Secrets::default());
    let query = Turn::Query(Some(QuerySub::Summary));
    for (turn, node) in [(&Turn::PlanNew(None), IntentNode::Modify), (&query, IntentNode::Read)] {
        let path = IntentPath::to(node);
        assert!(pending.suggest("the wording stuff", turn, &path, &Exemplars::default()).unwrap());
    }
    let set = Exemplars::parse(&fs::read_to_string(&path).unwrap()).unwrap();
    let mut all: Vec<_> = set.iter().map(|(section, name, _)| (section, name)).collect();
    all.sort_unstable();
    assert_eq!(all, [("leaves", "read"), ("primary", "query"), ("sub", "query.summary")]);
}

#[test]
fn secrets_do_not_reach_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("p.yaml");
    let pending = Pending::at(&path, &Secrets::default());
    assert!(!suggest(&pending, "put sk-proj-4f8Qz1LmN7xT2vB9cR3kW6yH5jD0aG where it belongs"));
    assert!(!path.exists());
}

#[test]
fn the_file_stays_small_and_a_broken_one_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("p.yaml");
    let pending = Pending::at(&path, &Secrets::default());
    for n in 0..MOST {
        suggest(&pending, &format!("do thing number {n} of the many"));
    }
    let set = Exemplars::parse(&fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!(set.entries().len(), MOST);
    assert!(set.exact("do thing number 299 of the many").count() == 2);
    fs::write(&path, "leaves:\n  oops\n").unwrap();
    let path_of = IntentPath::to(IntentNode::Modify);
    let e = pending.suggest("another one", &Turn::PlanNew(None), &path_of, Exemplars::builtin()).unwrap_err();
    assert!(e.contains("p.yaml:2:"), "{e}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "leaves:\n  oops\n");
}
