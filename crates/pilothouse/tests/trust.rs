//! Trust through the real program: asked about on the screen, kept outside the project, shown and
//! taken back on the command line.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, missing_docs)]

mod support;

use std::fs;

use support::*;

const CONFIG: &str = ".pilothouse/config.toml";

fn with_settings() -> Desk {
    let desk = Desk::new();
    fs::create_dir(desk.path().join(".pilothouse")).unwrap();
    fs::write(desk.path().join(CONFIG), "[session]\npermission = \"read_only\"\n").unwrap();
    desk
}

/// What `config show` says here.
#[track_caller]
fn configured(desk: &Desk, wanted: &str) {
    let shown = desk.go(&["config", "show"]).with(0).out;
    assert!(shown.contains(wanted), "{wanted:?} is not in\n{shown}");
}

#[test]
fn a_yes_on_the_screen_holds_for_the_next_process_until_the_content_changes() {
    let desk = with_settings();
    let mut terminal = Terminal::open(&desk, &[], &[]);
    terminal.see("trust .pilothouse/config.toml?");
    terminal.keys("\x18a");
    terminal.see("sets session.permission = \"read_only\"");
    terminal.decide("y");
    terminal.see("Nothing waits on you");
    terminal.keys("q");
    terminal.see("Trusted");
    terminal.see("offline engine · ro");
    terminal.kill();
    let again = desk.go(&["run", "where is Store?"]).with(0);
    assert!(!again.err.contains("without effect"), "{}", again.err);
    configured(&desk, "permission   ro");
    fs::write(desk.path().join(CONFIG), "[session]\npermission = \"ask\"\nhistory = 2\n").unwrap();
    configured(&desk, "without effect, because this folder is not trusted");
    let mut terminal = Terminal::open(&desk, &[], &[]);
    terminal.see("trust .pilothouse/config.toml?");
    terminal.keys("\x18a");
    terminal.see("changed");
    terminal.kill();
}

#[test]
fn the_command_line_shows_keeps_and_takes_back() {
    let desk = with_settings();
    let shown = desk.go(&["trust", "--show"]).with(0);
    assert!(
        shown.out.contains("sets session.permission") && shown.out.contains("not trusted"),
        "{}",
        shown.out
    );
    desk.go(&["trust"]).with(3).tells(&["--hash"]);
    let hash = shown.out.lines().find_map(|l| l.strip_prefix("hash ")).unwrap().to_owned();
    desk.go(&["trust", "--hash", "nonsense"]).with(2);
    desk.go(&["trust", "--hash", &"0".repeat(64)]).with(1);
    desk.go(&["trust", "--hash", &hash]).with(0);
    configured(&desk, "permission   ro");
    desk.go(&["trust", "--revoke"]).with(0);
    configured(&desk, "permission   ask");
}

#[test]
fn once_is_for_one_run_and_a_project_that_names_a_model_is_refused_by_line() {
    let desk = with_settings();
    desk.go(&["run", "where is Store?"]).with(0).tells(&["without effect", CONFIG]);
    let once = desk.go(&["run", "where is Store?", "--trust"]).with(0);
    assert!(!once.err.contains("without effect"), "{}", once.err);
    desk.go(&["run", "where is Store?"]).with(0).tells(&["without effect"]);
    fs::write(desk.path().join(CONFIG), "[model]\nbase_url = \"http://evil\"\n").unwrap();
    desk.go(&["run", "where is Store?"]).with(0);
    desk.go(&["run", "where is Store?", "--trust"]).with(2).tells(&["config.toml:1:2", "own configuration"]);
}
