//! Models and settings: which are asked, another for one session, the file edited and read again.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::{fs, os::unix::fs::PermissionsExt};

use crate::support::{
    Desk, Terminal,
    server::{Server, Turn, sorts},
};

/// A server that has two models and says hello.
fn server() -> Server {
    Server::answering(|request| {
        if request.is_null() {
            let body = r#"{"object":"list","data":[{"id":"large"},{"id":"small"}]}"#;
            let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n";
            return Some(Turn::Raw(format!("{head}content-length: {}\r\n\r\n{body}", body.len())));
        }
        Some(if sorts(request) { Turn::Say("I cannot tell.", vec![]) } else { Turn::Say("Hello.", vec![]) })
    })
}

fn settings(base: &str) -> String {
    format!(
        "[model]\nname = \"large\"\nbase_url = \"{base}\"\nalso.fast = {{ name = \"small\" }}\n[intent]\nmodel = false\n"
    )
}

fn models(server: &Server) -> Vec<String> {
    server.requests().iter().filter_map(|r| r["model"].as_str().map(str::to_owned)).collect()
}

#[test]
fn connections_are_listed_with_their_place_and_tested_in_plain_words() {
    let (desk, server) = (Desk::new(), server());
    desk.configure(&settings(&server.base));
    let listed = desk.go(&["models", "list", "--json"]).with(0).events();
    let told: Vec<&str> = listed.iter().map(|l| l["name"].as_str().unwrap()).collect();
    assert_eq!(told, ["main", "fast"]);
    assert_eq!(listed[0]["models"], serde_json::json!(["large", "small"]));
    assert_eq!(
        (listed[0]["from"].as_str(), listed[1]["from"].as_str()),
        (Some("config.toml:2"), Some("config.toml:4"))
    );
    let tested = desk.go(&["models", "test", "--json"]).with(0).events();
    assert!(tested.iter().all(|t| t["ok"] == true), "{tested:?}");
    assert_eq!(models(&server), ["large", "small"]);
    desk.go(&["models", "test", "slow"])
        .with(2)
        .tells(&["no connection is called slow; there are: main, fast"]);
    desk.configure("[model]\nname = \"m\"\nbase_url = \"http://127.0.0.1:9/v1\"\n");
    let failed = desk.go(&["models", "test"]).with(5);
    assert!(failed.out.contains("!!") && failed.out.contains("127.0.0.1:9"), "{}", failed.out);
    // Which file that is, by its path, and that it is not the last word.
    let looked = desk.go(&["doctor"]).out;
    let said =
        format!("{}:2; an environment variable overrides it", desk.home.path().join("config.toml").display());
    assert!(looked.contains(&said), "{looked}");
    let listed = desk.go(&["models", "list"]).with(5);
    assert!(listed.out.contains("its models are not known"), "{}", listed.out);
}

#[test]
fn the_version_of_azure_s_interface_is_a_setting() {
    let (desk, server) = (Desk::new(), server());
    let base = server.base.trim_end_matches("/v1");
    for (said, asked) in [
        ("", "api-version=2024-10-21"),
        ("api_version = \"2025-04-01-preview\"\n", "api-version=2025-04-01-preview"),
    ] {
        desk.configure(&format!(
            "[model]\npreset = \"azure\"\nname = \"mine\"\nbase_url = \"{base}\"\n{said}"
        ));
        desk.go(&["models", "test"]).with(0);
        let head = server.heads().last().unwrap().clone();
        assert!(head.contains(asked) && head.contains("/openai/deployments/mine/chat/completions"), "{head}");
    }
}

#[test]
fn a_session_asks_another_model_from_the_next_request_on_and_keeps_to_it() {
    let (desk, server) = (Desk::new(), server());
    desk.configure(&settings(&server.base));
    desk.go(&["run", "what is a note?"]).with(0);
    let slug = desk.sessions()[0]["slug"].as_str().unwrap().to_owned();
    let say = |line: &str| desk.go(&["run", line, "--session", &slug]);
    say("/model").with(0).tells(&["now  main  large at http://127.0.0.1", "config.toml:2", "fast  small"]);
    say("/model fast").with(0).tells(&["Model: fast, small"]);
    say("what is a store?").with(0);
    say("/model other-one").with(0);
    say("what is an index?").with(0);
    say("/model main").with(0);
    say("what is a query?").with(0);
    assert_eq!(models(&server), ["large", "small", "other-one", "large"]);
    say("/model main").with(1).tells(&["main is already answering"]);
    // A place that nobody has a key or an address for is told at once.
    say("/model azure:mine").with(2).tells(&["azure:mine cannot be used"]);
    desk.go(&["run", "what is a title?"]).with(0);
    assert_eq!(models(&server).last().unwrap(), "large", "another session asks the main one");
    desk.verified();
}

