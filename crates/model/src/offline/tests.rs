#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use pilothouse_core::talk::{Message, Role, ToolSpec};
use serde_json::{Value, json};

use super::*;

mod greeted;
mod law;
mod trade;

/// A conversation with the engine, round by round; each result is written by hand.
struct Talk {
    request: ModelRequest,
    last: ModelReply,
}

const READING: [&str; 3] = ["list", "read", "search"];

impl Talk {
    fn new(purpose: Purpose, said: &str, tools: &[&str]) -> Self {
        let spec = |name: &&str| ToolSpec {
            name: (*name).to_owned(),
            description: String::new(),
            parameters: Value::Null,
            needs: None,
        };
        let request = ModelRequest {
            purpose,
            system: String::new(),
            messages: vec![
                Message::text(Role::User, "<time>now</time>"),
                Message::text(Role::User, said),
                Message::text(Role::User, "<state phase=\"idle\"/>"),
            ],
            tools: tools.iter().map(spec).collect(),
            most_tokens: None,
        };
        let last = Offline::new().answer(&request);
        Self { request, last }
    }

    fn ask(said: &str) -> Self {
        Self::new(Purpose::Answer, said, &READING)
    }

    fn plan(said: &str) -> Self {
        Self::new(Purpose::Plan, said, &["list", "read", "search", "submit_plan"])
    }

    fn task(detail: &str) -> Self {
        let block = format!(
            "<task number=\"1\" of=\"2\"><title>t</title><detail>{detail}</detail><files>f</files></task>"
        );
        let mut talk =
            Self::new(Purpose::Task, "do it all", &["list", "read", "edit", "write", "delete", "run"]);
        talk.request.messages.push(Message::text(Role::User, block));
        talk.last = Offline::new().answer(&talk.request);
        talk
    }

    /// The calls of the last reply as `name args`.
    fn calls(&self) -> Vec<(String, Value)> {
        self.last.calls.iter().map(|c| (c.name.clone(), serde_json::from_str(&c.args).unwrap())).collect()
    }

    /// Answers the calls of the last reply, checking their names; those fail that say so with `error: `.
    fn then(self, results: &[(&str, &str)]) -> Self {
        let results: Vec<_> =
            results.iter().map(|(tool, text)| (*tool, *text, text.starts_with("error: "))).collect();
        self.answered(&results)
    }

    /// The one call of the last reply fails.
    fn fails(self, tool: &str, text: &str) -> Self {
        self.answered(&[(tool, text, true)])
    }

    fn answered(mut self, results: &[(&str, &str, bool)]) -> Self {
        let names: Vec<&str> = self.last.calls.iter().map(|c| c.name.as_str()).collect();
        let expected: Vec<&str> = results.iter().map(|r| r.0).collect();
        assert_eq!(names, expected, "said instead: {}", self.last.text);
        let calls = self.last.calls.clone();
        let reply =
            Message { calls: calls.clone(), ..Message::text(Role::Assistant, self.last.text.clone()) };
        self.request.messages.push(reply);
        for (call, (_, text, failed)) in calls.iter().zip(results) {
            let (answers, failed) = (Some(call.id.clone()), *failed);
            self.request.messages.push(Message { answers, failed, ..Message::text(Role::Tool, *text) });
        }
        self.request.messages.push(Message::text(Role::User, "<state phase=\"idle\"/>"));
        self.last = Offline::new().answer(&self.request);
        self
    }

    /// The last word; no calls may follow.
    fn said(&self) -> &str {
        assert!(self.last.calls.is_empty(), "wants {:?}", self.calls());
        &self.last.text
    }

    /// The plan that the last reply submits.
    fn submitted(&self) -> Value {
        let calls = self.calls();
        assert_eq!(calls.len(), 1, "said instead: {}", self.last.text);
        assert_eq!(calls[0].0, "submit_plan");
        calls[0].1.clone()
    }
}

const FOUND: &str = "src/a.rs:3: use crate::Bucket;\nsrc/b.rs:10: pub struct Bucket {\nsrc/b.rs:20: fn fill(b: &Bucket) {}\n3 matches in 2 files";

