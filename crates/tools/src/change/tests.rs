#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use std::os::unix::fs::symlink;

use pilothouse_core::{
    redact::Redactor,
    tool::{Replacement, Tool},
};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{edit::replace_all, *};
use crate::fixture::{Desk, desk, rel};

fn one(path: &str, old: &str, new: &str) -> Value {
    json!({"path": path, "edits": [{"old": old, "new": new}]})
}

/// Likewise, wherever it stands.
fn every(path: &str, old: &str, new: &str) -> Value {
    json!({"path": path, "edits": [{"old": old, "new": new, "all": true}]})
}

fn after(d: &mut Desk, args: Value) -> Vec<u8> {
    let got = d.call(Tool::Edit, args).unwrap();
    got.proposals[0].after.as_ref().unwrap().bytes().to_vec()
}

#[test]
fn an_edit_is_a_proposal_and_writes_nothing() {
    let mut d = desk(&[("src/f", b"a\nb\nc\n")]);
    let world = d.world();
    let got = d.call(Tool::Edit, one("src/f", "b", "B")).unwrap();
    let draft = &got.proposals[0];
    assert_eq!((draft.path.as_str(), draft.kind), ("src/f", ChangeKind::Modify));
    assert_eq!(draft.before.as_ref().unwrap().bytes(), b"a\nb\nc\n");
    assert_eq!(draft.after.as_ref().unwrap().bytes(), b"a\nB\nc\n");
    assert_eq!(draft.hunks, diff::hunks(b"a\nb\nc\n", b"a\nB\nc\n"));
    assert_eq!(got.seen, vec![(rel("src/f"), draft.before.as_ref().unwrap().id())]);
    assert!(got.text.contains("nothing is written yet"), "{}", got.text);
    assert_eq!(d.world(), world);
}

#[test]
fn a_second_edit_starts_from_the_first_and_its_before_is_the_disk() {
    let mut d = desk(&[("f", b"a\nb\n")]);
    d.call(Tool::Edit, one("f", "a", "A")).unwrap();
    let got = d.call(Tool::Edit, one("f", "b", "B")).unwrap();
    let draft = &got.proposals[0];
    assert_eq!(draft.before.as_ref().unwrap().bytes(), b"a\nb\n");
    assert_eq!(draft.after.as_ref().unwrap().bytes(), b"A\nB\n");
    let both = json!({"path": "f", "edits": [{"old": "A", "new": "a"}, {"old": "B", "new": "b"}]});
    let back = d.call(Tool::Edit, both).unwrap();
    assert!(back.text.contains("as it is on disk") && back.proposals.is_empty(), "{}", back.text);
}

#[test]
fn a_call_that_comes_to_nothing_says_what_to_do_next() {
    let mut d = desk(&[("f", b"a\n"), ("dir/x", b"x\n"), ("gone", b"g\n")]);
    symlink("nowhere", d.root.join("dangling")).unwrap();
    for path in ["f", "gone"] {
        d.text(Tool::Read, json!({"path": path}));
    }
    d.call(Tool::Delete, json!({"path": "gone"})).unwrap();
    for (tool, args, next) in [
        (Tool::Write, json!({"path": "f", "content": "a\n"}), "go on"),
        (Tool::Write, json!({"path": "dir", "content": "a\n"}), "the path of a file"),
        (Tool::Edit, one("f", "a", "a"), "Give in new what is to stand there"),
        (Tool::Read, json!({"path": "dangling"}), "use a file that does"),
        (Tool::Read, json!({"path": "f/x"}), "list what is above it"),
        (Tool::Read, json!({"path": "gone"}), "write proposes it anew"),
    ] {
        let told = d.refused(tool, args);
        assert!(told.contains(next), "{tool:?}: {told}");
    }
}

#[test]
fn files_are_created_replaced_and_removed_as_one_hunk_or_a_diff() {
    let mut d = desk(&[("f", b"one\ntwo\n")]);
    let got = d.call(Tool::Write, json!({"path": "new/g", "content": "x\ny\n"})).unwrap();
    let draft = &got.proposals[0];
    assert_eq!((draft.kind, draft.before.is_none(), draft.hunks.len()), (ChangeKind::Create, true, 1));
    assert_eq!((draft.hunks[0].added(), draft.hunks[0].removed()), (2, 0));
    let got = d.call(Tool::Write, json!({"path": "empty", "content": ""})).unwrap();
    assert_eq!(got.proposals[0].hunks.len(), 1);
    d.text(Tool::Read, json!({"path": "f"}));
    let got = d.call(Tool::Write, json!({"path": "f", "content": "one\nzwei\n"})).unwrap();
    assert_eq!((got.proposals[0].kind, got.summary.as_str()), (ChangeKind::Modify, "+1 -1"));
    let got = d.call(Tool::Delete, json!({"path": "f"})).unwrap();
    let draft = &got.proposals[0];
    assert_eq!((draft.kind, draft.after.is_none(), draft.hunks.len()), (ChangeKind::Delete, true, 1));
    assert_eq!(draft.hunks[0].removed(), 2);
    assert!(d.refused(Tool::Delete, json!({"path": "f"})).contains("removal already"));
    assert!(d.refused(Tool::Edit, one("f", "one", "1")).contains("use write"));
    let got = d.call(Tool::Write, json!({"path": "f", "content": "back\n"})).unwrap();
    assert_eq!(got.proposals[0].kind, ChangeKind::Modify);
}

