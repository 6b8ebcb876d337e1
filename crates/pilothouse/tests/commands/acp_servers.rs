//! Servers that an editor names for a session: none starts before its user said yes to its very line.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::{fs, path::Path};

use serde_json::{Value, json};

use crate::{
    sources,
    support::{
        Desk,
        editor::Editor,
        server::{Server, Turn},
    },
};

/// The value of a variable, which nobody is to see.
const VALUE: &str = "birch-at-noon-7";
const ASKS: &str = "what colour is the sky in the store?";

/// The server of the tests as an editor names it, with its place below which it notes its start and its calls.
struct Named {
    place: tempfile::TempDir,
    script: String,
}

impl Named {
    fn new() -> Self {
        let place = tempfile::tempdir().unwrap();
        let script = sources::server(place.path());
        Self { place, script }
    }

    fn with(&self, more: &[&str]) -> Value {
        let args: Vec<&str> = std::iter::once(self.script.as_str()).chain(more.iter().copied()).collect();
        let env = json!([{"name": "SECRET_TOKEN", "value": VALUE}]);
        json!({"name": "thing", "command": "sh", "args": args, "env": env})
    }

    fn started(&self) -> Option<String> {
        fs::read_to_string(self.place.path().join("started")).ok()
    }

    fn runs(&self) -> bool {
        self.started().is_some_and(|pid| Path::new("/proc").join(pid.trim()).exists())
    }
}

fn opens(editor: &mut Editor, method: &str, desk: &Desk, more: &Value) -> Value {
    let mut params = json!({"cwd": desk.path()});
    params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    editor.call(method, &params)
}

fn greeted(desk: &Desk, server: &Server) -> Editor {
    let mut editor = Editor::start(desk, &server.base);
    let hello = editor.call("initialize", &json!({"protocolVersion": 1}));
    let can = &hello["result"]["agentCapabilities"]["mcpCapabilities"];
    assert_eq!(*can, json!({"http": true, "sse": false}));
    editor
}

fn new(editor: &mut Editor, desk: &Desk, servers: &[Value]) -> String {
    let made = opens(editor, "session/new", desk, &json!({ "mcpServers": servers }));
    made["result"]["sessionId"].as_str().unwrap_or_else(|| panic!("{made}")).to_owned()
}

fn looks() -> Turn {
    Turn::Say("", vec![("source_tools", json!({"source": "thing"}))])
}

fn calls() -> Turn {
    Turn::Say("", vec![("source_call", json!({"tool": "thing__look", "arguments": {"what": "sky"}}))])
}

fn says() -> Turn {
    Turn::Say("It is blue.", vec![])
}

/// Every file below a folder that holds these bytes.
fn holding(folder: &Path, bytes: &[u8]) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder).unwrap().flatten().map(|e| e.path());
    let found = entries.flat_map(|path| {
        if path.is_dir() {
            return holding(&path, bytes);
        }
        let text = fs::read(&path).unwrap_or_default();
        if text.windows(bytes.len()).any(|w| w == bytes) { vec![path] } else { Vec::new() }
    });
    found.collect()
}

#[test]
fn a_server_starts_after_the_yes_to_its_line_and_ends_with_its_session() {
    let (desk, named, server) = (Desk::new(), Named::new(), Server::start(vec![looks(), calls(), says()]));
    let mut editor = greeted(&desk, &server);
    let session = new(&mut editor, &desk, &[named.with(&["a b"])]);
    let prompt = editor.prompt(&session, ASKS);
    let asked = editor.question();
    let text = asked.to_string();
    assert!(text.contains(&format!("sh {} 'a b'", named.script)), "{asked}");
    assert!(text.contains("SECRET_TOKEN") && text.contains("Start the server thing"), "{asked}");
    assert!(named.started().is_none() && server.requests().is_empty(), "nothing comes before it");
    editor.answer(&asked, "y");
    let call = editor.question();
    assert!(call.to_string().contains("thing look"), "{call}");
    assert!(named.runs() && !named.place.path().join("calls").exists());
    editor.answer(&call, "y");
    assert_eq!(editor.stops(&prompt), "end_turn");
    assert_eq!(fs::read_to_string(named.place.path().join("calls")).unwrap().lines().count(), 1);
    let requests = server.requests();
    assert!(requests[0].to_string().contains("thing (not started yet"), "{}", requests[0]);
    assert!(requests.last().unwrap().to_string().contains("it is blue"));
    // It ends with its session, though the connection goes on.
    editor.call("session/close", &json!({ "sessionId": session }));
    assert!(!named.runs());
    let seen = editor.leave();
    assert!(!format!("{seen:?}{requests:?}").contains(VALUE));
    assert_eq!(holding(desk.home.path(), VALUE.as_bytes()), Vec::<std::path::PathBuf>::new());
    desk.verified();
}

