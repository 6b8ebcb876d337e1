//! Tests of keymap files and of the search from keys to actions.

#![allow(clippy::unwrap_used, clippy::panic)]

use super::*;
use crate::{
    overlay::{self, approvals},
    pane,
};

fn chords(text: &str) -> Vec<Chord> {
    text.split(' ').map(|k| Chord::parse(k).unwrap()).collect()
}

fn found(map: &Keymap, table: &str, keys: &str) -> Found {
    map.find(&[table, ANYWHERE], &chords(keys))
}

#[test]
fn the_shipped_file_is_good() {
    let map = file::read(STANDARD, None).unwrap_or_else(|e| panic!("{e}"));
    assert!(map.bindings.len() > 50);
}

#[test]
fn keys_find_their_action_and_prefixes_wait() {
    let map = Keymap::standard();
    assert_eq!(found(&map, "composer", "ctrl-p"), Found::Action(overlay::palette::KIND.action()));
    assert_eq!(found(&map, "composer", "ctrl-x"), Found::Prefix);
    assert_eq!(found(&map, "composer", "ctrl-x d"), Found::Action(pane::diff::KIND.toggle()));
    assert_eq!(found(&map, "composer", "ctrl-x ctrl-x"), Found::Nothing);
    assert_eq!(found(&map, "composer", "y"), Found::Nothing);
    assert_eq!(found(&map, "approvals", "y"), Found::Action(approvals::Action::Once.into()));
}

#[test]
fn the_users_file_rebinds_and_the_rest_stays() {
    let map =
        Keymap::with("leader = \"ctrl-space\"\n[anywhere]\npalette = [\"f2\", \"leader p\"]\n").unwrap();
    let palette = Found::Action(overlay::palette::KIND.action());
    assert_eq!(found(&map, "composer", "f2"), palette);
    assert_eq!(found(&map, "composer", "ctrl-space p"), palette);
    assert_eq!(found(&map, "composer", "ctrl-p"), Found::Nothing);
    assert_eq!(found(&map, "composer", "ctrl-space d"), Found::Action(pane::diff::KIND.toggle()));
    assert_eq!(map.yours().count(), 2);
}

#[test]
fn a_key_that_ships_gives_way_to_the_users_file_and_the_rest_of_that_holds() {
    let plan = |action: pane::plan::PlanAction| Found::Action(action.into());
    let map = Keymap::with("[plan]\npause = \"q\"\nremove = \"v\"\napprove = \"f9\"\n").unwrap();
    assert_eq!(found(&map, "plan", "q"), plan(pane::plan::PlanAction::Pause));
    assert_eq!(found(&map, "plan", "v"), plan(pane::plan::PlanAction::Remove));
    assert_eq!(found(&map, "plan", "f9"), plan(pane::plan::PlanAction::Approve));
    assert_eq!(found(&map, "plan", "b"), Found::Nothing);
    assert_ne!(found(&map, "diff", "q"), Found::Nothing, "another place keeps its own");
    let told = map.given_up().unwrap();
    assert!(told.contains("q in plan is pause, not back"), "{told}");
    assert!(told.contains("v in plan is remove, not earlier"), "{told}");
    // What begins a longer key, and what a longer key begins with.
    let prefix = Keymap::with("[plan]\napprove = \"d\"\n[anywhere]\nhelp = \"ctrl-t y\"\n").unwrap();
    assert_eq!(found(&prefix, "plan", "d"), plan(pane::plan::PlanAction::Approve));
    let told = prefix.given_up().unwrap();
    assert!(told.ends_with("d d in plan is approve, not remove"), "{told}");
    assert!(told.contains("Ctrl-T in anywhere is help, not plan, which has no key now"), "{told}");
    assert_eq!(Keymap::with("[plan]\napprove = \"f9\"\n").unwrap().given_up(), None);
}

#[test]
fn mistakes_are_named_with_line_and_column() {
    for (file, line, column, says) in [
        ("[anywhere]\npalette = \"hyper-p\"\n", 2, 11, "no key is called \"hyper-p\""),
        ("[anywhere]\n  palete = \"f2\"\n", 2, 3, "has no action \"palete\""),
        ("[cellar]\nx = \"f2\"\n", 1, 2, "no place is called \"cellar\""),
        ("[anywhere]\nhelp = [\"f5\", 7]\n", 2, 15, "keys are a text"),
        ("[anywhere]\nhelp = \"f7\"\npalette = \"f7\"\n", 3, 11, "already means \"help\""),
        ("[anywhere]\nhelp = \"f7\"\npalette = \"f7 y\"\n", 3, 11, "already means \"help\""),
        ("[anywhere]\nhelp = \"\"\n", 2, 8, "a key is missing"),
        ("leader = \"xx\"\n", 1, 10, "no key is called"),
        ("anywhere = 3\n", 1, 1, "is no table"),
        ("[anywhere\n", 1, 10, ""),
    ] {
        let error = Keymap::with(file).unwrap_err();
        assert!(error.message.contains(says), "{file:?}: {error}");
        assert_eq!((error.line, error.column), (line, column), "{file:?}: {error}");
    }
}

#[test]
fn what_can_follow_the_leader_is_known() {
    let map = Keymap::standard();
    let after = map.after(&[ANYWHERE], &chords("ctrl-x"));
    assert!(after.contains(&("a".to_owned(), approvals::KIND.action())));
    assert_eq!(map.key(pane::diff::KIND.toggle()), Some("Ctrl-X d"));
}

#[test]
fn names_of_actions_are_unique_in_their_place() {
    for table in tables() {
        let mut names: Vec<_> = table.entries.iter().map(|e| e.name).collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all, "{}", table.name);
    }
    let mut names: Vec<_> = tables().iter().map(|t| t.name).collect();
    let all = names.len();
    names.dedup();
    assert_eq!(names.len(), all);
}