#[test]
fn a_change_that_changes_nothing_is_an_error() {
    let mut d = desk(&[("f", b"a\n")]);
    assert!(d.refused(Tool::Edit, one("f", "a", "a")).contains("change nothing"));
    assert!(d.refused(Tool::Edit, json!({"path": "f", "edits": []})).contains("empty"));
    d.text(Tool::Read, json!({"path": "f"}));
    assert!(d.refused(Tool::Write, json!({"path": "f", "content": "a\n"})).contains("already"));
    assert!(d.refused(Tool::Delete, json!({"path": "gone"})).contains("does not exist"));
}

#[test]
fn a_proposal_is_withdrawn_by_the_file_as_it_is_on_disk() {
    let mut d = desk(&[("f", b"a\nb\n")]);
    d.text(Tool::Read, json!({"path": "f"}));
    let back = |d: &mut Desk, tool, args| d.call(tool, args).unwrap().withdrawn.map(|p| p.to_string());
    d.call(Tool::Edit, one("f", "a", "A")).unwrap();
    assert_eq!(back(&mut d, Tool::Edit, one("f", "A", "a")).as_deref(), Some("f"));
    assert!(d.refused(Tool::Write, json!({"path": "f", "content": "a\nb\n"})).contains("already"));
    d.call(Tool::Edit, one("f", "b", "B")).unwrap();
    assert_eq!(back(&mut d, Tool::Write, json!({"path": "f", "content": "a\nb\n"})).as_deref(), Some("f"));
    d.call(Tool::Write, json!({"path": "g", "content": "x"})).unwrap();
    assert_eq!(back(&mut d, Tool::Delete, json!({"path": "g"})).as_deref(), Some("g"));
    d.call(Tool::Delete, json!({"path": "f"})).unwrap();
    assert_eq!(back(&mut d, Tool::Write, json!({"path": "f", "content": "a\nb\n"})).as_deref(), Some("f"));
}

#[test]
fn a_file_that_changed_since_it_was_read_is_refused_until_it_is_read_again() {
    let mut d = desk(&[("f", b"a\nb\n")]);
    d.text(Tool::Read, json!({"path": "f"}));
    d.put("f", "a\nb\nothers\n");
    for (tool, args) in
        [(Tool::Write, json!({"path": "f", "content": "x"})), (Tool::Delete, json!({"path": "f"}))]
    {
        let e = d.refused(tool, args);
        assert!(e.contains("changed since you read it; read it again"), "{e}");
    }
    let e = d.refused(Tool::Edit, every("f", "a", "A"));
    assert!(e.contains("changed since you read it, as shown below") && e.ends_with("3  others"), "{e}");
    // What it was shown of it is known.
    assert_eq!(after(&mut d, every("f", "a", "A")), b"A\nb\nothers\n");
}

#[test]
fn an_edit_of_what_stands_there_once_needs_no_reading_again() {
    let seen = || {
        let mut d = desk(&[("f", b"a\nb\n")]);
        d.text(Tool::Read, json!({"path": "f"}));
        d.put("f", "a\nothers\n");
        d
    };
    let mut d = seen();
    let got = d.call(Tool::Edit, one("f", "a", "A")).unwrap();
    let draft = &got.proposals[0];
    // Its hunks are those against the text as it is.
    assert_eq!(draft.before.as_ref().unwrap().bytes(), b"a\nothers\n");
    assert_eq!(draft.hunks, diff::hunks(b"a\nothers\n", b"A\nothers\n"));
    assert!(got.text.ends_with("\nothers changed lines 2-2:\n     2  others"), "{}", got.text);
    // What was told is known, and the next edit goes on with the first.
    assert_eq!(after(&mut d, one("f", "others", "mine")), b"A\nmine\n");
    // What stands there twice, or no more, is not certain.
    let mut d = seen();
    d.put("f", "a\na\n");
    assert!(d.refused(Tool::Edit, one("f", "a", "A")).contains("occurs 2 times"));
    assert!(seen().refused(Tool::Edit, one("f", "b", "B")).contains("does not occur"));
    let both = json!({"path": "f", "edits": [{"old": "a", "new": "A"}, {"old": "others", "new": "all", "all": true}]});
    assert!(seen().refused(Tool::Edit, both).contains("changed since you read it"));
}

#[test]
fn an_edit_that_does_not_fit_says_all_that_is_wrong_and_shows_a_short_file() {
    let mut d = desk(&[("f", b"a\nb\n"), ("long", "x\n".repeat(80).as_bytes())]);
    d.text(Tool::Read, json!({"path": "f"}));
    let edits = json!([{"old": "no", "new": "1"}, {"old": "a", "new": "A"}, {"old": "none", "new": "2"}]);
    let e = d.refused(Tool::Edit, json!({"path": "f", "edits": edits}));
    for part in ["edit 1 of 3: old does not occur", "edit 3 of 3: old does not occur", "nothing was proposed"]
    {
        assert!(e.contains(part), "{part}: {e}");
    }
    assert!(!e.contains("edit 2 of 3"), "{e}");
    assert!(e.ends_with("\nf now:\n     1  a\n     2  b"), "{e}");
    let e = d.refused(Tool::Edit, one("long", "no", "1"));
    assert!(!e.contains("long now:"), "{e}");
    // Against a proposal of its own the file on disk says nothing.
    d.call(Tool::Edit, one("f", "a", "A")).unwrap();
    assert!(!d.refused(Tool::Edit, one("f", "no", "1")).contains("f now:"));
}

