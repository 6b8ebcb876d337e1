//! What was written is told and committed from the command line, and nothing else is.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, clippy::indexing_slicing)]

use std::process::Command;

use crate::support::{
    Desk,
    alone::{edit, plan},
    server::{Server, Turn},
};

const GOAL: &str = "rename score to points_of in src/search.rs";

fn git(desk: &Desk, args: &[&str]) -> String {
    let mut git = Command::new("git");
    git.args(["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]).args(args);
    let done = git.current_dir(desk.path()).env("GIT_CONFIG_GLOBAL", "/dev/null").output().unwrap();
    assert!(done.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

/// A repository in which a run has changed a file; gives the session's name.
fn worked() -> (Desk, Server, String) {
    let desk = Desk::new();
    git(&desk, &["init", "-q", "-b", "main"]);
    git(&desk, &["add", "."]);
    git(&desk, &["commit", "-qm", "first"]);
    let server = Server::start(vec![
        Turn::Say("", vec![("submit_plan", plan(&[("modify", "src/search.rs")]))]),
        Turn::Say("", vec![("edit", edit("src/search.rs", "fn score(", "fn points_of("))]),
        Turn::Say("Done.", vec![]),
    ]);
    desk.ask(&server.base, &["run", GOAL, "--auto-confirm"]).with(0);
    let slug = desk.sessions()[0]["slug"].as_str().unwrap().to_owned();
    (desk, server, slug)
}

#[test]
fn a_commit_holds_what_the_session_wrote_and_leaves_staged_and_dirty_files_alone() {
    let (desk, server, slug) = worked();
    std::fs::write(desk.path().join("README.md"), "staged\n").unwrap();
    git(&desk, &["add", "README.md"]);
    std::fs::write(desk.path().join("Cargo.toml"), "dirty\n").unwrap();
    std::fs::write(desk.path().join("new.txt"), "untracked\n").unwrap();
    let go = |args: &[&str]| desk.ask(&server.base, args);
    go(&["run", "/changes", "--session", &slug]).with(0).tells(&["src/search.rs +1 -1"]);
    // Nobody is known yet.
    let refused = go(&["run", "/commit", "--session", &slug, "--auto-confirm"]).with(1);
    refused.tells(&["git does not know who you are", "`!!git config user.name", "`!!git config user.email"]);
    git(&desk, &["config", "user.name", "Ada"]);
    git(&desk, &["config", "user.email", "ada@example.org"]);
    // Without leave it is only shown.
    let shown = go(&["run", "/commit", "--session", &slug]).with(3);
    shown.tells(&[
        "src/search.rs (changed)",
        "modify src/search.rs",
        "2 other changed files (1 staged) stay as they are.",
    ]);
    assert_eq!(git(&desk, &["log", "--format=%s"]), "first\n");
    let done = go(&["run", "/commit", "--session", &slug, "--auto-confirm"]).with(0);
    assert!(done.out.contains("committed ") && done.out.contains(" on main"), "{}", done.out);
    assert_eq!(
        git(&desk, &["show", "--name-only", "--format=%s", "HEAD"]),
        "modify src/search.rs\n\nsrc/search.rs\n"
    );
    assert_eq!(git(&desk, &["status", "--porcelain"]), " M Cargo.toml\nM  README.md\n?? new.txt\n");
    let again = go(&["run", "/commit", "--session", &slug, "--auto-confirm"]).with(1);
    assert_eq!(again.err.matches("nothing to commit").count(), 1, "{}", again.err);
}
