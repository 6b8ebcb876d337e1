//! Open files that whoever starts the program leaves to it: none reaches what it starts.

use std::{fs, os::unix::fs::PermissionsExt, path::Path, process::Command};

use serde_json::json;

use super::{
    desks, python,
    support::{
        Desk, Terminal,
        alone::{Ended, finish, tell},
        server::{Server, Turn},
    },
};

/// Opens one of each kind in the folder that it is given, high numbers among them, and becomes the program.
const STARTER: &str = r#"
import os, socket, sys, select
o = sys.argv[1]
p = lambda name: os.path.join(o, name)
keep = []
def left(fd, at=None):
    fd = fd if isinstance(fd, int) else (keep.append(fd), fd.fileno())[1]
    if at is not None: fd = os.dup2(fd, at)
    os.set_inheritable(fd, True)
F, C = os.open, os.O_CREAT
left(F(p("write"), os.O_WRONLY | C)); left(F(p("append"), os.O_WRONLY | os.O_APPEND | C))
left(F(p("both"), os.O_RDWR | C)); left(F(p("secret"), os.O_RDONLY)); left(F(o, os.O_RDONLY | os.O_DIRECTORY))
left(F(o, os.O_PATH)); left(F(p("secret"), os.O_PATH)); os.makedirs(p("sub"), exist_ok=True); left(F(p("sub"), os.O_RDONLY))
left(F("/dev/null", os.O_RDWR)); left(F("/proc/self/environ", os.O_RDONLY)); left(F("/proc/self", os.O_PATH))
r, w = os.pipe(); left(r); left(w)
a, b = socket.socketpair(); left(a); left(b)
a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM); left(a); left(b)
t = socket.socket(); t.bind(("127.0.0.1", 0)); t.listen(); left(t)
c = socket.create_connection(t.getsockname()); left(c)
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); u.bind(("127.0.0.1", 0)); left(u)
left(os.memfd_create("m")); left(os.eventfd(0)); left(select.epoll()); left(os.pidfd_open(os.getpid()))
left(F(p("gone"), os.O_RDWR | C)); os.unlink(p("gone"))
for at in (64, 99, 255, 256, 777, 1000): left(F(p("append"), os.O_WRONLY | os.O_APPEND), at)
for at in (3, 7): left(F(p("append"), os.O_WRONLY | os.O_APPEND), at)
os.execv(sys.argv[2], sys.argv[2:])
"#;

/// Writes to and changes whatever is open, then tells in a file what it found.
const PROBE: &str = r#"#!/usr/bin/env python3
import os, sys
found = []
mine = os.open("/proc/self/fd", os.O_RDONLY)
for n in sorted(map(int, os.listdir(mine))):
    # What listing them opened is closed again.
    try: to = os.readlink("/proc/self/fd/%d" % n)
    except OSError: continue
    if n < 3 or n == mine: continue
    found.append("%d %s" % (n, to))
    for act in (lambda: os.write(n, b"leak"), lambda: os.fchmod(n, 0o777),
                lambda: os.close(os.open("made", os.O_CREAT | os.O_WRONLY, dir_fd=n))):
        try: act()
        except OSError: pass
with open(sys.argv[1], "a") as out:
    out.write("looked\n" + "".join(f + "\n" for f in found))
"#;

/// A desk with a probe, and a folder outside with what is left open.
struct Left {
    desk: Desk,
    outside: tempfile::TempDir,
}

impl Left {
    fn on(desk: Desk) -> Self {
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("secret"), "canary-91").unwrap();
        fs::set_permissions(outside.path().join("secret"), PermissionsExt::from_mode(0o600)).unwrap();
        for (path, text) in
            [(outside.path().join("starter.py"), STARTER), (desk.path().join("probe.py"), PROBE)]
        {
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
        }
        Self { desk, outside }
    }

    fn starter(&self) -> Vec<String> {
        let path = |p: &Path| p.display().to_string();
        vec!["python3".into(), path(&self.outside.path().join("starter.py")), path(self.outside.path())]
    }

    /// The command, as somebody starts it who leaves everything open.
    fn start(&self, command: &Command) -> Ended {
        let mut words = self.starter().into_iter();
        let mut all = Command::new(words.next().unwrap());
        all.args(words).arg(command.get_program()).args(command.get_args());
        all.env_clear().envs(command.get_envs().filter_map(|(k, v)| Some((k, v?))));
        all.current_dir(command.get_current_dir().unwrap()).stdin(std::process::Stdio::null());
        finish(all)
    }

    /// What the probe wrote to `report`: it looked so often, and found nothing; and nothing was changed.
    #[track_caller]
    fn nothing(&self, way: &str, report: &Path) -> usize {
        let told = fs::read_to_string(report).unwrap_or_default();
        let looked = told.lines().filter(|l| *l == "looked").count();
        assert!(looked > 0, "{way}: the probe did not run");
        let found: Vec<&str> = told.lines().filter(|l| *l != "looked").collect();
        tell(&format!("{way}: looked={looked} descriptors={}", found.len()));
        assert!(found.is_empty(), "{way}: {found:#?}");
        for name in ["write", "append", "both"] {
            assert_eq!(fs::read_to_string(self.outside.path().join(name)).unwrap(), "", "{way}: {name}");
        }
        let secret = self.outside.path().join("secret");
        assert_eq!(fs::metadata(secret).unwrap().permissions().mode() & 0o777, 0o600, "{way}");
        assert!(
            !self.outside.path().join("made").exists() && !self.outside.path().join("sub/made").exists(),
            "{way}"
        );
        looked
    }
}

