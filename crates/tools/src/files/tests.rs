#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::format_collect
)]

use std::os::unix::fs::symlink;

use pilothouse_core::{
    blob::BlobId,
    recipe::{Beside, Recipe, RecipeFile, RecipeKind, RecipeOrigin, Recipes},
    tool::{RESULT_BYTES, Tool},
};
use serde_json::json;

use crate::fixture::{desk, rel};

#[test]
fn a_list_shows_hidden_files_and_leaves_out_what_git_ignores_and_git_itself() {
    let mut d = desk(&[
        (".gitignore", b"target/\n*.log\n"),
        (".git/config", b"x"),
        ("src/a.rs", b""),
        ("src/deep/b.rs", b""),
        ("target/x", b""),
        ("y.log", b""),
        ("sub/.gitignore", b"only-here\n"),
        ("sub/only-here", b""),
    ]);
    symlink("src", d.root.join("link")).unwrap();
    assert_eq!(
        d.text(Tool::List, json!({})),
        ".gitignore\nlink  (link)\nsrc/\nsrc/a.rs\nsrc/deep/\nsrc/deep/b.rs\nsub/\nsub/.gitignore"
    );
    assert_eq!(d.text(Tool::List, json!({"path": "src", "depth": 1})), "src/a.rs\nsrc/deep/");
    assert_eq!(d.text(Tool::List, json!({"path": "link"})), "src/a.rs\nsrc/deep/\nsrc/deep/b.rs");
    assert_eq!(d.text(Tool::List, json!({"path": "target"})), "target/x");
    assert_eq!(d.text(Tool::List, json!({"path": ".git"})), ".git/config");
    assert!(d.refused(Tool::List, json!({"path": "gone"})).contains("does not exist"));
}

#[test]
fn a_list_sees_what_the_lane_proposes() {
    let mut d = desk(&[("a.rs", b"a"), ("b.rs", b"b")]);
    d.call(Tool::Write, json!({"path": "new/deep/c.rs", "content": "c\n"})).unwrap();
    d.call(Tool::Delete, json!({"path": "a.rs"})).unwrap();
    assert_eq!(d.text(Tool::List, json!({})), "b.rs\nnew/\nnew/deep/\nnew/deep/c.rs");
    assert_eq!(d.text(Tool::List, json!({"path": "new"})), "new/deep/\nnew/deep/c.rs");
}

#[test]
fn a_long_list_stops_at_the_deepest_level_that_fits_and_says_how_many_are_left() {
    let d = &mut desk(&[]);
    for n in 0..1_500 {
        d.put(format!("many/{n:04}"), "");
    }
    d.put("one", "");
    let text = d.text(Tool::List, json!({}));
    assert_eq!(text, "many/\none\n… 1500 more; list a folder below to see them");
    let text = d.text(Tool::List, json!({"path": "many"}));
    assert_eq!(text.lines().count(), 1_001);
    assert!(text.ends_with("… 500 more; list a folder below to see them"));
}

// Other systems refuse to make such a name.
#[cfg(target_os = "linux")]
#[test]
fn names_that_are_not_utf8_or_hold_control_characters_are_listed_with_a_mark() {
    let mut d = desk(&[]);
    d.put(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(b"bad\xff"), "needle");
    d.put("two\nlines", "needle");
    let text = d.text(Tool::List, json!({}));
    assert!(text.contains("bad\u{fffd}  (the name is not UTF-8"), "{text}");
    assert!(text.contains("two\\nlines  (the name holds control characters"), "{text}");
    assert!(d.refused(Tool::Read, json!({"path": "bad\u{fffd}"})).contains("not UTF-8"));
    assert!(d.text(Tool::Search, json!({"pattern": "needle"})).ends_with("2 matches in 2 files"));
}

#[test]
fn a_read_numbers_lines_and_says_how_to_go_on() {
    let lines: String = (1..=1_000).map(|n| format!("line {n}\n")).collect();
    let mut d = desk(&[("f", lines.as_bytes())]);
    let got = d.call(Tool::Read, json!({"path": "f"})).unwrap();
    assert!(got.text.starts_with("     1  line 1\n     2  line 2\n"));
    assert!(
        got.text.ends_with("   400  line 400\n(lines 1-400 of 1000; go on with from: 401)"),
        "{}",
        got.text
    );
    assert_eq!(got.seen, vec![(rel("f"), BlobId::of(lines.as_bytes()))]);
    let got = d.call(Tool::Read, json!({"path": "f", "from": 999, "lines": 5})).unwrap();
    assert_eq!(
        (got.text.as_str(), got.summary.as_str()),
        ("   999  line 999\n  1000  line 1000", "lines 999-1000 of 1000")
    );
    assert!(d.refused(Tool::Read, json!({"path": "f", "from": 1001})).contains("1 to 1000"));
}