#[test]
fn where_is_is_answered_with_the_place_and_the_definitions_own_text() {
    let talk = Talk::ask("where is Bucket?");
    let args = json!({"pattern": "Bucket", "path": ".", "whole_word": true, "max": 400});
    assert_eq!(talk.calls(), [("search".to_owned(), args)]);
    let talk = talk.then(&[("search", FOUND)]);
    assert_eq!(talk.calls()[0].1["path"], json!("src/b.rs"));
    let file = "     8  \n     9  /// Holds tokens.\n    10  pub struct Bucket {\n    11      left: u32,\n    12  }\n    13  \n";
    let talk = talk.then(&[("read", file)]);
    let expected = "`Bucket` is a struct, defined at src/b.rs:10:\n\n```rs\n/// Holds tokens.\npub struct Bucket {\n    left: u32,\n}\n```\n\nNamed in 2 more places: src/a.rs:3, src/b.rs:20";
    assert_eq!(talk.said(), expected);
}

#[test]
fn where_is_names_the_way_to_the_places_that_it_leaves_out() {
    let uses: Vec<String> = (1..=7).map(|n| format!("src/c.rs:{n}: Bucket;")).collect();
    let found = format!("src/b.rs:10: pub struct Bucket {{\n{}\n8 matches in 2 files", uses.join("\n"));
    let talk = Talk::ask("where is Bucket?").then(&[("search", &found)]);
    let talk = talk.then(&[("read", "    10  pub struct Bucket {\n    11  }\n")]);
    assert!(talk.said().ends_with("src/c.rs:5, … (`who uses Bucket` lists them all)"), "{}", talk.said());
}

#[test]
fn a_name_in_other_spelling_is_found_and_nothing_is_claimed_where_nothing_is() {
    let talk = Talk::ask("what is the rate limiter?")
        .then(&[("search", "src/l.rs:2: struct RateLimiter;\n1 match in 1 file")]);
    let talk = talk.then(&[("read", "     2  struct RateLimiter;")]);
    assert!(talk.said().starts_with("`RateLimiter` is a struct, defined at src/l.rs:2:"), "{}", talk.said());
    let marked = Talk::ask("? what is the rate limiter");
    assert_eq!(marked.calls(), Talk::ask("what is the rate limiter?").calls());
    let talk = Talk::ask("where is Nowhere?").then(&[("search", "no matches in .")]);
    assert_eq!(talk.calls()[0].1["pattern"], json!("(?i)Nowhere"));
    let talk = talk.then(&[("search", "no matches in .")]).then(&[("list", "src/")]);
    assert!(talk.said().starts_with("I found nothing called `Nowhere`: no match in any"), "{}", talk.said());
    // Where a search did not look at every file it claims nothing of the others.
    let some = "0 matches in 0 files; only the first 200000 names were looked at";
    let talk = Talk::ask("where is Nowhere?").then(&[("search", some)]).then(&[("search", some)]);
    let talk = talk.then(&[("list", "src/")]);
    let said = talk.said();
    assert!(said.contains("not every file") && !said.contains("no match in any"), "{said}");
}

#[test]
fn a_name_that_is_only_used_is_not_called_defined() {
    let talk = Talk::ask("where is serde?")
        .then(&[("search", "src/a.rs:1: use serde::Serialize;\n1 match in 1 file")]);
    assert!(
        talk.said().starts_with("I found no definition of `serde`, but it is mentioned in 1 place in 1 file")
    );
    assert!(talk.said().contains("- src/a.rs:1: `use serde::Serialize;`"));
}

#[test]
fn a_definition_in_the_code_goes_before_one_in_a_test_and_the_owner_counts() {
    let found = "tests/x.rs:1: fn step() {}\nsrc/session.rs:4: pub fn step(&mut self) {\nsrc/lane.rs:9: fn step() {\n3 matches in 3 files";
    let talk = Talk::ask("where is Session::step?").then(&[("search", found)]);
    assert_eq!(talk.calls()[0].1["path"], json!("src/session.rs"));
}

