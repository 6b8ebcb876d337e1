//! The sessions of an editor: how they are opened, listed and let go, and what their user is told of them.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use serde_json::{Value, json};

use crate::support::{
    Desk,
    alone::plan,
    editor::Editor,
    server::{Server, Turn},
};

fn of(session: &str) -> Value {
    json!({ "sessionId": session })
}

#[test]
fn a_session_is_closed_in_the_middle_of_its_turn_and_goes_on_where_it_was() {
    let script = vec![Turn::Hang("I am looking into it, and then"), Turn::Say("By score.", vec![])];
    let (desk, server) = (Desk::new(), Server::start(script));
    let (mut editor, session) = Editor::seated(&desk, &server.base);
    let prompt = editor.prompt(&session, "how are notes found?");
    editor.until(|m| m["params"]["update"]["sessionUpdate"] == "agent_message_chunk");
    let close = editor.begin("session/close", &of(&session));
    assert_eq!(editor.stops(&prompt), "cancelled");
    assert_eq!(editor.until(|m| m["id"] == close)["result"], json!({}));
    server.wait_hung_up();
    assert_eq!(editor.call("session/close", &of(&session))["error"]["code"], -32002);
    let listed = editor.call("session/list", &json!({"cwd": desk.path()}));
    let listed = &listed["result"]["sessions"][0];
    assert_eq!((&listed["sessionId"], &listed["title"]), (&json!(session), &json!("how are notes found?")));
    let again = json!({"sessionId": session, "cwd": desk.path(), "mcpServers": []});
    // Asked for twice at once it is opened once.
    let resumed = editor.begin("session/resume", &again);
    let twice = editor.call("session/load", &again);
    assert!(twice["error"]["message"].as_str().unwrap().contains("is open already"), "{twice}");
    let resumed = editor.until(|m| m["id"] == resumed);
    assert_eq!(resumed["result"]["configOptions"][0]["currentValue"], "ask", "{resumed}");
    assert!(editor.texts("user_message_chunk").is_empty(), "nothing is told again");
    assert_eq!(editor.work(&session, "how are tags found?", &[]), "end_turn");
    editor.leave();
    desk.verified();
}

#[test]
fn beyond_the_bound_the_session_that_rested_longest_is_let_go_and_loaded_again() {
    let script = vec![Turn::Hang("I am looking into it, and then"), Turn::Say("By score.", vec![])];
    let (desk, server) = (Desk::new(), Server::start(script));
    let (mut editor, first) = Editor::seated(&desk, &server.base);
    let prompt = editor.prompt(&first, "how are notes found?");
    editor.until(|m| m["params"]["update"]["sessionUpdate"] == "agent_message_chunk");
    let mut more = vec![editor.sits(desk.path())];
    assert_eq!(editor.work(&more[0], "how are tags found?", &[]), "end_turn");
    more.extend((0..16).map(|_| editor.sits(desk.path())));
    // The first one works: it stays.
    editor.send(&json!({"jsonrpc": "2.0", "method": "session/cancel", "params": of(&first)}));
    assert_eq!(editor.stops(&prompt), "cancelled");
    let prompt = json!([{"type": "text", "text": "/status"}]);
    let say = |session: &str| json!({"sessionId": session, "prompt": prompt});
    for gone in &more[..2] {
        let refused = editor.call("session/prompt", &say(gone));
        assert_eq!(refused["error"]["code"], -32002, "{refused}");
        assert!(refused["error"]["message"].as_str().unwrap().contains("session/load"), "{refused}");
    }
    assert_eq!(editor.work(&more[16], "/status", &[]), "end_turn");
    let again = |session: &str| json!({"sessionId": session, "cwd": desk.path(), "mcpServers": []});
    let mut loaded = editor.call("session/load", &again(&more[0]));
    while loaded["error"]["message"].as_str().is_some_and(|why| why.contains("being closed")) {
        loaded = editor.call("session/load", &again(&more[0]));
    }
    assert!(loaded["result"].is_object(), "{loaded}");
    assert_eq!(editor.texts("user_message_chunk"), "how are tags found?");
    editor.leave();
}

