//! The program as an agent of an editor: what it says and asks over its pipes, and that nothing happens without an answer.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, clippy::indexing_slicing)]

use serde_json::{Value, json};

use crate::support::{
    Desk,
    alone::{edit, plan},
    editor::{Editor, offered},
    server::{Server, Turn},
};

const GOAL: &str = "rename score to points_of in src/search.rs";

/// The example project, where every plan asks.
fn asking() -> Desk {
    let desk = Desk::new();
    desk.configure("[plan]\nconfirm = \"always\"\n");
    desk
}

fn renames() -> Vec<Turn> {
    vec![
        Turn::Say("", vec![("submit_plan", plan(&[("modify", "src/search.rs")]))]),
        Turn::Say("", vec![("edit", edit("src/search.rs", "fn score(", "fn points_of("))]),
        Turn::Say("Done.", vec![]),
    ]
}

#[test]
fn a_change_is_written_once_its_diff_is_allowed_and_is_taken_back_like_any_other() {
    let (desk, server) = (asking(), Server::start(renames()));
    let before = desk.file("src/search.rs");
    let (mut editor, session) = Editor::seated(&desk, &server.base);
    let prompt = editor.prompt(&session, GOAL);
    let confirm = editor.question();
    assert!(confirm.to_string().contains("modify src/search.rs"), "{confirm}");
    editor.answer(&confirm, "y");
    let asked = editor.question();
    let (call, file) = (&asked["params"]["toolCall"], desk.path().join("src/search.rs"));
    assert_eq!(call["locations"][0]["path"], json!(file));
    let diff = &call["content"][0];
    assert!(diff["type"] == "diff" && diff["path"] == json!(file) && diff["oldText"] == before, "{diff}");
    let after = diff["newText"].as_str().unwrap().to_owned();
    assert!(after.contains("fn points_of(") && desk.file("src/search.rs") == before);
    editor.answer(&asked, "apply");
    assert_eq!(editor.stops(&prompt), "end_turn");
    assert_eq!(desk.file("src/search.rs"), after);
    assert!(editor.texts("agent_message_chunk").contains("Done."), "{:#?}", editor.seen);
    let states: Vec<&Value> = editor.updates("plan").iter().map(|u| &u["entries"][0]["status"]).collect();
    assert_eq!(states, ["pending", "in_progress", "completed"]);
    let of_change = |u: &&&Value| u["toolCallId"] == call["toolCallId"];
    let updates = editor.updates("tool_call_update");
    let states: Vec<&Value> = updates.iter().filter(of_change).map(|u| &u["status"]).collect();
    assert_eq!(states, ["in_progress", "completed"]);
    assert_eq!(editor.work(&session, "/undo", &[]), "end_turn");
    assert_eq!(desk.file("src/search.rs"), before);
    editor.leave();
    desk.go(&["redo"]).with(0);
    assert_eq!(desk.file("src/search.rs"), after);
    desk.verified();
}

#[test]
fn what_is_left_is_not_written_and_what_is_put_off_waits() {
    let (desk, server) = (asking(), Server::start([renames(), renames()].concat()));
    let tree = desk.tree();
    let (mut editor, session) = Editor::seated(&desk, &server.base);
    assert_eq!(editor.work(&session, GOAL, &["y", "leave"]), "end_turn");
    let other = editor.sits(desk.path());
    assert_eq!(editor.work(&other, GOAL, &["y", "later"]), "end_turn");
    assert_eq!(desk.tree(), tree);
    editor.leave();
    let waits = desk.go(&["sessions", "replay", &other]).with(0).out;
    assert!(waits.contains("waits: "), "{waits}");
}

/// Answers to every question that may come, as far as their ids can be guessed.
fn early(option: &str) -> String {
    let outcome = json!({"outcome": "selected", "optionId": option});
    let one = |id| format!("{}\n", json!({"jsonrpc": "2.0", "id": id, "result": {"outcome": outcome}}));
    (0..40).map(one).collect()
}

#[test]
fn nothing_that_lay_in_the_pipe_when_a_question_was_put_answers_it() {
    let (desk, server) = (asking(), Server::start(renames()));
    let (mut editor, session) = Editor::seated(&desk, &server.base);
    let prompt = editor.prompt(&session, GOAL);
    // It takes longer to read what is before them than to come to the question.
    editor.raw(&("{\n".repeat(20_000) + &early("y")));
    let confirm = editor.question();
    editor.call("all/read", &json!({}));
    editor.answer(&confirm, "n");
    assert_eq!(editor.stops(&prompt), "end_turn");
    let asked = editor.seen.iter().filter(|m| m["method"] == "session/request_permission");
    assert_eq!(asked.count(), 1);
    editor.leave();
}