#[test]
fn settings_are_told_with_where_they_were_said() {
    let desk = Desk::new();
    desk.configure("[session]\nhistory = 7\n[model]\nname = \"large\"\nbase_url = \"https://me:hunter22@example.org/v1\"\n");
    let told = desk.go(&["config", "show", "--origin"]).with(0).out;
    for part in ["session.history", "config.toml:2", "https://example.org/v1", "plan.confirm", "default"] {
        assert!(told.contains(part), "{part} is not in\n{told}");
    }
    assert!(!told.contains("hunter22"), "{told}");
    let said = desk.go(&["run", "/config"]);
    assert!(format!("{}{}", said.out, said.err).contains("config.toml:2"), "{}{}", said.out, said.err);
}

/// The program with an editor that runs this script on the file.
fn edited(desk: &Desk, script: &str) -> (i32, String) {
    let editor = desk.home.path().join("editor");
    fs::write(&editor, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&editor, fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = desk.command(&["config", "edit"]);
    let out = command.env("VISUAL", &editor).output().unwrap();
    let text = [out.stdout, out.stderr].concat();
    (out.status.code().unwrap(), String::from_utf8_lossy(&text).into_owned())
}

#[test]
fn the_file_is_edited_and_one_that_cannot_be_used_takes_the_place_of_nothing() {
    let desk = Desk::new();
    desk.configure("[session]\nhistory = 7\n");
    let path = desk.home.path().join("config.toml");
    let (code, told) = edited(&desk, "exit 0");
    assert!(code == 0 && told.contains("unchanged"), "{told}");
    let (code, told) = edited(&desk, "echo 'histroy = 9' >> \"$1\"");
    assert_eq!(code, 2, "{told}");
    assert!(told.contains("config.toml:3:1") && told.contains("config.rejected.toml"), "{told}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "[session]\nhistory = 7\n");
    assert!(fs::read_to_string(desk.home.path().join("config.rejected.toml")).unwrap().contains("histroy"));
    let (code, told) = edited(&desk, "echo 'keep_awake = false' >> \"$1\"");
    assert_eq!(code, 0, "{told}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "[session]\nhistory = 7\nkeep_awake = false\n");
}

#[test]
fn an_open_session_reads_the_file_again_at_the_next_message() {
    let (desk, server) = (Desk::new(), server());
    desk.configure(&settings(&server.base));
    let mut terminal = Terminal::open(&desk, &[], &[]);
    terminal.see("large");
    let text = settings(&server.base).replace("\"large\"", "\"small\"");
    desk.configure(&format!("{text}[sandbox]\nnetwork = true\n"));
    terminal.say("what is a note?");
    terminal
        .see("config.toml changed: model.name from now on; sandbox.network after a restart of Pilothouse");
    terminal.see("Hello.");
    assert_eq!(models(&server), ["small"]);
    // One that cannot be read changes nothing, and says where it is wrong.
    desk.configure(&format!("{text}[sessoin]\n"));
    terminal.say("what is a store?");
    terminal.until("the place", |s| s.contains("config.toml:7:2") || s.contains("config.toml:7:1"));
    server.wait_requests(2);
    assert_eq!(models(&server), ["small", "small"]);
}

#[test]
fn shells_and_manuals_are_told_of_the_command_line() {
    let desk = Desk::empty();
    for shell in ["bash", "zsh", "fish"] {
        let script = desk.go(&["completions", shell]).with(0).out;
        assert!(script.contains("sessions") && script.contains("archive"), "{shell}");
    }
    desk.go(&["completions", "tcsh"]).with(2);
    assert!(desk.go(&["man"]).with(0).out.contains(".TH pilothouse 1"));
    assert!(desk.go(&["man", "sessions"]).with(0).out.contains("archive"));
    desk.go(&["man", "nothing"]).with(2);
}

#[test]
fn no_setting_of_a_folder_is_wider_for_being_read_again() {
    let (desk, server) = (Desk::new(), server());
    desk.configure(&settings(&server.base));
    fs::create_dir_all(desk.path().join(".pilothouse")).unwrap();
    fs::write(desk.path().join(".pilothouse/config.toml"), "[session]\nbudget = \"2 calls\"\n").unwrap();
    let hash = desk.go(&["trust", "--show"]).with(0).out;
    let hash = hash.lines().find_map(|l| l.strip_prefix("hash ")).unwrap().to_owned();
    desk.go(&["trust", "--hash", &hash]).with(0);
    let mut terminal = Terminal::open(&desk, &[], &[]);
    terminal.see("large");
    desk.configure(&format!("{}[session]\nbudget = \"90 calls\"\n", settings(&server.base)));
    terminal.say("/budget");
    terminal.see("config.toml changed: session.budget");
    terminal.see("2 calls");
}