#[test]
fn a_session_that_is_left_by_a_word_ends_its_turn_as_any_other() {
    let (desk, server) = (Desk::new(), Server::start(vec![]));
    let mut editor = Editor::start(&desk, &server.base);
    editor.call("initialize", &json!({"protocolVersion": 1}));
    for _ in 0..40 {
        let session = editor.sits(desk.path());
        assert_eq!(editor.work(&session, "/exit", &[]), "end_turn");
    }
    editor.leave();
}

#[test]
fn the_ceiling_is_an_option_a_mode_and_a_command_and_each_says_what_holds() {
    let (desk, server) = (Desk::new(), Server::start(vec![]));
    let (mut editor, session) = Editor::seated(&desk, &server.base);
    let set = |id: &str, value: &str| json!({"sessionId": session, "configId": id, "value": value});
    let done = editor.call("session/set_config_option", &set("mode", "read-only"));
    assert_eq!(done["result"]["configOptions"][0]["currentValue"], "read-only", "{done}");
    assert_eq!(editor.updates("config_option_update").len(), 1);
    assert_eq!(editor.call("session/set_config_option", &set("mode", "mad"))["error"]["code"], -32602);
    assert_eq!(editor.call("session/set_config_option", &set("model", "x"))["error"]["code"], -32602);
    assert!(editor.texts("agent_message_chunk").is_empty(), "{:#?}", editor.seen);
    for (line, says) in [
        ("/ask", "From now on every change asks."),
        ("/chat", "From now on only words"),
        ("/proof", "Mode: proof."),
        ("/explore", "Mode: explore."),
        ("/explore", "Nothing changed."),
    ] {
        assert_eq!(editor.work(&session, line, &[]), "end_turn");
        let told = editor.texts("agent_message_chunk");
        assert!(told.contains(says), "{line}: {told}");
    }
    assert_eq!(editor.updates("current_mode_update").last().unwrap()["currentModeId"], "ask");
    editor.leave();
}

