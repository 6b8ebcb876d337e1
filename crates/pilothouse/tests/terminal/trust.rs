//! Trust through the real program: asked about on the screen, kept outside the project, shown and
//! taken back on the command line.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, missing_docs)]

use crate::support;
use std::fs;

use serde_json::json;
use support::{
    server::{Server, Turn},
    *,
};

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
    terminal.see("Trust this folder? (.pilothouse/config.toml)");
    terminal.keys("\x18a");
    terminal.see("lowers session.permission to \"read_only\"");
    terminal.decide("y");
    terminal.gone("lowers session.permission");
    terminal.see("Trusted");
    terminal.see("offline engine · ro");
    terminal.kill();
    let again = desk.go(&["run", "where is Store?"]).with(0);
    assert!(!again.err.contains("inactive, because this folder is not trusted"), "{}", again.err);
    configured(&desk, "permission   ro");
    fs::write(desk.path().join(CONFIG), "[session]\npermission = \"ask\"\nhistory = 2\n").unwrap();
    configured(&desk, "inactive, because this folder is not trusted");
    let mut terminal = Terminal::open(&desk, &[], &[]);
    terminal.see("Trust this folder? (.pilothouse/config.toml)");
    terminal.keys("\x18a");
    terminal.see("changed");
    terminal.kill();
}

#[test]
fn the_command_line_shows_keeps_and_takes_back() {
    let desk = with_settings();
    let shown = desk.go(&["trust", "--show"]).with(0);
    assert!(
        shown.out.contains("lowers session.permission") && shown.out.contains("not trusted"),
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
    desk.go(&["run", "where is Store?"])
        .with(0)
        .tells(&["inactive, because this folder is not trusted", CONFIG]);
    let once = desk.go(&["run", "where is Store?", "--trust"]).with(0);
    assert!(!once.err.contains("inactive, because this folder is not trusted"), "{}", once.err);
    desk.go(&["run", "where is Store?"]).with(0).tells(&["inactive, because this folder is not trusted"]);
    fs::write(desk.path().join(CONFIG), "[model]\nbase_url = \"http://evil\"\n").unwrap();
    desk.go(&["run", "where is Store?"]).with(0);
    desk.go(&["run", "where is Store?", "--trust"]).with(2).tells(&["config.toml:1:2", "own configuration"]);
}

const TOKEN: &str = "kR7-quiet-harbour-2281";

fn with_variables() -> Desk {
    let desk = Desk::new();
    let text = format!("API_TOKEN={TOKEN}\nexport PORT=8080\nLD_PRELOAD=./evil.so\nPATH=./bin\n");
    fs::write(desk.path().join(".env"), text).unwrap();
    let show = "echo port=$PORT preload=$LD_PRELOAD token=$API_TOKEN length=${#API_TOKEN}\n";
    fs::write(desk.path().join("show.sh"), show).unwrap();
    desk
}

const PRINTS: &str = "!sh show.sh";

#[test]
fn commands_get_the_project_s_variables_after_trust_only_and_secrets_are_shown_nowhere() {
    let desk = with_variables();
    let before = desk.go(&["run", PRINTS, "--json"]).with(0);
    assert!(before.out.contains("port= preload= token= length=0"), "{}", before.out);
    let shown = desk.go(&["trust", "--show"]).with(0);
    assert!(shown.out.contains("gives commands API_TOKEN, PORT; the values are not shown"), "{}", shown.out);
    assert!(shown.out.contains("left out, since they steer programs: LD_PRELOAD, PATH"), "{}", shown.out);
    let after = desk.go(&["run", PRINTS, "--json", "--trust"]).with(0);
    let length = TOKEN.len();
    let wanted = format!("port=8080 preload= token=[secret: in use] length={length}");
    assert!(after.out.contains(&wanted), "{}", after.out);
    for (name, text) in [("out", &after.out), ("err", &after.err), ("show", &shown.out)] {
        assert!(!text.contains(TOKEN), "the secret is in {name}");
    }
    assert!(!anywhere(desk.home.path(), TOKEN), "the secret is in the program's own files");
    let again = desk.go(&["run", PRINTS, "--json"]).with(0);
    assert!(again.out.contains("port= preload= token= length=0"), "once is once: {}", again.out);
}

#[test]
fn a_question_about_a_command_says_what_it_gets_and_is_asked_again_when_that_changes() {
    let desk = with_variables();
    let mut terminal = Terminal::open(&desk, &[], &[]);
    terminal.see("Trust this folder? (.env)");
    terminal.say("!rm -r build; echo token=$API_TOKEN");
    terminal.see("2 waiting");
    terminal.keys("\x18a");
    let asked = terminal.see("gives commands API_TOKEN, PORT");
    assert!(!asked.contains("from the project's .env"), "{asked}");
    terminal.decide("y");
    terminal.see("gets     API_TOKEN, PORT from the project's .env");
    assert!(!String::from_utf8_lossy(&terminal.raw()).contains(TOKEN));
    terminal.kill();
}

/// Whether a text stands in any file below a folder.
fn anywhere(folder: &std::path::Path, text: &str) -> bool {
    fs::read_dir(folder).unwrap().flatten().any(|entry| {
        let path = entry.path();
        if path.is_dir() {
            return anywhere(&path, text);
        }
        let bytes = fs::read(&path).unwrap_or_default();
        bytes.windows(text.len()).any(|w| w == text.as_bytes())
    })
}

#[test]
fn init_writes_the_file_of_instructions_by_its_own_word_alone() {
    let desk = Desk::empty();
    let content = "# Notes\n\n- tests: `make test`\n";
    let plan = json!({"title": "Write AGENTS.md", "tasks": [{"title": "Write AGENTS.md", "detail": "What is known",
        "kind": "create", "files": ["AGENTS.md"]}]});
    let server = Server::start(vec![
        Turn::Say("", vec![("submit_plan", plan)]),
        Turn::Say("", vec![("write", json!({"path": "AGENTS.md", "content": content}))]),
        Turn::Say("Done.", vec![]),
    ]);
    let model = [("PILOTHOUSE_BASE_URL", server.base.as_str()), ("PILOTHOUSE_MODEL", "desk")];
    let mut terminal = Terminal::open(&desk, &["."], &model);
    terminal.see("[EXPLORE] idle");
    terminal.say("/init");
    let screen = terminal.see("1 file waits for your decision");
    assert!(!screen.contains("may it write"), "the user's own order was enough for that\n{screen}");
    terminal.decide("\r");
    terminal.see("a applies the control file AGENTS.md; it asks for its word first");
    terminal.decide("a");
    terminal.see("Type control to write it");
    assert!(!desk.path().join("AGENTS.md").exists());
    terminal.decide("control");
    terminal.see("› control");
    terminal.decide("\r");
    terminal.see("Complete. 1 file created/modified: AGENTS.md.");
    assert_eq!(desk.file("AGENTS.md"), content);
}