#[test]
fn a_read_is_capped_in_bytes_and_long_lines_are_cut() {
    let long = format!("{}\n", "x".repeat(1_500)).repeat(100);
    let mut d = desk(&[("f", long.as_bytes()), ("one", "ä".repeat(100_000).as_bytes())]);
    let text = d.text(Tool::Read, json!({"path": "f"}));
    assert!(
        text.len() < RESULT_BYTES && text.contains("go on with from: 16"),
        "{}",
        &text[text.len() - 80..]
    );
    let text = d.text(Tool::Read, json!({"path": "one"}));
    let how = "(line 1 is cut here; search with path \"one\" and words that stand further on in it shows the text around them)";
    assert!(text.ends_with(&format!("… (98000 more characters)\n{how}")), "{}", &text[text.len() - 300..]);
    // And so it is.
    let line = format!("{}needle{}\n", "x ".repeat(3_000), "y ".repeat(3_000));
    let mut d = desk(&[("one", line.as_bytes())]);
    let found = d.text(Tool::Search, json!({"pattern": "needle", "path": "one"}));
    assert!(found.contains("x needle") && found.contains("needley"), "{found}");
    let many = format!("{}\n", "z".repeat(2_100)).repeat(7);
    let mut d = desk(&[("f", many.as_bytes())]);
    assert!(d.text(Tool::Read, json!({"path": "f"})).contains("\n(lines 1, 2, 3, 4, 5, … are cut here; "));
}

/// Bytes of a text in UTF-16 behind its mark.
fn wide(text: &str, big: bool) -> Vec<u8> {
    let bytes = |unit: u16| if big { unit.to_be_bytes() } else { unit.to_le_bytes() };
    "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(bytes).collect()
}

#[test]
fn a_file_in_utf_16_is_read_and_found_as_text_and_told_as_what_it_is() {
    for big in [false, true] {
        let mut d = desk(&[("app.rc", &wide("TITLE \"Caf\u{e9}\"\r\nEND\r\n", big))]);
        let read = d.text(Tool::Read, json!({"path": "app.rc"}));
        assert!(read.starts_with("     1  TITLE \"Caf\u{e9}\"\n     2  END\n"), "{read}");
        assert!(read.ends_with("\n(UTF-16)"), "{read}");
        let found = d.text(Tool::Search, json!({"pattern": "Caf\u{e9}"}));
        assert!(found.contains("app.rc:1: TITLE"), "{found}");
    }
}

#[test]
fn a_file_in_windows_1252_is_read_and_found_as_text_and_told_as_what_it_is() {
    let far = [b"int x;\r\n".repeat(2_000), b"// gr\xf6\xdfe \x80\r\n".to_vec()].concat();
    let mut d = desk(&[("l.txt", b"gr\xf6\xdfe alpha\n"), ("far.c", &far), ("u.txt", "größe\n".as_bytes())]);
    let read = d.text(Tool::Read, json!({"path": "l.txt"}));
    assert_eq!(read, "     1  größe alpha\n(not UTF-8; shown as windows-1252)");
    let found = d.text(Tool::Search, json!({"pattern": "gr\\w+e"}));
    for line in ["l.txt:1: größe alpha\n", "far.c:2001: // größe €\n", "u.txt:1: größe\n", "3 matches"]
    {
        assert!(found.contains(line), "{found}");
    }
    d.call(Tool::Edit, json!({"path": "l.txt", "edits": [{"old": "alpha", "new": "größer"}]})).unwrap();
    let found = d.text(Tool::Search, json!({"pattern": "größe gr.ßer", "path": "l.txt"}));
    assert!(found.contains("l.txt:1: größe größer\n"), "as it is proposed: {found}");
    // A secret in it is none that search shows.
    d.put("s.ini", b"; gr\xf6\xdfe\n[db]\nPassword=hunter2hunter2\n");
    assert!(!d.text(Tool::Search, json!({"pattern": "Pass|gr"})).contains("hunter2"));
}

