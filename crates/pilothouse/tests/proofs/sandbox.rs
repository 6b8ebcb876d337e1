//! The sandbox, with real processes through the real program, in every kind that this machine has:
//! what a command may not reach, and that ordinary work goes on inside.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, clippy::indexing_slicing)]

use crate::support;
mod control;
mod descriptors;
mod metadata;
mod secret;

use std::{
    fs,
    io::Read,
    net::{TcpListener, UdpSocket},
    path::Path,
    process::Command,
};

use rustix::process::Signal;
use serde_json::{Value, json};
use support::{
    Desk,
    alone::{Ended, Running, ended, finish, not_run, processes},
    server::{Server, Turn},
};

/// A desk whose commands run in this kind of sandbox; `None` where it cannot be had.
fn desk(kind: &str, more: &str) -> Option<Desk> {
    let desk = Desk::new();
    desk.configure(&format!("[sandbox]\nbackend = \"{kind}\"\n{more}\n"));
    if desk.sandbox().is_none() {
        let way =
            if kind == "bwrap" { "install bubblewrap" } else { "a kernel of Linux 6.2 or newer has it" };
        not_run(&format!(
            "no {kind} here; {way}, then run `cargo test -p pilothouse --test proofs sandbox` again"
        ));
        return None;
    }
    Some(desk)
}

/// Every kind that this machine has.
fn desks(more: &str) -> Vec<Desk> {
    ["landlock", "bwrap"].into_iter().filter_map(|kind| desk(kind, more)).collect()
}

/// What came of a command that the user typed.
struct Came {
    code: i64,
    text: String,
    failed: bool,
    events: Vec<Value>,
}

impl Came {
    fn confine(&self) -> &Value {
        &self.events.iter().find(|e| e["type"] == "call_started").unwrap()["confine"]
    }

    fn notices(&self) -> String {
        let all = self.events.iter().filter(|e| e["type"] == "notice");
        all.map(|e| e["text"].as_str().unwrap()).collect::<Vec<_>>().join("\n")
    }
}

/// Runs `line` as the user would type it after `!`.
fn typed(desk: &Desk, line: &str) -> Came {
    came(desk.command(&["run", line, "--json"]), line)
}

fn came(command: Command, line: &str) -> Came {
    let ended = finish(command);
    let events = ended.events();
    let of = |kind: &str| events.iter().find(|e| e["type"] == kind);
    let call = of("call_ended").unwrap_or_else(|| panic!("{line} did not run: {}\n{}", ended.out, ended.err));
    let mut text = call["result"]["head"].as_str().unwrap().to_owned();
    // What is said beside it, in the words for who typed the line.
    for note in call["notes"].as_array().into_iter().flatten() {
        text.push_str(&format!("\n{}", note["user"].as_str().unwrap_or_default()));
    }
    let code = of("command_exited").map_or(-1, |e| e["exit"]["code"].as_i64().unwrap_or(-1));
    Came { code, text, failed: call["status"] == "failed", events }
}

/// Runs a script of the workspace: a line that is medium whatever it does.
fn script(desk: &Desk, text: &str) -> Came {
    fs::write(desk.path().join("probe.sh"), text).unwrap();
    typed(desk, "!bash probe.sh")
}

#[test]
fn writes_go_to_the_workspace_and_the_scratch_folder_only() {
    for desk in desks("") {
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("old"), "old").unwrap();
        let o = outside.path().display();
        let came = script(
            &desk,
            &format!(
                "echo a > inside; mkdir -p d/e && mv inside d/e/; echo b > $TMPDIR/t && cat $TMPDIR/t\n\
                 echo x > {o}/new; echo x >> {o}/old; : > {o}/old; truncate -s 0 {o}/old; rm {o}/old\n\
                 mkdir {o}/dir; ln -s /etc {o}/link; ln {o}/old twin; mv {o}/old here; cp /etc/hostname {o}/h\n\
                 chmod 777 {o}/old; touch /usr/x ~/x /var/tmp/x; exit 7"
            ),
        );
        assert_eq!(came.code, 7, "{}", came.text);
        assert!(came.text.contains("\nb\n"), "{}", came.text);
        assert_eq!(desk.file("d/e/inside"), "a\n");
        let names: Vec<_> = fs::read_dir(outside.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(names, ["old"], "{}", came.text);
        assert_eq!(fs::read_to_string(outside.path().join("old")).unwrap(), "old", "{}", came.text);
        assert!(!desk.home.path().join("x").exists() && !Path::new("/usr/x").exists());
        let told = came.text.contains("`!!`") && !came.text.contains("\"outside\"");
        assert!(told, "who typed it is told how it runs outside: {}", came.text);
    }
}