#[test]
fn some_lines_read_again_open_only_those_for_an_edit() {
    let text = |first: &str, last: &str| format!("{first}\n{}{last}\nend\n", "x\n".repeat(40));
    let mut d = desk(&[("f", text("a", "b").as_bytes())]);
    d.text(Tool::Read, json!({"path": "f"}));
    d.put("f", text("others", "others too"));
    d.text(Tool::Read, json!({"path": "f", "lines": 5}));
    assert!(d.refused(Tool::Write, json!({"path": "f", "content": "x"})).contains("read it again"));
    let e = d.refused(Tool::Edit, every("f", "end", "END"));
    assert!(e.contains("changed since you read it, as shown below; propose the change anew"), "{e}");
    // What it has read since is not told again.
    assert!(e.ends_with("\nothers changed lines 42-42:\n    42  others too"), "{e}");
    let started = after(&mut d, one("f", "others\n", "mine\n"));
    assert!(started.starts_with(b"mine\nx"));
    // All that others changed was read, in two parts: it is known like any other file.
    let mut d = desk(&[("f", text("a", "b").as_bytes())]);
    d.text(Tool::Read, json!({"path": "f"}));
    d.put("f", text("others", "others too"));
    d.text(Tool::Read, json!({"path": "f", "lines": 5}));
    d.text(Tool::Read, json!({"path": "f", "from": 40, "lines": 3}));
    assert!(after(&mut d, one("f", "end", "END")).ends_with(b"END\n"));
}

#[test]
fn what_a_refusal_shows_is_seen_and_opens_the_file_for_an_edit() {
    let text = |middle: &str| format!("a\n{}{middle}\nend\n", "x\n".repeat(40));
    for at in ["others", "end"] {
        let mut d = desk(&[("f", text("b").as_bytes())]);
        d.text(Tool::Read, json!({"path": "f"}));
        d.put("f", text("others"));
        let e = d.refused(Tool::Edit, every("f", at, "mine"));
        assert!(e.contains("others changed lines 42-42:\n    42  others"), "{e}");
        let whole = d.refused(Tool::Write, json!({"path": "f", "content": "x"}));
        assert!(whole.contains("read it again"), "a whole file takes more: {whole}");
        assert!(String::from_utf8(after(&mut d, every("f", at, "mine"))).unwrap().contains("mine\n"));
    }
    // What was too long to be shown was not.
    let long = "y".repeat(5_000);
    let mut d = desk(&[("f", text("b").as_bytes())]);
    d.text(Tool::Read, json!({"path": "f"}));
    d.put("f", text(&long));
    d.refused(Tool::Edit, every("f", "end", "mine"));
    assert!(d.refused(Tool::Edit, every("f", "end", "mine")).contains("changed since you read it"));
}

#[test]
fn lines_that_others_removed_are_seen_by_reading_where_they_stood() {
    let mut d = desk(&[("f", b"a\nb\nc\nd\ne\n")]);
    d.text(Tool::Read, json!({"path": "f"}));
    d.put("f", "a\nb\nd\ne\n");
    d.text(Tool::Read, json!({"path": "f", "lines": 1}));
    assert!(d.refused(Tool::Edit, every("f", "e", "E")).contains("others changed lines 3-3"));
    d.text(Tool::Read, json!({"path": "f", "from": 2, "lines": 1}));
    assert_eq!(after(&mut d, one("f", "e", "E")), b"a\nb\nd\nE\n");
}

#[test]
fn a_whole_file_is_not_written_over_one_that_was_never_read() {
    let long = "long\n".repeat(2_000);
    let mut d =
        desk(&[("f", b"one\ntwo\n"), ("long", long.as_bytes()), ("bytes", b"\x01\xff"), ("empty", b"")]);
    for (path, then) in [
        ("f", "This is its content; edit it, or write it again:\n     1  one\n     2  two"),
        ("long", "read it first, or change it by edit"),
        ("bytes", "read it first, or change it by edit"),
    ] {
        let e = d.refused(Tool::Write, json!({"path": path, "content": "x\n"}));
        assert!(
            e.contains("exists and you have not read it; nothing was proposed") && e.ends_with(then),
            "{e}"
        );
    }
    // What was shown is known, as is what was read or proposed here; the user's own word needs no reading.
    d.text(Tool::Read, json!({"path": "long", "lines": 1}));
    for path in ["f", "long", "empty", "new"] {
        assert!(d.call(Tool::Write, json!({"path": path, "content": "x\n"})).is_ok(), "{path}");
    }
    assert!(d.call(Tool::Write, json!({"path": "new", "content": "y\n"})).is_ok());
    d.view.typed = true;
    assert!(d.call(Tool::Write, json!({"path": "bytes", "content": "x\n"})).is_ok());
}

