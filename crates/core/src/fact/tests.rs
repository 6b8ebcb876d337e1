#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

use super::*;
use crate::{ids::Millis, intent::QuerySub};

struct Desk(Facts, &'static str, Option<BlobId>);

const FILE: &str = "fn add(a: u32, b: u32) -> u32 {\n    a + b\n}\n\npub const PORT: u16 = 8080;\n";
const PRINTED: &str = "running 3 tests\ntest result: ok. 3 passed; 0 failed\n";

impl Evidence for Desk {
    fn file(&self, path: &str) -> Option<Shown> {
        let hash = BlobId::of(self.1.as_bytes());
        (path == "src/lib.rs").then(|| Shown { text: self.1.to_owned(), hash, seen: self.2 })
    }

    fn lacks(&self, path: &str) -> bool {
        path != "src/lib.rs" && path != "src/kept.rs"
    }

    fn output(&self, id: BlobId) -> Option<String> {
        (id == BlobId::of(PRINTED.as_bytes())).then(|| PRINTED.to_owned())
    }

    fn facts(&self) -> &Facts {
        &self.0
    }
}

fn exit(code: i32) -> Exit {
    Exit { code: Some(code), signal: None, timed_out: false, took: Millis(1), process: None, put_back: false }
}

fn fact(name: &str, value: &str, source: FactSource, because: &[&str]) -> Fact {
    let because = because.iter().map(|b| (*b).to_owned()).collect();
    let checked = !matches!(source, FactSource::Model | FactSource::User);
    let (name, value) = (name.to_owned(), value.to_owned());
    Fact { name, value, source, because, step: None, at: Millis(1), confidence: 100, checked }
}

fn in_file() -> FactSource {
    let path = RelPath::new("src/lib.rs").unwrap();
    FactSource::File { path, line: 5, text: "PORT: u16 = 8080".into(), hash: BlobId::of(FILE.as_bytes()) }
}

fn known() -> Facts {
    let mut facts = Facts::default();
    facts.ran("cargo test", &exit(0), Some(BlobId::of(PRINTED.as_bytes())), Millis(1));
    facts.record(&fact("default port", "8080", in_file(), &[]));
    facts.record(&fact("guess", "it is fast", FactSource::Model, &[]));
    facts.record(&fact("listen address", "0.0.0.0:8080", FactSource::Derived, &["default port"]));
    facts
}

fn marks(answer: &str) -> Vec<(usize, String)> {
    let desk = Desk(known(), FILE, Some(BlobId::of(FILE.as_bytes())));
    check(answer, &desk).marks.into_iter().map(|m| (m.line, m.why)).collect()
}

#[test]
fn what_is_where_it_is_said_to_be_has_no_mark() {
    for true_one in [
        "`fn add` is at src/lib.rs:1.",
        "# Found\n\nThe sum is `a + b` (`src/lib.rs:2`).\n\n- The port is 8080 (src/lib.rs:5).",
        "The tests pass: `$ cargo test` printed \"3 passed; 0 failed\".",
        "`$ cargo test` ended with exit 0.",
        "```\n$ cargo test\nrunning 3 tests\n```",
        "It listens on 8080 [fact default port].\n\nIt is reached there [fact listen address].",
        "Where is it?\n\nUnproven: it may be slow.",
        "`add` spans src/lib.rs:1-3.",
    ] {
        assert_eq!(marks(true_one), [], "{true_one}");
    }
}

#[test]
fn what_is_not_is_marked_at_its_line() {
    for (lie, line, why) in [
        ("`fn add` is at src/lib.rs:3.", 1, "src/lib.rs:1 does"),
        ("One.\n\n`fn sub` is at src/lib.rs:2.", 1, "no evidence"),
        ("`$ cargo test` printed \"4 passed\".", 1, "does not say `4 passed`"),
        ("`$ cargo bench` ended with exit 0.", 1, "was not run"),
        ("`$ cargo test` ended with exit 1.", 1, "ended with exit 0"),
        ("```\n$ cargo test\nrunning 9 tests\n```", 3, "running 9 tests"),
        ("The port is 8080 (src/lib.rs:3).", 1, "contains no word of this"),
        ("`PORT` is at src/lib.rs:90.", 1, "has 5 lines"),
        ("`PORT` is at src/main.rs:1.", 1, "cannot be read"),
        ("It is fast [fact guess].", 1, "was not checked"),
        ("It is fast [fact speed].", 1, "no fact speed"),
        ("This is the fastest way there is.", 1, "no evidence"),
    ] {
        let found = marks(lie);
        assert!(found.first().is_some_and(|(n, w)| *n == line && w.contains(why)), "{lie}: {found:?}");
    }
}

#[test]
fn a_file_that_changed_since_it_was_read_proves_nothing() {
    let desk = Desk(known(), FILE, Some(BlobId::of(b"before")));
    let found = check("`fn add` is at src/lib.rs:1.", &desk).marks;
    assert!(found[0].why.contains("changed since it was read"), "{found:?}");
}

#[test]
fn a_fact_goes_stale_with_its_file_and_what_rests_on_it_too() {
    let mut facts = known();
    let path = RelPath::new("src/lib.rs").unwrap();
    facts.saw(&path, Some(BlobId::of(b"other")));
    assert!(facts.stale("default port").is_some() && facts.stale("listen address").is_some());
    facts.looked("default port", Some(Place { line: 7, hash: BlobId::of(b"other") }));
    assert_eq!(facts.stale("listen address"), None);
    assert!(facts.line(facts.get("Default Port").unwrap()).contains("src/lib.rs:7"));
    facts.looked("default port", None);
    assert!(facts.stale("listen address").unwrap().contains("no longer says so"));
    facts.wrote(|_| false);
    assert!(facts.stale("cargo test").unwrap().contains("files changed since"));
}

#[test]
fn the_end_of_a_line_of_several_programs_is_not_taken_for_that_of_each() {
    let mut facts = Facts::default();
    facts.ran("cargo test 2>&1 | grep FAILED", &exit(0), None, Millis(1));
    assert!(facts.is_empty(), "what its end does not say is no fact");
    facts.ran("cargo test 2>&1 | tail -5", &exit(101), None, Millis(1));
    assert!(facts.get("cargo test 2>&1 | tail -5").unwrap().value.contains("exit 101"));
    let long = format!("cargo test {}", "--test something ".repeat(9));
    facts.ran(&long, &exit(0), None, Millis(1));
    assert!(facts.iter().any(|f| f.name.ends_with("--test…") || f.name.ends_with("something…")));
}

#[test]
fn a_question_is_answered_only_where_facts_speak_of_all_of_it() {
    let facts = known();
    let names = |q, sub| facts.answering(q, sub).map(|f| f.names);
    assert_eq!(names("what is the default port?", QuerySub::Lookup).unwrap(), ["default port"]);
    assert_eq!(names("how do you know the default port?", QuerySub::Provenance).unwrap(), ["default port"]);
    for other in ["why is the default port not 80?", "what is the port of the test server?", "what is this?"]
    {
        assert_eq!(names(other, QuerySub::Lookup), None, "{other}");
    }
    assert_eq!(names("how do you know?", QuerySub::Provenance), None);
    assert_eq!(names("summarize the facts", QuerySub::Summary).unwrap().len(), facts.len());
    let chain = facts.told(&["listen address".into()], QuerySub::Provenance);
    assert!(chain.contains("  default port: 8080 (src/lib.rs:5"), "{chain}");
}

#[test]
fn what_the_workbench_notes_goes_before_what_was_recorded() {
    let mut facts = known();
    for n in 0..(MOST * 2) {
        facts.ran(&format!("true {n}"), &exit(0), None, Millis(5));
    }
    assert_eq!(facts.len(), MOST);
    assert!(facts.get("default port").is_some() && facts.get("guess").is_some());
}

#[test]
fn a_long_name_of_a_fact_ends_in_its_file() {
    let mut facts = Facts::default();
    let name = change_of(&format!("src/{}/the_file.rs", "a_long_folder_name/".repeat(6)));
    assert_eq!(name.chars().count(), NAME_CHARS);
    facts.note(&name, "written: +1 -1".to_owned(), FactSource::Derived, Millis(1));
    let lines: Vec<String> = facts.holding("").into_iter().map(|fact| facts.line(fact)).collect();
    assert!(matches!(lines.as_slice(), [one] if one.contains("/the_file.rs:")), "{lines:?}");
}

#[test]
fn a_place_that_is_not_there_is_marked_and_nothing_else_of_an_answer() {
    let desk = Desk(Facts::default(), FILE, None);
    let answer = "It is in src/lib.rs:1, and goes on in `src/lib.rs:9999`.\n\nSee lib/nothing.js:3 and src/none.rs:1-2.\n\
                  Not lib.rs:3, http://localhost:8080/x, example.com:443, src/kept.rs:1 or nobody's claim.\n\
                  ```\nlib/nothing.js:3\n```\n";
    let checked = astray(answer, &desk);
    let marks: Vec<(usize, &str)> = checked.marks.iter().map(|m| (m.line, m.why.as_str())).collect();
    assert_eq!(
        marks,
        [(1, "src/lib.rs has 5 lines"), (3, "there is no lib/nothing.js"), (3, "there is no src/none.rs")]
    );
    assert!(astray("src/lib.rs:5 is its last line, src/lib.rs:1-3 its first.", &desk).marks.is_empty());
}

#[test]
fn what_follows_from_facts_is_never_called_checked() {
    let mut facts = known();
    let conclusion = |facts: &Facts| facts.line(facts.get("listen address").unwrap());
    let told = "(it follows from other facts, from default port; what it follows from is checked; that it follows is not)";
    assert!(conclusion(&facts).ends_with(told), "{}", conclusion(&facts));
    facts.record(&fact("default port", "8080", FactSource::Model, &[]));
    assert!(conclusion(&facts).ends_with("from default port; not checked)"), "{}", conclusion(&facts));
}

#[test]
fn a_value_is_in_the_words_of_whoever_said_all_that_counts_of_it() {
    let mut said = UserWords::default();
    said.add("Use 7 workers, and port 8080 for the API.");
    said.add("PostgreSQL");
    for (value, is_said) in [
        ("7 workers", true),
        ("the port is 8080", true),
        ("postgresql", true),
        ("70", false),
        ("9 workers", false),
        ("yes", false),
    ] {
        assert_eq!(said.hold(value), is_said, "{value}");
    }
}
