//! Tests of keymap files and of the search from keys to actions.

#![allow(clippy::unwrap_used, clippy::panic)]

use super::*;

fn chords(text: &str) -> Vec<Chord> {
    text.split(' ').map(|k| Chord::parse(k).unwrap()).collect()
}

fn found(map: &Keymap, place: Place, keys: &str) -> Found {
    map.find(&[place, Place::Anywhere], &chords(keys))
}

#[test]
fn the_shipped_file_is_good() {
    let map = file::read(STANDARD, None).unwrap_or_else(|e| panic!("{e}"));
    assert!(map.bindings.len() > 50);
}

#[test]
fn keys_find_their_action_and_prefixes_wait() {
    let map = Keymap::standard();
    assert_eq!(found(&map, Place::Composer, "ctrl-p"), Found::Action(Action::Frame(frame::Action::Palette)));
    assert_eq!(found(&map, Place::Composer, "ctrl-x"), Found::Prefix);
    assert_eq!(found(&map, Place::Composer, "ctrl-x d"), Found::Action(Action::Frame(frame::Action::Diff)));
    assert_eq!(found(&map, Place::Composer, "ctrl-x ctrl-x"), Found::Nothing);
    assert_eq!(found(&map, Place::Composer, "y"), Found::Nothing);
    assert_eq!(found(&map, Place::Approvals, "y"), Found::Action(Action::Approvals(approvals::Action::Once)));
}

#[test]
fn the_users_file_rebinds_and_the_rest_stays() {
    let map =
        Keymap::with("leader = \"ctrl-space\"\n[anywhere]\npalette = [\"f2\", \"leader p\"]\n").unwrap();
    let palette = Found::Action(Action::Frame(frame::Action::Palette));
    assert_eq!(found(&map, Place::Composer, "f2"), palette);
    assert_eq!(found(&map, Place::Composer, "ctrl-space p"), palette);
    assert_eq!(found(&map, Place::Composer, "ctrl-p"), Found::Nothing);
    assert_eq!(
        found(&map, Place::Composer, "ctrl-space d"),
        Found::Action(Action::Frame(frame::Action::Diff))
    );
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
    let after = map.after(&[Place::Anywhere], &chords("ctrl-x"));
    assert!(after.contains(&("a".to_owned(), Action::Frame(frame::Action::Approvals))));
    assert_eq!(map.key(Action::Frame(frame::Action::Diff)).as_deref(), Some("Ctrl-X d"));
}

#[test]
fn names_of_actions_are_unique_in_their_place() {
    for place in Place::ALL {
        let mut names: Vec<_> = place.actions().into_iter().map(Action::name).collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all, "{place:?}");
    }
}