#[test]
fn a_file_in_utf_16_is_searched_and_refused_without_its_secrets() {
    let key = "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW";
    let pem = format!("-----BEGIN OPENSSH PRIVATE KEY-----\n{key}\n-----END OPENSSH PRIVATE KEY-----\n");
    for big in [false, true] {
        let nul = wide(&format!("{pem}\0\n"), big);
        let app = |password: &str| wide(&format!("[db]\r\nPort=1\r\nPassword={password}\r\n"), big);
        let env = wide("DB_PASSWORD=letmein\nPORT=3000\n", big);
        let mut d = desk(&[
            ("keys.txt", &wide(&pem, big)),
            ("nul.txt", &nul),
            ("app.ini", &app("hunter2hunter2")),
            (".env", &env),
        ]);
        for (pattern, context) in [("^[A-Za-z0-9+/=]{60,}", 0), ("BEGIN|Port", 1), ("PASS|Pass", 0)] {
            let text = d.text(Tool::Search, json!({"pattern": pattern, "context": context}));
            assert!(!["b3Bl", "hunter2", "letmein"].iter().any(|s| text.contains(s)), "{pattern}: {text}");
        }
        let guess = d.text(Tool::Search, json!({"pattern": "=let|=hunter"}));
        assert!(guess.starts_with("0 matches"), "nobody gets to know a secret by guessing at it: {guess}");
        d.text(Tool::Read, json!({"path": "app.ini"}));
        d.put("app.ini", app("correcthorse9"));
        let port =
            |all: bool| json!({"path": "app.ini", "edits": [{"old": "Port=1", "new": "Port=2", "all": all}]});
        for (tool, args) in
            [(Tool::Edit, port(true)), (Tool::Write, json!({"path": "app.ini", "content": "Port=2\n"}))]
        {
            let told = d.refused(tool, args);
            assert!(!told.contains('\0') && !told.contains("horse"), "{told}");
        }
        let told = d.text(Tool::Edit, port(false));
        assert!(!told.contains('\0') && !told.contains("horse"), "{told}");
    }
}

#[test]
fn what_is_cited_of_a_file_in_utf_16_stands_there_as_it_was_read() {
    let mut d = desk(&[("app.rc", &wide("TITLE \"Caf\u{e9}\"\r\nEND\r\n", false))]);
    let fact =
        json!({"name": "title", "value": "Caf\u{e9}", "file": "app.rc", "text": "TITLE \"Caf\u{e9}\""});
    let told = d.text(Tool::RecordFact, fact);
    assert!(told.contains("noted title") && told.contains("app.rc:1"), "{told}");
}

#[test]
fn what_is_no_text_is_named_and_not_shown() {
    let mut d = desk(&[
        ("bin", b"\x7fELF\0\0\x01"),
        ("u32", b"\xff\xfe\0\0h\0\0\0"),
        ("odd", b"caf\xe9\x01\n"),
        ("bom", b"\xef\xbb\xbfhi\r\nyou\r\n"),
        ("empty", b""),
        ("dir/x", b""),
    ]);
    assert!(d.text(Tool::Read, json!({"path": "bin"})).contains("a binary file of 7 bytes"));
    assert!(d.text(Tool::Read, json!({"path": "u32"})).contains("a broken UTF-16 file of 8 bytes"));
    assert!(d.text(Tool::Read, json!({"path": "odd"})).contains("caf\u{fffd}\u{1}\n(not UTF-8"));
    assert_eq!(d.text(Tool::Read, json!({"path": "bom"})), "     1  hi\n     2  you\n(lines end with CRLF)");
    assert_eq!(d.text(Tool::Read, json!({"path": "empty"})), "(empty file)");
    assert!(d.refused(Tool::Read, json!({"path": "dir"})).contains("is a folder; use list"));
    assert!(d.refused(Tool::Read, json!({"path": "."})).contains("is a folder; use list"));
    assert!(d.refused(Tool::Read, json!({"path": "gone"})).contains("does not exist"));
}