#[test]
fn the_program_s_own_secrets_and_sessions_cannot_be_read() {
    for desk in desks("") {
        let key = "sk-canary-5f2c";
        let file = desk.home.path().join("credentials.toml");
        fs::write(&file, format!("[keys]\nopenai = \"{key}\"\n")).unwrap();
        fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
        fs::create_dir_all(desk.home.path().join(".ssh")).unwrap();
        fs::write(desk.home.path().join(".ssh/id"), key).unwrap();
        let h = desk.home.path().display();
        let text = format!(
            "cat {h}/credentials.toml {h}/config.toml {h}/.ssh/id; cat {h}/state/sessions/*/*/*; grep -r canary {h}\n\
             for p in /proc/[0-9]*; do tr '\\0' '\\n' < $p/environ | grep canary && cat $p/cmdline; done 2>/dev/null\n\
             echo x >> {h}/config.toml; rm -rf {h}/state; echo done"
        );
        fs::write(desk.path().join("probe.sh"), text).unwrap();
        let mut command = desk.command(&["run", "!bash probe.sh", "--json"]);
        command.env("OPENAI_API_KEY", key);
        let came = came(command, "probe");
        assert!(came.text.contains("done") && !came.text.contains("canary-5f2c"), "{}", came.text);
        desk.verified();
        assert_eq!(desk.sessions().len(), 1);
    }
}

const REACH: &str = r#"
import socket, sys
tcp, udp = int(sys.argv[1]), int(sys.argv[2])
def go(name, f):
    try: f(); print(name, "reached")
    except OSError as e: print(name, "refused")
go("tcp", lambda: socket.create_connection(("127.0.0.1", tcp), 2).send(b"x"))
go("udp", lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", udp)))
go("udp6", lambda: socket.socket(socket.AF_INET6, socket.SOCK_DGRAM).sendto(b"x", ("::1", udp)))
go("unix", lambda: socket.socket(socket.AF_UNIX).connect(sys.argv[3]))
go("abstract", lambda: socket.socket(socket.AF_UNIX).connect("\0" + sys.argv[4]))
go("raw", lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW))
a, b = socket.socketpair()
go("pair", lambda: a.send(b"x"))
"#;

fn python() -> bool {
    let there = Command::new("python3").arg("--version").output().is_ok_and(|o| o.status.success());
    if !there {
        not_run("there is no python3 here");
    }
    there
}

#[test]
fn no_network_reaches_a_listener_of_this_machine_and_no_service_of_the_user() {
    if !python() {
        return;
    }
    for desk in desks("") {
        let (tcp, udp) = (TcpListener::bind("127.0.0.1:0").unwrap(), UdpSocket::bind("127.0.0.1:0").unwrap());
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("service");
        let unix = std::os::unix::net::UnixListener::bind(&path).unwrap();
        tcp.set_nonblocking(true).unwrap();
        unix.set_nonblocking(true).unwrap();
        udp.set_nonblocking(true).unwrap();
        fs::write(desk.path().join("reach.py"), REACH).unwrap();
        let (t, u) = (tcp.local_addr().unwrap().port(), udp.local_addr().unwrap().port());
        let line = format!("!python3 reach.py {t} {u} {} none", path.display());
        let came = typed(&desk, &line);
        let own_net = desk.sandbox().as_deref() == Some("bubblewrap");
        let refused = ["tcp", "unix", "abstract", "raw", "udp", "udp6"];
        for name in &refused[..if own_net { 4 } else { 6 }] {
            assert!(came.text.contains(&format!("{name} refused")), "{name}: {}", came.text);
        }
        assert!(came.text.contains("pair reached"), "{}", came.text);
        // With a loopback of its own a datagram leaves into nothing; nothing arrives here.
        assert!(tcp.accept().is_err() && unix.accept().is_err() && udp.recv(&mut [0; 4]).is_err());
    }
}

