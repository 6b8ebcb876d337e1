//! `undo` at the command line of what a command changed, where somebody else may have saved files meanwhile.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, clippy::indexing_slicing)]

use std::fs;

use serde_json::json;

use crate::support::{
    Desk,
    alone::{Running, finish, last_result, not_run},
    proof::everything,
    server::{Server, Turn},
};

/// Whether a line of the agent's ran; none does where every command asks.
fn ran(desk: &Desk, line: &str) -> bool {
    desk.configure("[session]\npermission = \"auto\"\n");
    if desk.sandbox().is_none() {
        not_run("an undo of a command: no sandbox here, so every command asks");
        return false;
    }
    let run = Turn::Say("", vec![("run", json!({"command": line}))]);
    let server = Server::start(vec![run, Turn::Say("Done.", vec![])]);
    desk.ask(&server.base, &["run", "run the fixer", "--auto-confirm", "--trust"]).with(0);
    true
}

#[test]
fn what_may_be_somebody_elses_is_named_and_taken_back_only_by_a_word() {
    let desk = Desk::new();
    fs::write(desk.path().join("fix.sh"), "echo '// fixed' >> src/search.rs\n").unwrap();
    let before = desk.tree();
    if !ran(&desk, "sh fix.sh; echo made > made.txt") {
        return;
    }
    let after = desk.tree();
    assert_ne!(after, before);
    let named = ["src/search.rs was changed while it ran", "`--all`", "`--keep`"];
    desk.go(&["undo"]).with(3).tells(&named);
    assert_eq!(desk.tree(), after, "nothing was taken back");
    desk.go(&["undo", "--keep"]).with(0);
    assert!(!desk.path().join("made.txt").exists());
    assert!(desk.file("src/search.rs").contains("// fixed"), "it is kept");
    desk.go(&["redo"]).with(0);
    assert_eq!(desk.tree(), after);
    desk.go(&["undo", "--all"]).with(0);
    assert_eq!(desk.tree(), before);
    desk.go(&["redo"]).with(0);
    assert_eq!(desk.tree(), after);
    desk.go(&["undo", "--all", "--keep"]).with(2);
    desk.verified();
}

#[test]
fn what_may_be_the_users_own_of_spared_files_waits_for_a_word() {
    let desk = Desk::new();
    fs::create_dir_all(desk.path().join("tests")).unwrap();
    fs::write(desk.path().join("tests/search.rs"), "// as it was\n").unwrap();
    fs::write(
        desk.path().join("fix.sh"),
        "for f in src/search.rs tests/search.rs; do echo '// fixed' >> $f; done\n",
    )
    .unwrap();
    let before = desk.tree();
    desk.configure("[session]\npermission = \"auto\"\n");
    if desk.sandbox().is_none() {
        return not_run("what is put back after a command: no sandbox here, so every command asks");
    }
    let run = Turn::Say("", vec![("run", json!({"command": "sh fix.sh"}))]);
    let server = Server::start(vec![run, Turn::Say("Done.", vec![])]);
    let said = "run the fixer, but leave the tests alone";
    let told = [
        "The tests were to be left alone: tests/search.rs changed.",
        "perhaps by someone else; `pilothouse undo`",
    ];
    desk.ask(&server.base, &["run", said, "--auto-confirm", "--trust"]).with(3).tells(&told);
    assert_eq!(desk.file("tests/search.rs"), "// as it was\n// fixed\n");
    let result = last_result(&server, 1);
    assert!(result.contains("whether it is put back the user is asked: tests/search.rs."), "{result}");
    desk.go(&["undo", "--all"]).with(0);
    assert_eq!(desk.file("tests/search.rs"), "// as it was\n");
    assert!(desk.file("src/search.rs").contains("// fixed"));
    desk.go(&["undo", "--all"]).with(0);
    assert_eq!(desk.tree(), before);
    desk.verified();
}

#[test]
fn where_nothing_is_the_commands_for_certain_there_is_nothing_to_keep_apart() {
    let desk = Desk::new();
    fs::write(desk.path().join("fix.sh"), "echo '// fixed' >> src/search.rs\n").unwrap();
    if !ran(&desk, "sh fix.sh") {
        return;
    }
    let after = desk.tree();
    desk.go(&["undo", "--keep"]).with(3).tells(&["none of it is certainly the command's"]);
    assert_eq!(desk.tree(), after);
    // What a line itself names needs no word.
    assert!(ran(&desk, "echo made > made.txt"));
    desk.go(&["undo"]).with(0);
    assert_eq!(desk.tree(), after);
}

