//! A client that means no good, or is broken: what it gets is a clear fault, and nothing else happens.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::{
    io::{Read, Write},
    os::unix::fs::symlink,
    process::{Child, Stdio},
    sync::{
        atomic::{AtomicUsize, Ordering},
        mpsc::sync_channel,
    },
    time::Duration,
};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::support::{
    Desk,
    alone::{ended, plan, processes},
    editor::{Editor, offered},
    server::{Server, Turn},
};

const GOAL: &str = "rename score to points_of in src/search.rs";
/// How long something may take on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

fn code(message: &Value) -> i64 {
    message["error"]["code"].as_i64().unwrap_or_else(|| panic!("{message}"))
}

fn why(message: &Value) -> &str {
    message["error"]["message"].as_str().unwrap_or_else(|| panic!("{message}"))
}

/// The next fault.
fn fault(editor: &mut Editor) -> Value {
    editor.until(|m| m["error"].is_object())
}

/// The exit code of the program, which ends by itself.
fn exit(child: &mut Child) -> Option<i32> {
    ended(child.id());
    child.wait().unwrap().code()
}

/// A program whose client has a session, asked something long, and then reads nothing.
fn never_read(desk: &Desk, server: &Server) -> Child {
    let mut command = desk.with_model(&server.base, &["acp"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let mut say = |message: Value| writeln!(child.stdin.as_mut().unwrap(), "{message}").unwrap();
    say(json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": 1}}));
    let new = json!({"cwd": desk.path(), "mcpServers": []});
    say(json!({"jsonrpc": "2.0", "id": 2, "method": "session/new", "params": new}));
    let (mut seen, mut byte) = (Vec::new(), [0]);
    let mut session = None;
    while session.is_none() {
        child.stdout.as_mut().unwrap().read_exact(&mut byte).unwrap();
        seen.push(byte[0]);
        if byte[0] == b'\n' {
            let message: Value = serde_json::from_slice(&seen).unwrap();
            session = message["result"]["sessionId"].as_str().map(str::to_owned);
            seen.clear();
        }
    }
    let prompt = json!([{"type": "text", "text": "how are notes found?"}]);
    let params = json!({"sessionId": session, "prompt": prompt});
    let mut say = |message: Value| writeln!(child.stdin.as_mut().unwrap(), "{message}").unwrap();
    say(json!({"jsonrpc": "2.0", "id": 3, "method": "session/prompt", "params": params}));
    // Until far more than a pipe holds was to be said: the last request comes after all of it.
    server.wait_requests(8);
    child
}

/// A model that says much and calls without an end; no call is one that it made before.
fn talkative() -> Server {
    let text: &str = Box::leak("word after word ".repeat(4000).into_boxed_str());
    let asked = AtomicUsize::new(1);
    Server::answering(move |_| {
        let depth = asked.fetch_add(1, Ordering::Relaxed);
        Some(Turn::Say(text, vec![("list", json!({"path": ".", "depth": depth}))]))
    })
}

#[test]
fn a_client_that_reads_nothing_keeps_no_signal_waiting_and_nothing_is_lost() {
    for (signal, code) in [(Signal::TERM, 143), (Signal::INT, 130)] {
        let (desk, server) = (Desk::new(), talkative());
        let mut child = never_read(&desk, &server);
        kill_process(Pid::from_child(&child), signal).unwrap();
        assert_eq!(exit(&mut child), Some(code));
        let kept = desk.verified();
        assert_eq!(kept.len(), 1, "{kept:?}");
        assert!(processes(desk.path().to_str().unwrap()).is_empty());
    }
}

#[test]
fn a_client_that_reads_nothing_and_ends_its_input_ends_the_program() {
    let (desk, server) = (Desk::new(), talkative());
    let mut child = never_read(&desk, &server);
    drop(child.stdin.take());
    assert_eq!(exit(&mut child), Some(0));
    desk.verified();
}

#[test]
fn a_client_that_says_more_than_it_reads_and_ends_its_input_ends_the_program() {
    let (desk, server) = (Desk::new(), Server::start(vec![]));
    let mut command = desk.with_model(&server.base, &["acp"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    // More faults than may wait, and less than the pipe holds of what is not listened to then.
    let mut input = child.stdin.take().unwrap();
    let nothing = json!({"jsonrpc": "2.0", "id": 1, "method": "nothing"});
    input.write_all(format!("{nothing}\n").repeat(4000).as_bytes()).unwrap();
    drop(input);
    assert_eq!(exit(&mut child), Some(0));
}

#[test]
fn a_client_at_one_socket_that_ends_its_side_or_goes_away_ends_the_program_though_it_reads_nothing() {
    for goes in [false, true] {
        let (desk, server) = (Desk::new(), Server::start(vec![]));
        let mut command = desk.with_model(&server.base, &["acp"]);
        // Some editors have one socket for both ways.
        let (mut ours, theirs) = std::os::unix::net::UnixStream::pair().unwrap();
        let output = std::os::fd::OwnedFd::from(theirs.try_clone().unwrap());
        command.stdin(std::os::fd::OwnedFd::from(theirs)).stdout(output).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        drop(command);
        // More faults than may wait, and less than the socket holds of what is not listened to then.
        let nothing = json!({"jsonrpc": "2.0", "id": 1, "method": "nothing"});
        ours.write_all(format!("{nothing}\n").repeat(4000).as_bytes()).unwrap();
        if goes {
            drop(ours);
            assert_eq!(exit(&mut child), Some(0));
        } else {
            ours.shutdown(std::net::Shutdown::Write).unwrap();
            assert_eq!(exit(&mut child), Some(0));
            drop(ours);
        }
    }
}

#[test]
fn a_client_at_one_socket_that_ends_its_side_has_its_session_saved() {
    let (desk, server) = (Desk::new(), talkative());
    let mut command = desk.with_model(&server.base, &["acp"]);
    let (mut ours, socket) = std::os::unix::net::UnixStream::pair().unwrap();
    let output = std::os::fd::OwnedFd::from(socket.try_clone().unwrap());
    command.stdin(std::os::fd::OwnedFd::from(socket)).stdout(output).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    drop(command);
    let mut theirs = ours.try_clone().unwrap();
    let mut say = |message: Value| writeln!(theirs, "{message}").unwrap();
    say(json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": 1}}));
    let new = json!({"cwd": desk.path(), "mcpServers": []});
    say(json!({"jsonrpc": "2.0", "id": 2, "method": "session/new", "params": new}));
    let mut read = std::io::BufReader::new(ours.try_clone().unwrap());
    let session = loop {
        let mut line = String::new();
        std::io::BufRead::read_line(&mut read, &mut line).unwrap();
        let message: Value = serde_json::from_str(&line).unwrap();
        if let Some(session) = message["result"]["sessionId"].as_str() {
            break session.to_owned();
        }
    };
    let prompt = json!([{"type": "text", "text": "how are notes found?"}]);
    let params = json!({"sessionId": session, "prompt": prompt});
    say(json!({"jsonrpc": "2.0", "id": 3, "method": "session/prompt", "params": params}));
    server.wait_requests(8);
    // More is said than read as well: what comes last is not listened to.
    let nothing = json!({"jsonrpc": "2.0", "id": 1, "method": "nothing"});
    ours.write_all(format!("{nothing}\n").repeat(3000).as_bytes()).unwrap();
    ours.shutdown(std::net::Shutdown::Write).unwrap();
    assert_eq!(exit(&mut child), Some(0));
    assert_eq!(desk.verified().len(), 1);
}

#[test]
fn every_parameter_of_another_shape_is_named_with_what_is_wanted() {
    let (desk, server) = (Desk::new(), Server::start(vec![]));
    let (mut editor, session) = Editor::seated(&desk, &server.base);
    let of = |more: Value| {
        let mut params = json!({"sessionId": session});
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        params
    };
    let cwd = desk.path();
    for (method, params, says) in [
        ("session/new", json!([]), "params is an object, and here it is a list"),
        ("session/new", json!("x"), "params is an object, and here it is a text"),
        ("session/new", Value::Null, "params is missing"),
        ("session/new", json!({"cwd": 7}), "params.cwd is a text, and here it is a number"),
        ("session/new", json!({"cwd": "src"}), "params.cwd is an absolute path"),
        (
            "session/new",
            json!({"cwd": cwd, "mcpServers": {}}),
            "params.mcpServers is a list, and here it is an object",
        ),
        ("session/load", json!({"cwd": cwd}), "params.sessionId is missing: it is a text"),
        ("session/list", json!({"cursor": "x"}), "params.cursor is none that was given"),
        (
            "session/prompt",
            json!({"sessionId": [session]}),
            "params.sessionId is a text, and here it is a list",
        ),
        ("session/prompt", of(json!({})), "params.prompt is missing: it is a list"),
        ("session/prompt", of(json!({"prompt": "hi"})), "params.prompt is a list, and here it is a text"),
        (
            "session/prompt",
            of(json!({"prompt": ["hi"]})),
            "params.prompt[0] is an object, and here it is a text",
        ),
        (
            "session/prompt",
            of(json!({"prompt": [{"type": "text"}]})),
            "params.prompt[0].text is missing: it is a text",
        ),
        (
            "session/prompt",
            of(json!({"prompt": [{"type": "resource", "resource": {"uri": "x", "blob": ""}}]})),
            "params.prompt[0].resource.text is missing",
        ),
        (
            "session/prompt",
            of(json!({"prompt": [{"type": "image", "data": "", "mimeType": "x"}]})),
            "params.prompt[0].type is text, resource_link or resource",
        ),
        ("session/prompt", of(json!({"prompt": []})), "params.prompt says nothing"),
        (
            "session/set_mode",
            of(json!({"modeId": true})),
            "params.modeId is a text, and here it is true or false",
        ),
    ] {
        let refused = editor.call(method, &params);
        assert_eq!(code(&refused), -32602, "{method} {params}");
        assert!(why(&refused).contains(says), "{method} {params}: {refused}");
    }
    assert_eq!(editor.work(&session, "/status", &[]), "end_turn");
}

#[test]
fn no_line_of_bytes_ends_the_program_or_does_anything() {
    let (desk, server) = (Desk::new(), Server::start(vec![]));
    let (mut editor, session) = Editor::seated(&desk, &server.base);
    let tree = desk.tree();
    let bytes = |editor: &mut Editor, bytes: &[u8]| editor.input.as_mut().unwrap().write_all(bytes).unwrap();
    bytes(&mut editor, &[&vec![b'x'; 64 * 1024 * 1024][..], b"\n"].concat());
    assert_eq!(code(&fault(&mut editor)), -32600);
    let deep = |open: &str, shut: &str| open.repeat(10_000) + &shut.repeat(10_000);
    let inside = |params: String| {
        format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/new\",\"params\":{params}}}\n")
    };
    for line in
        [inside(deep("[", "]")), inside(deep("{\"a\":", "}").replace(":}", ":1}")), "[".repeat(10_000) + "\n"]
    {
        editor.raw(&line);
        assert_eq!(code(&fault(&mut editor)), -32700);
    }
    for line in [
        &b"\xff\xfe{}\n"[..],
        b"{\"jsonrpc\":\"2.0\",\"id\":\"\xc3\x28\",\"method\":\"x\"}\n",
        b"\0\n",
        b"\0{}\0\n",
    ] {
        bytes(&mut editor, line);
        assert_eq!(code(&fault(&mut editor)), -32700, "{line:?}");
    }
    // A line may end as in Windows, and a blank one says nothing.
    editor.raw("\r\n  \n{\"jsonrpc\":\"2.0\",\"id\":\"crlf\",\"method\":\"nothing\"}\r\n");
    let answer = fault(&mut editor);
    assert_eq!((code(&answer), &answer["id"]), (-32601, &json!("crlf")));
    let text = json!([{"type": "text", "text": "/status\u{0}\u{1b}[2J\u{202e}"}]);
    let said = editor.call("session/prompt", &json!({"sessionId": session, "prompt": text}));
    assert!(said["result"].is_object() || said["error"].is_object(), "{said}");
    for id in [json!(1.5), json!(true), json!([1]), json!({"a": 1})] {
        editor.send(
            &json!({"jsonrpc": "2.0", "id": id, "method": "session/new", "params": {"cwd": desk.path()}}),
        );
        let answer = fault(&mut editor);
        assert_eq!((code(&answer), &answer["id"]), (-32600, &Value::Null), "{id}");
    }
    for id in [json!(null), json!(-7), json!(u64::MAX), json!(""), json!("x".repeat(100_000))] {
        editor.send(&json!({"jsonrpc": "2.0", "id": id, "method": "nothing"}));
        assert_eq!(fault(&mut editor)["id"], id);
    }
    // A notice with an id wants an answer, and gets one; a request without one gets none.
    let cancel = json!({"sessionId": session});
    assert_eq!(code(&editor.call("session/cancel", &cancel)), -32601);
    let new = json!({"cwd": desk.path()});
    editor.send(&json!({"jsonrpc": "2.0", "method": "session/new", "params": new}));
    editor.send(&json!({"jsonrpc": "2.0", "method": "session/prompt", "params": {"sessionId": session}}));
    editor.send(&json!({"jsonrpc": "2.0", "method": 7, "params": []}));
    assert_eq!(code(&fault(&mut editor)), -32600);
    assert_eq!(editor.work(&session, "/status", &[]), "end_turn");
    assert_eq!(desk.tree(), tree);
    editor.leave();
}

#[test]
fn a_folder_is_one_by_its_whole_name_and_a_file_a_pipe_or_a_device_is_none() {
    let (desk, server) = (Desk::new(), Server::start(vec![]));
    let mut editor = Editor::start(&desk, &server.base);
    editor.call("initialize", &json!({"protocolVersion": 1}));
    let place = desk.home.path();
    symlink(desk.path(), place.join("there")).unwrap();
    symlink("/nowhere/at/all", place.join("broken")).unwrap();
    symlink(place.join("loop"), place.join("loop")).unwrap();
    rustix::fs::mknodat(rustix::fs::CWD, place.join("pipe"), rustix::fs::FileType::Fifo, 0o600.into(), 0)
        .unwrap();
    let of = |name: &str| place.join(name).display().to_string();
    for cwd in [
        String::new(),
        ".".to_owned(),
        "../..".to_owned(),
        "~".to_owned(),
        "file:///".to_owned(),
        "/nowhere/at/all".to_owned(),
        "/dev/null".to_owned(),
        "/a\0b".to_owned(),
        format!("/{}", "x".repeat(100_000)),
        desk.path().join("Cargo.toml").display().to_string(),
        of("broken"),
        of("loop"),
        of("pipe"),
    ] {
        let refused = editor.call("session/new", &json!({"cwd": cwd, "mcpServers": []}));
        assert_eq!(code(&refused), -32602, "{cwd:.100}: {refused:.300}");
    }
    // The session is of the folder that a link means, and is found by either name.
    let session = editor.sits(&place.join("there"));
    editor.work(&session, "/status", &[]);
    let listed = editor.call("session/list", &json!({"cwd": desk.path()}));
    assert_eq!(listed["result"]["sessions"][0]["sessionId"], session, "{listed}");
    editor.leave();
}

#[test]
fn a_link_only_names_and_nothing_behind_it_is_read() {
    let (desk, server) = (Desk::new(), Server::answering(|_| Some(Turn::Say("I see.", vec![]))));
    let outside = desk.home.path().join("outside.txt");
    std::fs::write(&outside, "canary-3fb1").unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        desk.path().join("pipe"),
        rustix::fs::FileType::Fifo,
        0o600.into(),
        0,
    )
    .unwrap();
    symlink(&outside, desk.path().join("link.txt")).unwrap();
    let (mut editor, session) = Editor::seated(&desk, &server.base);
    let inside = |name: &str| format!("file://{}/{name}", desk.path().display());
    let text = json!({"type": "text", "text": "what is in "});
    for uri in [
        "file:///etc/shadow".to_owned(),
        "file:///etc/passwd#L1".to_owned(),
        format!("file://{}", outside.display()),
        inside("../../../../etc/passwd"),
        inside("%2e%2e/%2e%2e/etc/passwd"),
        inside("pipe"),
        inside("link.txt"),
        inside("a%00b"),
        inside("%ff%fe"),
        "file:///dev/zero".to_owned(),
        "file:///dev/random".to_owned(),
        "file://".to_owned(),
        "zed:///agent/thread".to_owned(),
        "\u{1b}[2J".to_owned(),
    ] {
        for block in [
            json!({"type": "resource_link", "uri": uri, "name": "x"}),
            json!({"type": "resource", "resource": {"uri": uri, "text": "other"}}),
        ] {
            let prompt = json!({"sessionId": session, "prompt": [text, block]});
            let id = editor.begin("session/prompt", &prompt);
            assert_eq!(editor.through(&id, &["n"]), "end_turn", "{uri}");
        }
    }
    let asked = Value::from(server.requests()).to_string();
    assert!(asked.contains("/etc/shadow"), "the model is told the name");
    for never in ["canary-3fb1", "root:x:", "\u{1b}"] {
        assert!(!asked.contains(never), "{never}");
    }
    editor.leave();
}

#[test]
fn no_answer_counts_twice_for_another_or_after_a_cancel() {
    let tasks = || vec![("submit_plan", plan(&[("modify", "src/search.rs")]))];
    let (desk, server) = (Desk::new(), Server::answering(move |_| Some(Turn::Say("", tasks()))));
    desk.configure("[plan]\nconfirm = \"always\"\n");
    let tree = desk.tree();
    let (mut editor, session) = Editor::seated(&desk, &server.base);
    let prompt = editor.prompt(&session, GOAL);
    let asked = editor.question();
    let id = asked["id"].clone();
    let take = offered(&asked).into_iter().find(|(_, kind)| kind == "allow_once").unwrap().0;
    // Everything that is no answer to it.
    let selected = |option: &str| json!({"outcome": {"outcome": "selected", "optionId": option}});
    for wrong in [json!(id.to_string()), json!(0), json!(null), json!(-1), json!(1.5)] {
        editor.send(&json!({"jsonrpc": "2.0", "id": wrong, "result": selected(&take)}));
    }
    editor.send(&json!({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": session}}));
    editor.answer(&asked, &take);
    editor.answer(&asked, &take);
    assert_eq!(editor.stops(&prompt), "cancelled");
    for result in [
        json!(7),
        json!([]),
        json!({}),
        json!({"outcome": "selected"}),
        json!({"outcome": {"outcome": "selected"}}),
        selected("no such option"),
        selected(""),
    ] {
        let prompt = editor.prompt(&session, GOAL);
        let message = editor.question();
        editor.send(&json!({"jsonrpc": "2.0", "id": message["id"], "result": result}));
        editor.answer(&message, &take);
        assert_eq!(editor.stops(&prompt), "end_turn");
    }
    assert_eq!(desk.tree(), tree);
    assert!(editor.updates("plan").iter().all(|u| u["entries"][0]["status"] == "pending"));
    editor.leave();
    desk.verified();
}

#[test]
fn two_cancels_and_a_prompt_at_once_end_one_turn_and_no_other() {
    let script = vec![Turn::Hang("I am looking into it, and then"), Turn::Say("By score.", vec![])];
    let (desk, server) = (Desk::new(), Server::start(script));
    let (mut editor, session) = Editor::seated(&desk, &server.base);
    let prompt = editor.prompt(&session, "how are notes found?");
    editor.until(|m| m["params"]["update"]["sessionUpdate"] == "agent_message_chunk");
    let cancel = json!({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": session}});
    let text = json!([{"type": "text", "text": "how are tags found?"}]);
    let next = json!({"jsonrpc": "2.0", "id": "next", "method": "session/prompt", "params": {"sessionId": session, "prompt": text}});
    editor.raw(&format!("{cancel}\n{cancel}\n{next}\n"));
    assert_eq!(editor.stops(&prompt), "cancelled");
    let early = editor.seen.iter().find(|m| m["id"] == "next").cloned();
    let early = early.unwrap_or_else(|| editor.until(|m| m["id"] == "next"));
    assert_eq!(code(&early), -32600, "it was sent before the end of the turn was read");
    assert_eq!(editor.work(&session, "how are tags found?", &[]), "end_turn");
    assert!(editor.texts("agent_message_chunk").contains("By score."), "{:#?}", editor.seen);
    editor.leave();
}

#[test]
fn cancels_at_the_very_end_of_a_turn_never_reach_the_next_one() {
    let (desk, server) = (Desk::new(), Server::answering(|_| Some(Turn::Say("By score.", vec![]))));
    let (mut editor, session) = Editor::seated(&desk, &server.base);
    let cancel = json!({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": session}});
    for n in 0..40 {
        let prompt = editor.prompt(&session, &format!("how are notes found, {n}?"));
        editor.until(|m| m["params"]["update"]["sessionUpdate"] == "agent_message_chunk");
        editor.raw(&format!("{cancel}\n{cancel}\n"));
        editor.stops(&prompt);
        editor.seen.clear();
        let reason = editor.work(&session, "/status", &[]);
        let told = editor.texts("agent_message_chunk");
        assert!(
            reason == "end_turn" && told.contains("ceiling") && !told.contains("is running"),
            "{n}: {told}"
        );
    }
    editor.leave();
}

/// The lines of the program come to their end though nobody says anything more.
#[test]
fn a_question_reaches_a_client_that_reads_late() {
    let text: &str = Box::leak("word after word ".repeat(40_000).into_boxed_str());
    let run = Turn::Say(text, vec![("run", json!({"command": "rm -rf src"}))]);
    let (desk, server) = (Desk::new(), Server::start(vec![run, Turn::Say("No.", vec![])]));
    let (mut editor, session) = Editor::seated(&desk, &server.base);
    let prompt = editor.prompt(&session, "run the cleanup");
    server.wait_requests(1);
    let asked = editor.question();
    assert_eq!(editor.texts("agent_message_chunk").matches("word after word").count(), 40_000);
    editor.answer(&asked, "n");
    assert_eq!(editor.stops(&prompt), "end_turn");
    let (gone, told) = sync_channel(1);
    std::thread::spawn(move || gone.send(editor.leave().len()));
    assert!(told.recv_timeout(PATIENCE).is_ok());
}
