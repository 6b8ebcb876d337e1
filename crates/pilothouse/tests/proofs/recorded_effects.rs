//! Nothing happens before its approval, and only what was approved happens: the real program under a
//! recording system layer; every write, start and connection has an earlier decision in the log, synced
//! before it, with the same hash. `PILOTHOUSE_PROOF=whole` plays 500 turns; else a share of them.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice, missing_docs)]

use crate::support;
mod judge;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::Arc,
};

use judge::{Judged, Places, judge};
use serde_json::{Value, json};
use support::{
    Desk, PROGRAM, Terminal,
    alone::{Dice, edit, not_run, plan},
    editor::Editor,
    layer::{Record, missing, recorder},
    proof::{Tally, each, everything, share},
    server::{Server, Turn},
};

const KINDS: u64 = 13;

/// One turn under the recorder.
struct Scene {
    desk: Desk,
    temp: tempfile::TempDir,
    outside: tempfile::TempDir,
    server: Server,
    goal: Vec<String>,
}

fn run(command: &str) -> Turn {
    Turn::Say("", vec![("run", json!({ "command": command }))])
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|w| (*w).to_owned()).collect()
}

impl Scene {
    #[expect(clippy::too_many_lines, reason = "a story, told in its order")]
    fn new(kind: u64, dice: &mut Dice) -> Self {
        let (desk, outside) = (Desk::new().one_by_one(), tempfile::tempdir().unwrap());
        let n = dice.roll(1000);
        let out = outside.path().display().to_string();
        let checks = words(&["run", "run the checks", "--json", "--auto-confirm"]);
        let ask = words(&["run", "where is find_notes?", "--json"]);
        let rename = words(&["run", "rename score to points_of", "--json", "--auto-confirm"]);
        let done = || Turn::Say("Done.", vec![]);
        let (goal, script) = match kind {
            0 => (
                ask,
                vec![
                    run("ls -la src; cat README.md | head -3"),
                    Turn::Say("", vec![("read", json!({"path": "src/note.rs"}))]),
                    done(),
                ],
            ),
            1 => (
                checks,
                vec![
                    run(&format!("echo {n} > made-{n}; mkdir d; mv made-{n} d/; sh -c 'echo x >> d/log'")),
                    run("rm d/log"),
                    done(),
                ],
            ),
            2 => (
                checks,
                vec![
                    run(&format!(
                        "echo x > {out}/pwned; touch ~/pwned /usr/pwned; curl -s -m 1 http://127.0.0.1:9/"
                    )),
                    done(),
                ],
            ),
            3 | 4 => (rename, edits(n)),
            5 => (words(&["run", "rename score to points_of", "--json"]), edits(n)),
            6 => (words(&["run", &format!("!echo typed {n} > typed; cp typed copy"), "--json"]), vec![]),
            7 => (
                checks,
                vec![
                    Turn::Say(
                        "",
                        vec![(
                            "run",
                            json!({"command": "curl http://127.0.0.1:9/", "network": true, "reason": "x"}),
                        )],
                    ),
                    done(),
                ],
            ),
            8 => (words(&["undo"]), edits(n)),
            9 => (rename, stale(desk.path())),
            10 => (
                rename,
                vec![
                    Turn::Say(
                        "",
                        vec![("submit_plan", plan(&[("modify", "src/note.rs"), ("delete", "src/store.rs")]))],
                    ),
                    Turn::Say(
                        "",
                        vec![
                            ("write", json!({"path": format!("{out}/pwned"), "content": "x"})),
                            ("write", json!({"path": ".git/config", "content": "x"})),
                            ("write", json!({"path": "../pwned", "content": "x"})),
                            ("delete", json!({"path": "src/store.rs"})),
                        ],
                    ),
                    // Each step is asked once more when nothing came of it.
                    done(),
                    done(),
                    done(),
                    done(),
                ],
            ),
            11 => {
                let hook = format!(
                    "[hooks.on_run_end]\nrun = \"echo {n} > {}\"\n",
                    desk.home.path().join("told").display()
                );
                fs::write(desk.home.path().join("hooks.toml"), hook).unwrap();
                (checks, vec![run("echo a > a"), done()])
            }
            _ => (
                rename,
                vec![
                    Turn::Say("", vec![("submit_plan", gated(n))]),
                    Turn::Say(
                        "",
                        vec![("edit", edit("src/note.rs", "//! One note", &format!("//! A note {n}")))],
                    ),
                    done(),
                ],
            ),
        };
        let scene =
            Self { desk, temp: tempfile::tempdir().unwrap(), outside, server: Server::start(script), goal };
        if kind == 8 {
            let args: Vec<String> = words(&["run", "rename score to points_of", "--json", "--auto-confirm"]);
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            scene.desk.ask(&scene.server.base, &args).with(0);
        }
        scene
    }

    fn port(&self) -> u16 {
        self.server.base.split([':', '/']).nth(4).unwrap().parse().unwrap()
    }