#[test]
fn a_path_at_which_there_is_nothing_is_answered_with_the_names_near_it() {
    let mut d = desk(&[
        ("src/main.rs", b"a\n"),
        ("src/bin/tool.rs", b"b\n"),
        ("tests/parser_test.py", b"c\n"),
        (".gitignore", b"out\n"),
        ("out/main.rs", b"d\n"),
    ]);
    let told = d.refused(Tool::Read, json!({"path": "main.rs"}));
    assert!(told.contains("main.rs does not exist; there is src/main.rs; list its folder"), "{told}");
    let edit = json!({"path": "tests/parser_tests.py", "edits": [{"old": "c", "new": "e"}]});
    let told = d.refused(Tool::Edit, edit);
    assert!(told.contains("does not exist; there is tests/parser_test.py; use write"), "{told}");
    let told = d.refused(Tool::List, json!({"path": "test"}));
    assert!(told.contains("does not exist; there is tests/;"), "{told}");
    assert!(d.refused(Tool::Delete, json!({"path": "src/tool.rs"})).contains("there is src/bin/tool.rs"));
    d.call(Tool::Write, json!({"path": "docs/notes.md", "content": "n\n"})).unwrap();
    d.call(Tool::Delete, json!({"path": "src/main.rs"})).unwrap();
    assert!(d.refused(Tool::Read, json!({"path": "note.md"})).contains("there is docs/notes.md"));
    assert!(!d.refused(Tool::Read, json!({"path": "main.rs"})).contains("there is"));
    assert!(!d.refused(Tool::Read, json!({"path": "whatever.rs"})).contains("there is"));
}

#[test]
fn a_sparse_file_of_200_mb_is_refused_by_read_and_edit_and_passed_over_by_search() {
    let mut d = desk(&[("ok", b"needle\n")]);
    std::fs::File::create(d.root.join("huge")).unwrap().set_len(200 * 1024 * 1024).unwrap();
    for (tool, args) in [
        (Tool::Read, json!({"path": "huge"})),
        (Tool::Edit, json!({"path": "huge", "edits": [{"old": "a", "new": "b"}]})),
        (Tool::Write, json!({"path": "huge", "content": ""})),
        (Tool::Delete, json!({"path": "huge"})),
    ] {
        assert!(d.refused(tool, args).contains("files above 50 MB are not opened"));
    }
    assert!(
        d.text(Tool::Search, json!({"pattern": "needle"})).starts_with("ok:1: needle\n1 match in 1 file")
    );
    // What could not be looked at whole is named.
    d.put("wide", vec![b'x'; 17 * 1024 * 1024]);
    let told = d.text(Tool::Search, json!({"pattern": "needle"}));
    assert!(told.ends_with("1 match in 1 file; wide could not be searched to the end"), "{told}");
}

#[test]
fn a_read_sees_the_lanes_own_proposal_and_says_so() {
    let mut d = desk(&[("f", b"old\n"), ("g", b"g\n")]);
    d.call(Tool::Edit, json!({"path": "f", "edits": [{"old": "old", "new": "new"}]})).unwrap();
    d.call(Tool::Delete, json!({"path": "g"})).unwrap();
    let text = d.text(Tool::Read, json!({"path": "f"}));
    assert!(text.contains("as you propose it") && text.ends_with("     1  new"), "{text}");
    assert!(d.refused(Tool::Read, json!({"path": "g"})).contains("proposed removal"));
    assert_eq!(std::fs::read(d.root.join("f")).unwrap(), b"old\n");
}

#[test]
fn a_search_is_sorted_counted_and_sees_proposals() {
    let mut d = desk(&[
        ("b/two.rs", b"x\nfn needle() {}\nneedle\n"),
        ("a.rs", b"Needle\nneedles needle\n"),
        ("gone.rs", b"needle\n"),
        ("bin", b"\0needle\n"),
        (".gitignore", b"skip\n"),
        ("skip", b"needle\n"),
    ]);
    let all = "a.rs:2: needles needle\nb/two.rs:2: fn needle() {}\nb/two.rs:3: needle\ngone.rs:1: needle\n4 matches in 3 files";
    assert_eq!(d.text(Tool::Search, json!({"pattern": "needle"})), all);
    d.call(Tool::Write, json!({"path": "b/new.rs", "content": "a needle\n"})).unwrap();
    d.call(Tool::Delete, json!({"path": "gone.rs"})).unwrap();
    d.call(Tool::Edit, json!({"path": "a.rs", "edits": [{"old": "needle", "new": "pin", "all": true}]}))
        .unwrap();
    assert_eq!(
        d.text(Tool::Search, json!({"pattern": "needle"})),
        "b/new.rs:1: a needle\nb/two.rs:2: fn needle() {}\nb/two.rs:3: needle\n3 matches in 2 files"
    );
    assert_eq!(
        d.text(Tool::Search, json!({"pattern": "pins?", "path": "a.rs"})),
        "a.rs:2: pins pin\n1 match in 1 file"
    );
    assert_eq!(d.text(Tool::Search, json!({"pattern": "zebra"})), "0 matches in 0 files");
}