#[test]
fn no_message_that_lay_in_the_pipe_agrees_to_what_was_offered_since() {
    let offer = Turn::Say("It is a function. Shall I rename score to points_of in src/search.rs?", vec![]);
    let (desk, server) = (Desk::new(), Server::start([vec![offer], renames()].concat()));
    let tree = desk.tree();
    let (mut editor, session) = Editor::seated(&desk, &server.base);
    editor.call("session/set_mode", &json!({"sessionId": session, "modeId": "auto"}));
    let first = editor.prompt(&session, "what is score in src/search.rs?");
    let prompt = json!({"sessionId": session, "prompt": [{"type": "text", "text": "yes"}]});
    let yes = json!({"jsonrpc": "2.0", "id": "yes", "method": "session/prompt", "params": prompt});
    editor.raw(&format!("{}{yes}\n", "{\n".repeat(30_000)));
    assert_eq!(editor.stops(&first), "end_turn");
    assert_eq!(editor.until(|m| m["id"] == "yes")["error"]["code"], -32600);
    assert_eq!(desk.tree(), tree);
    editor.leave();
}

#[test]
fn nothing_that_was_sent_before_a_question_answers_it() {
    let (desk, server) = (asking(), Server::start(renames()));
    let tree = desk.tree();
    let (mut editor, session) = Editor::seated(&desk, &server.base);
    // In one piece with what brings the questions about.
    editor.raw(&(early("y") + &early("apply")));
    let prompt = editor.prompt(&session, GOAL);
    editor.raw(&(early("y") + &early("apply")));
    let confirm = editor.question();
    editor.answer(&confirm, "y");
    let change = editor.question();
    assert_ne!(change["id"], confirm["id"]);
    assert_eq!(desk.tree(), tree);
    // Another id, an option that was not offered to this one, and one answered already.
    editor.send(&json!({"jsonrpc": "2.0", "id": 900, "result": {"outcome": {"outcome": "selected", "optionId": "apply"}}}));
    editor.answer(&confirm, "apply");
    let second = editor.prompt(&session, "yes");
    let refused = editor.until(|m| m["id"] == second);
    assert_eq!(refused["error"]["code"], -32600, "{refused}");
    assert_eq!(desk.tree(), tree);
    editor.answer(&change, "y");
    assert_eq!(editor.stops(&prompt), "end_turn");
    assert_eq!(desk.tree(), tree, "an option that was not offered is no answer");
    editor.leave();
}

#[test]
fn a_change_that_cannot_be_seen_is_not_allowed_here() {
    let token = |body: &str| format!("const A: &str = \"ghp_{body}\";\n");
    let (old, new) = ("aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5", "zZ9yY8xX7wW6vV5uU4tT3sS2rR1qQ0pP9oO8");
    let secret = edit("src/a.rs", "\"[secret: token]\"", &format!("\"ghp_{new}\""));
    let ends = json!({"path": "src/a.rs", "content": "one\r\ntwo\r\n"});
    for (text, tool, change) in [(token(old), "edit", secret), ("one\ntwo\n".to_owned(), "write", ends)] {
        let script = vec![
            Turn::Say("", vec![("submit_plan", plan(&[("modify", "src/a.rs")]))]),
            Turn::Say("", vec![("read", json!({"path": "src/a.rs"}))]),
            Turn::Say("", vec![(tool, change)]),
            Turn::Say("Done.", vec![]),
        ];
        let (desk, server) = (asking(), Server::start(script));
        std::fs::write(desk.path().join("src/a.rs"), &text).unwrap();
        let (mut editor, session) = Editor::seated(&desk, &server.base);
        let prompt = editor.prompt(&session, "change src/a.rs");
        let confirm = editor.question();
        editor.answer(&confirm, "y");
        let asked = editor.question();
        let diff = &asked["params"]["toolCall"]["content"][0];
        assert_eq!(diff["oldText"], diff["newText"], "{asked}");
        assert!(offered(&asked).iter().all(|(_, kind)| kind == "reject_once"), "{asked}");
        editor.answer(&asked, "leave");
        assert_eq!(editor.stops(&prompt), "end_turn");
        assert_eq!(desk.file("src/a.rs"), text);
        editor.leave();
    }
}