    /// The program under the recorder.
    fn recorded(&self, into: &Path) -> Command {
        let words = recorder(into);
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).arg(PROGRAM).args(&self.goal);
        let model = self.desk.with_model(&self.server.base, &[]);
        command.current_dir(self.desk.path()).env_clear().stdin(Stdio::null());
        command.envs(model.get_envs().filter_map(|(k, v)| Some((k, v?)))).env("TMPDIR", self.temp.path());
        command
    }

    fn logs(&self) -> BTreeMap<PathBuf, usize> {
        let all = everything(self.desk.home.path());
        all.into_iter().filter(|(p, _)| p.ends_with("session.jsonl")).map(|(p, b)| (p, b.len())).collect()
    }

    fn judged(&self, trace: &Path, before: &BTreeMap<PathBuf, usize>, forgotten: &[&str]) -> Judged {
        let record = Record::read(trace);
        let (project, home, temp) = (self.desk.path(), self.desk.home.path(), self.temp.path());
        let places = Places { project, home, temp, port: self.port() };
        let mut judged = judge(&record, &places, before, forgotten);
        if fs::read_dir(self.outside.path()).unwrap().next().is_some() {
            judged.unmatched.push("something was written outside".to_owned());
        }
        judged
    }
}

/// A plan, three files and one new one.
fn edits(n: u64) -> Vec<Turn> {
    let new = json!({"path": format!("src/deep/er/extra{n}.rs"), "content": format!("//! Extra {n}.\n\"q\"\t\\ é\n")});
    vec![
        Turn::Say("", vec![("submit_plan", plan(&[("modify", "src/search.rs"), ("create", "src/deep/er")]))]),
        Turn::Say(
            "",
            vec![
                ("edit", edit("src/search.rs", "fn score(", "fn points_of(")),
                ("edit", edit("src/note.rs", "//! One note", &format!("//! Note {n}"))),
            ],
        ),
        Turn::Say("One.", vec![]),
        Turn::Say("", vec![("write", new)]),
        Turn::Say("Two.", vec![]),
    ]
}

fn gated(n: u64) -> Value {
    let mut plan = plan(&[("modify", "src/note.rs")]);
    plan["gates"] =
        json!([{"name": "look", "command": format!("test -s src/note.rs && echo {n} >> gate-ran")}]);
    plan
}

/// The file is changed by somebody else between the proposal and its write.
fn stale(project: &Path) -> Vec<Turn> {
    let file = project.join("src/note.rs");
    let other = move || {
        let text = fs::read_to_string(&file).unwrap();
        fs::write(&file, text.replace("//! One note", "//! Their note")).unwrap();
    };
    vec![
        Turn::Say("", vec![("submit_plan", plan(&[("modify", "src/note.rs")]))]),
        Turn::Say("", vec![("edit", edit("src/note.rs", "//! One note", "//! My note"))]),
        Turn::After(Arc::new(other), Box::new(Turn::Say("Done.", vec![]))),
        Turn::Say("Again.", vec![]),
    ]
}

#[test]
fn every_effect_has_an_earlier_decision_with_the_same_hash() {
    if let Some(why) = missing() {
        return not_run(&format!(
            "{why}, then run `cargo test -p pilothouse --test proofs recorded_effects` again"
        ));
    }
    let tally = Tally::default();
    let many = share(500, 26);
    each(many, |n| {
        let kind = n as u64 % KINDS;
        let mut dice = Dice(0x0000_57ac_e000 + n as u64 * 0x9e37_79b9);
        let scene = Scene::new(kind, &mut dice);
        let (before, trace) = (scene.logs(), scene.outside.path().with_extension("trace"));
        let out = scene.recorded(&trace).output().unwrap();
        let judged = scene.judged(&trace, &before, &[]);
        fs::remove_file(&trace).unwrap();
        count(&tally, &judged, &format!("{n}, kind {kind}"), &String::from_utf8_lossy(&out.stdout));
        let exit = out.status.code().unwrap_or(-1);
        if ![0, 1, 3].contains(&exit) {
            tally.violation(format!("{n}: exit {exit}: {}", String::from_utf8_lossy(&out.stderr)));
        }
    });
    tally.end();
    // The scenes did what they are there for.
    assert!(
        tally.noted("execs") > 3 * many && tally.noted("writes") > many && tally.noted("connects") * 2 > many
    );
}

#[test]
fn every_effect_at_the_terminal_has_the_answer_of_its_user() {
    if let Some(why) = missing() {
        return not_run(&format!(
            "{why}, then run `cargo test -p pilothouse --test proofs recorded_effects` again"
        ));
    }
    let tally = Tally::default();
    each(share(30, 1), |n| {
        let (scene, trace, before) = answered(n);
        count(&tally, &scene.judged(&trace, &before, &[]), &format!("terminal {n}"), "");
        assert!(scene.desk.path().join(format!("made-{n}")).exists(), "what was approved was done");
        assert!(!scene.desk.path().join("denied").exists(), "what was denied was not");
        assert_eq!(scene.desk.file("a.txt"), format!("{n}\n"));
        // The judge is no yes-man: without the answers nothing of this was allowed.
        for (forgotten, least) in [("checkpoint_resolved", 1), ("apply_approved", 2), ("call_started", 1)] {
            let found = scene.judged(&trace, &before, &[forgotten]).unmatched;
            if found.len() < least {
                tally.violation(format!("without {forgotten} the judge saw only {found:?}"));
            }
        }
        fs::remove_file(&trace).unwrap();
    });
    tally.end();
}

