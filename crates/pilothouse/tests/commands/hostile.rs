//! What a hostile project, server or machine does to files, logs and limits: named, bounded, and nothing lost.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, clippy::indexing_slicing)]

use std::{
    fs,
    os::unix::{fs::MetadataExt, process::CommandExt},
    path::{Path, PathBuf},
    sync::Arc,
};

use serde_json::{Value, json};

use crate::support::{
    Desk,
    alone::{Ended, edit, finish, last_result, not_run, plan},
    server::{Server, Turn},
};

const QUESTION: &str = "where is find_notes?";
const RENAME: [&str; 3] = ["run", "rename score to points_of", "--auto-confirm"];

fn say(text: &'static str) -> Turn {
    Turn::Say(text, vec![])
}

fn call(name: &'static str, args: Value) -> Turn {
    Turn::Say("", vec![(name, args)])
}

fn planned(file: &str, rest: Vec<Turn>) -> Server {
    let mut script = vec![call("submit_plan", plan(&[("modify", file)]))];
    script.extend(rest);
    Server::start(script)
}

fn rename() -> Turn {
    call("edit", edit("src/search.rs", "fn score(", "fn points_of("))
}

/// The first file of this name below a folder.
pub fn find(folder: &Path, name: &str) -> Option<PathBuf> {
    let all: Vec<_> = fs::read_dir(folder).ok()?.flatten().map(|e| e.path()).collect();
    all.iter()
        .find(|p| p.file_name().is_some_and(|n| n == name))
        .cloned()
        .or_else(|| all.iter().filter(|p| p.is_dir()).find_map(|p| find(p, name)))
}

fn log(desk: &Desk) -> PathBuf {
    find(desk.home.path(), "session.jsonl").expect("the session has a log")
}

fn slug(log: &Path) -> String {
    log.parent().unwrap().file_name().unwrap().to_str().unwrap().to_owned()
}

#[test]
fn a_path_that_no_system_takes_whole_is_refused_before_it_is_written() {
    let long_name = "x".repeat(256);
    for path in [format!("{}x.md", "a/".repeat(2_500)), format!("src/{long_name}"), format!("{long_name}/x")]
    {
        let desk = Desk::new();
        let before = desk.tree();
        let write = call("write", json!({"path": path, "content": "x\n"}));
        let server = planned("src/search.rs", vec![write, say("It cannot be.")]);
        let ended = desk.ask(&server.base, &RENAME);
        let told = last_result(&server, 2);
        assert!(told.contains("longer than a path can be") && told.len() < 200, "{told}");
        assert!(!ended.err.contains("✓ wrote"), "{}", ended.err);
        assert_eq!(desk.tree(), before);
        desk.verified();
    }
}

#[test]
fn a_folder_that_was_moved_away_is_told_as_such() {
    let desk = Desk::new();
    let (from, to) = (desk.path().to_owned(), desk.home.path().join("moved"));
    let theirs = to.clone();
    let moves = Arc::new(move || fs::rename(&from, &theirs).unwrap());
    let server = planned("src/search.rs", vec![rename(), Turn::After(moves, Box::new(say("Done.")))]);
    let ended = desk.ask(&server.base, &RENAME).with(3).tells(&["was moved or removed"]);
    assert!(!ended.err.contains("by a link"), "{}", ended.err);
    assert!(fs::read_to_string(to.join("src/search.rs")).unwrap().contains("fn score("));
    fs::rename(&to, desk.path()).unwrap();
}

#[test]
fn a_log_that_holds_nothing_is_told_and_called_unsound() {
    let desk = Desk::new();
    desk.go(&["run", QUESTION]).with(0);
    let log = log(&desk);
    fs::write(&log, "").unwrap();
    let slug = slug(&log);
    let ended = desk.go(&["run", QUESTION, "--session", &slug]).with(2).tells(&[&slug, "is empty"]);
    assert!(!ended.err.contains("cannot work in"), "{}", ended.err);
    let checked = desk.go(&["sessions", "verify", "--all"]).with(1);
    assert!(checked.out.contains("DAMAGED") && checked.out.contains("is empty"), "{}", checked.out);
    desk.go(&["run", QUESTION]).with(0);
}