#[test]
fn the_network_is_there_where_the_settings_give_it_and_local_services_are_not() {
    if !python() {
        return;
    }
    for desk in desks("network = true") {
        let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("service");
        let unix = std::os::unix::net::UnixListener::bind(&path).unwrap();
        unix.set_nonblocking(true).unwrap();
        fs::write(desk.path().join("reach.py"), REACH).unwrap();
        let line =
            format!("!python3 reach.py {} 9 {} none", tcp.local_addr().unwrap().port(), path.display());
        let came = typed(&desk, &line);
        assert!(came.text.contains("tcp reached") && came.text.contains("unix refused"), "{}", came.text);
        let mut byte = [0];
        tcp.accept().unwrap().0.read_exact(&mut byte).unwrap();
        assert!(unix.accept().is_err());
    }
}

#[test]
fn signals_do_not_reach_other_programs() {
    for desk in desks("") {
        let mut other = Command::new("sleep").arg("300").spawn().unwrap();
        let pid = other.id();
        let came =
            script(&desk, &format!("kill -9 {pid}; kill -9 -1; kill -TERM $PPID; sleep 0; echo still here"));
        let lives = other.try_wait().unwrap().is_none();
        drop(other.kill());
        other.wait().unwrap();
        assert!(lives, "{}", came.text);
        desk.verified();
    }
}

#[test]
fn git_commits_inside_also_in_a_worktree_whose_folder_lies_elsewhere() {
    for desk in desks("") {
        let git = |dir: &Path, args: &[&str]| {
            let mut git = Command::new("git");
            git.args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]);
            let out = git.current_dir(dir).args(args).output().unwrap();
            assert!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
            String::from_utf8(out.stdout).unwrap()
        };
        let main = tempfile::tempdir().unwrap();
        git(main.path(), &["init", "-q"]);
        git(main.path(), &["commit", "-q", "--allow-empty", "-m", "first"]);
        let tree = desk.path().join("tree");
        git(main.path(), &["worktree", "add", "-q", tree.to_str().unwrap()]);
        for dir in [main.path(), &tree] {
            fs::write(dir.join("new.txt"), "new").unwrap();
            fs::write(
                dir.join("commit.sh"),
                "git add new.txt && git -c user.name=a -c user.email=a@b commit -qm second && git status --short",
            )
            .unwrap();
            let came = came(
                desk.command(&["run", "!bash commit.sh", "--json", "--dir", dir.to_str().unwrap()]),
                "git",
            );
            assert_eq!((came.code, came.failed), (0, false), "{}", came.text);
            assert!(git(dir, &["log", "--oneline"]).contains("second"));
        }
    }
}

#[test]
fn cargo_builds_and_python_runs_without_the_network() {
    for desk in desks("") {
        let home = std::env::var("HOME").unwrap_or_default();
        let set = |name: &str, below: &str| std::env::var(name).unwrap_or_else(|_| format!("{home}/{below}"));
        let mut command =
            desk.command(&["run", "!cargo build -q && cargo test -q", "--json", "--timeout", "300"]);
        command
            .env("CARGO_HOME", set("CARGO_HOME", ".cargo"))
            .env("RUSTUP_HOME", set("RUSTUP_HOME", ".rustup"));
        let built = came(command, "cargo");
        assert_eq!((built.code, built.failed), (0, false), "{}", built.text);
        assert!(desk.path().join("target").is_dir());
        if python() {
            let work = "!python3 -c 'import tempfile,multiprocessing as m; m.Lock(); tempfile.mkstemp(); open(\"out\",\"w\").write(\"x\")'";
            let ran = typed(&desk, work);
            assert_eq!((ran.code, ran.failed), (0, false), "{}", ran.text);
        }
    }
}

/// A folder in memory lies among the devices, which are not the machine's own inside.
#[test]
fn a_command_runs_in_its_folder_also_where_that_lies_in_memory() {
    let memory = Path::new("/dev/shm");
    if !memory.is_dir() {
        return not_run("no folder in memory");
    }
    for mut desk in desks("") {
        desk.folder = tempfile::tempdir_in(memory).unwrap();
        fs::write(desk.path().join("a.txt"), "here\n").unwrap();
        let read = typed(&desk, "!cat a.txt");
        assert_eq!((read.code, read.text.contains("here")), (0, true), "{}", read.text);
        let wrote = script(&desk, "cat a.txt > b.txt; pwd; mkdir d && echo x > d/c");
        assert_eq!((wrote.code, desk.file("b.txt").as_str()), (0, "here\n"), "{}", wrote.text);
    }
}

