//! No open door: whatever the program is doing, neither it nor anything that it started waits for
//! connections. `PILOTHOUSE_PROOF=whole` looks ten times as often.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

use crate::support;
use std::{
    collections::BTreeSet,
    fs,
    io::Write,
    net::{TcpListener, UdpSocket},
    os::unix::{fs::PermissionsExt, net::UnixListener},
    path::{Path, PathBuf},
    process::Stdio,
};

use serde_json::json;
use support::{
    Desk, Terminal,
    alone::Running,
    proof::{Tally, share, tree_of},
    server::{Server, Turn},
};

const APPROVALS: &str = "\x18a";
const RENAME: &str = "rename find_notes to search_notes";

/// Sockets that a process and what came from it hold open for others, each with its line of the kernel's list.
fn doors(root: u32) -> Vec<String> {
    tree_of(root).into_iter().flat_map(doors_of).collect()
}

fn doors_of(pid: u32) -> Vec<String> {
    let links = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    let held: BTreeSet<String> = links
        .filter_map(|e| {
            let link = fs::read_link(e.path()).ok()?.to_string_lossy().into_owned();
            Some(link.strip_prefix("socket:[")?.strip_suffix(']')?.to_owned())
        })
        .collect();
    let mut found = Vec::new();
    for (list, inode) in [("tcp", 9), ("tcp6", 9), ("udp", 9), ("udp6", 9), ("unix", 6)] {
        let text = fs::read_to_string(format!("/proc/{pid}/net/{list}")).unwrap_or_default();
        for line in text.lines().skip(1) {
            let fields: Vec<&str> = line.split_whitespace().collect();
            let waits = match list {
                // The state is LISTEN; a datagram socket without a peer takes from everybody.
                "tcp" | "tcp6" => fields[3] == "0A",
                "udp" | "udp6" => fields[3] == "07",
                // Its flags have the bit of one that accepts connections.
                _ => u32::from_str_radix(fields[3], 16).is_ok_and(|flags| flags & 0x1_0000 != 0),
            };
            if waits && held.contains(fields[inode]) {
                found.push(format!("process {pid}, {list}: {line}"));
            }
        }
    }
    found
}

#[test]
fn an_open_door_would_be_seen() {
    let folder = tempfile::tempdir().unwrap();
    let me = std::process::id();
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let six = TcpListener::bind("[::1]:0").ok();
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    let unix = UnixListener::bind(folder.path().join("door")).unwrap();
    let seen = doors(me).join("\n");
    let lists = [("tcp:", true), ("tcp6:", six.is_some()), ("udp:", true), ("unix:", true)];
    assert!(lists.iter().all(|(list, there)| !there || seen.contains(list)), "{seen}");
    drop((tcp, udp, unix));
}

/// Looks at a process as often as the share says.
fn look(tally: &Tally, mode: &str, pid: u32) {
    for _ in 0..share(20, 2) {
        tally.checked();
        for door in doors(pid) {
            tally.violation(format!("{mode}: {door}"));
        }
    }
    tally.note("modes", 1);
}

/// A pipe that a hook or a command reads from; it goes on when the other end is closed.
struct Gate(PathBuf);

impl Gate {
    fn new(folder: &Path) -> Self {
        let path = folder.join("gate");
        drop(fs::remove_file(&path));
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        Self(path)
    }

    /// Waits until somebody reads, holds them while `work` is done, and lets them go.
    fn held(&self, work: impl FnOnce()) {
        let mut end = fs::OpenOptions::new().write(true).open(&self.0).unwrap();
        work();
        end.write_all(b"go\n").unwrap();
    }
}

#[test]
fn no_mode_waits_for_connections() {
    let tally = Tally::default();
    commands_that_end(&tally);
    headless(&tally);
    on_the_screen(&tally);
    tally.end();
    assert!(tally.noted("modes") >= 20, "only {} modes were looked at", tally.noted("modes"));
}

