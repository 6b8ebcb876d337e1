//! The end of the process at any instant: what was acknowledged is there, no file is half written,
//! the session opens, goes on, and nothing runs by itself. `PILOTHOUSE_PROOF=whole` kills 500 times; else 20 times.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

use std::{
    fs,
    io::{BufRead, BufReader, Read},
    path::{Path, PathBuf},
    process::{Child, ChildStdout, Command, Stdio},
    time::Duration,
};

use pilothouse_core::{
    event::{Event, Stamped},
    session::Session,
};
use pilothouse_runtime::{Home, log::Log, sessions};
use serde_json::json;

const FILES: [&str; 3] = ["src/a.txt", "src/b.txt", "src/c.txt"];

fn content(word: &str) -> String {
    format!("first line\r\n{word} line\nlast line without an end")
}

fn script() -> String {
    let tasks = json!([{"title": "Change", "detail": "old to new", "kind": "modify", "files": FILES}]);
    let edit =
        |f: &&str| json!({"name": "edit", "args": {"path": f, "edits": [{"old": "old", "new": "new"}]}});
    let read = |f: &&str| json!({"name": "read", "args": {"path": f}});
    let round = vec![
        json!({"text": "a plan", "calls": [{"name": "submit_plan", "args": {"title": "Words", "tasks": tasks}}]}),
        json!({"calls": FILES.iter().map(read).collect::<Vec<_>>()}),
        json!({"calls": FILES.iter().map(edit).collect::<Vec<_>>()}),
        json!({"text": "changed"}),
    ];
    serde_json::to_string(&vec![round; 200].concat()).unwrap()
}

struct Rig {
    dir: tempfile::TempDir,
}

impl Rig {
    fn new() -> Self {
        let rig = Self { dir: tempfile::tempdir().unwrap() };
        fs::create_dir_all(rig.work().join("src")).unwrap();
        fs::write(rig.dir.path().join("script.json"), script()).unwrap();
        rig.reset();
        rig
    }
    fn work(&self) -> PathBuf {
        self.dir.path().join("work")
    }
    fn home(&self) -> Home {
        Home::under(&self.dir.path().join("home"))
    }
    fn reset(&self) {
        for f in FILES {
            fs::write(self.work().join(f), content("old")).unwrap();
        }
    }
    fn start(&self, rounds: &str, slug: Option<&str>) -> (Child, BufReader<ChildStdout>) {
        let here = std::env::current_exe().unwrap();
        let program = here.parent().and_then(Path::parent).unwrap().join("examples/embedded");
        let mut command = Command::new(program);
        command.arg(self.dir.path().join("home")).arg(self.work()).arg(rounds).args(slug);
        command.env("PILOTHOUSE_MODEL", format!("script:{}", self.dir.path().join("script.json").display()));
        command.env_remove("PILOTHOUSE_HOME").stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        (child, out)
    }
}

/// Every event that the child acknowledged; a line that was cut off does not count.
fn acknowledged(lines: impl Iterator<Item = std::io::Result<String>>) -> Vec<Stamped> {
    lines.map_while(Result::ok).filter_map(|l| serde_json::from_str(&l).ok()).collect()
}

fn check(rig: &Rig, seen: &[Stamped]) -> String {
    let place = sessions::all(&rig.home()).into_iter().next().unwrap();
    let mut log = Log::read(&place.folder).unwrap();
    assert!(log.report().damage.is_empty() && log.report().gaps.is_empty(), "{:?}", log.report());
    for event in seen {
        assert_eq!(log.event(event.seq).unwrap().as_ref(), Some(event), "an acknowledged event is lost");
    }
    let mut session = Session::new();
    log.replay(|e| session.apply(&e)).unwrap();
    for f in FILES {
        let now = fs::read_to_string(rig.work().join(f)).unwrap();
        assert!(now == content("old") || now == content("new"), "{f} is half written: {now:?}");
    }
    place.slug
}

/// A number that is as good as random and the same in every run.
fn next(seed: &mut u64) -> u64 {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    *seed
}

#[test]
fn kills_lose_nothing_and_tear_nothing() {
    let rounds = if std::env::var("PILOTHOUSE_PROOF").is_ok_and(|v| v == "whole") { 500 } else { 20 };
    let rig = Rig::new();
    let (mut seed, mut slug, mut total, mut writes) = (0x5eed_u64, None::<String>, 0, 0);
    for round in 0..rounds {
        let (mut child, mut out) = rig.start("200", slug.as_deref());
        // The session is open; from here the instant is chance.
        let mut first = String::new();
        out.read_line(&mut first).unwrap();
        assert!(first.starts_with("session "), "{first}");
        // Counting what was acknowledged reaches every stage, however slow the machine is.
        let mut seen =
            acknowledged(out.by_ref().lines().take(usize::try_from(next(&mut seed) % 70).unwrap()));
        std::thread::sleep(Duration::from_micros(next(&mut seed) % 20_000));
        child.kill().unwrap();
        child.wait().unwrap();
        seen.extend(acknowledged(out.lines()));
        total += seen.len();
        writes += seen.iter().filter(|e| matches!(e.event, Event::Applied { .. })).count();
        slug = Some(check(&rig, &seen));
        assert_eq!(sessions::all(&rig.home()).len(), 1, "round {round}");
        rig.reset();
    }
    // It goes on, and nothing had run by itself meanwhile.
    let (mut child, out) = rig.start("1", slug.as_deref());
    let seen = acknowledged(out.lines());
    assert!(child.wait().unwrap().success());
    let place = |kind: fn(&Event) -> bool| {
        let at = seen.iter().position(|e| kind(&e.event));
        at.unwrap_or_else(|| panic!("the session did not go on: {seen:#?}"))
    };
    let first = place(|e| matches!(e, Event::ThinkingStarted { .. }));
    let asked = place(|e| matches!(e, Event::TurnStarted { .. }));
    assert!(asked < first, "something ran before it was asked for");
    assert!(seen.iter().any(|e| matches!(e.event, Event::Applied { .. })), "nothing was written: {seen:#?}");
    let left: Vec<_> =
        fs::read_dir(rig.work().join("src")).unwrap().flatten().map(|e| e.file_name()).collect();
    assert_eq!(left.len(), FILES.len(), "{left:?}");
    assert!(total * 3 > rounds * 25 && writes * 6 > rounds, "{total} events and {writes} writes only");
}
