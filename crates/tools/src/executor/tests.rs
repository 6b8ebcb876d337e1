//! Hostile paths and moving folders against every file tool.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::{
    fs,
    os::unix::fs::symlink,
    sync::atomic::{AtomicBool, Ordering},
};

use pilothouse_core::work::View;
use serde_json::{Value, json};

use super::*;
use pilothouse_core::tool::Tool;

use crate::fixture::{Desk, Store, asked, desk};

/// Stands in every file outside, and in the names there.
const OUTSIDE: &str = "OUTSIDE";

fn hostile_desk() -> Desk {
    let d = desk(&[("src/a.rs", b"inside\n"), ("f", b"inside\n")]);
    let beside = d.root.parent().unwrap();
    for folder in ["app-evil", "out/deep"] {
        fs::create_dir_all(beside.join(folder)).unwrap();
        fs::write(beside.join(folder).join("secret"), OUTSIDE).unwrap();
        fs::write(beside.join(folder).join(OUTSIDE), OUTSIDE).unwrap();
    }
    let links = [
        ("up", ".."),
        ("upper", "../.."),
        ("evil", "../app-evil"),
        ("out", "../out"),
        ("file", "../app-evil/secret"),
        ("etc", "/etc"),
        ("slash", "/"),
        ("procroot", "/proc/self/root"),
        ("proccwd", "/proc/self/cwd"),
        ("procfd", "/proc/self/fd"),
        ("dangling", "../app-evil/new"),
        ("danglingdir", "../nowhere/deep"),
        ("loop", "loop"),
        ("ping", "pong"),
        ("pong", "ping"),
        ("src/back", "../../app-evil"),
        ("hop", "hop2"),
        ("hop2", "src/back"),
        ("viasrc", "src/../../app-evil/secret"),
    ];
    for (name, target) in links {
        symlink(target, d.root.join(name)).unwrap();
    }
    symlink(beside.join("out"), d.root.join("absolute")).unwrap();
    fs::hard_link(d.root.join("f"), d.root.join("hard")).unwrap();
    d
}

#[expect(clippy::too_many_lines, reason = "a table of calls")]
fn shapes(d: &Desk) -> Vec<String> {
    let root = d.root.to_str().unwrap();
    let beside = d.root.parent().unwrap().to_str().unwrap();
    let mut shapes: Vec<String> = [
        "..",
        "../",
        "../app-evil/secret",
        "../app-evil/new",
        "../../etc/passwd",
        "src/../../app-evil/secret",
        "src/../../app-evil/new",
        "./../app-evil/secret",
        "src/./.././../app-evil/secret",
        "src//..//..//app-evil//secret",
        "up",
        "up/app-evil/secret",
        "up/app-evil/new",
        "upper/x",
        "evil",
        "evil/secret",
        "evil/new",
        "evil/new/deep",
        "out/deep/secret",
        "file",
        "etc/passwd",
        "etc/new",
        "slash/etc/passwd",
        "slash/tmp/new",
        "procroot/etc/passwd",
        "proccwd/x",
        "procfd/0",
        "procfd/1",
        "dangling",
        "danglingdir/x",
        "loop",
        "loop/x",
        "ping/x",
        "src/back/secret",
        "src/back/new",
        "hop/secret",
        "hop",
        "viasrc",
        "absolute/deep/secret",
        "absolute/new",
        "/etc/passwd",
        "/",
        "//etc/passwd",
        "/proc/self/root/etc/passwd",
        "/proc/self/cwd/../app-evil/secret",
        "/proc/self/environ",
        "/dev/zero",
        "/dev/stdin",
        "f/../../app-evil/secret",
        "f/x",
        "evil/../f",
        "EVIL/secret",
        "~/x",
        "$HOME/x",
        "..\\app-evil\\secret",
        "%2e%2e/app-evil/secret",
        "\u{ff0e}\u{ff0e}/app-evil/secret",
        "\u{2024}\u{2024}/app-evil/secret",
        "..\u{200b}/app-evil/secret",
        ".. /app-evil/secret",
        "a\0../app-evil/secret",
        "src/\n../../app-evil/secret",
        "file:///etc/passwd",
        "hard",
    ]
    .map(str::to_owned)
    .into();
    shapes.extend([
        format!("{root}-evil/secret"),
        format!("{root}-evil/new"),
        format!("{root}/../app-evil/secret"),
        format!("{beside}/out/deep/secret"),
        format!("{root}/evil/secret"),
        format!("{root}/src/back/new"),
        format!("/proc/self/root{beside}/app-evil/secret"),
        format!("/proc/self/root{root}/evil/secret"),
        format!("{beside}/./app-evil/secret"),
    ]);
    shapes
}

fn calls(path: &str) -> [(Tool, Value); 8] {
    [
        (Tool::List, json!({"path": path})),
        (Tool::Read, json!({"path": path})),
        (Tool::Search, json!({"path": path, "pattern": "."})),
        (Tool::Edit, json!({"path": path, "edits": [{"old": "inside", "new": "x", "all": true}]})),
        (Tool::Edit, json!({"path": path, "edits": [{"old": OUTSIDE, "new": "x", "all": true}]})),
        (Tool::Edit, json!({"path": path, "edits": [{"old": "root", "new": "x", "all": true}]})),
        (Tool::Write, json!({"path": path, "content": "x"})),
        (Tool::Delete, json!({"path": path})),
    ]
}