#[test]
fn uses_are_told_file_by_file_without_the_definition() {
    let talk = Talk::ask("who uses Bucket?").then(&[("search", FOUND)]);
    let expected = "`Bucket` is mentioned in 3 places in 2 files, its definition included. It is defined at src/b.rs:10.\n\nsrc/a.rs\n- src/a.rs:3: `use crate::Bucket;`\n\nsrc/b.rs\n- src/b.rs:20: `fn fill(b: &Bucket) {}`";
    assert_eq!(talk.said(), expected);
}

#[test]
fn a_refused_or_failed_call_is_told_and_not_repeated() {
    let talk = Talk::ask("where is Bucket?")
        .fails("search", "search is not allowed in this turn: its path is explain");
    assert_eq!(talk.said(), "I could not search: search is not allowed in this turn: its path is explain");
    let talk = Talk::new(Purpose::Answer, "where is Bucket?", &[]);
    assert_eq!(talk.said(), "That needs `search`, which is not available in this turn.");
}

#[test]
fn a_file_is_shown_and_one_in_a_folder_is_found_by_its_name() {
    let talk = Talk::ask("show b.rs").then(&[("read", "error: b.rs does not exist")]);
    let talk = talk.then(&[("list", "src/\nsrc/b.rs\nsrc/ab.rs")]);
    let talk = talk.then(&[("read", "     1  fn b() {}\n     2  // ```")]);
    assert_eq!(talk.said(), "src/b.rs:1-2\n\n````rs\nfn b() {}\n// ```\n````");
    let talk = Talk::ask("show b.rs")
        .then(&[("read", "error: b.rs does not exist")])
        .then(&[("list", "a/b.rs\nc/b.rs")]);
    assert!(talk.said().contains("There are 2 files called b.rs"));
}

#[test]
fn an_outline_has_purpose_lines_and_definitions() {
    let file = "     1  //! Holds the bucket.\n     2  //! And fills it.\n     3  \n     4  pub struct Bucket {\n     5      left: u32,\n     6  }\n     7  impl Bucket {\n     8      fn fill(&mut self) {\n";
    let talk = Talk::ask("summarize src/b.rs").then(&[("read", file)]);
    let expected = "src/b.rs, 8 lines. It describes itself (src/b.rs:1): Holds the bucket. And fills it.\n\n```text\n    4  pub struct Bucket\n    8  fn fill(&mut self)\n```";
    let said = talk.said().replace("    8      fn", "    8  fn");
    assert_eq!(said, expected);
    let talk = Talk::ask("outline src").then(&[("read", "error: src is a folder")]);
    let talk = talk
        .then(&[("list", "src/\nsrc/b.rs")])
        .then(&[("search", "src/b.rs:4: pub struct Bucket {\n1 match in 1 file")]);
    assert_eq!(talk.said(), "src/ holds 1 file (three levels deep).\n- src/b.rs: Bucket (4)");
}

#[test]
fn a_directive_is_no_comment_of_a_file() {
    let file = "     1  #include \"ring.h\"\n     2  #include <stdlib.h>\n     3  \n     4  int ring_pop(struct ring *r)\n     5  {\n";
    let talk = Talk::ask("outline src/ring.c").then(&[("read", file)]);
    assert!(!talk.said().contains("include") && talk.said().contains("int ring_pop"), "{}", talk.said());
}

#[test]
fn the_codebase_is_described_from_its_own_files() {
    let talk = Talk::ask("What's in this codebase?");
    let talk = talk.then(&[("list", "Cargo.toml\nREADME.md\nsrc/\nsrc/main.rs\nsrc/b.rs")]);
    let readme = "     1  # Inkwell\n     2  \n     3  A small blog engine\n     4  in Rust.\n     5  \n";
    let talk = talk.then(&[("read", readme), ("read", "     1  [package]\n     2  description = \"Blogs\"")]);
    let said = talk.said();
    assert!(
        said.starts_with("A small blog engine in Rust. (README.md:3)\n\nBlogs (Cargo.toml:2)\n\n4 files"),
        "{said}"
    );
    assert!(said.contains(".rs (2)") && said.contains("src (2)") && said.contains("src/main.rs"), "{said}");
}