#[test]
fn a_log_of_a_newer_version_is_read_and_never_written() {
    let desk = Desk::new();
    desk.go(&["run", QUESTION]).with(0);
    let log = log(&desk);
    let text = fs::read_to_string(&log).unwrap().replacen("\"format\":1,", "\"format\":99,", 1);
    // A torn end is theirs as well.
    fs::write(&log, text + "{\"n\":").unwrap();
    let before = fs::read(&log).unwrap();
    desk.go(&["run", QUESTION, "--session", &slug(&log)]).with(2).tells(&["newer version", "99"]);
    let shown = desk.go(&["sessions", "show", &slug(&log)]).with(0);
    assert!(shown.out.contains(QUESTION), "{}", shown.out);
    assert_eq!(fs::read(&log).unwrap(), before);
}

#[test]
fn a_change_of_a_file_with_other_names_says_that_they_keep_what_they_have() {
    let desk = Desk::new();
    fs::hard_link(desk.path().join("src/search.rs"), desk.path().join("other.rs")).unwrap();
    let server = planned("src/search.rs", vec![rename(), say("Done.")]);
    desk.ask(&server.base, &RENAME).with(0).tells(&["1 hard link of it elsewhere keeps what it has"]);
    assert!(last_result(&server, 2).contains("1 hard link"));
    assert!(desk.file("other.rs").contains("fn score("));
    assert_eq!(fs::metadata(desk.path().join("other.rs")).unwrap().nlink(), 1);
}

#[test]
fn a_binary_file_is_not_made_a_text() {
    let desk = Desk::new();
    fs::write(desk.path().join("b.bin"), b"\0\x01fn score(\n\xff").unwrap();
    let before = desk.tree();
    let server = planned(
        "b.bin",
        vec![
            call("edit", edit("b.bin", "fn score(", "fn points_of(")),
            call("write", json!({"path": "b.bin", "content": "text\n"})),
            say("It cannot be."),
        ],
    );
    desk.ask(&server.base, &RENAME);
    for n in [2, 3] {
        assert!(last_result(&server, n).contains("b.bin is a binary file"), "{}", last_result(&server, n));
    }
    assert_eq!(desk.tree(), before);
}

#[test]
fn a_patch_names_every_file_so_that_git_applies_it() {
    let (desk, other) = (Desk::empty(), tempfile::tempdir().unwrap());
    let names = ["a b.md", "tab\t\"quoted\" \\.md", "line\nend.md", "\u{e4}.md", "new dir/x y.md"];
    for name in &names[..4] {
        fs::write(desk.path().join(name), "one\n").unwrap();
        fs::write(other.path().join(name), "one\n").unwrap();
    }
    let mut changes: Vec<(&'static str, Value)> =
        names[..4].iter().map(|n| ("edit", edit(n, "one", "two"))).collect();
    changes.push(("write", json!({"path": names[4], "content": "two\n"})));
    let server = planned("a b.md", vec![Turn::Say("", changes), say("Done.")]);
    let patch = desk.home.path().join("out.patch");
    let goal = ["run", "rename one to two", "--auto-confirm", "--patch-out", patch.to_str().unwrap()];
    desk.ask(&server.base, &goal).with(0);
    let mut git = std::process::Command::new("git");
    git.args(["apply", "-p1"]).arg(&patch).current_dir(other.path()).env("GIT_CEILING_DIRECTORIES", "/");
    finish(git).with(0);
    for name in names {
        assert_eq!(fs::read_to_string(other.path().join(name)).unwrap(), "two\n", "{name:?}");
    }
}

#[test]
fn numbers_that_no_reply_can_have_are_not_counted() {
    for usage in [
        json!({"prompt_tokens": u64::MAX, "completion_tokens": u64::MAX}),
        json!({"prompt_tokens": 1_u64 << 60, "completion_tokens": 1, "cost": 1e300}),
        json!({"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": u64::MAX, "cost": 36_893_488}),
    ] {
        let desk = Desk::new();
        desk.configure("[model.price]\ninput = 2.0\noutput = 2.0\n");
        let event = |v: Value| format!("data: {v}\n\n");
        let body = event(json!({"choices": [{"index": 0, "delta": {"content": "Here."}}]}))
            + &event(
                json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}], "usage": usage}),
            )
            + "data: [DONE]\n\n";
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
        let server = Server::start(vec![Turn::Raw(format!("{head}{body}"))]);
        let told = desk.ask(&server.base, &["run", "what does find_notes do?", "--json"]).with(0);
        let done = told.events().into_iter().find(|e| e["type"] == "message_completed").unwrap();
        let used = &done["usage"];
        assert!(used["input"].as_u64().unwrap() < 1_000_000, "{usage}: {used}");
        assert!(used["cost_micros"].as_u64().unwrap_or(0) < 1_000_000, "{usage}: {used}");
    }
}

