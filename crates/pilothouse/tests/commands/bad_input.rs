//! What goes wrong from outside: each is told clearly with a way on, the exit code is right, and
//! nothing is lost.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, clippy::indexing_slicing)]

mod files;

use crate::support;
use std::{
    fs,
    io::Write,
    os::unix::{ffi::OsStrExt, fs::PermissionsExt, process::CommandExt},
    path::Path,
    sync::{Arc, Mutex},
};

use serde_json::{Value, json};
use support::{
    Desk,
    alone::{Ended, Running, edit, finish, last_result, not_run, plan, tool_results},
    server::{Server, Turn},
};

const QUESTION: &str = "where is find_notes?";

fn http(status: &str, kind: &str, body: &str) -> Turn {
    Turn::Raw(format!(
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    ))
}

/// The tree is as it was, every log is sound, and the session takes another question.
#[track_caller]
fn nothing_lost(desk: &Desk, before: &std::collections::BTreeMap<std::path::PathBuf, Vec<u8>>) {
    assert_eq!(&desk.tree(), before);
    desk.verified();
    for session in desk.sessions() {
        let slug = session["slug"].as_str().unwrap();
        let said = desk.go(&["run", QUESTION, "--session", slug]).with(0).out;
        assert!(said.contains("src/search.rs:6"), "{said}");
    }
    desk.verified();
}

/// Asks a question of a model that answers `script`; it must end so, and say so.
fn question(config: &str, script: Vec<Turn>, exit: i32, told: &[&str]) -> (Ended, Server) {
    let desk = Desk::new();
    if !config.is_empty() {
        desk.configure(config);
    }
    let before = desk.tree();
    let server = Server::start(script);
    let ended = desk.ask(&server.base, &["run", QUESTION]).with(exit).tells(told);
    assert_eq!(desk.sessions().len(), 1);
    nothing_lost(&desk, &before);
    (ended, server)
}

#[test]
fn an_unknown_flag_is_named_with_the_usage() {
    let desk = Desk::new();
    let before = desk.tree();
    desk.go(&["run", "x", "--bogus"]).with(2).tells(&["--bogus", "Usage: pilothouse run", "--help"]);
    desk.go(&["--bogus"]).with(2).tells(&["--bogus", "--help"]);
    desk.go(&["sessions", "shew"]).with(2).tells(&["shew", "show"]);
    desk.go(&["run"]).with(2).tells(&["<GOAL>", "--help"]);
    desk.go(&["run", "x", "--timeout", "soon"]).with(2).tells(&["soon", "--timeout"]);
    assert!(desk.sessions().is_empty());
    nothing_lost(&desk, &before);
}

#[test]
fn a_missing_folder_or_session_is_named() {
    let desk = Desk::new();
    let before = desk.tree();
    let file = desk.path().join("Cargo.toml").display().to_string();
    for dir in ["not/there", file.as_str()] {
        desk.go(&["run", "x", "--dir", dir]).with(2).tells(&[dir, "give an existing"]);
    }
    desk.go(&["run", "x", "--session", "nope"]).with(2).tells(&["nope", "pilothouse sessions list"]);
    desk.go(&["sessions", "show", "nope"]).with(2).tells(&["nope", "pilothouse sessions list"]);
    desk.go(&["undo"]).with(1).tells(&["no applied change"]);
    assert!(desk.sessions().is_empty());
    nothing_lost(&desk, &before);
}

#[test]
fn a_broken_configuration_is_named_by_line_and_column() {
    let desk = Desk::new();
    let before = desk.tree();
    let cases = [
        ("[model]\nname = \"m\nbase_url = 1\n", "config.toml:2:", "TOML"),
        ("# mine\n[model]\n  nam = \"m\"\n", "config.toml:3:3: unknown field `nam`", "correct the name"),
        ("[session]\npermission = \"all\"\n", "config.toml:2:14: unknown variant `all`", "values"),
        ("[session]\nhistory = \"many\"\n", "config.toml:2:11: invalid type", "values"),
        ("[modle]\n", "config.toml:1:2: unknown field `modle`", "correct the name"),
    ];
    for (text, told, hint) in cases {
        desk.configure("");
        desk.configure(text);
        desk.go(&["run", QUESTION]).with(2).tells(&[told, hint]);
        desk.go(&["config", "validate"]).with(2).tells(&[told, hint]);
        // Old sessions can still be read.
        desk.verified();
    }
    desk.configure("");
    assert!(desk.sessions().is_empty());
    nothing_lost(&desk, &before);
}