#[test]
fn a_rename_is_looked_up_planned_and_counted() {
    let talk = Talk::plan("rename Bucket to Pail in src");
    let calls = talk.calls();
    assert_eq!(calls[0].1, json!({"pattern": "Bucket", "path": "src", "whole_word": true, "max": 1000}));
    assert_eq!(calls[1].1["pattern"], json!("Pail"));
    let all = "src/a.rs:3: use crate::Bucket;\ntests/t.rs:5: Bucket::new()\n2 matches in 2 files";
    let talk = talk.then(&[("search", FOUND), ("search", "no matches in src"), ("search", all)]);
    let plan = talk.submitted();
    assert_eq!(plan["title"], json!("Rename Bucket to Pail"));
    assert_eq!(
        plan["note"],
        json!(
            "3 places of `Bucket` in 2 files in src, as whole words, in comments and texts too. Careful: `Bucket` remains in 1 line outside, first in tests/t.rs:5."
        )
    );
    assert_eq!(plan["gates"], json!([]));
    let task = &plan["tasks"][0];
    assert_eq!(task["detail"], json!("rename `Bucket` to `Pail` in these files: `src/a.rs`, `src/b.rs`"));
    assert_eq!((&task["kind"], &task["files"]), (&json!("modify"), &json!(["src/a.rs", "src/b.rs"])));
    let core = serde_json::from_str::<pilothouse_core::plan::PlanDraft>(&plan.to_string()).unwrap();
    assert!(core.build(pilothouse_core::ids::TurnId(1), 1).is_ok());
    let talk = talk.fails("submit_plan", "the plan has no tasks; give at least one task with a title");
    assert!(talk.said().starts_with("The plan was not accepted: the plan has no tasks"));
}

#[test]
fn a_rename_warns_when_the_new_name_exists_already() {
    let note = |taken: &str| {
        let talk = Talk::plan("benenne Bucket in Pail um").then(&[("search", FOUND), ("search", taken)]);
        talk.submitted()["note"].as_str().unwrap().to_owned()
    };
    let clash = note("src/a.rs:9: Pail\n1 match in 1 file");
    assert!(clash.contains("`Pail` already exists in these files (src/a.rs:9)"), "{clash}");
    let elsewhere = note("docs/x.md:1: Pail\n1 match in 1 file");
    assert!(elsewhere.contains("`Pail` already exists elsewhere (docs/x.md:1)"), "{elsewhere}");
}

#[test]
fn a_rename_with_more_matches_than_one_result_shows_misses_no_file() {
    let cut = "src/a.rs:3: Bucket\n[… 9000 bytes left out …]\nrc/z.rs:1: Bucket\n900 matches in 70 files";
    let talk =
        Talk::plan("rename Bucket to Pail").then(&[("search", cut), ("search", "0 matches in 0 files")]);
    assert_eq!(talk.calls(), [("list".to_owned(), json!({"path": ".", "depth": 1}))]);
    let talk = talk.then(&[("list", "docs/\nsrc/\nlink  (link)")]);
    let paths: Vec<Value> = talk.calls().iter().map(|c| c.1["path"].clone()).collect();
    assert_eq!(paths, [json!("docs"), json!("src"), json!("link")]);
    let more = "the first 1000 matches in 3 files; there are more: narrow the pattern or the path";
    let one = |path: &str| format!("{path}:1: Bucket\n1 match in 1 file");
    let talk =
        talk.then(&[("search", &one("docs/a.md")), ("search", more), ("search", "0 matches in 0 files")]);
    let talk = talk.then(&[("list", "src/x.rs\nsrc/y.rs")]);
    let talk = talk.then(&[("search", &one("src/x.rs")), ("search", &one("src/y.rs"))]);
    let plan = talk.submitted();
    assert_eq!(plan["tasks"][0]["files"], json!(["docs/a.md", "src/x.rs", "src/y.rs"]));
    assert!(plan["note"].as_str().unwrap().starts_with("3 places of `Bucket` in 3 files"), "{plan}");
}