#[test]
fn what_only_reads_runs_where_nothing_can_be_written() {
    for desk in desks("") {
        let bin = tempfile::tempdir().unwrap();
        let ls = bin.path().join("ls");
        fs::write(&ls, "#!/bin/sh\necho x > written; echo x > src/lib.rs; echo looked\n").unwrap();
        fs::set_permissions(&ls, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let before = desk.tree();
        let mut command = desk.command(&["run", "!ls", "--json"]);
        let path = format!("{}:{}", bin.path().display(), std::env::var("PATH").unwrap());
        command.env("PATH", path);
        let came = came(command, "ls");
        assert!(came.text.contains("looked"), "{}", came.text);
        assert_eq!(came.confine(), &json!({"inside": {"write": false, "network": false}}));
        assert_eq!(desk.tree(), before);
    }
}

#[test]
fn two_marks_run_it_outside_and_one_never_does() {
    for desk in desks("") {
        let outside = tempfile::tempdir().unwrap();
        let text = format!("echo x > {}/new", outside.path().display());
        assert!(script(&desk, &text).failed);
        let came = typed(&desk, "!!bash probe.sh");
        assert_eq!((came.code, came.confine()), (0, &json!("outside")), "{}", came.text);
        assert!(outside.path().join("new").exists());
    }
}

#[test]
fn a_fork_bomb_is_capped_and_ends() {
    for desk in desks("processes = 100") {
        let mark = format!("bomb-{}", desk.path().file_name().unwrap().to_str().unwrap());
        fs::write(desk.path().join(&mark), "b() { b | b & }; b; sleep 1; echo end").unwrap();
        let came = typed(&desk, &format!("!bash {mark}"));
        assert!(
            came.text.contains("Resource temporarily unavailable") || came.text.contains("more than 100"),
            "{}",
            came.text
        );
        all_end(&mark);
    }
}

/// Waits for the end of all that has this mark: what was killed is seen for as long as the kernel takes to end it.
fn all_end(mark: &str) {
    while let Some(process) = processes(mark).first() {
        ended(*process);
    }
}

/// No limit holds memory unless one is set: what goes first when it ends is the command.
#[test]
fn where_memory_ends_the_kernel_takes_the_command_first() {
    let own = "/proc/self/oom_score_adj";
    let Ok(before) = fs::read_to_string(own) else { return not_run("no choice of whom the kernel takes") };
    for desk in desks("") {
        for line in ["!", "!!"].map(|marks| format!("{marks}cat {own}")) {
            let came = typed(&desk, &line);
            assert!(came.text.contains("1000"), "{line}: {}", came.text);
        }
    }
    assert_eq!(fs::read_to_string(own).unwrap(), before, "the program's own place is as it was");
}

#[test]
fn a_flood_of_output_is_capped() {
    for desk in desks("") {
        let came = script(&desk, "yes 0123456789abcdef | head -c 100000000; echo end >&2");
        assert_eq!(came.code, 0, "{}", came.text);
        let ended = came.events.iter().find(|e| e["type"] == "call_ended").unwrap();
        assert!(ended["result"]["bytes"].as_u64().unwrap() < 80 * 1024, "{}", ended["result"]["bytes"]);
        let kept: u64 = walk(desk.home.path()).iter().map(|p| p.metadata().unwrap().len()).sum();
        assert!(kept < 20 * 1024 * 1024, "{kept} bytes were kept");
    }
}

fn walk(dir: &Path) -> Vec<std::path::PathBuf> {
    let all = fs::read_dir(dir).unwrap().map(|e| e.unwrap().path());
    all.flat_map(|p| if p.is_dir() { walk(&p) } else { vec![p] }).collect()
}

#[test]
fn a_file_has_a_largest_size() {
    for desk in desks("file_mb = 1") {
        let came = script(&desk, "head -c 3000000 /dev/zero > big; wc -c < big");
        assert!(came.text.contains("1048576"), "{}", came.text);
    }
}

#[test]
fn the_environment_is_clean_unless_the_user_adds_to_it() {
    for (desk, wanted) in desks("")
        .into_iter()
        .map(|d| (d, false))
        .chain(desks("env = [\"MINE\"]").into_iter().map(|d| (d, true)))
    {
        fs::write(desk.path().join("probe.sh"), "env; set; cat /proc/self/environ | tr '\\0' '\\n'").unwrap();
        let mut command = desk.command(&["run", "!bash probe.sh", "--json"]);
        for name in [
            "OPENAI_API_KEY",
            "GITHUB_TOKEN",
            "AWS_SECRET_ACCESS_KEY",
            "LD_PRELOAD_X",
            "BASH_ENV",
            "SSH_AUTH_SOCK",
        ] {
            command.env(name, "canary-77");
        }
        command.env("MINE", "given");
        let came = came(command, "env");
        let whole: Vec<u8> = walk(desk.home.path()).iter().flat_map(|p| fs::read(p).unwrap()).collect();
        assert!(!String::from_utf8_lossy(&whole).contains("canary-77"));
        assert_eq!(came.text.contains("MINE=given"), wanted, "{}", came.text);
        assert!(came.text.contains("TMPDIR=") && came.text.contains("GIT_PAGER=cat"));
    }
}

#[test]
fn a_command_dies_with_the_program_however_the_program_dies() {
    for desk in desks("") {
        let mark = format!("orphan-{}", desk.path().file_name().unwrap().to_str().unwrap());
        let text = format!(
            "sh -c 'echo >> ready; while :; do sleep 1; done' {mark} & \
             (setsid sh -c 'echo >> ready; trap \"\" TERM; while :; do sleep 1; done' {mark} &); wait"
        );
        fs::write(desk.path().join("probe.sh"), text).unwrap();
        let run = Running::start(desk.command(&["run", "!bash probe.sh", "--json"]));
        while fs::read_to_string(desk.path().join("ready")).unwrap_or_default().lines().count() < 2 {
            std::thread::yield_now();
        }
        assert!(processes(&mark).len() >= 2);
        run.signal(Signal::KILL);
        run.end();
        all_end(&mark);
    }
}

#[test]
fn without_a_sandbox_it_says_so_and_every_command_asks_in_every_mode() {
    let desk = Desk::new();
    desk.configure("[sandbox]\nbackend = \"off\"\n");
    assert_eq!(desk.sandbox(), None);
    for args in [&["run", "!ls", "--json"][..], &["run", "!make", "--json", "--auto-confirm"]] {
        let ended = desk.go(args).with(3);
        let all = ended.events();
        let said =
            all.iter().any(|e| e["type"] == "notice" && e["text"].as_str().unwrap().contains("no sandbox"));
        assert!(said, "{}", ended.out);
        assert_eq!(all.last().unwrap()["question"]["kind"]["kind"], "risk");
    }
    let server = Server::start(vec![
        Turn::Say("", vec![("run", json!({"command": "git status"}))]),
        Turn::Say("It was not allowed.", vec![]),
    ]);
    let ended = desk.ask(&server.base, &["run", "run the tests", "--auto-confirm", "--json"]).with(3);
    assert_eq!(refused(&ended)["kind"]["command"], "git status");
}

/// The question that was asked and refused, since nobody was there; nothing ran.
fn refused(ended: &Ended) -> serde_json::Value {
    let all = ended.events();
    let asked: Vec<_> = all.iter().filter(|e| e["type"] == "checkpoint_opened").collect();
    assert_eq!(asked.len(), 1, "{}", ended.out);
    let answer = all.iter().find(|e| e["type"] == "checkpoint_resolved").unwrap();
    assert!(answer["answer"]["reject"].is_string(), "{answer}");
    assert!(!ended.out.contains("command_started"), "{}", ended.out);
    asked[0]["checkpoint"].clone()
}

#[test]
fn a_model_that_asks_for_more_opens_a_question_even_in_auto() {
    for desk in desks("") {
        for (wish, says) in [("network", "with the network"), ("outside", "outside the sandbox")] {
            let mut args = json!({"command": "cargo fetch", "reason": "the crates are not here"});
            args[wish] = json!(true);
            let last = Turn::Say("It was not allowed.", vec![]);
            let server = Server::start(vec![Turn::Say("", vec![("run", args)]), last]);
            let ended = desk.ask(&server.base, &["run", "run the tests", "--auto-confirm", "--json"]).with(3);
            let question = refused(&ended);
            assert!(question["message"].as_str().unwrap().contains(says), "{question}");
            assert_eq!(question["kind"]["reason"], "the crates are not here");
        }
    }
}