#[test]
fn all_that_is_wrong_in_all_files_of_settings_is_told_at_once_with_what_was_meant() {
    let desk = Desk::new();
    desk.configure("theme = \"nord\"\n[model]\nnam = \"x\"\nsilence_seconds = 0\npreset = \"olama\"\n[screen]\ntheme = \"solarised\"\n");
    for (file, text) in [
        ("permissions.toml", "[[deni]]\nread = \"x\"\n"),
        ("keymap.toml", "[nowhere]\nup = \"k\"\n"),
        ("mcp.json", "{\"mcpServers\": {\"x\": {\"comand\": \"y\"}}}\n"),
    ] {
        fs::write(desk.home.path().join(file), text).unwrap();
    }
    desk.go(&["config", "validate"]).with(2).tells(&[
        "config.toml:1:1: unknown field `theme`",
        "`theme` belongs below `[screen]`",
        "config.toml:3:1: unknown field `nam`",
        "did you mean `name`?",
        "config.toml:4:19: `silence_seconds` is 0 and must be at least 1",
        "config.toml:5:10: there is no preset \"olama\" (did you mean \"ollama\"?)",
        "config.toml:7:9: no theme is called \"solarised\"",
        "permissions.toml:1:3: \"deni\" is not known here",
        "did you mean `deny`?",
        "keymap.toml:1:",
        "mcp.json:1:",
    ]);
    // What a run stumbles over first is told with its place as well.
    for name in ["permissions.toml", "keymap.toml", "mcp.json"] {
        fs::remove_file(desk.home.path().join(name)).unwrap();
    }
    for (text, told) in [
        ("[model]\nname = \"m\"\npreset = \"olama\"\n", "config.toml:3:10: there is no preset \"olama\""),
        (
            "[model]\nname = \"m\"\nbase_url = \"localhost:1\"\n",
            "config.toml:3:12: an address begins with http",
        ),
        (
            "[session]\nhistory = -3\n",
            "config.toml:2:11: invalid value: integer `-3`, expected a whole number",
        ),
    ] {
        desk.configure("");
        desk.configure(text);
        desk.go(&["run", QUESTION]).with(2).tells(&[told]);
        desk.go(&["config", "validate"]).with(2).tells(&[told]);
    }
}

#[test]
fn a_setting_that_makes_no_sense_is_named() {
    let desk = Desk::new();
    for (key, value, told) in [
        ("PILOTHOUSE_BASE_URL", "localhost:1", "begins with http"),
        ("PILOTHOUSE_MODEL", "m", "PILOTHOUSE_BASE_URL"),
        ("PILOTHOUSE_MODEL", "script:/no/such.json", "PILOTHOUSE_MODEL"),
    ] {
        let mut command = desk.command(&["run", QUESTION]);
        if key == "PILOTHOUSE_BASE_URL" {
            command.env("PILOTHOUSE_MODEL", "m");
        }
        command.env(key, value);
        let ended = finish(command).tells(&[told]);
        assert!(ended.exit == 2 || ended.exit == 1, "{} {}", ended.exit, ended.err);
    }
}

#[test]
fn a_wrong_key_is_told_in_the_servers_words_and_never_repeated() {
    let desk = Desk::new();
    let before = desk.tree();
    let body =
        r#"{"error":{"message":"Incorrect API key provided: sk-wrong-4711.","code":"invalid_api_key"}}"#;
    let server = Server::start(vec![http("401 Unauthorized", "application/json", body)]);
    let mut command = desk.with_model(&server.base, &["run", QUESTION]);
    command.env("PILOTHOUSE_API_KEY", "sk-wrong-4711");
    let ended = finish(command).with(5).tells(&["401", "Incorrect API key provided", "PILOTHOUSE_API_KEY"]);
    assert!(!ended.err.contains("4711") && !ended.out.contains("4711"), "{}", ended.err);
    assert_eq!(server.requests().len(), 1, "a refused key is not tried again");
    for (path, bytes) in files(desk.home.path()) {
        let found = bytes.windows(13).any(|w| w == b"sk-wrong-4711");
        assert!(!found, "the key stands in {}", path.display());
    }
    nothing_lost(&desk, &before);
}

fn files(folder: &Path) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            all.extend(files(&path));
        } else {
            let bytes = fs::read(&path).unwrap();
            all.push((path, bytes));
        }
    }
    all
}