#[test]
fn a_file_that_may_not_be_read_is_not_shown_by_writing_over_it() {
    use pilothouse_core::policy::{Origin, PathRules, Places, Policy, Rule};
    let mut d = desk(&[("f", b"canary\n")]);
    let rule = Rule::parse("ask read f", Origin::SESSION).unwrap();
    d.view.rules = PathRules::new(std::sync::Arc::new(Policy::new(vec![rule], Places::default())));
    let e = d.refused(Tool::Write, json!({"path": "f", "content": "x\n"}));
    assert!(e.contains("read it first") && !e.contains("canary"), "{e}");
}

#[test]
fn what_others_changed_in_a_file_that_was_written_here_is_named_and_shown() {
    let mut d = desk(&[("f", b"")]);
    let seen = d.store.put(b"a\nb\n");
    d.view.seen.insert(rel("f"), seen);
    d.put("f", "a\nb\nothers\n");
    let e = d.refused(Tool::Edit, every("f", "a", "A"));
    assert!(e.ends_with("others changed lines 3-3:\n     3  others"), "{e}");
    let e = d.refused(Tool::Write, json!({"path": "f", "content": "x"}));
    assert!(!e.contains("others"), "who only writes is shown nothing: {e}");
}

#[test]
fn a_proposal_over_a_file_that_changed_is_set_aside_and_never_takes_the_others_change_back() {
    let mut d = desk(&[("f", b"a\nb\n")]);
    d.call(Tool::Edit, one("f", "a", "A")).unwrap();
    d.put("f", "a\nb\nothers\n");
    assert!(d.refused(Tool::Edit, one("f", "b", "B")).contains("changed since you read it"));
    let text = d.text(Tool::Read, json!({"path": "f"}));
    assert!(text.contains("changed on disk") && text.contains("others") && text.contains("  a\n"), "{text}");
    let got = d.call(Tool::Edit, one("f", "b", "B")).unwrap();
    assert_eq!(got.proposals[0].after.as_ref().unwrap().bytes(), b"a\nB\nothers\n");
    assert!(got.text.contains("earlier proposal"), "{}", got.text);
}

#[test]
fn a_file_that_was_removed_since_it_was_read_is_stale_too() {
    let mut d = desk(&[("f", b"a\n")]);
    d.text(Tool::Read, json!({"path": "f"}));
    std::fs::remove_file(d.root.join("f")).unwrap();
    assert!(d.refused(Tool::Write, json!({"path": "f", "content": "x"})).contains("changed since"));
}

#[test]
fn lines_are_named_as_they_were_read_whatever_the_edits_before_made_of_them() {
    let mut d = desk(&[("f", b"a\nx = 1\ny\nx = 1\ntotal = compute(a, b)\n")]);
    let edits = |old: &str| {
        let first = json!({"old": "a\n", "new": "a\nb\nc\nd\n"});
        json!({"path": "f", "edits": [first, {"old": old, "new": "new"}]})
    };
    let e = d.refused(Tool::Edit, edits("x = 1"));
    assert!(e.contains("edit 2 of 2: old occurs 2 times (lines 2, 4)"), "{e}");
    let e = d.refused(Tool::Edit, edits("total = compute(a,b)"));
    assert!(e.contains("line 5"), "{e}");
}

#[test]
fn a_text_that_occurs_more_than_once_names_its_lines() {
    let mut d = desk(&[("f", b"x = 1\ny\nx = 1\n")]);
    let e = d.refused(Tool::Edit, one("f", "x = 1", "x = 2"));
    assert!(e.contains("occurs 2 times (lines 1, 3)") && e.contains("set all"), "{e}");
    let got = after(&mut d, json!({"path": "f", "edits": [{"old": "x = 1", "new": "x = 2", "all": true}]}));
    assert_eq!(got, b"x = 2\ny\nx = 2\n");
    let mut d = desk(&[("f", b"aaa")]);
    assert!(d.refused(Tool::Edit, one("f", "aa", "b")).contains("2 times"));
}

#[test]
fn a_text_that_does_not_occur_names_the_nearest_line() {
    let mut d = desk(&[("f", b"use a;\n\nfn main() {\n    let total = sum(list);\n    show(total);\n}\n")]);
    let e = d.refused(Tool::Edit, one("f", "let total = sum(items);", "x"));
    assert!(e.contains("the nearest is line 4: \"    let total = sum(list);\""), "{e}");
    let e =
        d.refused(Tool::Edit, one("f", "fn main() {\n    let total = sum(list);\n    print(total);\n", "x"));
    assert!(e.contains("the nearest is line 5"), "{e}");
    let e = d.refused(Tool::Edit, one("f", "fn main() {\n  let total = sum(list);", "x"));
    assert!(e.contains("line 4 differs only in blanks"), "{e}");
    let e = d.refused(Tool::Edit, one("f", "zzz qqq", "x"));
    assert!(e.contains("does not occur") && !e.contains("nearest"), "{e}");
}

#[test]
fn several_edits_are_all_or_nothing_and_build_on_each_other() {
    let mut d = desk(&[("f", b"a\nb\n")]);
    let e = d.refused(
        Tool::Edit,
        json!({"path": "f", "edits": [{"old": "a", "new": "A"}, {"old": "zz", "new": "y"}]}),
    );
    assert!(e.contains("edit 2 of 2") && e.contains("nothing was proposed"), "{e}");
    assert!(d.view.overlay.is_empty());
    let got = after(
        &mut d,
        json!({"path": "f", "edits": [{"old": "a", "new": "xx"}, {"old": "xx\nb", "new": "z"}]}),
    );
    assert_eq!(got, b"z\n");
}