#[test]
fn what_the_starter_left_open_is_many_and_reaches_a_program_that_is_started_plainly() {
    if !python() {
        return;
    }
    let left = Left::on(Desk::new());
    let mut probe = Command::new(left.desk.path().join("probe.py"));
    let report = left.outside.path().join("report");
    probe.arg(&report).current_dir(left.desk.path()).env("PATH", std::env::var("PATH").unwrap());
    left.start(&probe);
    let told = fs::read_to_string(report).unwrap();
    tell(&format!("{} descriptors reach a program started plainly", told.lines().count() - 1));
    assert!(told.lines().count() > 25, "{told}");
}

#[test]
fn no_open_file_of_the_starter_reaches_a_command_in_or_out_of_the_sandbox() {
    if !python() {
        return;
    }
    for desk in desks("") {
        let left = Left::on(desk);
        for (way, line) in [
            ("!", "!./probe.py in"),
            ("!!", "!!./probe.py out"),
            ("! in a shell", "!sh -c 'exec ./probe.py sh'"),
        ] {
            left.start(&left.desk.command(&["run", line, "--json"]));
            let report = line.rsplit(' ').next().unwrap().trim_end_matches('\'');
            left.nothing(way, &left.desk.path().join(report));
        }
        // The file of the finding: a number above 2 that a shell left open for appending.
        let file = left.outside.path().join("append");
        let script = format!("exec 7>>{0} 8<>{0} 9<{0}; exec \"$@\"", file.display());
        fs::write(
            left.desk.path().join("leak.sh"),
            "for n in 7 8 9; do echo x >&$n; echo x > /dev/fd/$n; done; echo ran",
        )
        .unwrap();
        let plain = left.desk.command(&["run", "!bash leak.sh", "--json"]);
        let mut shell = Command::new("bash");
        shell.args(["-c", &script, "bash"]).arg(plain.get_program()).args(plain.get_args());
        shell
            .env_clear()
            .envs(plain.get_envs().filter_map(|(k, v)| Some((k, v?))))
            .current_dir(left.desk.path());
        let ended = finish(shell);
        assert!(ended.out.contains("ran"), "{}", ended.out);
        assert_eq!(fs::read_to_string(&file).unwrap(), "");
    }
}

#[test]
fn no_open_file_of_the_starter_reaches_what_the_agent_runs_a_gate_or_a_hook() {
    if !python() {
        return;
    }
    let left = Left::on(Desk::new());
    let hook = left.outside.path().join("hook");
    fs::write(
        left.desk.home.path().join("hooks.toml"),
        format!(
            "[hooks.on_intent_classified]\nrun = \"./probe.py {0}\"\n[hooks.on_run_end]\nrun = \"./probe.py {0}\"\nbackground = true\n",
            hook.display()
        ),
    )
    .unwrap();
    if left.desk.sandbox().is_some() {
        let call = ("run", json!({"command": "./probe.py goal"}));
        let server = Server::start(vec![Turn::Say("", vec![call]), Turn::Say("done", vec![])]);
        left.start(
            &left
                .desk
                .with_model(&server.base, &["run", "run the tests", "--auto-confirm", "--trust", "--json"]),
        );
        left.nothing("a goal's command", &left.desk.path().join("goal"));
        let plan = json!({"title": "Look", "tasks": [{"title": "Look", "kind": "modify"}],
            "gates": [{"name": "look", "command": "./probe.py gate"}]});
        let server = Server::start(vec![
            Turn::Say("", vec![("submit_plan", plan)]),
            Turn::Say("", vec![("run", json!({"command": "./probe.py task"}))]),
            Turn::Say("done", vec![]),
        ]);
        left.start(
            &left
                .desk
                .with_model(&server.base, &["run", "fix the notes", "--auto-confirm", "--trust", "--json"]),
        );
        left.nothing("a task's command", &left.desk.path().join("task"));
        left.nothing("a gate", &left.desk.path().join("gate"));
    }
    assert!(left.nothing("hooks", &hook) >= 2);
}

#[test]
fn no_open_file_of_the_starter_reaches_git_or_the_editor() {
    if !python() {
        return;
    }
    let left = Left::on(Desk::new());
    let (bin, git, editor) =
        (tempfile::tempdir().unwrap(), left.outside.path().join("git"), left.outside.path().join("editor"));
    let probe = left.desk.path().join("probe.py");
    let shim = format!("#!/bin/sh\n{} {}\nexit 1\n", probe.display(), git.display());
    fs::write(bin.path().join("git"), shim).unwrap();
    fs::set_permissions(bin.path().join("git"), PermissionsExt::from_mode(0o755)).unwrap();
    let edit = format!("{} {}", probe.display(), editor.display());
    let path = format!("{}:{}", bin.path().display(), std::env::var("PATH").unwrap());
    let extra = [("EDITOR", edit.as_str()), ("PATH", path.as_str())];
    // The pseudo-terminal closes what the test itself leaves open; what the starter opens stays.
    let mut terminal = Terminal::under(&left.starter(), &left.desk, &[], &extra, (120, 40));
    terminal.see("[EXPLORE] idle");
    terminal.keys("\x07");
    // Either may take its time on a busy machine.
    let told = |report: &Path| fs::read_to_string(report).is_ok_and(|t| t.contains("looked"));
    terminal.until("the editor and git", |_| told(&editor) && told(&git));
    terminal.kill();
    left.nothing("the editor", &editor);
    left.nothing("git", &git);
}