fn git(desk: &Desk, args: &[&str]) {
    let identity = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "core.hooksPath=/dev/null"];
    let mut git = std::process::Command::new("git");
    git.args(identity).args(args).current_dir(desk.path()).env("GIT_CEILING_DIRECTORIES", "/");
    finish(git).with(0);
}

#[test]
fn a_move_onto_a_control_file_asks_before_it_takes_anything_away() {
    let desk = Desk::new();
    fs::write(desk.path().join("README.md"), "read me\n").unwrap();
    git(&desk, &["init", "-q"]);
    git(&desk, &["add", "-A"]);
    git(&desk, &["commit", "-qm", "one"]);
    let before = desk.tree();
    desk.configure("[session]\npermission = \"auto\"\n");
    let run = Turn::Say("", vec![("run", json!({"command": "git mv README.md AGENTS.md"}))]);
    let server = Server::start(vec![run, Turn::Say("Done.", vec![])]);
    desk.ask(&server.base, &["run", "run the fixer", "--auto-confirm", "--trust"]).with(3);
    assert_eq!(desk.tree(), before);
}

#[test]
fn without_git_on_the_machine_what_it_has_is_copied_and_comes_back() {
    let desk = Desk::new();
    git(&desk, &["init", "-q"]);
    git(&desk, &["add", "-A"]);
    git(&desk, &["commit", "-qm", "one"]);
    desk.configure("[session]\npermission = \"auto\"\n");
    if desk.sandbox().is_none() {
        return not_run("an undo without git: no sandbox here, so every command asks");
    }
    let bin = tempfile::tempdir().unwrap();
    for name in ["bash", "sh", "cat", "env"] {
        let place = std::env::var("PATH")
            .unwrap()
            .split(':')
            .map(|p| std::path::Path::new(p).join(name))
            .find(|p| p.exists());
        std::os::unix::fs::symlink(place.unwrap(), bin.path().join(name)).unwrap();
    }
    let before = desk.tree();
    let run =
        Turn::Say("", vec![("run", json!({"command": "echo gone > src/search.rs; echo made > made.txt"}))]);
    let server = Server::start(vec![run, Turn::Say("Done.", vec![])]);
    let goal = ["run", "run the fixer", "--auto-confirm", "--trust"];
    let mut command = desk.with_model(&server.base, &goal);
    command.env("PATH", bin.path());
    finish(command).with(0);
    assert_eq!(desk.file("src/search.rs"), "gone\n", "{}", last_result(&server, 1));
    let mut undo = desk.command(&["undo"]);
    undo.env("PATH", bin.path());
    finish(undo).with(0);
    assert_eq!(desk.tree(), before);
}

#[test]
fn a_kill_in_the_middle_of_a_command_is_known_to_the_next_undo() {
    let desk = Desk::new();
    fs::write(desk.path().join("fix.sh"), "rm -rf src; echo made > made.txt; touch ready; exec sleep 600\n")
        .unwrap();
    // An older change, of another session.
    let first = desk.tree();
    if !ran(&desk, "echo first > first.txt") {
        return;
    }
    let before = desk.tree();
    let run = Turn::Say("", vec![("run", json!({"command": "sh fix.sh"}))]);
    let server = Server::start(vec![run, Turn::Say("Done.", vec![])]);
    let goal = ["run", "run the fixer", "--auto-confirm", "--trust", "--json"];
    let mut run = Running::start(desk.with_model(&server.base, &goal));
    while !desk.path().join("ready").exists() {
        assert!(run.child.try_wait().unwrap().is_none(), "it ended before: {}", run.end().err);
        std::thread::yield_now();
    }
    run.child.kill().unwrap();
    run.child.wait().unwrap();
    assert!(!desk.path().join("src").exists());
    let doctor = desk.go(&["doctor"]).with(1).out;
    assert!(
        doctor.contains("ended while `sh fix.sh` was running; what it changed is still there"),
        "{doctor}"
    );
    assert!(doctor.contains("`pilothouse undo` takes back what the command changed"), "{doctor}");
    let told = desk.go(&["undo"]).with(3);
    let named = ["had ended while a command was running; what it changed can be taken back", "`--all`"];
    told.tells(&named);
    assert!(!desk.path().join("src").exists(), "nothing was taken back, of no session");
    desk.go(&["undo", "--all"]).with(0);
    assert_eq!(desk.tree(), before);
    desk.go(&["undo"]).with(0);
    assert_eq!(desk.tree(), first);
    assert!(desk.go(&["doctor"]).out.contains("all ended properly"));
    desk.verified();
}

