//! Secrets stay out: forty-two canaries in every place that holds secrets, turns with everything that can go
//! wrong, and then every byte that was written anywhere is searched for them.
//! `PILOTHOUSE_PROOF=whole` plays 200 turns; else a share of them.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice, missing_docs)]

use crate::support;
mod world;

use pilothouse_core::redact::Redactor;
use pilothouse_runtime::{Home, secrets::Secrets, trace};
use serde_json::{Value, json};
use support::{
    Terminal,
    alone::{Dice, edit, plan},
    editor::Editor,
    markers::Needles,
    proof::{Tally, each, everything, share},
    server::Turn,
};
use world::{World, canaries};

const APPROVALS: &str = "\x18a";
/// Turns of one world.
const TURNS: usize = 21;

fn say(text: String, calls: Vec<(&'static str, Value)>) -> Turn {
    Turn::Say(Box::leak(text.into_boxed_str()), calls)
}

/// A whole response.
fn response(status: &str, headers: &str, body: &str) -> Turn {
    Turn::Raw(format!("HTTP/1.1 {status}\r\n{headers}content-length: {}\r\n\r\n{body}", body.len()))
}

fn json_error(status: &str, message: &str) -> Turn {
    let body = json!({"error": {"message": message, "type": "error"}}).to_string();
    response(status, "content-type: application/json\r\nretry-after: 0\r\n", &body)
}

#[test]
fn no_secret_is_written_where_it_does_not_belong() {
    let tally = Tally::default();
    each(share(10, 1), |n| {
        let world = World::new(&mut Dice(0x00ca_4a47_0000 + n as u64 * 0x9e37_79b9));
        assert_eq!(world.all.len(), 42);
        for turn in 0..TURNS {
            one(&world, &tally, turn);
            tally.checked();
        }
        afterwards(&world, &tally);
        on_the_screen(&world, &tally);
        in_an_editor(&world, &tally);
        servers_of_an_editor(&world, &tally);
        world.search_all(&tally);
    });
    // What is searched for would be found: in its own place, and in the header that is meant for it.
    assert!(tally.noted("allowed") >= 15 && tally.noted("sent") >= 20, "nothing was there to be found");
    tally.end();
}

/// One turn of each kind.
#[expect(clippy::too_many_lines, reason = "a story, told in its order")]
fn one(world: &World, tally: &Tally, turn: usize) {
    let v = |from: &str| world.value(from);
    let known = world.everything_known();
    let read = |path: &str| ("read", json!({ "path": path }));
    let ask = ["run", "where is find_notes?", "--json"];
    let (script, args): (Vec<Turn>, Vec<String>) = match turn {
        0 => (
            vec![
                say("I look.".into(), ["settings.py", "notes.md", "check.sh"].map(read).to_vec()),
                say(format!("Found {} and token = {}.", v("reply"), v("deploy.cfg")), vec![]),
            ],
            ask.map(str::to_owned).to_vec(),
        ),
        1 => (
            vec![
                say(
                    String::new(),
                    vec![
                        ("search", json!({"pattern": "token|key|postgres|password"})),
                        ("list", json!({"path": "."})),
                    ],
                ),
                say("That is all.".into(), vec![]),
            ],
            ask.map(str::to_owned).to_vec(),
        ),
        2 => (
            vec![json_error("401 Unauthorized", &format!("Incorrect key: {} {known}", v("error 401")))],
            goal(&ask),
        ),
        3 => (
            vec![
                json_error("429 Too Many Requests", &format!("slow down, {} ({known})", v("error 429"))),
                json_error("429 Too Many Requests", &known),
                say("Here.".into(), vec![]),
            ],
            goal(&ask),
        ),
        4 => {
            let page = format!("<html><title>500</title><body>key={} {known}</body></html>", v("error 500"));
            (
                vec![
                    response(
                        "500 Internal Server Error",
                        "content-type: text/html\r\nretry-after: 0\r\n",
                        &page
                    );
                    4
                ],
                goal(&ask),
            )
        }
        5 => {
            let error = json!({"error": {"code": 402, "message": format!("token {} {known}", v("error in the stream"))}});
            let body = format!("data: {error}\n\ndata: [DONE]\n\n");
            (vec![response("200 OK", "content-type: text/event-stream\r\n", &body); 4], goal(&ask))
        }
        6 => (
            vec![json_error(
                "400 Bad Request",
                &format!("see https://svc:{}@help.example.org/x, {known}", v("error with a link")),
            )],
            goal(&ask),
        ),
        7 => {
            let place = format!("location: http://svc:{}@127.0.0.1:9/v1\r\n", v("moved"));
            (vec![response("302 Found", &place, &known); 4], goal(&ask))
        }
        8 => (
            vec![response("200 OK", "content-type: text/html\r\n", &format!("<html>{known}</html>")); 4],
            goal(&ask),
        ),
        9 => (
            vec![Turn::Cut(Box::leak(format!("I use {} and {known} and", v("reply")).into_boxed_str())); 4],
            goal(&ask),
        ),
        10 => (
            vec![
                say(
                    format!("I use {}.", v("command of the model")),
                    vec![
                        (
                            "run",
                            json!({"command": format!("curl -H 'Authorization: Bearer {}' http://127.0.0.1:9", v("command of the model"))}),
                        ),
                        ("search", json!({"pattern": v("reply")})),
                        ("read", json!({"path": v("command of the model")})),
                        ("nonsense", json!({"token": v("reply")})),
                    ],
                ),
                say("It does not go.".into(), vec![]),
            ],
            goal(&ask),
        ),
        11 => (
            vec![
                say(String::new(), vec![("run", json!({"command": "sh check.sh"}))]),
                say("Both.".into(), vec![]),
            ],
            goal(&["run", "run the checks", "--auto-confirm", "--json"]),
        ),
        12 => (
            vec![say("I cannot push.".into(), vec![])],
            vec!["run".into(), format!("what does the token {} do?", v("message")), "--json".into()],
        ),
        13 => (
            vec![say("It is a key.".into(), vec![])],
            vec!["run".into(), format!("{} is my key, where is Store?", v("title"))],
        ),
        14 => {
            (vec![], vec!["run".into(), format!("!curl -u me:{} http://127.0.0.1:9", v("line of the user"))])
        }
        15 => (
            vec![
                say(String::new(), vec![("submit_plan", plan(&[("modify", "settings.py")]))]),
                say(
                    String::new(),
                    vec![read("settings.py"), ("edit", edit("settings.py", "retries = 3", "retries = 4"))],
                ),
                say("Done.".into(), vec![]),
            ],
            goal(&[
                "run",
                "raise the retries in settings.py",
                "--auto-confirm",
                "--json",
                "--patch-out",
                "change.patch",
            ]),
        ),
        16 => (vec![say(String::new(), vec![read(".env")])], goal(&ask)),
        17 => (
            vec![
                say(String::new(), [".npmrc", "key.pem", ".netrc"].map(read).to_vec()),
                say("Seen.".into(), vec![]),
            ],
            goal(&ask),
        ),
        18 => (
            vec![
                say(
                    String::new(),
                    vec![
                        ("run", json!(format!("{{\"command\": \"echo {}", v("reply")))),
                        ("run", json!({"command": "env; cat /proc/self/environ; set"})),
                    ],
                ),
                say("Empty.".into(), vec![]),
            ],
            goal(&["run", "run the checks", "--auto-confirm"]),
        ),
        // The project's `.env` is trusted: its commands have the variable, and say it.
        19 => (
            vec![
                say(String::new(), vec![("run", json!({"command": "sh token.sh"}))]),
                say("Said.".into(), vec![]),
            ],
            goal(&["run", "run the checks", "--auto-confirm", "--trust", "--json"]),
        ),
        _ => (
            vec![say(
                String::new(),
                vec![(
                    "ask_user",
                    json!({"question": format!("Is {} right?", v("reply")), "choices": [v("reply"), "no"]}),
                )],
            )],
            goal(&ask),
        ),
    };
    world.script(script);
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let ended = world.go(tally, &args);
    assert!([0, 1, 2, 3, 5].contains(&ended.exit), "{turn}: {}\n{}", ended.out, ended.err);
    if turn == 11 {
        assert!(ended.out.contains("pushed with"), "the check did not run: {}\n{}", ended.out, ended.err);
    }
    if turn == 19 {
        assert!(ended.out.contains("it is <[secret"), "{}\n{}", ended.out, ended.err);
    }
    if turn == 15 {
        assert!(world.desk.file("settings.py").contains("retries = 4"), "{}\n{}", ended.out, ended.err);
        // A patch must fit the bytes of its file: what it holds is told instead.
        assert!(ended.err.contains("change.patch holds a secret"), "{}", ended.err);
    }
}

fn goal(args: &[&str]) -> Vec<String> {
    args.iter().map(|a| (*a).to_owned()).collect()
}

/// What tells of sessions and settings afterwards.
fn afterwards(world: &World, tally: &Tally) {
    let list = world.go(tally, &["sessions", "list", "--json"]).with(0).events();
    for session in list {
        let slug = session["slug"].as_str().unwrap();
        world.go(tally, &["sessions", "show", slug]).with(0);
        world.go(tally, &["sessions", "show", slug, "--json"]).with(0);
        world.go(tally, &["sessions", "export", slug, "--json"]).with(0);
        world.go(tally, &["sessions", "replay", slug]).with(0);
    }
    for args in [
        &["sessions", "list"][..],
        &["sessions", "verify", "--all"],
        &["config", "show"],
        &["config", "validate"],
        &["doctor"],
        &["doctor", "--json"],
        &["auth", "list"],
        &["trust", "--show"],
        &["permissions", "list"],
        &["undo", "--list"],
        &["undo", "--dry-run"],
        &["undo"],
        &["redo"],
        &["config", "nonsense"],
    ] {
        world.go(tally, args);
    }
}

/// A session in an editor: an error, what a command says, a change beside a secret, the file that is asked for.
fn in_an_editor(world: &World, tally: &Tally) {
    let known = world.everything_known();
    let mut command = world.desk.command(&["acp"]);
    command.envs(world.environment());
    let mut editor = Editor::of(command);
    editor.call("initialize", &json!({"protocolVersion": 1}));
    let session = editor.sits(world.desk.path());
    let read = |path: &str| ("read", json!({ "path": path }));
    let turns = [
        ("where is find_notes?", vec![json_error("401 Unauthorized", &known)]),
        (
            "run the checks",
            vec![
                say(String::new(), vec![("run", json!({"command": "sh check.sh; sh token.sh"}))]),
                say(format!("It says {} and {known}.", world.value("reply")), vec![]),
            ],
        ),
        (
            "where is the mode set?",
            vec![
                say(
                    format!("{} it is.", world.value("reply")),
                    [".env", "settings.py", "key.pem"].map(read).to_vec(),
                ),
                say(format!("SERVICE_TOKEN={}.", world.value(".env")), vec![]),
            ],
        ),
        (
            "raise the retries in settings.py",
            vec![
                say(String::new(), vec![("submit_plan", plan(&[("modify", "settings.py")]))]),
                say(
                    String::new(),
                    vec![read("settings.py"), ("edit", edit("settings.py", "retries = 3", "retries = 4"))],
                ),
                say("Done.".into(), vec![]),
            ],
        ),
    ];
    for (line, mut script) in turns {
        // Whoever clicks a yes to everything lets it go on.
        script.extend(std::iter::repeat_n(say("Done.".into(), vec![]), 12));
        world.script(script);
        let asked = editor.clicks(&session, line, "allow_once");
        tally.note("clicks", asked.len());
        tally.checked();
    }
    let line = format!("what does the token {} do?", world.value("message"));
    world.script(vec![say("It is a key.".into(), vec![])]);
    editor.clicks(&session, &line, "allow_once");
    for line in ["/context", "/changes", "/sources", "/config", "/undo"] {
        editor.clicks(&session, line, "allow_once");
    }
    editor.call("session/list", &json!({}));
    editor.call("session/close", &json!({ "sessionId": session }));
    editor.call("session/load", &json!({"sessionId": session, "cwd": world.desk.path()}));
    for message in editor.leave() {
        world.search(tally, "what an editor hears", message.to_string().as_bytes());
    }
}

/// Servers that an editor names: one that says what it is given wherever it can, and one that nobody hears.
fn servers_of_an_editor(world: &World, tally: &Tally) {
    let mut command = world.desk.command(&["acp"]);
    command.envs(world.environment());
    let mut editor = Editor::of(command);
    editor.call("initialize", &json!({"protocolVersion": 1}));
    let speaks =
        "echo $GIVEN $GIVEN; echo \"I was given $GIVEN\" >&2; read -r line; echo \"$GIVEN $line\"; exit 3";
    let (value, header) =
        (world.value("variable of an editor's server"), world.value("header of an editor's server"));
    let near = json!({"name": "near", "command": "sh", "args": ["-c", speaks],
        "env": [{"name": "GIVEN", "value": value}]});
    let far = json!({"type": "http", "name": "far", "url": "http://127.0.0.1:9/mcp",
        "headers": [{"name": "X-Given", "value": header}]});
    let params = json!({"cwd": world.desk.path(), "mcpServers": [near, far]});
    let session = editor.call("session/new", &params)["result"]["sessionId"].as_str().unwrap().to_owned();
    let looks = |name: &str| ("source_tools", json!({ "source": name }));
    let said = format!("They were given {value} and {header}.");
    let mut script = vec![say(String::new(), vec![looks("near"), looks("far")]), say(said, vec![])];
    script.extend(std::iter::repeat_n(say("Done.".into(), vec![]), 4));
    world.script(script);
    let before = world.server.requests().len();
    let asked = editor.clicks(&session, "what do the servers have?", "allow_once");
    assert!(asked.len() >= 2, "both servers are asked about: {asked:?}");
    assert!(world.server.requests().len() > before, "the message was heard");
    tally.note("clicks", asked.len());
    tally.checked();
    editor.clicks(&session, "/sources", "allow_once");
    editor.call("session/close", &json!({ "sessionId": session }));
    for message in editor.leave() {
        world.search(tally, "what an editor hears", message.to_string().as_bytes());
    }
}

/// A session at the terminal: an error, the sheet of a file that is asked for, and the user's yes.
fn on_the_screen(world: &World, tally: &Tally) {
    let known = world.everything_known();
    let environment = world.environment();
    let extra: Vec<(&str, &str)> = environment.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
    let mut terminal = Terminal::open(&world.desk, &["."], &extra);
    let look = |terminal: &Terminal| {
        let screen = terminal.screen();
        world.search(tally, "the screen", screen.as_bytes());
        let joined: String = screen.split_whitespace().collect();
        world.search(tally, "the screen's letters", joined.as_bytes());
    };
    terminal.see("Trust this folder? (.env");
    terminal.keys(APPROVALS);
    terminal.see("waiting");
    look(&terminal);
    terminal.decide("y");
    terminal.see("Trusted");
    terminal.keys("q");
    world.script(vec![json_error("401 Unauthorized", &known)]);
    terminal.say("where is find_notes?");
    terminal.see("401");
    look(&terminal);
    world.script(vec![
        say("I look.".into(), vec![("read", json!({"path": ".env"}))]),
        say(format!("It says SERVICE_TOKEN={} and {}.", world.value(".env"), world.value("reply")), vec![]),
    ]);
    terminal.say("where is the mode set?");
    terminal.see("may it read .env?");
    terminal.keys(APPROVALS);
    terminal.until("the file that is asked for", |s| s.contains("Approvals ─") && s.contains("read .env"));
    look(&terminal);
    terminal.decide("y");
    terminal.see("It says");
    terminal.see("[EXPLORE] idle");
    look(&terminal);
    tally.checked();
    tally.checked();
    world.search(tally, "the bytes of the screen", &terminal.raw());
    terminal.kill();
}

#[test]
fn the_report_of_a_panic_holds_no_secret() {
    let all = canaries(&mut Dice(0x00ca_4a47_9a41));
    let markers = Needles::new(all.iter().map(|c| c.value.as_str()));
    let dir = tempfile::tempdir().unwrap();
    let home = Home::under(dir.path());
    let secrets = Secrets::default();
    secrets.keep(&Redactor::knowing(all.iter().map(|c| c.value.as_str())));
    let noted = trace::start(&home, Some("trace"), &secrets).unwrap();
    let said = all.iter().map(|c| c.value.clone()).collect::<Vec<_>>().join(" ");
    let before = std::panic::take_hook();
    trace::install_panic_hook(&home, &secrets, |_, _| {});
    let failed = std::thread::spawn(move || std::panic::panic_any(said)).join();
    std::panic::set_hook(before);
    assert!(failed.is_err());
    drop(noted);
    let files = everything(dir.path());
    let report = files.keys().find(|p| p.file_name().unwrap().to_string_lossy().starts_with("crash-"));
    assert!(files[report.unwrap()].starts_with(b"pilothouse"));
    for (path, bytes) in files {
        let found: Vec<&str> = markers.found(&bytes).into_iter().map(|n| all[n].from).collect();
        assert!(found.is_empty(), "{found:?} stands in {}", path.display());
    }
}

#[test]
fn a_secret_would_be_found_in_every_form() {
    let value = "aB3xK9pQ2w\"Zt7Lm4Nc8";
    let markers = Needles::new([value]);
    let b = support::markers::base64;
    let (one, two) = (b(format!("x{value}").as_bytes()), b(format!("xy{value}").as_bytes()));
    let json = json!({ "a": value }).to_string();
    for text in [format!("<{value}>"), b(value.as_bytes()), one, two, json, value.replace('"', "%22")] {
        assert!(!markers.found(text.as_bytes()).is_empty(), "{text}");
    }
    assert!(markers.found(b"aB3xK9pQ2w and nothing more of it Zt7Lm4Nc8").is_empty());
}