#[test]
fn a_removal_is_allowed_by_no_click_but_by_its_word_alone() {
    let script = vec![
        Turn::Say("", vec![("submit_plan", plan(&[("delete", "src/note.rs")]))]),
        Turn::Say("", vec![("delete", json!({"path": "src/note.rs"}))]),
        Turn::Say("Done.", vec![]),
        Turn::Say("It holds notes.", vec![]),
    ];
    let (desk, server) = (asking(), Server::start(script));
    let file = desk.path().join("src/note.rs");
    let (mut editor, session) = Editor::seated(&desk, &server.base);
    let prompt = editor.prompt(&session, "delete src/note.rs");
    let mut asked = editor.question();
    while asked["params"]["toolCall"]["kind"] != "delete" {
        editor.answer(&asked, "y");
        asked = editor.question();
    }
    assert!(offered(&asked).iter().all(|(_, kind)| kind == "reject_once"), "{asked}");
    assert!(asked.to_string().contains("note.rs"), "{asked}");
    editor.answer(&asked, "later");
    assert_eq!(editor.stops(&prompt), "end_turn");
    // A plain yes is none; the word is asked for again, and then said.
    assert_eq!(editor.work(&session, "yes", &["later"]), "end_turn");
    // Nor is the name of a file that is only linked, whatever that is called.
    let link = json!([{"type": "resource_link", "uri": "note.rs", "name": "note.rs"}]);
    let prompt = editor.begin("session/prompt", &json!({"sessionId": session, "prompt": link}));
    assert_eq!(editor.through(&prompt, &["later"]), "end_turn");
    assert!(file.exists());
    assert_eq!(editor.work(&session, "yes", &["later"]), "end_turn");
    assert_eq!(editor.work(&session, "note.rs", &[]), "end_turn");
    assert!(!file.exists());
    editor.leave();
}

#[test]
fn a_command_of_high_risk_is_run_by_no_click() {
    let script = vec![
        Turn::Say("", vec![("run", json!({"command": "rm -rf src ~/.cache"}))]),
        Turn::Say("It was not to be.", vec![]),
    ];
    let (desk, server) = (Desk::new(), Server::start(script));
    let tree = desk.tree();
    let (mut editor, session) = Editor::seated(&desk, &server.base);
    let prompt = editor.prompt(&session, "run the cleanup");
    let asked = editor.question();
    assert!(
        asked.to_string().contains("rm -rf src ~/.cache") && asked.to_string().contains("high risk"),
        "{asked}"
    );
    assert!(offered(&asked).iter().all(|(_, kind)| kind == "reject_once"), "{asked}");
    editor.answer(&asked, "n");
    assert_eq!(editor.stops(&prompt), "end_turn");
    assert_eq!(desk.tree(), tree);
    editor.leave();
}