#[test]
fn a_server_that_is_refused_or_not_answered_does_not_start_and_the_agent_is_told() {
    for (answer, told) in [("n", "the user left it out"), ("no such option", "the user has not agreed to it")]
    {
        let (desk, named) = (Desk::new(), Named::new());
        let server = Server::start(vec![looks(), calls(), says()]);
        let mut editor = greeted(&desk, &server);
        let session = new(&mut editor, &desk, &[named.with(&[])]);
        let prompt = editor.prompt(&session, ASKS);
        let asked = editor.question();
        editor.answer(&asked, answer);
        assert_eq!(editor.stops(&prompt), "end_turn");
        let requests = server.requests();
        assert!(requests[0].to_string().contains(&format!("thing (unavailable: {told}")), "{}", requests[0]);
        assert!(requests[1].to_string().contains(&format!("thing: {told}")), "{}", requests[1]);
        editor.leave();
        assert!(named.started().is_none());
        desk.verified();
    }
}

#[test]
fn a_cancelled_question_starts_nothing_and_its_message_is_not_heard() {
    let (desk, named, server) = (Desk::new(), Named::new(), Server::start(vec![looks(), says()]));
    let mut editor = greeted(&desk, &server);
    let session = new(&mut editor, &desk, &[named.with(&[])]);
    let prompt = editor.prompt(&session, ASKS);
    let asked = editor.question();
    let cancel = json!({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": session}});
    editor.send(&cancel);
    // An answer behind it is none.
    editor.answer(&asked, "y");
    assert_eq!(editor.stops(&prompt), "cancelled");
    assert!(server.requests().is_empty() && named.started().is_none());
    // It is asked again before the next message, of which the answer to the old one is none either.
    let prompt = editor.prompt(&session, ASKS);
    let again = editor.question();
    editor.answer(&asked, "y");
    editor.answer(&again, "n");
    assert_eq!(editor.stops(&prompt), "end_turn");
    assert!(named.started().is_none());
    editor.leave();
}

#[test]
fn each_process_and_each_line_asks_for_itself_also_after_a_kill() {
    let (desk, named) = (Desk::new(), Named::new());
    let server = Server::start(vec![says(), says(), looks(), says()]);
    let mut editor = greeted(&desk, &server);
    let session = new(&mut editor, &desk, &[named.with(&[])]);
    // Agreed to, and not used before the process is killed.
    assert_eq!(editor.work(&session, "how are notes found?", &["y"]), "end_turn");
    editor.child.kill().unwrap();
    editor.child.wait().unwrap();
    let load = |editor: &mut Editor, servers: &[Value]| {
        let loaded =
            opens(editor, "session/load", &desk, &json!({"sessionId": session, "mcpServers": servers}));
        assert!(loaded["result"].is_object(), "{loaded}");
    };
    let mut editor = greeted(&desk, &server);
    load(&mut editor, &[named.with(&["changed"])]);
    editor.prompt(&session, ASKS);
    let asked = editor.question();
    assert!(asked.to_string().contains("server.sh changed"), "{asked}");
    assert!(named.started().is_none());
    // Killed while it is asked: without the servers nothing of it is left.
    editor.child.kill().unwrap();
    editor.child.wait().unwrap();
    let mut editor = greeted(&desk, &server);
    load(&mut editor, &[]);
    assert_eq!(editor.work(&session, ASKS, &[]), "end_turn");
    assert!(
        !server.requests().last().unwrap().to_string().contains("\"source_tools\""),
        "there are no sources"
    );
    assert!(named.started().is_none());
    editor.call("session/close", &json!({ "sessionId": session }));
    // The line of the first time is asked about again, and starts after that.
    load(&mut editor, &[named.with(&[])]);
    let again = editor.prompt(&session, ASKS);
    let asked = editor.question();
    assert!(named.started().is_none());
    editor.answer(&asked, "y");
    assert_eq!(editor.stops(&again), "end_turn");
    assert!(named.runs());
    editor.leave();
    assert!(!named.runs());
    desk.verified();
}

#[test]
fn always_here_holds_for_this_very_line_in_this_folder_until_it_is_taken_back() {
    let (desk, named) = (Desk::new(), Named::new());
    let server = Server::start(vec![says(), looks(), says(), says(), says()]);
    let mut editor = greeted(&desk, &server);
    let session = new(&mut editor, &desk, &[named.with(&[])]);
    let prompt = editor.prompt(&session, "how are notes found?");
    let asked = editor.question();
    let always = asked["params"]["options"].as_array().unwrap().iter().find(|o| o["kind"] == "allow_always");
    let always = always.unwrap_or_else(|| panic!("{asked}"))["optionId"].as_str().unwrap().to_owned();
    editor.answer(&asked, &always);
    assert_eq!(editor.stops(&prompt), "end_turn");
    editor.leave();
    // Another process is not asked again, and its log says by what the server may start.
    let mut editor = greeted(&desk, &server);
    let session = new(&mut editor, &desk, &[named.with(&[])]);
    assert!(named.started().is_none());
    assert_eq!(editor.work(&session, ASKS, &[]), "end_turn");
    assert!(named.runs());
    let log = holding(desk.home.path(), format!("\"slug\":\"{session}\"").as_bytes());
    let log = fs::read_to_string(log.iter().find(|f| f.ends_with("session.jsonl")).unwrap()).unwrap();
    assert!(log.contains("checkpoint_resolved"), "{log}");
    // Another line asks, and so does one of which a part lies in the folder: it may be another tomorrow.
    let theirs = desk.path().join("server.sh");
    fs::copy(&named.script, &theirs).unwrap();
    let within = json!({"name": "thing", "command": "sh", "args": [theirs], "env": []});
    for (other, lasts) in [(named.with(&["more"]), true), (within, false)] {
        let session = new(&mut editor, &desk, &[other]);
        let prompt = editor.prompt(&session, "how are notes found?");
        let asked = editor.question();
        assert_eq!(asked.to_string().contains("allow_always"), lasts, "{asked}");
        editor.answer(&asked, "n");
        assert_eq!(editor.stops(&prompt), "end_turn");
    }
    editor.leave();
    desk.go(&["trust", "--revoke"]).with(0);
    let mut editor = greeted(&desk, &server);
    let session = new(&mut editor, &desk, &[named.with(&[])]);
    editor.prompt(&session, ASKS);
    editor.question();
    editor.leave();
    desk.verified();
}

/// Says "always here" to the question that is open.
fn always(editor: &mut Editor) {
    let asked = editor.question();
    let options = asked["params"]["options"].as_array().unwrap();
    let always = options.iter().find(|o| o["kind"] == "allow_always");
    let always = always.unwrap_or_else(|| panic!("{asked}"))["optionId"].as_str().unwrap().to_owned();
    editor.answer(&asked, &always);
}

#[test]
fn always_here_ends_at_once_where_it_is_taken_back() {
    let (desk, named) = (Desk::new(), Named::new());
    let server = Server::start(vec![looks(), says(), says()]);
    let mut editor = greeted(&desk, &server);
    let session = new(&mut editor, &desk, &[named.with(&[])]);
    let prompt = editor.prompt(&session, ASKS);
    always(&mut editor);
    assert_eq!(editor.stops(&prompt), "end_turn");
    assert!(named.runs());
    let off = editor.prompt(&session, "/trust off");
    // Nobody has said anything of it any more.
    let again = editor.question();
    assert!(again.to_string().contains("Start the server thing"), "{again}");
    editor.answer(&again, "n");
    assert_eq!(editor.stops(&off), "end_turn");
    assert_eq!(editor.work(&session, ASKS, &[]), "end_turn");
    assert!(!named.runs());
    editor.leave();
    desk.verified();
}

#[test]
fn always_here_is_for_a_server_that_runs_apart_and_not_for_one_in_a_trusted_folder() {
    let (desk, named) = (Desk::new(), Named::new());
    let entry = json!({"mcpServers": {"x": {"command": "x"}}});
    fs::write(desk.path().join(".mcp.json"), entry.to_string()).unwrap();
    let server = Server::start(vec![says()]);
    let mut editor = greeted(&desk, &server);
    let session = new(&mut editor, &desk, &[named.with(&[])]);
    let prompt = editor.prompt(&session, ASKS);
    always(&mut editor);
    let trust = editor.question();
    editor.answer(&trust, "y");
    // The same line runs in the folder from here on.
    let again = editor.question();
    assert!(again.to_string().contains("Start the server thing"), "{again}");
    assert!(!again.to_string().contains("allow_always"), "{again}");
    editor.answer(&again, "n");
    assert_eq!(editor.stops(&prompt), "end_turn");
    editor.leave();
    assert!(named.started().is_none());
    // Nor does it start by itself in another process.
    let mut editor = greeted(&desk, &server);
    let session = new(&mut editor, &desk, &[named.with(&[])]);
    editor.prompt(&session, ASKS);
    let again = editor.question();
    assert!(!again.to_string().contains("allow_always"), "{again}");
    editor.leave();
    assert!(named.started().is_none());
    desk.verified();
}

#[test]
fn what_could_not_start_is_told_and_not_asked_about() {
    let (desk, server) = (Desk::new(), Server::start(vec![says()]));
    let mut editor = greeted(&desk, &server);
    let near = json!({"name": "near", "command": "./server.sh", "args": [], "env": []});
    let session = new(&mut editor, &desk, &[near]);
    assert_eq!(editor.work(&session, ASKS, &[]), "end_turn");
    let told = editor.texts("agent_message_chunk");
    assert!(
        told.contains("the server near from your editor is ignored: ./server.sh would be looked up"),
        "{told}"
    );
    editor.leave();
}

#[test]
fn what_a_folder_only_calls_a_secret_hides_nothing_of_a_question() {
    let desk = Desk::new();
    let entry = json!({"mcpServers": {"x": {"command": "x", "env": {"API_KEY": "other-hunter2-12"}}}});
    fs::write(desk.path().join(".mcp.json"), entry.to_string()).unwrap();
    let server = Server::start(vec![says()]);
    let mut editor = greeted(&desk, &server);
    let near = json!({"name": "near", "command": "npx", "args": ["-y", "other-hunter2-12"], "env": []});
    let session = new(&mut editor, &desk, &[near]);
    let prompt = editor.prompt(&session, ASKS);
    let asked = editor.question();
    assert!(asked.to_string().contains("npx -y other-hunter2-12"), "{asked}");
    editor.answer(&asked, "n");
    let trust = editor.question();
    editor.answer(&trust, "n");
    assert_eq!(editor.stops(&prompt), "end_turn");
    editor.leave();
}

#[test]
fn what_cannot_be_used_of_an_editor_is_told_and_never_asked_about() {
    let (desk, named, server) = (Desk::new(), Named::new(), Server::start(vec![says()]));
    desk.go(&["sources", "add", "thing", "--", "sh", "-c", "exit"]).with(0);
    let mut editor = greeted(&desk, &server);
    let sse = json!({"type": "sse", "name": "far", "url": "https://example.org/sse", "headers": []});
    let servers = json!({ "mcpServers": [named.with(&[]), sse] });
    let made = opens(&mut editor, "session/new", &desk, &servers);
    let left = made["result"]["_meta"]["pilothouse"]["leftOut"].to_string();
    assert!(left.contains("far") && left.contains("not by sse"), "{made}");
    let session = made["result"]["sessionId"].as_str().unwrap().to_owned();
    assert_eq!(editor.work(&session, ASKS, &[]), "end_turn");
    let told = editor.texts("agent_message_chunk");
    assert!(
        told.contains("the server thing from your editor is ignored: one of your own sources has that name"),
        "{told}"
    );
    assert!(told.contains("not by sse"), "{told}");
    let bad = opens(&mut editor, "session/new", &desk, &json!({"mcpServers": [{"name": "x"}]}));
    assert_eq!(bad["error"]["code"], -32602, "{bad}");
    editor.leave();
    assert!(named.started().is_none());
}

#[test]
fn an_address_is_connected_to_after_the_yes_alone() {
    for (answer, connected) in [("n", false), ("y", true)] {
        let (desk, server) = (Desk::new(), Server::start(vec![looks(), says()]));
        let there = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        there.set_nonblocking(true).unwrap();
        let url = format!("http://{}/mcp", there.local_addr().unwrap());
        let headers = json!([{"name": "X-Key", "value": VALUE}]);
        let mut editor = greeted(&desk, &server);
        let far = json!({"type": "http", "name": "thing", "url": url, "headers": headers});
        let session = new(&mut editor, &desk, &[far]);
        let prompt = editor.prompt(&session, ASKS);
        let asked = editor.question();
        assert!(asked.to_string().contains(&url) && asked.to_string().contains("X-Key"), "{asked}");
        assert!(there.accept().is_err(), "nothing is connected to before");
        editor.answer(&asked, answer);
        if connected {
            editor.wait("a connection", || there.accept().is_ok());
            // Whoever comes again finds nobody.
            drop(there);
            let ended = editor.seen.iter().any(|m| m["id"] == prompt);
            assert!(ended || editor.stops(&prompt) == "end_turn");
        } else {
            assert_eq!(editor.stops(&prompt), "end_turn");
            assert!(there.accept().is_err());
        }
        let seen = editor.leave();
        assert!(!format!("{seen:?}{:?}", server.requests()).contains(VALUE));
        desk.verified();
    }
}

#[test]
fn no_value_that_a_server_is_given_hides_what_the_yes_is_to() {
    let (desk, server) = (Desk::new(), Server::start(vec![says()]));
    let env = json!([{"name": "MODE", "value": "other-hunter2-12"}, {"name": "KEY", "value": VALUE}]);
    let near = json!({"name": "near", "command": "npx", "args": ["-y", "other-hunter2-12"], "env": env});
    let far = json!({"type": "http", "name": "far", "url": "https://a1b2C3d4.host-9/x9Kd72mQp1?token=4f8Qz1LmN7xT2vB9",
        "headers": [{"name": "X", "value": "a1b2C3d4.host-9"}]});
    let mut editor = greeted(&desk, &server);
    let session = new(&mut editor, &desk, &[near, far]);
    let prompt = editor.prompt(&session, ASKS);
    let asked = editor.question();
    assert!(asked.to_string().contains("npx -y other-hunter2-12"), "{asked}");
    editor.answer(&asked, "n");
    let asked = editor.question();
    assert!(asked.to_string().contains("https://a1b2C3d4.host-9/x9Kd72mQp1?token=[secret"), "{asked}");
    editor.answer(&asked, "n");
    assert_eq!(editor.stops(&prompt), "end_turn");
    assert!(!format!("{:?}", editor.leave()).contains(VALUE));
    assert_eq!(holding(desk.home.path(), VALUE.as_bytes()), Vec::<std::path::PathBuf>::new());
}
