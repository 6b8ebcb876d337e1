//! A script at the command line: goals without a screen, and what they leave.

use std::{
    io::{BufRead, BufReader, Read, Write},
    process::{Child, ChildStdout, Command, Stdio},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec},
    process::{Pid, PidfdFlags, pidfd_open},
};
use serde_json::{Value, json};

use super::{Desk, server::Server};

/// How a command ended.
pub struct Ended {
    pub exit: i32,
    pub out: String,
    pub err: String,
}

impl Ended {
    /// The events that it printed.
    pub fn events(&self) -> Vec<Value> {
        self.out.lines().map(|l| serde_json::from_str(l).unwrap()).collect()
    }

    /// Fails unless the exit code is `exit`.
    #[track_caller]
    pub fn with(self, exit: i32) -> Self {
        assert_eq!(self.exit, exit, "out:\n{}\nerr:\n{}", self.out, self.err);
        self
    }

    /// Fails unless every part stands on standard error.
    #[track_caller]
    pub fn tells(self, parts: &[&str]) -> Self {
        for part in parts {
            assert!(self.err.contains(part), "{part:?} is not in\n{}\nout:\n{}", self.err, self.out);
        }
        self
    }
}

impl Desk {
    /// Runs the program to its end.
    pub fn go(&self, args: &[&str]) -> Ended {
        let (exit, out, err) = self.run(args);
        Ended { exit, out, err }
    }

    /// Runs the program to its end with a model behind `base`.
    pub fn ask(&self, base: &str, args: &[&str]) -> Ended {
        finish(self.with_model(base, args))
    }

    /// The program with a model behind `base`.
    pub fn with_model(&self, base: &str, args: &[&str]) -> Command {
        let mut command = self.command(args);
        command.env("PILOTHOUSE_BASE_URL", base).env("PILOTHOUSE_MODEL", "loopback");
        command
    }

    /// Writes the user's configuration.
    pub fn configure(&self, text: &str) {
        let path = self.go(&["config", "path"]).with(0).out;
        let path = std::path::PathBuf::from(path.trim());
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Steps are done one by one, where a list of replies tells which comes when.
    pub fn one_by_one(self) -> Self {
        self.configure("[plan]\nmax_parallel = 1\n");
        self
    }

    /// What `sessions verify` says of every session; fails unless all are sound.
    #[track_caller]
    pub fn verified(&self) -> Vec<Value> {
        let found = self.go(&["sessions", "verify", "--all", "--json"]).with(0).events();
        assert!(found.iter().all(|s| s["sound"] == true), "{found:?}");
        found
    }

    /// The sandbox that commands have here; `None` when they have none.
    pub fn sandbox(&self) -> Option<String> {
        let all = self.go(&["doctor", "--json"]).events();
        let found = all.into_iter().find(|c| c["check"] == "sandbox").unwrap();
        (found["ok"] == true).then(|| found["found"].as_str().unwrap().split(',').next().unwrap().to_owned())
    }

    /// The sessions of this folder, newest first.
    pub fn sessions(&self) -> Vec<Value> {
        self.go(&["sessions", "list", "--json"]).with(0).events()
    }
}

pub fn finish(mut command: Command) -> Ended {
    let out = command.output().unwrap();
    let text = |b: &[u8]| String::from_utf8_lossy(b).into_owned();
    Ended { exit: out.status.code().unwrap_or(-1), out: text(&out.stdout), err: text(&out.stderr) }
}

/// A run that is under way, its standard output read line by line.
pub struct Running {
    pub child: Child,
    lines: BufReader<ChildStdout>,
}

impl Running {
    pub fn start(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap());
        Self { child, lines }
    }

    /// The next line, with its end; a last line without one, or nothing, when it ended.
    pub fn line(&mut self) -> Vec<u8> {
        let mut line = Vec::new();
        self.lines.read_until(b'\n', &mut line).unwrap();
        line
    }

    pub fn pid(&self) -> rustix::process::Pid {
        rustix::process::Pid::from_child(&self.child)
    }

    pub fn signal(&self, signal: rustix::process::Signal) {
        rustix::process::kill_process(self.pid(), signal).unwrap();
    }

    /// Waits for its end and takes in what it still says.
    pub fn end(mut self) -> Ended {
        let mut err = self.child.stderr.take().unwrap();
        let errors = std::thread::spawn(move || {
            let mut text = Vec::new();
            err.read_to_end(&mut text).unwrap();
            String::from_utf8_lossy(&text).into_owned()
        });
        let mut out = Vec::new();
        self.lines.read_to_end(&mut out).unwrap();
        let status = self.child.wait().unwrap();
        let out = String::from_utf8_lossy(&out).into_owned();
        Ended { exit: status.code().unwrap_or(-1), out, err: errors.join().unwrap() }
    }
}

/// Arguments of an edit with one replacement.
pub fn edit(path: &str, old: &str, new: &str) -> Value {
    json!({"path": path, "edits": [{"old": old, "new": new}]})
}

/// Arguments of a plan with one task a file.
pub fn plan(tasks: &[(&str, &str)]) -> Value {
    let tasks: Vec<Value> = tasks
        .iter()
        .map(|(kind, file)| json!({"title": format!("{kind} {file}"), "detail": "as asked", "kind": kind, "files": [file]}))
        .collect();
    json!({"title": "The change", "tasks": tasks})
}

/// The tool results of a request, in order.
pub fn tool_results(request: &Value) -> Vec<String> {
    let messages = request["messages"].as_array().unwrap();
    let text = |m: &Value| m["content"].as_str().map_or_else(|| m["content"].to_string(), str::to_owned);
    messages.iter().filter(|m| m["role"] == "tool").map(text).collect()
}

/// The last tool result of the request with this number, from 0.
pub fn last_result(server: &Server, number: usize) -> String {
    let requests = server.requests();
    tool_results(&requests[number]).pop().unwrap_or_else(|| panic!("no result in {}", requests[number]))
}

/// Living processes with this text in their command line.
pub fn processes(mark: &str) -> Vec<u32> {
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    let pids = all.filter_map(|e| e.file_name().to_str()?.parse::<u32>().ok());
    let line = |pid: &u32| std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    pids.filter(|pid| String::from_utf8_lossy(&line(pid)).contains(mark)).collect()
}

/// Comes back when a process has ended, whether or not its parent has asked for its end.
#[track_caller]
pub fn ended(pid: u32) {
    let patience = Timespec { tv_sec: 30, tv_nsec: 0 };
    let Ok(process) = pidfd_open(Pid::from_raw(pid.cast_signed()).unwrap(), PidfdFlags::empty()) else {
        return;
    };
    let over = rustix::event::poll(&mut [PollFd::new(&process, PollFlags::IN)], Some(&patience)).unwrap();
    assert_eq!(over, 1, "process {pid} lives");
}

/// Says plainly that something was not tried here.
pub fn not_run(why: &str) {
    tell(&format!("NOT RUN: {why}"));
}

/// Says something past the test harness, which swallows what tests that pass print.
pub fn tell(line: &str) {
    std::io::stderr().write_all(format!("\n{line}\n").as_bytes()).unwrap();
}

/// xorshift64*: the same numbers on every machine.
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) % below
    }
}