#[test]
fn a_turn_is_cancelled_while_it_thinks_and_while_it_asks() {
    let hang = || vec![Turn::Hang("I am looking into it, and then")];
    let (desk, server) = (asking(), Server::start([hang(), renames(), hang()].concat()));
    let tree = desk.tree();
    let (mut editor, session) = Editor::seated(&desk, &server.base);
    let cancel = json!({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": session}});
    let prompt = editor.prompt(&session, "how are notes found?");
    editor.until(|m| m["params"]["update"]["sessionUpdate"] == "agent_message_chunk");
    editor.send(&cancel);
    assert_eq!(editor.stops(&prompt), "cancelled");
    server.wait_hung_up();
    let prompt = editor.prompt(&session, GOAL);
    let confirm = editor.question();
    editor.answer(&confirm, "y");
    let change = editor.question();
    editor.send(&cancel);
    editor.answer(&change, "apply");
    assert_eq!(editor.stops(&prompt), "cancelled");
    editor.prompt(&session, "how are tags found?");
    editor.until(|m| m["params"]["update"]["sessionUpdate"] == "agent_message_chunk");
    editor.leave();
    assert_eq!(desk.tree(), tree);
    desk.verified();
}

#[test]
fn no_word_trusts_what_a_folder_brings_and_its_editor_is_asked_with_every_line_of_it() {
    let (desk, server) = (Desk::new(), Server::start(vec![Turn::Say("Yes to what?", vec![])]));
    let brings = json!({"mcpServers": {"theirs": {"command": "touch", "args": ["started"]}}});
    std::fs::write(desk.path().join(".mcp.json"), brings.to_string()).unwrap();
    let (mut editor, session) = Editor::seated(&desk, &server.base);
    // It is open whether to trust the folder, and nobody was told so far.
    let waits = |_| desk.go(&["sessions", "replay", &session]).out.contains("waits: ");
    assert!((0..500).any(waits));
    let prompt = editor.prompt(&session, "yes");
    let asked = editor.question();
    assert!(asked.to_string().contains("Trust this folder?"), "{asked}");
    assert!(asked.to_string().contains("touch started"), "every line of it is shown: {asked}");
    editor.answer(&asked, "n");
    assert_eq!(editor.stops(&prompt), "end_turn");
    editor.leave();
    assert!(!desk.path().join("started").exists());
}

#[test]
fn what_is_no_message_is_a_fault_and_the_next_one_is_read() {
    let (desk, server) = (asking(), Server::start(vec![Turn::Say("By score.", vec![])]));
    let mut editor = Editor::start(&desk, &server.base);
    let code = |message: &Value| message["error"]["code"].as_i64().unwrap_or_else(|| panic!("{message}"));
    for (line, fault) in
        [("{\n", -32700), ("\u{1}\u{2}\n", -32700), ("[]\n", -32600), ("{\"id\":1}\n", -32600)]
    {
        editor.raw(line);
        assert_eq!(code(&editor.read()), fault, "{line}");
    }
    editor.raw(&format!("{}\n", "x".repeat(5 * 1024 * 1024)));
    assert_eq!(code(&editor.read()), -32600);
    let new = json!({"cwd": desk.path(), "mcpServers": []});
    assert_eq!(code(&editor.call("session/new", &new)), -32600, "before initialize");
    let hello = editor.call("initialize", &json!({"protocolVersion": 9}));
    assert_eq!(hello["result"]["protocolVersion"], 1);
    assert_eq!(code(&editor.call("fs/write_text_file", &json!({}))), -32601);
    for cwd in ["src", "/nowhere/at/all", "/dev/null"] {
        let new = json!({"cwd": cwd, "mcpServers": []});
        assert_eq!(code(&editor.call("session/new", &new)), -32602, "{cwd}");
    }
    let nobody = json!({"sessionId": "nobody", "prompt": [{"type": "text", "text": "hi"}]});
    assert_eq!(code(&editor.call("session/prompt", &nobody)), -32002);
    let session = editor.sits(desk.path());
    let image =
        json!({"sessionId": session, "prompt": [{"type": "image", "data": "", "mimeType": "image/png"}]});
    assert_eq!(code(&editor.call("session/prompt", &image)), -32602);
    assert_eq!(editor.work(&session, "how are notes found?", &[]), "end_turn");
    let modes = editor.call("session/set_mode", &json!({"sessionId": session, "modeId": "read-only"}));
    assert_eq!(modes["result"], json!({}));
    assert_eq!(editor.updates("current_mode_update")[0]["currentModeId"], "read-only");
    let mad = json!({"sessionId": session, "modeId": "mad"});
    assert_eq!(code(&editor.call("session/set_mode", &mad)), -32602);
    editor.leave();
}

#[test]
fn a_session_is_told_again_from_its_log_and_two_live_beside_each_other() {
    let (desk, server) = (asking(), Server::start([renames(), vec![Turn::Say("Two.", vec![])]].concat()));
    let (mut editor, session) = Editor::seated(&desk, &server.base);
    assert_eq!(editor.work(&session, GOAL, &["y", "apply"]), "end_turn");
    let live = editor.texts("agent_message_chunk");
    editor.leave();
    let mut editor = Editor::start(&desk, &server.base);
    editor.call("initialize", &json!({"protocolVersion": 1}));
    let load = |id: &str| json!({"sessionId": id, "cwd": desk.path(), "mcpServers": []});
    assert_eq!(editor.call("session/load", &load("nobody"))["error"]["code"], -32002);
    let loaded = editor.call("session/load", &load(&session));
    assert!(loaded["result"].is_object(), "{loaded}");
    assert_eq!(editor.texts("user_message_chunk"), GOAL);
    assert_eq!(editor.texts("agent_message_chunk"), live);
    assert_eq!(editor.updates("plan")[0]["entries"][0]["status"], "completed");
    let changed = editor.updates("tool_call").iter().any(|u| u["content"][0]["type"] == "diff");
    assert!(changed, "{:#?}", editor.seen);
    assert_eq!(editor.call("session/load", &load(&session))["error"]["code"], -32600);
    let beside = Desk::new();
    let other = editor.sits(beside.path());
    assert_ne!(other, session);
    assert_eq!(editor.work(&other, "how many files are there?", &[]), "end_turn");
    assert_eq!(editor.work(&session, "/undo", &[]), "end_turn");
    editor.leave();
    desk.verified();
}