#[test]
fn a_session_whose_undo_is_gone_is_not_called_sound() {
    let desk = Desk::new();
    let was = fs::read(desk.path().join("src/search.rs")).unwrap();
    if !ran(&desk, "echo gone > src/search.rs; ln -s nowhere link") {
        return;
    }
    desk.verified();
    let stored = everything(desk.home.path()).into_iter().filter(|(_, bytes)| *bytes == was);
    let mut stored = stored.filter(|(path, _)| !path.components().any(|c| c.as_os_str() == "saved"));
    fs::remove_file(stored.next().unwrap().0).unwrap();
    let found = desk.go(&["sessions", "verify", "--all", "--json"]).events();
    assert!(found.iter().any(|s| s["sound"] == false), "{found:?}");
}

#[test]
fn what_a_typed_move_onto_a_control_file_took_away_comes_back() {
    let desk = Desk::new();
    fs::write(desk.path().join("README.md"), "read me\n").unwrap();
    git(&desk, &["init", "-q"]);
    git(&desk, &["add", "-A"]);
    git(&desk, &["commit", "-qm", "one"]);
    let files = || {
        let tree = desk.tree().into_iter();
        tree.filter(|(p, _)| !p.components().any(|c| c.as_os_str() == ".git")).collect::<Vec<_>>()
    };
    let before = files();
    let moved = desk.go(&["run", "!git mv README.md AGENTS.md"]).with(1);
    assert!(!desk.path().join("AGENTS.md").exists(), "{}", moved.err);
    assert!(!desk.path().join("README.md").exists(), "{}", moved.err);
    desk.go(&["undo"]).with(0);
    assert_eq!(files(), before);
    let mut status = std::process::Command::new("git");
    status.args(["status", "--porcelain"]).current_dir(desk.path()).env("GIT_CEILING_DIRECTORIES", "/");
    assert_eq!(finish(status).with(0).out, "", "nor does git know of it any more");
}

#[test]
fn what_the_user_restored_by_hand_is_said_to_be_so_already() {
    let desk = Desk::new();
    let before = desk.tree();
    desk.go(&["run", "rename find_notes to search_notes", "--auto-confirm"]).with(0);
    let after = desk.tree();
    let put = |tree: &std::collections::BTreeMap<_, Vec<u8>>| {
        for (path, bytes) in tree {
            fs::write(desk.path().join(path), bytes).unwrap();
        }
    };
    put(&before);
    let undone = desk.go(&["undo"]).with(0).out;
    assert!(undone.contains("already as") && !undone.contains("took back"), "{undone}");
    assert_eq!(desk.tree(), before);
    put(&after);
    let redone = desk.go(&["redo"]).with(0).out;
    assert!(redone.contains("the change") && !redone.contains("put back"), "{redone}");
    assert!(desk.go(&["undo"]).with(0).out.starts_with("took back: "));
    assert_eq!(desk.tree(), before);
    desk.verified();
}

#[test]
fn that_there_is_nothing_to_take_back_is_said_once_and_that_there_are_no_sessions_too() {
    let desk = Desk::new();
    for command in ["undo", "redo"] {
        let ended = desk.go(&[command]).with(1);
        assert_eq!(ended.err.matches("there is no").count(), 1, "{}", ended.err);
    }
    for list in [&["sessions", "list"][..], &["runs"]] {
        let ended = desk.go(list).with(0);
        assert!(ended.out.is_empty() && ended.err.contains("no sessions yet"), "{} {}", ended.out, ended.err);
        let json = desk.go(&[list, &["--json"]].concat()).with(0);
        assert!(json.out.is_empty() && json.err.is_empty(), "{} {}", json.out, json.err);
    }
}

#[test]
fn that_nothing_works_is_not_told_as_no_sessions() {
    let desk = Desk::new();
    desk.go(&["run", "what is in src/search.rs?"]);
    assert_eq!(desk.sessions().len(), 1);
    let ended = desk
        .go(&["runs"])
        .with(0)
        .tells(&["nothing is running, waiting or unfinished in this folder", "sessions list"]);
    assert!(!ended.err.contains("no sessions yet"), "{}", ended.err);
}