#[test]
fn a_change_of_more_files_than_one_task_takes_says_which_part_each_is() {
    let found = |lines: usize| {
        let hits = (0..lines).map(|n| format!("src/m_{n:02}.rs:1: Bucket"));
        hits.chain([format!("{lines} matches in {lines} files")]).collect::<Vec<_>>().join("\n")
    };
    let titles = |files: usize| {
        let talk = Talk::plan("replace Bucket with Pail").then(&[("search", &found(files))]);
        let plan = talk.submitted();
        let tasks = plan["tasks"].as_array().unwrap().iter();
        tasks.map(|t| t["title"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let what = "Replace \"Bucket\" with \"Pail\" in";
    assert_eq!(titles(30), [format!("{what} 30 files")]);
    assert_eq!(titles(40), [format!("{what} 30 files (1 of 2)"), format!("{what} 10 files (2 of 2)")]);
}

#[test]
fn a_rename_says_when_it_cannot_list_every_file() {
    let cut = "src/a.rs:3: Bucket\n900 matches in 70 files";
    let mut talk =
        Talk::plan("rename Bucket to Pail").then(&[("search", cut), ("search", "0 matches in 0 files")]);
    for level in 0..4 {
        talk = talk.then(&[("list", &format!("level{level}/"))]).then(&[("search", cut)]);
    }
    assert!(
        talk.submitted()["note"].as_str().unwrap().contains("more files than the 1 file"),
        "{:?}",
        talk.calls()
    );
}

#[test]
fn a_rename_of_nothing_is_no_plan() {
    let talk = Talk::plan("rename Bucket to Pail")
        .then(&[("search", "no matches in ."), ("search", "no matches in .")]);
    assert_eq!(
        talk.said(),
        "`Bucket` does not occur as a whole word in this folder, so there is nothing to rename."
    );
    assert_eq!(Talk::plan("rename Foo to Foo").said(), "`Foo` is already called that.");
}

#[test]
fn a_correction_narrows_the_wish_before() {
    let mut talk = Talk::plan("rename Bucket to Pail");
    talk.request.messages.push(Message::text(Role::Assistant, "shown"));
    talk.request.messages.push(Message::text(Role::User, "only in src/auth"));
    talk.last = Offline::new().answer(&talk.request);
    assert_eq!(talk.calls()[0].1["path"], json!("src/auth"));
}

#[test]
fn a_replacement_keeps_its_texts_exactly() {
    let talk = Talk::plan("ersetze „<b>“ durch „`i`“ in docs");
    assert_eq!(talk.calls()[0].1, json!({"pattern": "<b>", "path": "docs", "literal": true, "max": 1000}));
    let talk = talk.then(&[("search", "docs/a.md:1: <b>x<b>\n1 match in 1 file")]);
    let plan = talk.submitted();
    assert!(
        plan["note"].as_str().unwrap().starts_with("2 places of \"<b>\" on 1 line of 1 file in docs"),
        "{plan}"
    );
    let detail = plan["tasks"][0]["detail"].as_str().unwrap().to_owned();
    let edits = json!({"path": "docs/a.md", "edits": [{"old": "<b>", "new": "`i`", "all": true}]});
    assert_eq!(Talk::task(&detail).calls(), [("edit".to_owned(), edits)]);
}

#[test]
fn a_new_file_is_planned_only_where_none_is() {
    let talk =
        Talk::plan("create notes.md with \"# Notes\"").then(&[("read", "error: notes.md does not exist")]);
    let plan = talk.submitted();
    assert_eq!(plan["tasks"][0]["kind"], json!("create"));
    let detail = plan["tasks"][0]["detail"].as_str().unwrap().to_owned();
    let task = Talk::task(&detail);
    assert_eq!(task.calls(), [("write".to_owned(), json!({"path": "notes.md", "content": "# Notes\n"}))]);
    assert_eq!(task.then(&[("write", "proposed notes.md, 1 line")]).said(), "notes.md: new file.");
    let talk = Talk::plan("create notes.md").then(&[("read", "     1  old")]);
    assert!(talk.said().starts_with("notes.md already exists"));
}

#[test]
fn removals_are_planned_for_files_and_folders_that_exist() {
    let talk =
        Talk::plan("delete old.rs and gone/").then(&[("read", "     1  x"), ("read", "error: no such file")]);
    let talk = talk.then(&[("list", "error: gone does not exist")]);
    let talk = talk.then(&[("search", "src/lib.rs:3: mod old;\n1 match in 1 file")]);
    let plan = talk.submitted();
    let note = plan["note"].as_str().unwrap();
    assert!(
        note.starts_with("1 file would go. Not found: gone/. Careful: `old.rs` is still mentioned"),
        "{note}"
    );
    assert_eq!(
        (&plan["tasks"][0]["kind"], &plan["tasks"][0]["files"]),
        (&json!("delete"), &json!(["old.rs"]))
    );
    let talk = Talk::plan("lösche den Ordner old").then(&[("read", "error: old is a folder")]);
    let talk = talk.then(&[("list", "old/a.rs\nold/b/\nold/b/c.rs")]);
    let plan = talk.submitted();
    assert_eq!(plan["tasks"][0]["detail"], json!("delete these files: `old/a.rs`, `old/b/c.rs`"));
    let talk = Talk::task("delete these files: `old/a.rs`, `old/b/c.rs`");
    assert_eq!(talk.calls().len(), 2);
}

#[test]
fn a_rename_task_edits_each_file_once_and_tells_of_failures() {
    let talk = Talk::task("rename `Foo` to `Bar` in these files: a.rs, b.rs");
    let edit = |p: &str| json!({"path": p, "edits": [{"old": "Foo", "new": "Bar", "all": true, "whole_word": true}]});
    assert_eq!(talk.calls(), [("edit".to_owned(), edit("a.rs")), ("edit".to_owned(), edit("b.rs"))]);
    let talk =
        talk.then(&[("edit", "proposed: 2 replacements"), ("edit", "error: `Foo` was not found in b.rs")]);
    assert_eq!(
        talk.said(),
        "1 file: `Foo` → `Bar`.\n\nNot changed, 1 file:\n- b.rs: error: `Foo` was not found in b.rs"
    );
}

#[test]
fn a_file_that_must_be_read_first_is_read_once_and_edited_again() {
    let talk = Talk::task("rename `Foo` to `Bar` in these files: a.rs");
    let talk = talk.then(&[("edit", "error: a.rs changed since; read it first")]);
    let talk = talk.then(&[("read", "     1  Foo")]);
    let again = talk.then(&[("edit", "error: a.rs changed since; read it first")]);
    assert!(again.said().starts_with("Nothing could be proposed"), "{}", again.said());
}

#[test]
fn a_task_that_a_model_planned_is_declined_plainly() {
    let talk = Talk::task("make the parser faster");
    assert!(talk.said().contains("can't do this task") && talk.said().contains("/connect"));
}

#[test]
fn tests_are_found_by_the_projects_files_run_and_reported() {
    let talk = Talk::new(Purpose::Goal, "run the tests", &["list", "run"]);
    let talk = talk.then(&[("list", "src/\nCargo.toml\npackage.json")]);
    assert_eq!(talk.calls(), [("run".to_owned(), json!({"command": "cargo test"}))]);
    let talk = talk.then(&[("run", "running 1 test\ntest a ... FAILED\nexit 101")]);
    assert!(talk.said().starts_with("`cargo test` failed (exit 101): 1 failed: a"), "{}", talk.said());
    let talk = Talk::new(Purpose::Goal, "run the tests", &["list", "run"]).then(&[("list", "a.txt")]);
    assert!(talk.said().starts_with("I can't tell how to run the tests here"));
}

#[test]
fn the_command_that_was_found_here_goes_before_what_is_usual() {
    let mut talk = Talk::new(Purpose::Goal, "run the tests", &["list", "run"]);
    let told = "<project>\ncommands:\n- build: uv build (not found here: uv)\n- test: .venv/bin/pytest (found)\n</project>";
    talk.request.messages.insert(0, Message::text(Role::User, told));
    let talk = talk.then(&[("list", "pyproject.toml\nx.py")]);
    assert_eq!(talk.calls(), [("run".to_owned(), json!({"command": ".venv/bin/pytest"}))]);
}

#[test]
fn a_command_is_run_as_it_was_written_and_a_denial_is_told() {
    let talk = Talk::new(Purpose::Goal, "run `git log --oneline -n 3`", &["run"]);
    assert_eq!(talk.calls(), [("run".to_owned(), json!({"command": "git log --oneline -n 3"}))]);
    for why in ["denied by the user: not now", "skipped by the user"] {
        let talk = Talk::new(Purpose::Goal, "run `git log --oneline -n 3`", &["run"]);
        let talk = talk.fails("run", why);
        assert_eq!(talk.said(), format!("`git log --oneline -n 3` did not run: {why}"));
    }
}

#[test]
fn a_task_is_found_behind_its_plan_and_before_the_history() {
    let mut talk = Talk::new(Purpose::Task, "rename Foo to Bar", &["edit"]);
    let block = "<plan title=\"t\">\n1. x (now)\n</plan>\n<task number=\"1\" of=\"1\">\n<title>x</title>\n<detail>rename `Foo` to `Bar` in these files: `a.rs`</detail>\n<files>a.rs</files>\n</task>";
    talk.request.messages.insert(1, Message::text(Role::User, block));
    talk.last = Offline::new().answer(&talk.request);
    assert_eq!(talk.calls()[0].1["path"], json!("a.rs"));
    let said = talk.then(&[("edit", "proposed a change: a.rs (+1 -1), 1 replacement")]);
    assert_eq!(said.said(), "a.rs: `Foo` → `Bar`.");
}

#[test]
fn a_step_in_the_users_words_that_runs_something_runs_it() {
    for said in ["also run the tests", "and then run the tests, please", "run the tests too"] {
        let talk = Talk::task(said);
        assert_eq!(talk.calls()[0].0, "list", "{said}: {}", talk.last.text);
        let talk = talk.then(&[("list", "Cargo.toml\nsrc/")]);
        assert_eq!(talk.calls()[0].1["command"], json!("cargo test"), "{said}");
    }
    assert_eq!(Talk::task("also run `make check`").calls()[0].1["command"], json!("make check"));
}

#[test]
fn a_lane_without_an_order_does_nothing_that_the_user_said_before() {
    let mut talk = Talk::new(Purpose::Task, "delete notes.md", &["delete", "run"]);
    let repair = "<task>\n<title>Make the gate pass that failed: tests</title>\n<detail>The command is `cargo test`. Propose the smallest change that mends it; never weaken the gate.</detail>\n<diagnostics>x</diagnostics>\n</task>";
    assert!(talk.said().contains("can't do this task"));
    talk.request.messages.insert(0, Message::text(Role::User, repair));
    talk.last = Offline::new().answer(&talk.request);
    assert!(talk.said().contains("can't do this task"));
}

#[test]
fn a_long_file_is_outlined_page_by_page() {
    let first = "     1  fn a() {\n   200  }\n(lines 1-200 of 450; go on with from: 201)";
    let talk = Talk::ask("outline src/b.rs").then(&[("read", first)]);
    let froms: Vec<Value> = talk.calls().iter().map(|c| c.1["from"].clone()).collect();
    assert_eq!(froms, [json!(201), json!(401)]);
    let talk = talk.then(&[("read", "   201  fn b() {"), ("read", "   401  fn c() {")]);
    assert!(
        talk.said().starts_with("src/b.rs, 450 lines.") && talk.said().contains("  401  fn c()"),
        "{}",
        talk.said()
    );
}

#[test]
fn a_result_is_what_its_call_came_to_and_not_what_it_sounds_like() {
    let talk = Talk::ask("list the files").then(&[("list", "not found/\nnot found/a.rs")]);
    assert!(talk.said().contains("1 file and 1 folder"), "{}", talk.said());
    let talk = Talk::ask("list the files").fails("list", "src/\nsrc/a.rs");
    assert!(talk.said().contains("I couldn't list"), "{}", talk.said());
}

#[test]
fn a_review_needs_a_command_and_says_so_without() {
    assert!(Talk::ask("review my changes").said().contains("`git diff`"));
    let talk = Talk::new(Purpose::Answer, "review my changes", &["run"]);
    assert!(talk.then(&[("run", "exit 0, took 0.1 s")]).said().starts_with("Nothing has changed"));
    let talk = Talk::new(Purpose::Answer, "review my changes", &["run"]);
    let none = talk.then(&[("run", "exit 129, took 0.1 s\nstderr:\nfatal: not a git repository")]);
    assert_eq!(none.said(), "I couldn't see the changes: fatal: not a git repository");
}

#[test]
fn what_it_cannot_do_it_says_with_the_way_to_a_model() {
    for purpose in [Purpose::Answer, Purpose::Plan, Purpose::Goal] {
        let talk = Talk::new(purpose, "Add rate limiting to the login endpoint", &READING);
        let said = talk.said();
        assert!(said.contains("/connect") && said.contains("PILOTHOUSE_BASE_URL"), "{said}");
        assert_eq!(said.lines().count(), 1);
    }
    assert!(Talk::ask("rename Foo to Bar").said().contains("would change files"));
}

#[test]
fn what_comes_to_no_plan_is_said_once_however_often_a_plan_is_asked_for() {
    for wish in ["replace \"ink\" with \"blot\" in a.rs", "make the store safe for threads"] {
        let mut talk = Talk::plan(wish);
        while !talk.last.calls.is_empty() {
            let name = talk.last.calls[0].name.clone();
            talk = talk.then(&[(&name, "no matches")]);
        }
        assert!(!talk.said().is_empty());
        let said = Message::text(Role::Assistant, talk.said());
        let told = Message::text(Role::User, "<workbench>hand the plan in now</workbench>");
        talk.request.messages.extend([said, told]);
        assert_eq!(Offline::new().answer(&talk.request).text, "", "{wish}");
    }
}

#[test]
fn it_stops_after_many_rounds_even_when_results_never_come() {
    let mut talk = Talk::ask("where is Bucket?");
    for n in 0..40 {
        let call = ModelCall { id: format!("x{n}"), name: "search".into(), args: format!("{{\"n\":{n}}}") };
        talk.request.messages.push(Message { calls: vec![call], ..Message::text(Role::Assistant, "") });
    }
    talk.last = Offline::new().answer(&talk.request);
    assert!(talk.said().starts_with("I stopped after"));
}

#[tokio::test]
async fn it_is_a_model_like_every_other() {
    let (tx, mut rx) = tokio::sync::mpsc::channel(4);
    let request = Talk::ask("hello").request;
    let reply = Offline.reply(request.clone(), tx.clone(), CancellationToken::new()).await.unwrap();
    assert_eq!(rx.recv().await.unwrap(), ModelDelta::Text(reply.text));
    assert_eq!((reply.usage.cost_micros, reply.finish), (Some(0), Finish::Stop));
    let cancel = CancellationToken::new();
    cancel.cancel();
    assert!(Offline.reply(request, tx, cancel).await.is_err());
}

#[test]
fn what_directs_a_message_is_no_part_of_what_was_said() {
    let plain = Talk::ask("where is Store?");
    for kind in ["agent", "skill", "command"] {
        let said = format!("where is Store?\n\n<{kind} name=\"plain\">\nUse plain words.\n</{kind}>");
        assert_eq!(Talk::ask(&said).calls(), plain.calls(), "{kind}");
    }
}
