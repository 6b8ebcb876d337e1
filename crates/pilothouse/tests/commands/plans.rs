//! Plans from the command line: written to a file, read from one, and stopped where they pause.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::format_collect
)]

use crate::support::{
    Desk,
    alone::{edit, plan},
    server::{Server, Turn},
};

const GOAL: &str = "rename score to points_of in src/search.rs";

fn slug(desk: &Desk) -> String {
    desk.sessions()[0]["slug"].as_str().unwrap().to_owned()
}

fn renames(desk: &Desk) -> bool {
    desk.file("src/search.rs").contains("fn points_of(")
}

fn change() -> Turn {
    Turn::Say("", vec![("edit", edit("src/search.rs", "fn score(", "fn points_of("))])
}

#[test]
fn a_plan_goes_to_a_file_by_the_ordinary_consent_and_comes_back_from_it() {
    let desk = Desk::new();
    let submitted = plan(&[("modify", "src/search.rs"), ("read", "README.md")]);
    let server = Server::start(vec![
        Turn::Say("", vec![("submit_plan", submitted)]),
        change(),
        Turn::Say("Done.", vec![]),
    ]);
    let go = |args: &[&str]| desk.ask(&server.base, args);
    go(&["run", GOAL]).with(3);
    let first = slug(&desk);
    go(&["run", "/plan export docs/plan.md", "--session", &first, "--auto-confirm"]).with(0);
    let text = desk.file("docs/plan.md");
    assert!(
        text.contains("## Steps") && text.contains("kind: modify") && text.contains("files: src/search.rs"),
        "{text}"
    );
    go(&["run", "/plan show", "--session", &first]).with(0).tells(&["(v1)", "  1. [ ] "]);
    // Without leave it waits in the session.
    go(&["run", "/plan export other.md", "--session", &first]).with(3).tells(&["pilothouse resume"]);
    assert!(!desk.path().join("other.md").exists());
    // The second step is not wanted any more.
    std::fs::write(desk.path().join("docs/plan.md"), text.replace("2. [ ]", "2. [-]")).unwrap();
    assert_eq!(server.requests().len(), 1, "no model was asked about the file");
    let waits = go(&["run", "/plan import docs/plan.md"]).with(3);
    assert!(waits.out.contains("★ Plan ready (2 tasks"), "{}", waits.out);
    assert!(!waits.tells(&["Proceed?"]).err.contains("Plan ready"), "it is the result, and told once");
    assert!(!renames(&desk));
    // What was left out was not done, and the exit code says so.
    let done = go(&["run", "/plan import docs/plan.md", "--auto-confirm"]);
    done.with(1).tells(&["Ended: 1 of 2 done, 1 skipped"]);
    assert!(renames(&desk));
}

#[test]
fn a_file_that_is_no_plan_is_told_by_its_line_and_starts_nothing() {
    let desk = Desk::new();
    let server = Server::start(vec![]);
    let many: String = (1..=10_000).map(|n| format!("{n}. [ ] Step\n")).collect();
    let cases: [(&str, Vec<u8>, &str); 6] = [
        (
            "circle.md",
            b"# T\n## Steps\n1. [ ] A\nneeds: 2\n2. [ ] B\nneeds: 1\n".to_vec(),
            "circle.md:4: steps wait",
        ),
        ("many.md", format!("## Steps\n{many}").into_bytes(), "many.md:202: the plan has 10000 tasks"),
        ("needs.md", b"## Steps\n1. [ ] A\nneeds: 7\n".to_vec(), "needs.md:3: there is no step 7"),
        ("out.md", b"## Steps\n1. [ ] A\nfiles: ../x\n".to_vec(), "out.md:3: \"../x\" is not a path"),
        ("large.md", vec![b'x'; 5 << 20], "large.md is longer than 524288 bytes"),
        ("bytes.md", vec![0xff, 0xfe], "bytes.md is no text in UTF-8"),
    ];
    for (name, content, said) in cases {
        std::fs::write(desk.path().join(name), content).unwrap();
        let line = format!("/plan import {name}");
        desk.ask(&server.base, &["run", &line, "--auto-confirm"]).with(1).tells(&[said]);
    }
    desk.ask(&server.base, &["run", "/plan import gone.md"]).with(1).tells(&["gone.md"]);
    desk.ask(&server.base, &["run", "/plan import ../x.md"])
        .with(2)
        .tells(&["not a path inside the workspace"]);
    assert!(server.requests().is_empty());
}

#[test]
fn a_run_that_pauses_says_so_and_goes_on_as_it_says() {
    let desk = Desk::new();
    desk.configure("[plan]\npauses = [\"before the first change\", \"past $5\"]\n");
    let submitted = plan(&[("modify", "src/search.rs")]);
    let server = Server::start(vec![
        Turn::Say("", vec![("submit_plan", submitted)]),
        change(),
        Turn::Say("Done.", vec![]),
    ]);
    let paused = desk.ask(&server.base, &["run", GOAL, "--auto-confirm", "--json"]).with(3);
    let last = paused.events().pop().unwrap();
    assert_eq!(last["question"]["message"], "Paused before the first change");
    let slug = slug(&desk);
    assert_eq!(last["go_on"], format!("pilothouse run \"/redo\" --session {slug} --auto-confirm"));
    assert!(!renames(&desk), "nothing is written before that");
    desk.ask(&server.base, &["run", "/redo", "--session", &slug, "--auto-confirm"]).with(0);
    assert!(renames(&desk));
    desk.configure("[plan]\npauses = [\"now and then\"]\n");
    desk.ask(&server.base, &["run", GOAL]).with(2).tells(&["\"now and then\" is not a pause; choose from"]);
}