#[test]
fn an_endpoint_that_is_down_is_told_with_its_address() {
    let desk = Desk::new();
    let before = desk.tree();
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let base = format!("http://{free}/v1");
    let told = ["cannot reach", &base, "refused", "check that the server is running", "try 2", "try 3"];
    let ended = desk.ask(&base, &["run", QUESTION]).with(5).tells(&told);
    assert!(!ended.err.contains("os error"), "{}", ended.err);
    nothing_lost(&desk, &before);
}

#[test]
fn a_200_that_is_no_stream_is_told_with_what_came() {
    let body = r#"{"object":"list","data":[]}"#;
    question(
        "",
        vec![http("200 OK", "application/json", body)],
        5,
        &["application/json", "instead of a stream", "/v1"],
    );
    let page = "<!doctype html><html><head><title>Please log in</title></head></html>";
    question("", vec![http("200 OK", "text/html", page)], 5, &["a web page", "Please log in", "/v1"]);
}

#[test]
fn a_stream_that_stalls_ends_at_the_limit_of_silence() {
    let (ended, server) =
        question("[model]\nsilence_seconds = 1\n", vec![Turn::Hang("It is in ")], 5, &["sent nothing for 1"]);
    assert!(ended.err.contains("`silence_seconds`"), "{}", ended.err);
    server.wait_hung_up();
    let (_, server) =
        question("[model]\nsilence_seconds = 1\n", vec![Turn::Mute], 5, &["sent nothing for 1"]);
    server.wait_hung_up();
}

#[test]
fn a_stream_that_is_cut_is_no_reply_and_what_came_of_it_is_kept() {
    let told = &["ended before the reply did", "try again", "what arrived until then is kept"];
    let cut = || (0..3).map(|_| Turn::Cut("It is in src/sea")).collect();
    question("", cut(), 5, told);
    let desk = Desk::new();
    let server = Server::start(cut());
    desk.ask(&server.base, &["run", QUESTION]).with(5);
    assert_eq!(server.requests().len(), 3, "it is asked for again as after a 500");
    let slug = desk.sessions()[0]["slug"].as_str().unwrap().to_owned();
    let kept = desk.go(&["sessions", "show", &slug, "--json"]).with(0);
    assert!(kept.out.contains("It is in src/sea"), "{}", kept.out);
}