#[test]
fn whole_words_are_told_from_parts_of_words() {
    let mut d = desk(&[("f", "count counter Écount count_x (count)\n".as_bytes())]);
    let got = after(
        &mut d,
        json!({"path": "f", "edits": [{"old": "count", "new": "n", "all": true, "whole_word": true}]}),
    );
    assert_eq!(String::from_utf8(got).unwrap(), "n counter Écount count_x (n)\n");
    let e = d.refused(
        Tool::Edit,
        json!({"path": "f", "edits": [{"old": "coun", "new": "n", "whole_word": true}]}),
    );
    assert!(e.contains("only inside others"), "{e}");
}

#[test]
fn line_endings_of_the_file_are_matched_and_kept() {
    let cases: [(&[u8], &str, &str, &[u8]); 9] = [
        (b"a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz", b"x\r\ny\r\nz\r\nc\r\n"),
        (b"a\r\nb\r\n", "a", "x\ny", b"x\r\ny\r\nb\r\n"),
        (b"a\nb\n", "a\nb\n", "x\r\ny\n", b"x\r\ny\n"),
        (b"a\r\nb\nc\n", "a\nb\nc", "x", b"x\n"),
        (b"a\r\nb\nc\n", "b\nc", "x\ny", b"a\r\nx\ny\n"),
        (b"\xef\xbb\xbfa\nb", "b", "c\n", b"\xef\xbb\xbfa\nc\n"),
        (b"a\rb\rc", "b", "x", b"a\rx\rc"),
        (b"a\nb\n", "a\r\nb", "x\ny", b"x\ny\n"),
        (b"x\x01y\xffz\n", "y", "n", b"x\x01n\xffz\n"),
    ];
    for (before, old, new, want) in cases {
        let mut d = desk(&[("f", before)]);
        assert_eq!(after(&mut d, one("f", old, new)), want, "{old:?} in {before:?}");
    }
}

#[test]
fn encodings_that_cannot_be_kept_are_refused() {
    let odd = ("odd", &b"caf\xe9\x01 a\n"[..]);
    let mut d = desk(&[("u16", b"\xff\xfea\0b"), odd, ("bin", b"x\0y\n")]);
    for (tool, args) in
        [(Tool::Edit, one("bin", "y", "z")), (Tool::Write, json!({"path": "bin", "content": "z\n"}))]
    {
        assert!(d.refused(tool, args).contains("bin is a binary file"));
    }
    assert!(d.refused(Tool::Edit, one("u16", "a", "b")).contains("UTF-16"));
    assert!(d.refused(Tool::Edit, one("odd", "a\n", "ä\n")).contains("only ASCII"));
    d.text(Tool::Read, json!({"path": "odd"}));
    let said = d.refused(Tool::Write, json!({"path": "odd", "content": "café b\n"}));
    assert!(said.contains("not UTF-8") && said.contains("with edit"), "{said}");
    assert_eq!(after(&mut d, one("odd", " a", " b")), b"caf\xe9\x01 b\n");
}

/// Bytes of a text in UTF-16 behind its mark.
fn wide(text: &str, big: bool) -> Vec<u8> {
    let bytes = |unit: u16| if big { unit.to_be_bytes() } else { unit.to_le_bytes() };
    "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(bytes).collect()
}

#[test]
fn an_edit_puts_text_in_the_encoding_of_the_file_and_leaves_all_other_bytes() {
    // Mixed ends of lines, none behind the last.
    let text = "größe 1\r\nÄ „x“\nfür 5 € ÿ\nb\rc\n\n上《Ċ";
    let (western, rest) = text.split_once('上').unwrap();
    let latin = |text: &str| -> Vec<u8> {
        let byte = |c| match c {
            '„' => 0x84,
            '“' => 0x93,
            '€' => 0x80,
            c => u8::try_from(u32::from(c)).unwrap(),
        };
        text.chars().map(byte).collect()
    };
    for (old, new) in [("b\rc", "Für 50 €"), ("größe", "weiß\nso"), ("Ä „x“\n", ""), ("x", "ÿ")] {
        let mut d = desk(&[("l", &latin(western)), ("le", &wide(text, false)), ("be", &wide(text, true))]);
        assert_eq!(after(&mut d, one("l", old, new)), latin(&western.replace(old, new)), "{old}");
        assert_eq!(after(&mut d, one("le", old, new)), wide(&text.replace(old, new), false), "{old}");
        assert_eq!(after(&mut d, one("be", old, new)), wide(&text.replace(old, new), true), "{old}");
    }
    let mut d = desk(&[("l", &latin(western)), ("be", &wide(text, true))]);
    assert_eq!(after(&mut d, one("be", rest, "🦀")), wide(&text.replace(rest, "🦀"), true));
    let told = d.refused(Tool::Edit, one("l", "größe", "größe ≥"));
    assert!(told.contains("≥ (U+2265) stands nowhere in the file"), "{told}");
    let got = d.call(Tool::Edit, one("l", "größe", "Größe")).unwrap();
    assert_eq!(got.proposals[0].notes, ["it is not UTF-8, and shown as windows-1252"]);
    let got = d.call(Tool::Edit, one("be", "größe", "Größe")).unwrap();
    assert_eq!(got.proposals[0].notes, ["it is in UTF-16, and stays so"]);
}

