#![allow(clippy::unwrap_used)]

use super::*;

#[test]
fn places_are_read_in_the_forms_of_the_usual_tools() {
    for (said, place, text) in [
        (
            "error[E0425]: cannot find value `x`\n  --> src/a.rs:3:5\n",
            "src/a.rs:3",
            "error[E0425]: cannot find value `x`",
        ),
        ("thread 'a' panicked at src/lib.rs:12:9:", "src/lib.rs:12", "thread 'a' panicked at"),
        ("./cmd/main.go:7:2: undefined: x", "cmd/main.go:7", "undefined: x"),
        (
            "src/a.ts(3,5): error TS2304: Cannot find name 'x'.",
            "src/a.ts:3",
            "error TS2304: Cannot find name 'x'.",
        ),
        ("src/a.ts:3:5 - error TS2304: no", "src/a.ts:3", "error TS2304: no"),
        ("    at Object.<anonymous> (src/sum.test.js:4:17)", "src/sum.test.js:4", "at Object.<anonymous>"),
        ("File \"tests/test_a.py\", line 9, in test_it", "tests/test_a.py:9", "test_it"),
        ("tests/test_a.py:9: AssertionError", "tests/test_a.py:9", "AssertionError"),
        ("1 error: no such name (src/a.rs:3:5)", "src/a.rs:3", "1 error: no such name"),
    ] {
        let found = places(said);
        assert_eq!(found.len(), 1, "{said}: {found:?}");
        let told = found.iter().map(|d| (d.place.to_string(), d.text.clone())).collect::<Vec<_>>();
        assert_eq!(told, [(place.to_owned(), text.to_owned())], "{said}");
    }
}

#[test]
fn a_check_speaks_of_others_alone_only_where_it_names_their_kind_and_none_of_these() {
    for (said, these, others) in [
        ("Diff in /w/src/old.rs:3:", &["src/a.rs"][..], true),
        ("Diff in /w/src/a.rs:3:", &["src/a.rs"], false),
        ("would reformat ./src/old.py", &["src/a.py"], true),
        // One of the same name elsewhere is another file; seen from a folder in between it is the same.
        ("Diff in /w/old/mod.rs:3:", &["src/mod.rs"], true),
        ("Diff in /w/src/data.rs:3:", &["src/a.rs"], true),
        ("[warn] src/a.js", &["web/src/a.js"], false),
        ("src/old.js(3,5): no", &["src/a.js", "src/b.js"], true),
        ("src/old.js(3,5): no\nsrc/b.js: no", &["src/a.js", "src/b.js"], false),
        // What it checks by may be anywhere: no other kind of file is cleared.
        ("Diff in /w/src/old.rs:3:", &["rustfmt.toml"], false),
        ("Diff in /w/src/old.rs:3:", &["src/a.rs", "Cargo.toml"], false),
        ("src/old.js:3:5 no", &["src/a.js", ".eslintrc"], false),
        ("src/old.js:3:5 no", &[".eslintrc.js"], false),
        ("src/old.js:3:5 no", &["web/eslint.config.js"], false),
        ("src/old.js:3:5 no", &[".config/rules.js"], false),
        // It says nothing of files, or may say it in other letters.
        ("1 file would be reformatted", &["src/a.py"], false),
        ("would reformat src/old.py", &["src/ä.py"], false),
        ("would reformat src/old.py", &["src/an a.py"], false),
        ("would reformat src/old.py", &[], false),
    ] {
        let paths: Vec<RelPath> = these.iter().map(|p| RelPath::new(p).unwrap()).collect();
        assert_eq!(names_others(said, &paths.iter().collect::<Vec<_>>()), others, "{said}: {these:?}");
    }
}

#[test]
fn what_is_no_place_in_the_workspace_is_none() {
    for said in [
        "12:30:45 done",
        "listening on localhost:8080",
        "http://a.rs:80/x",
        "/etc/passwd.txt:3",
        "../up.rs:3:1",
        "ratio 3.5:1",
        "a.rs:0",
        "Line 23: undefined name 'x'",
        "version 1.2.3:4",
    ] {
        assert_eq!(places(said), [], "{said}");
    }
}

#[test]
fn a_call_in_a_line_of_code_is_no_place() {
    let trace = "File \"src/cache.py\", line 319, in __init__\n    cache = self.cache(2)\n            ^^^^^^^^^^^^^\nTypeError: no";
    for (said, place) in [
        (trace, "src/cache.py:319"),
        (">       cache = self.cache(2)\nsrc/cache.py:319: TypeError", "src/cache.py:319"),
        ("File \"src/a.py\", line 3\n    x = load(tests/b.py:4)\n", "src/a.py:3"),
        ("main.cpp(10): error C2065", "main.cpp:10"),
        ("main.pas(10,4) Error: no", "main.pas:10"),
    ] {
        let found: Vec<String> = places(said).iter().map(|d| d.place.to_string()).collect();
        assert_eq!(found, [place], "{said}");
    }
}