#[test]
fn a_busy_endpoint_is_asked_again_visibly() {
    let busy =
        || http("429 Too Many Requests", "application/json", r#"{"error":{"message":"slow down, please"}}"#);
    let script = vec![busy(), busy(), Turn::Say("In `src/search.rs:6`.", vec![])];
    let (ended, server) = question("", script, 0, &["429", "slow down, please"]);
    assert_eq!(server.requests().len(), 3);
    assert_eq!(ended.err.matches("429").count(), 2, "{}", ended.err);
    assert_eq!(ended.out, "In `src/search.rs:6`.\n");
}

#[test]
fn a_500_of_any_shape_gives_the_servers_words() {
    for (body, words) in [
        (r#"{"detail":[{"loc":["body","model"],"msg":"no such model"}]}"#, "no such model"),
        (r#"{"errors":[{"title":"overloaded"},{"title":"and tired"}]}"#, "overloaded; and tired"),
        (r#"["upstream gone"]"#, "upstream gone"),
        ("null", "500"),
        (r#"{"error":{"message":{"deep":[1,2]}}}"#, "500"),
    ] {
        let turn = || http("500 Internal Server Error", "application/json", body);
        let (_, server) = question("", vec![turn(), turn(), turn()], 5, &["500", words, "try again later"]);
        assert_eq!(server.requests().len(), 3, "tried again");
    }
}

#[test]
fn an_error_within_the_stream_gives_the_servers_words() {
    let body = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"It\"}}]}\n\ndata: {\"error\":{\"message\":\"out of memory\",\"code\":503}}\n\n";
    let thrice = |body: &str| (0..3).map(|_| http("200 OK", "text/event-stream", body)).collect();
    question("", thrice(body), 5, &["503", "out of memory"]);
    let garbage = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"It\"}}]}\n\ndata: {not json\n\ndata: [DONE]\n\n";
    question("", thrice(garbage), 1, &["not JSON", "try again"]);
}

#[test]
fn malformed_arguments_are_told_to_the_model_which_mends_them() {
    let broken = [
        (json!("{\"path\": \"src/search.rs\", "), "JSON"),
        (json!("[1, 2]"), ""),
        (json!({"pth": "src/search.rs"}), "pth"),
        (json!({"path": 7}), "path"),
        (json!(""), "path"),
    ];
    for (args, told) in broken {
        let script = vec![
            Turn::Say("", vec![("read", args.clone())]),
            Turn::Say("", vec![("read", json!({"path": "src/search.rs"}))]),
            Turn::Say("In `src/search.rs:6`.", vec![]),
        ];
        let (ended, server) = question("", script, 0, &[]);
        let told_back = last_result(&server, 1);
        assert!(told_back.contains(told) && told_back.len() > 10, "{args}: {told_back}");
        assert!(last_result(&server, 2).contains("pub fn find_notes"), "{args}");
        assert!(ended.out.contains("src/search.rs:6"));
    }
}

#[test]
fn an_unknown_tool_is_told_to_the_model_with_those_there_are() {
    let script = vec![
        Turn::Say("", vec![("rm_rf", json!({"path": "/"})), ("read", json!({"path": "src/lib.rs"}))]),
        Turn::Say("Sorry.", vec![]),
    ];
    let (_, server) = question("", script, 0, &["rm_rf"]);
    let results = tool_results(&server.requests()[1]);
    assert!(results[0].contains("rm_rf") && results[0].contains("search"), "{results:?}");
    assert!(results[1].contains("pub mod note"), "{results:?}");
}

/// A plan with one task on `src/search.rs`, approved by the mode.
fn planned(rest: Vec<Turn>) -> Vec<Turn> {
    let mut script = vec![Turn::Say("", vec![("submit_plan", plan(&[("modify", "src/search.rs")]))])];
    script.extend(rest);
    script
}

#[test]
fn a_file_that_changed_after_the_model_read_it_is_not_overwritten() {
    let desk = Desk::new();
    let path = desk.path().join("src/search.rs");
    let (theirs, before) = (path.clone(), desk.file("src/search.rs"));
    let change = Arc::new(move || {
        let text = fs::read_to_string(&theirs).unwrap();
        fs::write(&theirs, text.replace("best first", "the best first, said someone else")).unwrap();
    });
    let wish = edit(
        "src/search.rs",
        "The notes that hold every word of `query`, in any case, best first.",
        "Notes.",
    );
    let mended = edit(
        "src/search.rs",
        "The notes that hold every word of `query`, in any case, the best first, said someone else.",
        "Notes, mended.",
    );
    let server = Server::start(planned(vec![
        Turn::Say("", vec![("read", json!({"path": "src/search.rs"}))]),
        Turn::After(change, Box::new(Turn::Say("", vec![("edit", wish)]))),
        Turn::Say("", vec![("read", json!({"path": "src/search.rs"}))]),
        Turn::Say("", vec![("edit", mended)]),
        Turn::Say("Done.", vec![]),
    ]));
    desk.ask(&server.base, &["run", "rename find_notes to search_notes", "--auto-confirm"]).with(0);
    let told = last_result(&server, 3);
    assert!(told.contains("src/search.rs"), "{told}");
    assert!(
        told.contains("changed") || told.contains("does not occur") || told.contains("not found"),
        "{told}"
    );
    let first = before.lines().nth(4).unwrap();
    assert_eq!(desk.file("src/search.rs"), before.replace(first, "/// Notes, mended."));
    desk.verified();
}

#[test]
fn a_file_that_changed_between_proposal_and_apply_asks_again() {
    let desk = Desk::new();
    let path = desk.path().join("src/search.rs");
    let theirs = path.clone();
    // The proposal is made; while the model says its last words, somebody else writes the file.
    let change = Arc::new(move || {
        let text = fs::read_to_string(&theirs).unwrap();
        fs::write(&theirs, text + "// somebody else\n").unwrap();
    });
    let wish = edit("src/search.rs", "fn score(", "fn points_of(");
    let other = edit("src/lib.rs", "pub mod note;", "pub mod note; // first");
    let server = Server::start(planned(vec![
        Turn::Say("", vec![("edit", wish), ("edit", other)]),
        Turn::After(change, Box::new(Turn::Say("Done.", vec![]))),
    ]));
    let before = (desk.file("src/search.rs"), desk.file("src/lib.rs"));
    let goal = ["run", "rename score to points_of", "--auto-confirm"];
    let ended =
        desk.ask(&server.base, &goal).with(3).tells(&["src/search.rs", "changed", "pilothouse resume"]);
    assert!(!ended.err.contains("✓ wrote"), "{}", ended.err);
    // All or nothing: the other file is not written either, and theirs is theirs.
    assert_eq!(desk.file("src/search.rs"), format!("{}// somebody else\n", before.0));
    assert_eq!(desk.file("src/lib.rs"), before.1);
    desk.verified();
}
