//! A long session that is loaded: telling it again keeps nothing else waiting, and ends with the wish for it.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdout, Stdio},
};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::support::{
    Desk,
    alone::ended,
    editor::Editor,
    server::{Server, Turn},
};

/// A client that reads nothing before it is told to.
struct Client {
    child: Child,
    output: BufReader<ChildStdout>,
    updates: usize,
    answers: Vec<(Value, usize)>,
}

impl Client {
    fn start(desk: &Desk, server: &Server) -> Self {
        let mut command = desk.with_model(&server.base, &["acp"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut client = Self { child, output, updates: 0, answers: Vec::new() };
        client.say(&json!(0), "initialize", &json!({"protocolVersion": 1}));
        client.until(&json!(0));
        client
    }

    fn say(&mut self, id: &Value, method: &str, params: &Value) {
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        writeln!(self.child.stdin.as_mut().unwrap(), "{message}").unwrap();
    }

    /// Reads up to the answer to this request, unless it came already; gives it, and how many updates of sessions had
    /// come by then.
    fn until(&mut self, id: &Value) -> (Value, usize) {
        loop {
            if let Some(at) = self.answers.iter().position(|(message, _)| message["id"] == *id) {
                return self.answers.swap_remove(at);
            }
            self.read();
        }
    }

    fn read(&mut self) {
        let mut line = String::new();
        assert_ne!(self.output.read_line(&mut line).unwrap(), 0, "it ended");
        let message: Value = serde_json::from_str(&line).unwrap();
        self.updates += usize::from(message["method"] == "session/update");
        if message["method"].is_null() {
            self.answers.push((message, self.updates));
        }
    }

    /// A client that has a session, and then loads this one and reads nothing of it but how it begins.
    fn loading(desk: &Desk, server: &Server, long: &str) -> (Self, String) {
        let mut client = Self::start(desk, server);
        let folder = json!({"cwd": desk.path(), "mcpServers": []});
        client.say(&json!(1), "session/new", &folder);
        let other = client.until(&json!(1)).0["result"]["sessionId"].as_str().unwrap().to_owned();
        let load = json!({"sessionId": long, "cwd": desk.path(), "mcpServers": []});
        client.say(&json!(2), "session/load", &load);
        let before = client.updates;
        while client.updates < before + 9 {
            client.read();
        }
        (client, other)
    }

    fn asks(&mut self, id: i32, session: &str) {
        let prompt = json!([{"type": "text", "text": "how are tags found?"}]);
        self.say(&json!(id), "session/prompt", &json!({"sessionId": session, "prompt": prompt}));
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Calls of one reply, and replies that make some.
const CALLS: usize = 40;
const REPLIES: usize = 24;

/// A session of which there is far more to be told than may wait: its name, and how many requests it took.
fn long(desk: &Desk) -> (Server, String, usize) {
    // No reply calls what another called: that would be a line of work that gets nowhere.
    let calls = |depth: usize| Turn::Say("", vec![("list", json!({"path": ".", "depth": depth})); CALLS]);
    let mut script: Vec<Turn> = (1..=REPLIES).map(calls).collect();
    script.extend((0..4).map(|_| Turn::Say("By score.", vec![])));
    let server = Server::start(script);
    let (mut editor, session) = Editor::seated(desk, &server.base);
    assert_eq!(editor.work(&session, "how are notes found?", &[]), "end_turn");
    let told = editor.updates("tool_call").len() + editor.updates("tool_call_update").len();
    assert!(told > 2500, "only {told} updates");
    editor.leave();
    let requests = server.requests().len();
    (server, session, requests)
}

/// Waits until the other session's message was heard by its model.
fn heard(server: &Server, before: usize) {
    let of_other = |n: usize| {
        server.wait_requests(n);
        server.requests()[n - 1].to_string().contains("how are tags found?")
    };
    assert!((before + 1..before + 9).any(of_other));
}

#[test]
fn while_a_long_session_is_told_again_another_one_works() {
    let desk = Desk::new();
    let (server, session, before) = long(&desk);
    let (mut client, other) = Client::loading(&desk, &server, &session);
    client.asks(3, &other);
    // Nothing is read: what is told of the first one fills all that may wait.
    heard(&server, before);
    let (loaded, _) = client.until(&json!(2));
    assert!(loaded["result"].is_object(), "{loaded}");
    assert_eq!(client.until(&json!(3)).0["result"]["stopReason"], "end_turn");
    // It is open, and goes on.
    client.asks(4, &session);
    assert_eq!(client.until(&json!(4)).0["result"]["stopReason"], "end_turn");
    drop(client.child.stdin.take());
    assert_eq!(client.child.wait().unwrap().code(), Some(0));
    desk.verified();
}

#[test]
fn a_long_session_is_closed_and_cancelled_while_it_is_told_again() {
    let desk = Desk::new();
    let (server, session, before) = long(&desk);
    let of = json!({ "sessionId": session });
    let (mut client, other) = Client::loading(&desk, &server, &session);
    client.say(&json!(3), "session/close", &of);
    client.asks(4, &other);
    heard(&server, before);
    let (loaded, told) = client.until(&json!(2));
    assert!(loaded["error"]["message"].as_str().unwrap().contains("closed before it was open"), "{loaded}");
    assert_eq!(client.until(&json!(3)).0["result"], json!({}));
    assert_eq!(client.until(&json!(4)).0["result"]["stopReason"], "end_turn");
    let load = json!({"sessionId": session, "cwd": desk.path(), "mcpServers": []});
    client.say(&json!(5), "session/load", &load);
    let cancel = json!({"jsonrpc": "2.0", "method": "session/cancel", "params": of});
    writeln!(client.child.stdin.as_mut().unwrap(), "{cancel}").unwrap();
    let (loaded, again) = client.until(&json!(5));
    assert!(loaded["error"].is_object(), "{loaded}");
    let before = client.updates;
    // Whole it is told once nobody stops it.
    client.say(&json!(6), "session/load", &load);
    let whole = loop {
        let (loaded, whole) = client.until(&json!(6));
        if loaded["result"].is_object() {
            break whole;
        }
        // It is still being closed.
        assert!(loaded["error"]["message"].as_str().unwrap().contains("being closed"), "{loaded}");
        client.say(&json!(6), "session/load", &load);
    };
    let (again, whole) = (again - told, whole - before);
    assert!(told < whole && again < whole, "{told} and {again} of {whole}");
    drop(client.child.stdin.take());
    assert_eq!(client.child.wait().unwrap().code(), Some(0));
    desk.verified();
}

#[test]
fn a_signal_ends_the_program_while_a_long_session_is_told_again() {
    let desk = Desk::new();
    let (server, session, before) = long(&desk);
    let (mut client, other) = Client::loading(&desk, &server, &session);
    client.asks(3, &other);
    heard(&server, before);
    kill_process(Pid::from_child(&client.child), Signal::TERM).unwrap();
    ended(client.child.id());
    assert_eq!(client.child.wait().unwrap().code(), Some(143));
    desk.verified();
}

#[test]
fn the_end_of_the_input_ends_the_program_while_a_session_is_being_loaded() {
    let (desk, server) = (Desk::new(), Server::start(vec![]));
    let (editor, session) = Editor::seated(&desk, &server.base);
    editor.leave();
    let mut client = Client::start(&desk, &server);
    let load = json!({"sessionId": session, "cwd": desk.path(), "mcpServers": []});
    client.say(&json!(1), "session/load", &load);
    drop(client.child.stdin.take());
    ended(client.child.id());
    assert_eq!(client.child.wait().unwrap().code(), Some(0));
    desk.verified();
}