#[test]
fn no_hostile_path_leads_any_file_tool_outside() {
    let mut d = hostile_desk();
    let (shapes, world) = (shapes(&d), d.world());
    assert!(shapes.len() >= 70);
    let (mut checked, mut reached) = (0, 0);
    for shape in &shapes {
        for (tool, args) in calls(shape) {
            checked += 1;
            d.view = View::default();
            let Ok(got) = d.call(tool, args) else { continue };
            reached += 1;
            assert!(
                !got.text.contains(OUTSIDE) && !got.text.contains("root:"),
                "{tool:?} {shape:?}: {}",
                got.text
            );
            for draft in &got.proposals {
                let real = d.jail.resolve(&draft.path).unwrap();
                assert_eq!(real.path().unwrap(), draft.path, "{tool:?} {shape:?}");
                let place = d.root.join(real.real());
                let parent = place.ancestors().skip(1).find_map(|p| p.canonicalize().ok()).unwrap();
                assert!(parent.starts_with(&d.root), "{tool:?} {shape:?}");
                assert!(draft.before.as_ref().is_none_or(|b| b.bytes() == b"inside\n"), "{tool:?} {shape:?}");
            }
        }
    }
    assert_eq!(d.world(), world, "something was written");
    assert!(reached > 10, "the test would also pass if every call failed: {reached} of {checked}");
}

#[test]
fn a_list_and_a_search_of_everything_stay_inside() {
    let mut d = hostile_desk();
    let text = d.text(Tool::List, json!({})) + &d.text(Tool::Search, json!({"pattern": "."}));
    assert!(!text.contains(OUTSIDE) && text.contains("f:1: inside"), "{text}");
}

/// Every file tool works while a thread swaps a folder for a link to the outside.
#[test]
fn a_swapper_never_leads_any_file_tool_outside() {
    let d = desk(&[("real/secret", b"inside\n")]);
    let evil = d.root.with_file_name("app-evil");
    fs::create_dir(&evil).unwrap();
    fs::write(evil.join("secret"), OUTSIDE).unwrap();
    fs::write(evil.join(OUTSIDE), OUTSIDE).unwrap();
    symlink(&evil, d.root.join("link")).unwrap();
    let done = AtomicBool::new(false);
    let store = Store::default();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let at = |n: &str| d.root.join(n);
            for _ in 0..2_000 {
                fs::rename(at("real"), at("d")).unwrap();
                fs::rename(at("d"), at("real")).unwrap();
                fs::rename(at("link"), at("d")).unwrap();
                fs::rename(at("d"), at("link")).unwrap();
            }
            done.store(true, Ordering::SeqCst);
        });
        let (view, never) = (View::default(), CancellationToken::new());
        while !done.load(Ordering::SeqCst) {
            for (tool, args) in calls("d/secret").into_iter().chain(calls("d")).chain(calls(".")) {
                let held = std::cell::OnceCell::new();
                let eyes = LaneView {
                    jail: &d.jail,
                    view: &view,
                    blobs: &store,
                    held: &held,
                    redactor: &d.redactor,
                    lately: &d.lately,
                    recipes: &d.recipes,
                };
                let Ok(got) = asked(tool, &args).and_then(|call| files::perform(&call, eyes, &never)) else {
                    continue;
                };
                assert!(!got.text.contains(OUTSIDE), "{tool:?} {args}: {}", got.text);
                let inside = |b: &pilothouse_core::blob::Blob| b.bytes() == b"inside\n";
                assert!(
                    got.proposals.iter().all(|p| p.before.as_ref().is_none_or(inside)),
                    "{tool:?} {args}"
                );
            }
        }
    });
    assert_eq!(fs::read_to_string(evil.join("secret")).unwrap(), OUTSIDE);
}

#[test]
fn names_differ_as_the_file_system_says() {
    let d = desk(&[("caf\u{e9}", b"composed\n")]);
    d.put("cafe\u{301}", "decomposed\n");
    // A file system that folds forms or case has fewer files; what a name opens is what it lists.
    for name in ["caf\u{e9}", "cafe\u{301}", "CAF\u{c9}"] {
        let (ours, theirs) = (d.jail.read(&crate::fixture::rel(name)).ok(), fs::read(d.root.join(name)).ok());
        assert_eq!(ours, theirs, "{name}");
    }
}

#[derive(Default)]
struct Word(std::sync::Mutex<Vec<(DeltaKind, String)>>, tokio::sync::Notify);

impl Sink for Word {
    fn delta(&self, kind: DeltaKind, text: &str) {
        self.0.lock().unwrap().push((kind, text.to_owned()));
        self.1.notify_one();
    }

    fn started(&self, _: Process) {}
}

#[tokio::test]
async fn a_look_at_the_workspace_that_takes_long_is_said_and_a_short_one_is_not() {
    let word = Word::default();
    assert_eq!(super::said(&word, "looking", async { 1 }).await, 1);
    assert!(word.0.lock().unwrap().is_empty());
    // It ends only once something was said.
    super::said(&word, "looking", word.1.notified()).await;
    assert_eq!(*word.0.lock().unwrap(), [(DeltaKind::Notice, "looking".to_owned())]);
}