/// The user whom root becomes, to whom limits matter.
const NOBODY: u32 = 65_534;

#[test]
fn where_no_process_can_be_started_it_is_told_in_words() {
    let desk = Desk::new();
    if !rustix::process::geteuid().is_root() {
        not_run("a limit of processes: only root can become a user who has none yet");
        return;
    }
    for folder in [desk.path(), desk.home.path()] {
        finish({
            let mut chown = std::process::Command::new("chown");
            chown.arg("-R").arg(format!("{NOBODY}:{NOBODY}")).arg(folder);
            chown
        })
        .with(0);
    }
    let no_room = "allow the user more processes (`ulimit -u`)";
    let no_model = "--llm needs a model";
    for (args, said) in [
        (vec!["run", QUESTION], no_room),
        (vec!["undo"], no_room),
        (vec!["classify", "--llm", "hello"], no_model),
    ] {
        let plain = desk.command(&args);
        let mut limited = std::process::Command::new("bash");
        limited
            .args(["-c", "ulimit -u 1; exec \"$0\" \"$@\""])
            .arg(plain.get_program())
            .args(plain.get_args());
        limited.env_clear().envs(plain.get_envs().filter_map(|(k, v)| Some((k, v?))));
        limited.current_dir(desk.path()).uid(NOBODY).gid(NOBODY);
        let Ended { exit, err, .. } = finish(limited);
        assert!(exit == 1 || exit == 2, "{args:?}: {exit} {err}");
        assert!(err.contains(said) && err.lines().count() == 1, "{args:?}: {err}");
    }
}

#[test]
fn a_flood_of_rules_or_a_pattern_without_end_asks_instead_of_being_weighed() {
    let many = format!("[[deny]]\nread = \"{}\"\n", "a*".repeat(20)).repeat(5_000);
    for rules in [format!("[[deny]]\nread = \"{}\"\n", "a*".repeat(450_000)), many] {
        let desk = Desk::new();
        fs::create_dir_all(desk.path().join(".pilothouse")).unwrap();
        fs::write(desk.path().join(".pilothouse/permissions.toml"), rules).unwrap();
        let told = desk.go(&["run", QUESTION]);
        assert!(told.err.contains("everything in this folder asks"), "{}", told.err);
    }
}

/// A run in the middle of which something happens to its log.
fn touched(what: fn(&Path)) -> (Desk, PathBuf, Ended) {
    let desk = Desk::new();
    let home = desk.home.path().to_owned();
    let touch = Arc::new(move || what(&find(&home, "session.jsonl").unwrap()));
    let server = planned("src/search.rs", vec![Turn::After(touch, Box::new(rename())), say("Done.")]);
    let mut args = RENAME.to_vec();
    args.push("--json");
    let ended = desk.ask(&server.base, &args).with(0);
    let log = log(&desk);
    (desk, log, ended)
}

#[test]
fn a_log_that_is_taken_away_is_noticed_and_written_again_whole() {
    let gone = |log: &Path| fs::remove_file(log).unwrap();
    let moved = |log: &Path| fs::rename(log, log.with_file_name("away")).unwrap();
    let replaced = |log: &Path| {
        fs::remove_file(log).unwrap();
        fs::write(log, "something else\n").unwrap();
    };
    for (what, other) in [(gone as fn(&Path), false), (moved, false), (replaced, true)] {
        let (desk, log, ended) = touched(what);
        let ended = ended.tells(&["removed this session's log", "nothing is lost"]);
        let shown = desk.go(&["sessions", "show", &slug(&log), "--json"]).with(0).events();
        let told = ended.events();
        assert_eq!(shown[..], told[..told.len() - 1], "every event that was told is in the log");
        desk.verified();
        assert_eq!(log.with_file_name("session.jsonl.other-1").exists(), other);
        desk.go(&["undo"]).with(0);
        assert!(desk.file("src/search.rs").contains("fn score("));
    }
}