#[test]
fn many_files_are_told_in_their_order_as_far_as_there_is_room() {
    let mut d = desk(&[]);
    for n in 0..600 {
        d.put(format!("many/{n:04}"), if n % 3 == 0 { "a\nneedle\n" } else { "hay\n" });
    }
    let lines = |most: usize| (0..most).map(|n| format!("many/{:04}:2: needle\n", n * 3)).collect::<String>();
    let text = d.text(Tool::Search, json!({"pattern": "needle"}));
    assert_eq!(text, lines(200) + "200 matches in 200 files");
    let text = d.text(Tool::Search, json!({"pattern": "needle", "max": 7}));
    assert_eq!(
        text,
        lines(7) + "the first 7 matches in 7 files; there are more: narrow the pattern or the path"
    );
}

#[test]
fn words_literals_limits_and_bad_patterns() {
    let mut d = desk(&[("f", b"count counter\ncounter\na.b(\naxb\n")]);
    assert!(d.text(Tool::Search, json!({"pattern": "count", "whole_word": true})).starts_with("f:1: "));
    assert!(
        d.text(Tool::Search, json!({"pattern": "count", "whole_word": true})).ends_with("1 match in 1 file")
    );
    assert_eq!(
        d.text(Tool::Search, json!({"pattern": "a.b(", "literal": true})),
        "f:3: a.b(\n1 match in 1 file"
    );
    // One that is no regular expression is meant as text, and that is said.
    assert_eq!(
        d.text(Tool::Search, json!({"pattern": "a.b("})),
        "f:3: a.b(\n1 match in 1 file; the pattern is no regular expression (unclosed group): searched for as plain text"
    );
    assert!(d.refused(Tool::Search, json!({"pattern": "a\nb"})).contains("within one line"));
    assert!(d.refused(Tool::Search, json!({"pattern": ""})).contains("empty"));
    let text = d.text(Tool::Search, json!({"pattern": "count", "max": 1}));
    assert_eq!(
        text,
        "f:1: count counter\nthe first 1 match in 1 file; there are more: narrow the pattern or the path"
    );
}

#[test]
fn a_long_line_is_shown_around_its_match() {
    let line = format!("{}needle{}\n", "a".repeat(5_000), "b".repeat(5_000));
    let mut d = desk(&[("f", line.as_bytes())]);
    let text = d.text(Tool::Search, json!({"pattern": "needle"}));
    let first = text.lines().next().unwrap();
    assert!(first.contains("needle") && first.chars().count() < 320, "{first}");
}

#[test]
fn arguments_that_do_not_fit_are_answered_with_the_shape_that_does() {
    let mut d = desk(&[("f", b"")]);
    for (tool, args, quoted) in [
        (Tool::Read, json!({}), "from and lines, both numbers"),
        (Tool::Read, json!({"path": "f", "most": 5}), "from and lines, both numbers"),
        (Tool::Search, json!({"pattern": 5}), "whole_word, literal and max are optional"),
        (Tool::Edit, json!({"path": "f", "old": "a"}), "\"edits\": [{\"old\""),
        (Tool::Write, json!({"path": "f"}), "\"content\""),
        (Tool::List, json!([1]), "path and depth are optional"),
        (Tool::Delete, json!({"place": "f"}), "{\"path\""),
    ] {
        let e = d.refused(tool, args);
        assert!(e.contains("expected") && e.contains(quoted), "{e}");
    }
}

#[test]
fn what_is_read_or_found_comes_without_secrets_also_where_they_began_above() {
    let key = "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW";
    let pem = format!("-----BEGIN OPENSSH PRIVATE KEY-----\n{key}\n-----END OPENSSH PRIVATE KEY-----\n");
    let mut d = desk(&[("key", pem.as_bytes()), (".env", b"DB_PASSWORD=letmein\nPORT=3000\n")]);
    let text = d.text(Tool::Read, json!({"path": "key", "from": 2, "lines": 1}));
    assert!(text.contains("2  [secret: private key]") && !text.contains(key), "{text}");
    let text = d.text(Tool::Read, json!({"path": ".env"}));
    assert!(text.contains("DB_PASSWORD=[secret: password]\n     2  PORT=3000"), "{text}");
    let text = d.text(Tool::Search, json!({"pattern": "PASS|b3B|^[a-z0-9A-Z]{70}$"}));
    assert_eq!(text, ".env:1: DB_PASSWORD=[secret: password]\n1 match in 1 file");
    // Nobody gets to know a secret by guessing at it.
    let text = d.text(Tool::Search, json!({"pattern": "=let"}));
    assert!(text.starts_with("0 matches"), "{text}");
}