#[test]
fn of_two_ceilings_at_once_the_last_that_was_agreed_to_holds() {
    let (desk, server) = (Desk::new(), Server::start(vec![]));
    let (mut editor, session) = Editor::seated(&desk, &server.base);
    let request = |id: &str, method: &str, more: Value| {
        let mut params = of(&session);
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        format!("{}\n", json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
    };
    let by_command =
        request("first", "session/prompt", json!({"prompt": [{"type": "text", "text": "/readonly"}]}));
    for first in [request("first", "session/set_mode", json!({"modeId": "read-only"})), by_command] {
        editor.raw(&(first + &request("second", "session/set_mode", json!({"modeId": "ask"}))));
        let both = [(); 2].map(|()| editor.until(|m| m["id"] == "first" || m["id"] == "second"));
        let second = both.iter().find(|m| m["id"] == "second").unwrap();
        editor.work(&session, "/status", &[]);
        let holds = editor.updates("current_mode_update").last().map(|u| u["currentModeId"].clone());
        let agreed = if second["error"].is_null() { "ask" } else { "read-only" };
        assert_eq!(holds.unwrap(), agreed, "{both:#?}");
        editor.work(&session, "/ask", &[]);
        editor.seen.clear();
    }
    editor.leave();
}

#[test]
fn what_does_not_hold_of_an_answer_is_said_behind_it_live_and_from_the_log() {
    let answer = "It is fast.\n\nUnproven: it may be slow.";
    let read = Turn::Say("", vec![("read", json!({"path": "src/search.rs"}))]);
    let (desk, server) = (Desk::new(), Server::start(vec![read, Turn::Say(answer, vec![])]));
    let (mut editor, session) = Editor::seated(&desk, &server.base);
    editor.work(&session, "/proof", &[]);
    assert_eq!(editor.work(&session, "how does find_notes sort?", &[]), "end_turn");
    let told = editor.texts("agent_message_chunk");
    assert!(
        told.contains(&format!("{answer}\n\n⚠ not proven: no evidence is named\n> It is fast.")),
        "{told}"
    );
    assert_eq!(told.matches("not proven").count(), 1);
    editor.call("session/close", &of(&session));
    editor.seen.clear();
    editor.call("session/load", &json!({"sessionId": session, "cwd": desk.path()}));
    assert_eq!(editor.texts("agent_message_chunk").matches("⚠ not proven").count(), 1);
    editor.leave();
}

#[test]
fn a_hook_that_fails_and_what_a_new_plan_changed_are_told() {
    let tasks = |files: &[(&str, &str)]| {
        let mut plan = plan(files);
        plan["note"] = json!("Only one caller is left.");
        vec![("submit_plan", plan)]
    };
    let script = vec![
        Turn::Say("", tasks(&[("modify", "src/search.rs")])),
        Turn::Say("", tasks(&[("modify", "src/search.rs"), ("modify", "src/main.rs")])),
    ];
    let (desk, server) = (Desk::new(), Server::start(script));
    desk.configure("[plan]\nconfirm = \"always\"\n");
    let hooks = "[hooks.on_turn]\nrun = \"echo it broke; exit 3\"\n";
    std::fs::write(desk.home.path().join("hooks.toml"), hooks).unwrap();
    let (mut editor, session) = Editor::seated(&desk, &server.base);
    let prompt = editor.prompt(&session, "rename score to points_of");
    let confirm = editor.question();
    editor.answer(&confirm, "later");
    editor.stops(&prompt);
    let prompt = editor.prompt(&session, "/replan");
    let confirm = editor.question();
    editor.answer(&confirm, "later");
    editor.stops(&prompt);
    let told = editor.texts("agent_message_chunk");
    for part in ["it broke", "Only one caller is left.", "v2 since v1: "] {
        assert!(told.contains(part), "{part}: {told}");
    }
    editor.leave();
}

#[test]
fn every_call_of_a_sub_agent_that_is_shown_is_shown_to_its_end() {
    let server = Server::answering(|request| {
        let (messages, tools) = (request["messages"].to_string(), request["tools"].to_string());
        Some(if tools.contains("\"delegate\"") {
            let tasks = json!({"tasks": [{"task": "find fn score"}]});
            let done = messages.contains("fn score stands");
            if done { Turn::Say("It is there.", vec![]) } else { Turn::Say("", vec![("delegate", tasks)]) }
        } else if messages.contains("search.rs:") {
            Turn::Say("fn score stands in src/search.rs.", vec![])
        } else {
            Turn::Say("", vec![("search", json!({"pattern": "fn score", "path": "src"}))])
        })
    });
    let desk = Desk::new();
    let (mut editor, session) = Editor::seated(&desk, &server.base);
    assert_eq!(editor.work(&session, "where is score?", &[]), "end_turn");
    let calls = [editor.updates("tool_call"), editor.updates("tool_call_update")].concat();
    let ids = |status: &str| {
        let of = calls.iter().filter(move |u| u["status"] == status);
        of.map(|u| u["toolCallId"].to_string()).collect::<std::collections::BTreeSet<_>>()
    };
    assert!(!ids("in_progress").is_empty() && ids("in_progress") == ids("completed"), "{calls:#?}");
    editor.leave();
}

#[test]
fn a_command_that_ran_when_the_program_ended_is_told_as_one_that_ended_so() {
    let (desk, server) = (Desk::new(), Server::start(vec![]));
    let (mut editor, session) = Editor::seated(&desk, &server.base);
    editor.prompt(&session, "!sleep 600");
    editor.until(|m| m["params"]["update"]["status"] == "in_progress");
    editor.child.kill().unwrap();
    editor.child.wait().unwrap();
    let mut editor = Editor::start(&desk, &server.base);
    editor.call("initialize", &json!({"protocolVersion": 1}));
    editor.call("session/load", &json!({"sessionId": session, "cwd": desk.path()}));
    let calls = editor.updates("tool_call_update");
    let last = calls.last().unwrap();
    assert_eq!(last["status"], "failed", "{calls:#?}");
    assert!(last["content"][0].to_string().contains("it was not run again"), "{last}");
    editor.leave();
}

#[test]
fn a_question_of_several_lines_is_put_in_lines_and_once() {
    let desk = Desk::new();
    let mut editor = Editor::of(desk.command(&["acp"]));
    editor.call("initialize", &json!({"protocolVersion": 1}));
    let session = editor.sits(desk.path());
    let prompt = editor.prompt(&session, "/research how are notes found?");
    let asked = editor.question();
    let told = asked["params"]["toolCall"]["content"][0]["content"]["text"].as_str().unwrap();
    assert!(told.contains("\n2. Modify: say what to change\n"), "{told}");
    assert_eq!(told.matches("Modify: say what to change").count(), 1, "{told}");
    editor.dismiss(&asked);
    assert_eq!(editor.stops(&prompt), "cancelled");
    editor.leave();
}