#[test]
fn a_log_that_is_cut_is_noticed_and_what_follows_is_kept() {
    let (desk, log, ended) = touched(|log| {
        let file = fs::File::options().write(true).open(log).unwrap();
        let bytes = file.metadata().unwrap().len();
        file.set_len(bytes / 2).unwrap();
    });
    ended.tells(&["cut this session's log", "what follows is kept"]);
    let shown = desk.go(&["sessions", "show", &slug(&log), "--json"]).with(0).events();
    assert!(shown.iter().any(|e| e["type"] == "applied"), "what came after it is there");
    assert!(!fs::read(&log).unwrap().contains(&0), "no hole is left where the rest was");
}

/// A library that shifts the clock of a program by the seconds in `SHIFT`; none where no compiler is at hand.
fn clock(folder: &Path) -> Option<PathBuf> {
    let (source, library) = (folder.join("clock.c"), folder.join("clock.so"));
    let text = "#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <stdlib.h>\n#include <time.h>\n\
        int clock_gettime(clockid_t id, struct timespec *t) {\n\
        int (*real)(clockid_t, struct timespec *) = dlsym(RTLD_NEXT, \"clock_gettime\");\n\
        int r = real(id, t); const char *s = getenv(\"SHIFT\");\n\
        if (id == CLOCK_REALTIME && s) t->tv_sec += atoll(s); return r; }\n";
    fs::write(&source, text).unwrap();
    let mut cc = std::process::Command::new("cc");
    cc.args(["-shared", "-fPIC", "-o"]).args([&library, &source]).arg("-ldl");
    cc.output().is_ok_and(|o| o.status.success()).then_some(library)
}

const YEAR: i64 = 31_557_600;

#[test]
fn undo_takes_back_what_was_done_last_whatever_the_clock_says() {
    let desk = Desk::new();
    let Some(library) = clock(desk.home.path()) else {
        return not_run("a clock that jumps: there is no C compiler to make one");
    };
    let shifted = |mut command: std::process::Command, seconds: i64| {
        command.env("LD_PRELOAD", &library).env("SHIFT", seconds.to_string());
        finish(command)
    };
    let change = |file: &'static str, seconds: i64| {
        let write = call("write", json!({"path": file, "content": "//! Changed.\n"}));
        let server = planned(file, vec![write, say("Done.")]);
        shifted(desk.with_model(&server.base, &RENAME), seconds).with(0).tells(&["\u{2713} wrote"]);
    };
    change("src/one.rs", 0);
    change("src/two.rs", -YEAR);
    let undo = |seconds| shifted(desk.command(&["undo"]), seconds).with(0).out;
    assert!(undo(-2 * YEAR).contains("src/two.rs"));
    assert!(undo(YEAR).contains("src/one.rs"));
    assert!(!desk.path().join("src/one.rs").exists() && !desk.path().join("src/two.rs").exists());
    let redo = shifted(desk.command(&["redo"]), -3 * YEAR).with(0).out;
    assert!(redo.contains("src/one.rs"), "{redo}");
}

#[test]
fn a_clients_secret_of_any_look_stands_in_no_request_and_nowhere_on_disk() {
    let desk = Desk::new();
    let secret = "3f2b8c1e-9d4a-4f6b-8a7c-1e2d3c4b5a69";
    let said =
        format!("client_secret={secret}\n{{\"client_secret\": \"{secret}\"}}\nclientSecret: {secret}\n");
    fs::write(desk.path().join("settings.txt"), said).unwrap();
    let read = call("read", json!({"path": "settings.txt"}));
    let server = Server::start(vec![read, say("It is a file of settings.")]);
    let ended = desk.ask(&server.base, &["run", "what is in settings.txt?", "--json"]).with(0);
    let sent: String = server.requests().iter().map(ToString::to_string).collect();
    assert!(sent.contains("client_secret") && !sent.contains(secret), "{sent}");
    assert!(!ended.out.contains(secret), "{}", ended.out);
    let kept =
        std::process::Command::new("grep").args(["-rl", secret]).arg(desk.home.path()).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&kept.stdout), "");
}