#[test]
fn what_a_result_left_out_is_read_by_the_name_that_it_gave() {
    let mut d = desk(&[]);
    let whole: String = (1..=900).map(|n| format!("line {n}\n")).collect();
    let id = d.store.put(whole.as_bytes());
    let name = id.output_name();
    let text = d.text(Tool::Read, json!({"path": name, "from": 800, "lines": 2}));
    assert_eq!(
        text,
        format!("   800  line 800\n   801  line 801\n(lines 800-801 of 900; go on with from: 802)")
    );
    let text = d.text(Tool::Search, json!({"path": name, "pattern": "line 80[01]"}));
    assert_eq!(text, format!("{name}:800: line 800\n{name}:801: line 801\n2 matches in 1 file"));
    for other in ["output:", "output:0123456789ab", "output:../../x"] {
        assert!(!d.refused(Tool::Read, json!({"path": other})).contains("line 1"), "{other}");
    }
}

#[test]
fn a_search_can_name_the_files_and_show_the_lines_around() {
    let secret = "ghp_9aB8cD7eF6gH5iJ4kL3mN2oP1qR0sT";
    let keys = format!("before\ntoken = {secret}\nafter\n");
    let mut d = desk(&[
        ("a.rs", b"1\n2\nhit\n4\n5\n6\n7\n8\nhit\n"),
        ("b.py", b"hit\n"),
        ("src/c.rs", b"hit\n"),
        ("keys.ini", keys.as_bytes()),
    ]);
    let text = d.text(Tool::Search, json!({"pattern": "hit", "glob": "*.rs", "context": 1}));
    let want = "a.rs-2- 2\na.rs:3: hit\na.rs-4- 4\n--\na.rs-8- 8\na.rs:9: hit\n--\nsrc/c.rs:1: hit\n3 matches in 2 files";
    assert_eq!(text, want);
    let text = d.text(Tool::Search, json!({"pattern": "hit", "glob": "src/**"}));
    assert_eq!(text, "src/c.rs:1: hit\n1 match in 1 file");
    let text = d.text(Tool::Search, json!({"pattern": "ghp_9aB8", "context": 2}));
    assert!(text.starts_with("0 matches"), "nothing around a line that only its secret answers to: {text}");
    let text = d.text(Tool::Search, json!({"pattern": "after", "context": 1}));
    assert!(text.contains("keys.ini-2- token = [") && !text.contains(secret), "{text}");
    for glob in ["a[", "!*.rs"] {
        assert!(d.refused(Tool::Search, json!({"pattern": "hit", "glob": glob})).contains("glob"), "{glob}");
    }
}

#[test]
fn of_a_skills_folder_only_what_belongs_to_it_is_read_and_no_secret() {
    let mut d = desk(&[]);
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [("how.md", "the how"), ("late.md", "later"), (".env", "TOKEN=abcdef0123456789")] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let beside = vec![".env".to_owned(), "how.md".to_owned()];
    d.recipes = Recipes::of(vec![Recipe::read(RecipeFile {
        kind: RecipeKind::Skill,
        origin: RecipeOrigin::User,
        slug: "tour".to_owned(),
        folder: true,
        file: "SKILL.md".to_owned(),
        content: Ok(b"---\nname: tour\ndescription: d\n---\nb\n".to_vec()),
        beside: Beside::Folder(folder.path().to_string_lossy().into_owned(), beside),
    })]);
    assert!(d.text(Tool::Read, json!({"path": "skill:tour/how.md"})).contains("the how"));
    assert!(d.refused(Tool::Read, json!({"path": "skill:tour/late.md"})).contains("has no file late.md"));
    assert!(d.refused(Tool::Read, json!({"path": "skill:tour/.env"})).contains("is a secret file"));
}

#[test]
fn a_search_over_too_many_files_says_what_it_did_not_look_at() {
    let mut d = desk(&[]);
    for n in 0..3_050 {
        d.put(format!("many/{n:04}"), "");
    }
    let text = d.text(Tool::Search, json!({"pattern": "nowhere"}));
    assert!(text.contains("only the first 3000 names were looked at"), "{text}");
    let text = d.text(Tool::List, json!({"path": "many", "depth": 1}));
    assert!(text.contains("at least"), "{text}");
}