#[test]
fn of_a_file_that_may_be_in_another_encoding_only_bytes_that_stand_there_are_put_into_it() {
    // Czech in ISO 8859-2: "Počet řádků", where windows-1252 has ž and 8859-2 none at its byte.
    let czech = b"// Po\xe8et \xf8\xe1dk\xf9\nint n;\n";
    let mut d = desk(&[("cz.c", czech)]);
    let told = d.refused(Tool::Edit, one("cz.c", "int n;", "int n; // když"));
    assert!(told.contains("ž (U+017E) stands nowhere in the file") && told.contains("ASCII"), "{told}");
    assert!(told.contains("convert the file to UTF-8"), "{told}");
    // Also where its byte would be one of the same letters: nobody knows.
    let told = d.refused(Tool::Edit, one("cz.c", "int n;", "int n; // ü"));
    assert!(told.contains("ü (U+00FC)"), "{told}");
    d.text(Tool::Read, json!({"path": "cz.c"}));
    let told = d.refused(Tool::Write, json!({"path": "cz.c", "content": "// když\n"}));
    assert!(told.contains("ž (U+017E) stands nowhere"), "{told}");
    // What stands in it is moved as it is, also where another proposal took it away.
    let wanted = b"// \xf8\xe1d, Po\xe8et\nint n;\n";
    assert_eq!(after(&mut d, one("cz.c", "// Poèet øádkù", "// none")), b"// none\nint n;\n");
    assert_eq!(after(&mut d, one("cz.c", "// none", "// øád, Poèet")), wanted);
}

#[test]
fn the_encoding_is_that_of_the_file_whatever_was_proposed_for_it_last() {
    let latin = ("l", &b"size gr\xf6\xdfe one\n"[..]);
    let mut d = desk(&[latin]);
    assert_eq!(after(&mut d, one("l", "größe", "groesse")), b"size groesse one\n");
    assert_eq!(after(&mut d, one("l", "groesse one", "größe two")), b"size gr\xf6\xdfe two\n");
    let whole = json!({"path": "l", "content": "a größe\n"});
    let mut d = desk(&[latin]);
    after(&mut d, one("l", "größe", "groesse"));
    let got = d.call(Tool::Write, whole.clone()).unwrap();
    assert_eq!(got.proposals[0].after.as_ref().unwrap().bytes(), b"a gr\xf6\xdfe\n");
    // As well where its removal is proposed by now.
    let mut d = desk(&[latin]);
    d.call(Tool::Delete, json!({"path": "l"})).unwrap();
    let got = d.call(Tool::Write, whole).unwrap();
    assert_eq!(got.proposals[0].after.as_ref().unwrap().bytes(), b"a gr\xf6\xdfe\n");
    // And what is in none that is known stays so.
    let mut d = desk(&[("odd", b"caf\xe9\x01 a\n")]);
    let part = json!({"path": "odd", "edits": [{"old": " a", "new": " ab"}]});
    d.call(Tool::Edit, part).unwrap();
    let told = d.refused(Tool::Edit, one("odd", "ab", "ä"));
    assert!(told.contains("only ASCII"), "{told}");
    // What is left of it would be read as another text.
    let mut d = desk(&[("m", b"\xc3x\xb6 \xe9\n")]);
    let told = d.refused(Tool::Edit, one("m", "x¶ é", "¶"));
    assert!(told.contains("would be taken for another encoding"), "{told}");
}

#[test]
fn the_first_line_is_a_whole_one_behind_the_mark() {
    let mut d = desk(&[("w", &wide("one\r\ntwo", false)), ("u", "\u{feff}one\ntwo\n".as_bytes())]);
    let first =
        |path: &str| json!({"path": path, "edits": [{"old": "one\n", "new": "1\n", "whole_lines": true}]});
    assert_eq!(after(&mut d, first("w")), wide("1\r\ntwo", false));
    assert_eq!(after(&mut d, first("u")), "\u{feff}1\ntwo\n".as_bytes());
    assert!(
        d.call(Tool::Edit, json!({"path": "u", "edits": [{"old": "ne\n", "new": "", "whole_lines": true}]}))
            .is_err()
    );
}

#[test]
fn what_is_taken_of_a_change_in_another_encoding_is_whole_text_of_it() {
    let many = (0..40).fold(String::new(), |text, n| text + &format!("上 {n}\r\n"));
    for big in [false, true] {
        let before = wide(&many, big);
        let mut d = desk(&[("f", &before)]);
        let edits =
            json!({"path": "f", "edits": [{"old": "上 3\n", "new": "《\n"}, {"old": "上 30\n", "new": ""}]});
        let got = d.call(Tool::Edit, edits).unwrap();
        let draft = &got.proposals[0];
        assert_eq!(draft.hunks.len(), 2);
        let one = diff::select(&before, draft.after.as_ref().unwrap().bytes(), &draft.hunks, &[1].into());
        assert_eq!(one, wide(&many.replace("上 30\r\n", ""), big));
    }
}