#[test]
fn a_server_of_an_editor_starts_behind_the_yes_to_its_line() {
    if let Some(why) = missing() {
        return not_run(&format!(
            "{why}, then run `cargo test -p pilothouse --test proofs recorded_effects` again"
        ));
    }
    let tally = Tally::default();
    for (n, (answer, starts)) in [("y", true), ("n", false), ("a", true)].into_iter().enumerate() {
        let mut scene = Scene::new(0, &mut Dice(1));
        scene.server = Server::start(vec![
            Turn::Say("", vec![("source_tools", json!({"source": "thing"}))]),
            Turn::Say("It has none.", vec![]),
        ]);
        scene.goal = words(&["acp"]);
        let trace = scene.outside.path().with_extension("trace");
        let mut editor = Editor::of(scene.recorded(&trace));
        editor.call("initialize", &json!({"protocolVersion": 1}));
        let thing = json!({"name": "thing", "command": "sh", "args": ["-c", format!("exit {n}")],
            "env": [{"name": "KEY", "value": "quiet-harbour-9"}]});
        let params = json!({"cwd": scene.desk.path(), "mcpServers": [thing]});
        let session = editor.call("session/new", &params)["result"]["sessionId"].as_str().unwrap().to_owned();
        assert_eq!(editor.work(&session, "what does the thing have?", &[answer]), "end_turn");
        editor.leave();
        let before = BTreeMap::new();
        count(&tally, &scene.judged(&trace, &before, &[]), &format!("answer {answer}"), "");
        let without = scene.judged(&trace, &before, &["checkpoint_resolved"]).unmatched;
        let started = without.iter().any(|what| what.contains(&format!("exit {n}")));
        if started != starts {
            tally.violation(format!("{answer}: a start that rests on it: {started}; {without:?}"));
        }
        fs::remove_file(&trace).unwrap();
    }
    tally.end();
}

/// A user who lets one command run, denies another, and takes a new file.
fn answered(n: usize) -> (Scene, PathBuf, BTreeMap<PathBuf, usize>) {
    let mut scene = Scene::new(0, &mut Dice(1));
    scene.server = Server::start(vec![
        run(&format!("echo {n} > made-{n}")),
        run("touch denied"),
        Turn::Say("As you like.", vec![]),
        Turn::Say("", vec![("submit_plan", plan(&[("create", "a.txt")]))]),
        Turn::Say("", vec![("write", json!({"path": "a.txt", "content": format!("{n}\n")}))]),
        Turn::Say("Done.", vec![]),
    ]);
    let trace = scene.outside.path().with_extension("trace");
    let temp = scene.temp.path().display().to_string();
    let extra = [
        ("PILOTHOUSE_BASE_URL", scene.server.base.as_str()),
        ("PILOTHOUSE_MODEL", "loopback"),
        ("TMPDIR", temp.as_str()),
    ];
    let mut terminal = Terminal::under(&recorder(&trace), &scene.desk, &["."], &extra, (120, 40));
    terminal.see("[EXPLORE] idle");
    terminal.say("run the checks");
    terminal.see("$ echo");
    terminal.see("Enter runs it");
    terminal.decide("\r");
    terminal.see("$ touch denied");
    terminal.keys("\x18a");
    terminal.see("close (stays pending)");
    terminal.decide("n");
    terminal.see("tell the agent why");
    terminal.decide("\r");
    terminal.see("not run: denied by the user");
    terminal.see("[EXPLORE] idle");
    terminal.keys("\x1b");
    terminal.gone("close (stays pending)");
    terminal.decide("\x15");
    terminal.say("create a.txt");
    terminal.see("1 file waits");
    terminal.keys("\x18d");
    terminal.see("Proposed changes to a.txt");
    terminal.decide("a");
    terminal.see("a applies it");
    terminal.decide("a");
    terminal.see("Complete. 1 file");
    terminal.see("[EXPLORE] idle");
    terminal.keys("\x03\x03");
    terminal.end();
    (scene, trace, BTreeMap::new())
}

fn count(tally: &Tally, judged: &Judged, of: &str, out: &str) {
    tally.checked();
    tally.note("execs", judged.execs);
    tally.note("writes", judged.writes);
    tally.note("connects", judged.connects);
    if !judged.unmatched.is_empty() {
        tally.violation(format!("{of}:\n{}\n{out}", judged.unmatched.join("\n")));
    }
}