/// What only tells something is looked at for as long as it is there.
fn commands_that_end(tally: &Tally) {
    let desk = Desk::new();
    desk.go(&["run", "where is Store?"]).with(0);
    let slug = desk.sessions()[0]["slug"].as_str().unwrap().to_owned();
    let all: [&[&str]; 14] = [
        &["sessions", "list", "--json"],
        &["sessions", "show", &slug],
        &["sessions", "verify", "--all"],
        &["doctor"],
        &["config", "show"],
        &["config", "validate"],
        &["permissions", "list"],
        &["permissions", "explain", "cargo test"],
        &["trust", "--show"],
        &["auth", "list"],
        &["classify", "fix the typo in README"],
        &["risk", "rm -rf build"],
        &["undo", "--list"],
        &["--help"],
    ];
    for args in all {
        let mut looks = 0;
        // On a busy machine one can be gone before it was looked at: it is started again.
        for _ in 0..100 {
            let mut command = desk.command(args);
            let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            while child.try_wait().unwrap().is_none() {
                looks += 1;
                for door in doors(child.id()) {
                    tally.violation(format!("{args:?}: {door}"));
                }
            }
            if looks > 0 {
                break;
            }
        }
        assert!(looks > 0, "{args:?} was gone before it was looked at");
        tally.checked();
        tally.note("modes", 1);
    }
}

fn headless(tally: &Tally) {
    // The model is silent; the program waits for it.
    let (desk, server) = (Desk::new(), Server::start(vec![Turn::Hang("Let me see")]));
    let mut run = Running::start(desk.with_model(&server.base, &["run", "where is Store?", "--json"]));
    server.wait_requests(1);
    look(tally, "headless, thinking", run.child.id());
    run.child.kill().unwrap();
    run.child.wait().unwrap();
    // A command of the user runs, and then a hook.
    let desk = Desk::new();
    let (gate, hook) = (Gate::new(desk.path()), tempfile::tempdir().unwrap());
    let after = Gate::new(hook.path());
    let line = format!("[hooks.on_run_end]\nrun = \"read x < {}\"\n", after.0.display());
    fs::write(desk.home.path().join("hooks.toml"), line).unwrap();
    let run = Running::start(desk.command(&["run", "!read x < gate; true", "--json"]));
    gate.held(|| look(tally, "headless, a command runs", run.child.id()));
    after.held(|| look(tally, "headless, a hook runs", run.child.id()));
    run.end().with(0);
}

fn on_the_screen(tally: &Tally) {
    let desk = Desk::new();
    let gate = Gate::new(desk.path());
    let told = Gate::new(desk.home.path());
    let bin = desk.home.path().join("bin");
    fs::create_dir(&bin).unwrap();
    fs::write(bin.join("notify-send"), format!("#!/bin/sh\nread x < {}\n", told.0.display())).unwrap();
    fs::set_permissions(bin.join("notify-send"), fs::Permissions::from_mode(0o755)).unwrap();
    desk.configure("[notify]\nterminal = \"osc99\"\ndesktop = true\nalways = true\n");
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let server = Server::start(vec![
        Turn::Say("", vec![("run", json!({"command": "read x < gate; make"}))]),
        Turn::Say("Done.", vec![]),
    ]);
    let extra =
        [("PATH", path.as_str()), ("PILOTHOUSE_BASE_URL", &server.base), ("PILOTHOUSE_MODEL", "desk")];
    let mut terminal = Terminal::open(&desk, &["."], &extra);
    terminal.see("[EXPLORE] idle");
    look(tally, "screen, idle", terminal.pid());
    terminal.say("run the checks");
    terminal.see("Enter runs it");
    look(tally, "screen, a command waits", terminal.pid());
    told.held(|| look(tally, "screen, the desktop is told", terminal.pid()));
    terminal.decide("\r");
    gate.held(|| look(tally, "screen, a command runs", terminal.pid()));
    terminal.see("[EXPLORE] idle");
    terminal.kill();
    let mut terminal = Terminal::open(&desk, &["resume", "--last"], &[]);
    terminal.see("[EXPLORE]");
    look(tally, "screen, opened again", terminal.pid());
    terminal.say(RENAME);
    terminal.see("Proceed?");
    look(tally, "screen, a plan waits", terminal.pid());
    terminal.keys(APPROVALS);
    terminal.see("waiting");
    look(tally, "screen, the tray is open", terminal.pid());
    terminal.kill();
}