#[test]
fn a_whole_content_keeps_the_form_of_the_file() {
    for (before, content, wanted, said) in [
        (&b"a\r\nb\r\n"[..], "a\nc\n", &b"a\r\nc\r\n"[..], ", with its CRLF;"),
        (b"\xef\xbb\xbfa\n", "b\n", b"\xef\xbb\xbfb\n", ", with its byte order mark;"),
        (b"\xef\xbb\xbfa\r\n", "b\n", b"\xef\xbb\xbfb\r\n", ", with its CRLF and byte order mark;"),
        (b"\xef\xbb\xbfa\n", "\u{feff}b\n", b"\xef\xbb\xbfb\n", ");"),
        (b"a\nb\r\nc\n", "x\ny\n", b"x\ny\n", ");"),
        (b"a\r\n", "x\r\ny\n", b"x\r\ny\n", ");"),
        (b"", "x\n", b"x\n", ");"),
        (
            b"caf\xe9\r\nb\r\n",
            "caf\u{e9}\nc\n",
            b"caf\xe9\r\nc\r\n",
            ", with its CRLF and encoding; it is not",
        ),
        (b"\xff\xfea\0\n\0", "b\n", b"\xff\xfeb\0\n\0", ", with its byte order mark and UTF-16;"),
    ] {
        let mut d = desk(&[("f", before)]);
        d.call(Tool::Read, json!({"path": "f"})).unwrap();
        let got = d.call(Tool::Write, json!({"path": "f", "content": content})).unwrap();
        assert_eq!(got.proposals[0].after.as_ref().unwrap().bytes(), wanted, "{content:?}");
        assert!(got.text.contains(said), "{}", got.text);
    }
}

#[test]
fn files_that_steer_git_or_the_workbench_are_read_but_never_changed() {
    let mut d = desk(&[
        (".git/config", b"[core]\n"),
        (".pilothouse/config.toml", b"x\n"),
        ("sub/.git/hooks/pre-commit", b"x\n"),
    ]);
    symlink(".git", d.root.join("g")).unwrap();
    symlink("../.git/config", d.root.join("sub/cfg")).unwrap();
    assert!(d.text(Tool::Read, json!({"path": ".git/config"})).contains("[core]"));
    let mut checked = 0;
    for path in [
        ".git/config",
        ".git/hooks/new",
        ".git",
        "./.git//config",
        ".GIT/config",
        ".Git/hooks/x",
        "g/config",
        "g/new",
        "sub/cfg",
        "sub/.git/hooks/pre-commit",
        ".pilothouse/config.toml",
        ".pilothouse/new",
        ".PILOTHOUSE/x",
        ".g\u{200c}it/config",
        ".git\u{200b}/config",
        ".git./config",
        "git~1/config",
        "x/.git/config",
    ] {
        for (tool, args) in [
            (Tool::Edit, one(path, "x", "y")),
            (Tool::Write, json!({"path": path, "content": "y"})),
            (Tool::Delete, json!({"path": path})),
        ] {
            let e = d.refused(tool, args);
            assert!(
                e.contains("steers") || e.contains("is a folder") || e.contains("is a link"),
                "{path}: {e}"
            );
            checked += 1;
        }
    }
    assert_eq!(checked, 54);
    assert!(d.call(Tool::Write, json!({"path": ".gitignore", "content": "x\n"})).is_ok());
}

#[test]
fn folders_and_links_are_not_deleted() {
    let mut d = desk(&[("dir/f", b"x")]);
    symlink("dir/f", d.root.join("l")).unwrap();
    assert!(d.refused(Tool::Delete, json!({"path": "dir"})).contains("one by one"));
    assert!(d.refused(Tool::Delete, json!({"path": "l"})).contains("is a link"));
    assert!(d.refused(Tool::Write, json!({"path": "dir", "content": ""})).contains("a folder"));
    assert!(d.refused(Tool::Write, json!({"path": ".", "content": ""})).contains("a folder"));
    let got = d.call(Tool::Edit, one("l", "x", "y")).unwrap();
    assert_eq!(got.proposals[0].path, rel("dir/f"));
}

/// Seeds of every kind of text that a file can hold.
fn seed() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(b"\n".to_vec()),
        Just(b"\r\n".to_vec()),
        Just(b"\r".to_vec()),
        Just(b"\t  ".to_vec()),
        Just(vec![0]),
        Just(b"\xef\xbb\xbf".to_vec()),
        Just("ä漢👩‍👧".as_bytes().to_vec()),
        Just(vec![0xff, 0xe9]),
        "[ab ]{0,6}".prop_map(String::into_bytes),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|v| v.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn bytes_outside_the_replaced_range_never_change(head in seed(), tail in seed(), new in "[xyz\n]{0,8}") {
        let mut content = head.clone();
        content.extend_from_slice(b"<<mark>>");
        content.extend_from_slice(&tail);
        let edit = Replacement { old: "<<mark>>".into(), new: new.clone(), all: false, whole_word: false, whole_lines: false };
        let (got, times) = replace_all(&Redactor::default(), "f", (None, &content), &[edit]).unwrap();
        prop_assert_eq!(times, 1);
        prop_assert!(got.starts_with(&head) && got.ends_with(&tail));
        let middle = String::from_utf8(got[head.len()..got.len() - tail.len()].to_vec()).unwrap();
        prop_assert_eq!(middle.replace("\r\n", "\n"), new);
    }

    #[test]
    fn a_match_over_lines_takes_the_ending_of_its_own_lines(head in seed(), tail in seed(), crlf in any::<bool>()) {
        let ending = if crlf { "\r\n" } else { "\n" };
        let mut content = head.clone();
        content.extend_from_slice(format!("<<{ending}>>").as_bytes());
        content.extend_from_slice(&tail);
        let edit = Replacement { old: "<<\n>>".into(), new: "x\ny".into(), all: false, whole_word: false, whole_lines: false };
        let (got, _) = replace_all(&Redactor::default(), "f", (None, &content), &[edit]).unwrap();
        let mut want = head;
        want.extend_from_slice(format!("x{ending}y").as_bytes());
        want.extend_from_slice(&tail);
        prop_assert_eq!(got, want);
    }
}