#[test]
fn the_newest_session_is_the_one_made_last_whatever_the_clock_says() {
    let desk = Desk::new();
    let Some(library) = clock(desk.home.path()) else {
        return not_run("a clock that jumps: there is no C compiler to make one");
    };
    let said = ["where is find_notes?", "where is Note?", "what is find_notes?"];
    for (question, years) in said.into_iter().zip([0, 2, -2]) {
        let mut command = desk.command(&["run", question]);
        command.env("LD_PRELOAD", &library).env("SHIFT", (years * YEAR).to_string());
        finish(command).with(0);
    }
    let told: Vec<String> = desk.sessions().iter().map(|s| s["title"].as_str().unwrap().to_owned()).collect();
    assert_eq!(told, [said[2], said[1], said[0]]);
    let older = desk.sessions()[1]["slug"].as_str().unwrap().to_owned();
    desk.go(&["run", "where is score?", "--session", &older]).with(0);
    let told: Vec<String> = desk.sessions().iter().map(|s| s["title"].as_str().unwrap().to_owned()).collect();
    assert_eq!(told, [said[2], said[1], said[0]], "an older one that is gone on with keeps its place");
}

#[test]
fn a_clock_that_no_calendar_has_a_date_for_breaks_nothing() {
    let desk = Desk::new();
    let Some(library) = clock(desk.home.path()) else {
        return not_run("a clock of the year 10,000: there is no C compiler to make one");
    };
    for years in [8_100, 100_000, -200] {
        let mut command = desk.command(&["run", QUESTION]);
        command.env("LD_PRELOAD", &library).env("SHIFT", (years * YEAR).to_string());
        let ended = finish(command).with(0);
        assert!(!ended.err.contains("an internal error"), "{years}: {}", ended.err);
    }
    desk.verified();
}

#[test]
fn where_there_is_no_room_to_save_a_command_asks_with_the_reason_and_nothing_ran() {
    let desk = Desk::new();
    let mounts = |line: &str, args: &[&str]| {
        let mut command = std::process::Command::new("unshare");
        command.args(["--user", "--map-root-user", "--mount", "bash", "-c", line]).args(args);
        command
    };
    let small = "mount -t tmpfs -o size=5m tmpfs \"$PILOTHOUSE_HOME\" && ";
    let mut tried = mounts(&format!("{small} true"), &[]);
    tried.env("PILOTHOUSE_HOME", desk.home.path());
    if desk.sandbox().is_none() || !tried.output().is_ok_and(|o| o.status.success()) {
        return not_run(
            "a full disk at saving: no small file system can be mounted here, or there is no sandbox",
        );
    }
    for n in 0..12_u8 {
        fs::write(desk.path().join(format!("data{n}.bin")), vec![n; 1 << 20]).unwrap();
    }
    let before = desk.tree();
    let run = call("run", json!({"command": "touch made.txt"}));
    let server = Server::start(vec![run, say("It may not be run.")]);
    let goal = ["run", "run touch made.txt", "--auto-confirm", "--trust", "--json"];
    let plain = desk.with_model(&server.base, &goal);
    // The log is looked at where it is: outside the mount there is none.
    let line = format!("{small} {{ \"$0\" \"$@\"; e=$?; \"$0\" sessions verify --all >&2; exit $e; }}");
    let args: Vec<&str> =
        std::iter::once(plain.get_program()).chain(plain.get_args()).map(|a| a.to_str().unwrap()).collect();
    let mut command = mounts(&line, &args);
    command.env_clear().envs(plain.get_envs().filter_map(|(k, v)| Some((k, v?)))).current_dir(desk.path());
    let ended = finish(command).with(3).tells(&["sound"]);
    let asked = ended.events().into_iter().last().unwrap()["question"].to_string();
    assert!(asked.contains("data") && asked.contains("the disk is full"), "{asked}");
    assert!(asked.contains("/undo could not bring it back"), "{asked}");
    assert_eq!(desk.tree(), before, "nothing ran");
}
