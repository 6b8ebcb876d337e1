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
fn mistakes_are_named_with_line_and_column() {
    for (file, line, column, says) in [
        ("[anywhere]\npalette = \"hyper-p\"\n", 2, 11, "no key is called \"hyper-p\""),
        ("[anywhere]\n  palete = \"f2\"\n", 2, 3, "has no action \"palete\""),
        ("[cellar]\nx = \"f2\"\n", 1, 2, "no place is called \"cellar\""),
        ("[anywhere]\nhelp = [\"f5\", 7]\n", 2, 15, "keys are a text"),
        ("[anywhere]\nhelp = \"ctrl-p\"\n", 2, 8, "already means \"palette\""),
        ("[anywhere]\nhelp = \"ctrl-t y\"\n", 2, 8, "already means \"plan\""),
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