#[test]
fn line_numbers_that_were_copied_from_a_read_are_left_out_where_every_line_has_one() {
    let mut d = desk(&[("f", b"one\n\n  two\nthree\n12  x\n")]);
    for (old, new, want) in [
        (
            "     1  one\n     2  \n     3    two",
            "     1  ONE\n     2  \n     3    TWO",
            "ONE\n\n  TWO\nthree\n12  x\n",
        ),
        ("     2\n     3    two\n", "\n  2\n", "one\n\n  2\nthree\n12  x\n"),
        ("4  three", "drei", "one\n\n  two\ndrei\n12  x\n"),
        ("12  x", "12  y", "one\n\n  two\nthree\n12  y\n"),
    ] {
        let got = String::from_utf8(after(&mut d, one("f", old, new))).unwrap();
        assert_eq!(got, want, "{old:?}");
        d = desk(&[("f", b"one\n\n  two\nthree\n12  x\n")]);
    }
    for old in ["     1  one\n\n     3    two", "     1  one\n     3  \n     4    two"] {
        assert!(d.refused(Tool::Edit, one("f", old, "x")).contains("does not occur"), "{old:?}");
    }
    let told = d.refused(Tool::Edit, one("f", "     1  one", "     1  one\nnew"));
    assert!(told.contains("leave the numbers out"), "{told}");
}

#[test]
fn a_patch_changes_whole_lines_and_only_those() {
    let mut d = desk(&[("f", b"max = 1\r\nx = 1\r\nlast")]);
    let patch = |hunk: &str| json!({"patch": format!("*** Begin Patch\n*** Update File: f\n@@\n{hunk}\n*** End Patch")});
    assert_eq!(after(&mut d, patch("-x = 1\n+x = 2")), b"max = 1\r\nx = 2\r\nlast");
    let mut d = desk(&[("f", b"max = 1\nx = 1\nlast")]);
    assert_eq!(after(&mut d, patch("-x = 1\n last")), b"max = 1\nlast");
    let mut d = desk(&[("f", b"max = 1\nx = 1\nlast")]);
    assert_eq!(after(&mut d, patch(" last\n+after")), b"max = 1\nx = 1\nlast\nafter");
    let mut d = desk(&[("f", b"max = 1\n")]);
    assert!(
        d.refused(Tool::Edit, patch("-x = 1\n+x = 2")).contains("whole lines, only within"),
        "a part of a line is none"
    );
}

#[test]
fn an_edit_around_a_secret_keeps_it_to_the_byte_and_never_names_it() {
    let secret = "ghp_9aB8cD7eF6gH5iJ4kL3mN2oP1qR0sT";
    let content = format!("# keys\r\ntoken = {secret}\r\nlast = 1\r\n");
    let mut d = desk(&[("keys.ini", content.as_bytes())]);
    let mark = "[secret: token]";
    let got = after(
        &mut d,
        one("keys.ini", &format!("token = {mark}\nlast = 1"), &format!("token = {mark}\nlast = 2")),
    );
    assert_eq!(String::from_utf8(got).unwrap(), content.replace("last = 1", "last = 2"));
    for (old, new) in
        [("# keys", "# [secret: token]"), ("tok = [secret: token]", "x"), ("token = [secret: cookie]", "x")]
    {
        let told = d.refused(Tool::Edit, one("keys.ini", old, new));
        assert!(!told.contains(secret) && told.contains("nothing was proposed"), "{told}");
    }
    let told = d.refused(Tool::Write, json!({"path": "other.ini", "content": format!("token = {mark}\n")}));
    assert!(told.contains("not shown"), "{told}");
}

#[test]
fn what_is_known_of_the_file_on_disk_is_told_with_its_change() {
    use std::os::unix::fs::PermissionsExt;
    let mut d = desk(&[("f", b"a\n"), ("g", b"a\n")]);
    std::fs::hard_link(d.root.join("f"), d.root.join("h")).unwrap();
    std::fs::set_permissions(d.root.join("f"), std::fs::Permissions::from_mode(0o444)).unwrap();
    let got = d.call(Tool::Edit, one("f", "a", "b")).unwrap();
    let notes = [
        "1 hard link of it elsewhere keeps what it has",
        "it is read-only, and would be written all the same",
    ];
    assert_eq!(got.proposals[0].notes, notes);
    assert_eq!(got.summary, format!("+1 -1; {}; {}", notes[0], notes[1]));
    let plain = d.call(Tool::Edit, one("g", "a", "b")).unwrap();
    assert!(plain.proposals[0].notes.is_empty() && plain.summary == "+1 -1");
}
