//! A user at the terminal who answers every question the same way, and remembers what each one showed.

use std::{collections::BTreeMap, time::Duration};

use pilothouse_core::blob::BlobId;
use serde_json::Value;

use super::support::{Desk, Terminal, proof::everything, server::Server};

const APPROVALS: &str = "\x18a";
/// Written so that the key after it is never read as one pressed with Alt.
const ESC: &str = "\x1b[27u";
const DIFF: &str = "\x18d";
const SHORT: Duration = Duration::from_secs(5);
/// Nothing here asks more often.
const MOST: usize = 14;

/// What was approved, as the screen showed it.
#[derive(Debug)]
pub struct Approved {
    /// The line of a command, or the path of a change.
    pub what: String,
    pub command: bool,
    pub outside: bool,
    pub network: bool,
}

pub struct User {
    terminal: Terminal,
    home: std::path::PathBuf,
    says_yes: bool,
    pub approved: Vec<Approved>,
    pub questions: usize,
    violations: Vec<String>,
}

impl User {
    pub fn open(desk: &Desk, server: &Server, says_yes: bool) -> Self {
        let model = [("PILOTHOUSE_BASE_URL", server.base.as_str()), ("PILOTHOUSE_MODEL", "loopback")];
        let terminal = Terminal::sized(desk, &["."], &model, 140, 50);
        terminal.see("[EXPLORE] idle");
        let home = desk.home.path().to_owned();
        Self { terminal, home, says_yes, approved: Vec::new(), questions: 0, violations: Vec::new() }
    }

    /// Everything that happened, as the log has it.
    fn log(&self) -> Vec<Value> {
        let files = everything(&self.home.join("state"));
        let log = files.iter().find(|(path, _)| path.ends_with("session.jsonl"));
        let text = log.map(|(_, bytes)| String::from_utf8_lossy(bytes).into_owned()).unwrap_or_default();
        let records = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        records.flat_map(|r| r["events"].as_array().cloned().unwrap_or_default()).collect()
    }

    /// The open questions, oldest first.
    fn open_questions(log: &[Value]) -> Vec<Value> {
        let mut open = BTreeMap::new();
        for event in log {
            if event["type"] == "checkpoint_opened" {
                open.insert(event["checkpoint"]["id"].as_u64().unwrap(), event["checkpoint"].clone());
            }
            if event["type"] == "checkpoint_resolved" {
                open.remove(&event["checkpoint"].as_u64().unwrap());
            }
        }
        open.into_values().collect()
    }

    /// Says the goal and answers until nothing more is asked.
    pub fn plays(&mut self, goal: &str) {
        self.terminal.wait(SHORT, |s| s.contains("[EXPLORE] idle"));
        if !Self::open_questions(&self.log()).is_empty() {
            self.answer_trust();
        }
        self.terminal.keys(goal);
        self.terminal.read();
        self.terminal.keys("\r");
        let mut answered = Vec::new();
        for _ in 0..MOST {
            let Some((question, log)) = self.next(&answered) else { return };
            answered.push(question["id"].clone());
            self.questions += 1;
            self.answer(&question, &log);
        }
    }

    /// The next question, once it is asked; `None` when nothing goes on any more.
    fn next(&self, answered: &[Value]) -> Option<(Value, Vec<Value>)> {
        for _ in 0..200 {
            let log = self.log();
            let next = Self::open_questions(&log).into_iter().find(|q| !answered.contains(&q["id"]));
            if let Some(question) = next {
                return Some((question, log));
            }
            let many = |kind: &str| log.iter().filter(|e| e["type"] == kind).count();
            if many("turn_started") > 0
                && many("lane_opened") > 0
                && many("lane_opened") == many("lane_closed")
            {
                return None;
            }
            self.terminal.wait(Duration::from_millis(100), |_| false);
        }
        None
    }

    /// The folder stays untrusted.
    fn answer_trust(&mut self) {
        self.terminal.keys(APPROVALS);
        self.terminal.wait(SHORT, |s| s.contains("Approvals ─"));
        self.chooses(true);
        self.terminal.decide("n");
        self.terminal.wait(SHORT, |s| !s.contains("▸ ⚑ trust"));
        self.terminal.keys(ESC);
        self.terminal.wait(SHORT, |s| !s.contains("Approvals ─"));
    }

    /// The list opens at what the bar names: goes to the question about the folder, which is the oldest, or on from it.
    fn chooses(&mut self, folder: bool) {
        for _ in 0..4 {
            if self.terminal.screen().contains("▸ ⚑ trust") == folder {
                return;
            }
            self.terminal.keys(if folder { "\x1b[A" } else { "\x1b[B" });
            self.terminal.wait(SHORT, |s| s.contains("▸ ⚑ trust") == folder);
        }
    }

    fn answer(&mut self, question: &Value, log: &[Value]) {
        let kind = &question["kind"];
        match kind["kind"].as_str().unwrap() {
            "risk" => self.answer_command(kind),
            "diff" => self.answer_change(kind, log),
            "access" => {
                let path = kind["request"]["path"]["path"].as_str().unwrap_or_default();
                self.shows(path);
            }
            "transition" => self.shows(&format!("to {}", kind["to"].as_str().unwrap())),
            "trust" => self.answer_trust(),
            "confirmation" => self.types(if self.says_yes { "y" } else { "q" }),
            "clarification" => self.types(if self.says_yes { "1" } else { "q" }),
            _ => self.types("q"),
        }
    }

    /// Answers what is chosen in the list; it must show this.
    fn shows(&mut self, wanted: &str) {
        let shown = self.in_the_list("");
        if !letters(&shown).to_lowercase().contains(&letters(wanted).to_lowercase()) {
            self.violations.push(format!("{wanted:?} was not shown:\n{shown}"));
        }
    }

    fn types(&mut self, word: &str) {
        self.terminal.decide("\x15");
        self.terminal.keys(word);
        self.terminal.read();
        self.terminal.keys("\r");
        self.terminal.wait(Duration::from_millis(200), |_| false);
    }

    /// Opens the list of what waits, and answers what is chosen there; what it showed.
    fn in_the_list(&mut self, word: &str) -> String {
        self.terminal.keys(APPROVALS);
        let shown = self.terminal.wait(SHORT, |s| s.contains("Approvals ─"));
        self.chooses(false);
        self.terminal.read();
        let shown = if shown.is_some() { self.terminal.screen() } else { String::new() };
        if shown.is_empty() {
            self.violations.push(format!("nothing to answer was shown:\n{}", self.terminal.screen()));
            return shown;
        }
        if self.says_yes {
            self.terminal.keys("y");
            if !word.is_empty() {
                self.terminal.wait(SHORT, |s| s.contains(&format!("Type {word}")));
                self.terminal.decide(word);
                self.terminal.keys("\r");
            }
        } else {
            self.terminal.keys("n");
            if self.terminal.wait(SHORT, |s| s.contains("tell the agent why")).is_some() {
                self.terminal.decide("\r");
            }
        }
        self.terminal.wait(Duration::from_secs(1), |s| !s.contains("Approvals ─"));
        if self.terminal.screen().contains("Approvals ─") {
            self.terminal.keys("q");
        }
        shown
    }

    fn answer_command(&mut self, kind: &Value) {
        let line = kind["command"].as_str().unwrap().to_owned();
        let word = match (kind["risk"].as_str(), kind["deletes"].as_bool()) {
            (Some("high"), _) => "proceed",
            (_, Some(true)) => "delete",
            _ => "",
        };
        let shown = self.in_the_list(word);
        let confine = kind["confine"].to_string();
        let (outside, network) = (confine.contains("outside"), !confine.contains("\"network\":false"));
        let all = letters(&shown);
        let true_action = all.contains(&letters(&line))
            && (!outside || shown.contains("outside the sandbox"))
            && (!network || outside || shown.contains("with the network"));
        if !true_action {
            self.violations.push(format!("{line:?} ({confine}) was not shown as it is:\n{shown}"));
        }
        if self.says_yes {
            self.approved.push(Approved { what: line, command: true, outside, network });
        }
    }

    /// Looks at each proposal in the diff and takes it, or leaves it.
    fn answer_change(&mut self, kind: &Value, log: &[Value]) {
        self.terminal.keys(DIFF);
        self.terminal.wait(SHORT, |s| s.contains("Proposed changes to"));
        for id in kind["proposals"].as_array().unwrap() {
            let of = |e: &&Value| e["type"] == "proposed" && e["proposal"]["id"] == *id;
            let path = log.iter().find(of).unwrap()["proposal"]["path"].as_str().unwrap().to_owned();
            let wanted = format!("Proposed changes to {path}");
            let Some(shown) = self.terminal.wait(SHORT, |s| s.contains(&wanted)) else {
                self.violations.push(format!("{path} was not shown:\n{}", self.terminal.screen()));
                continue;
            };
            self.terminal.decide(if self.says_yes { "a" } else { "s" });
            if self.says_yes {
                // Nothing was decided of it: the sheet of the whole file comes first.
                if self.terminal.wait(Duration::from_secs(1), |s| s.contains("a applies it")).is_some() {
                    self.terminal.decide("a");
                }
                // A removal and a control file have a word of their own.
                if self.terminal.wait(Duration::from_secs(1), |s| s.contains("Type ")).is_some() {
                    let screen = self.terminal.screen();
                    let word = screen.split("Type ").nth(1).and_then(|s| s.split_whitespace().next());
                    let word = word.unwrap_or_default().to_owned();
                    self.terminal.decide(&word);
                    self.terminal.keys("\r");
                }
                self.approved.push(Approved { what: path, command: false, outside: false, network: false });
            }
            drop(shown);
        }
        self.terminal.wait(Duration::from_millis(200), |_| false);
        self.terminal.keys(ESC);
    }

    /// Gives up what still runs and ends the program.
    pub fn leaves(&mut self) {
        self.terminal.kill();
    }

    /// What was done beside what was approved, by the log.
    pub fn compare(&self) -> Vec<String> {
        let log = self.log();
        let mut found = self.violations.clone();
        for event in &log {
            match event["type"].as_str().unwrap() {
                "call_started" if event["tool"] == "run" => found.extend(self.unapproved(event, &log)),
                "apply_started" => {
                    for file in event["files"].as_array().unwrap() {
                        let path = file["path"].as_str().unwrap();
                        if !self.approved.iter().any(|a| !a.command && a.what == path) {
                            found.push(format!("{path} was written unasked"));
                        }
                    }
                }
                _ => {}
            }
        }
        found
    }

    /// A command began: was exactly this one approved, or does it only read in the sandbox?
    fn unapproved(&self, started: &Value, log: &[Value]) -> Option<String> {
        let call = &started["call"];
        let proposed = log.iter().rfind(|e| e["type"] == "command_proposed" && e["call"] == *call).unwrap();
        let line = proposed["command"].as_str().unwrap();
        let reads = proposed["risk"] == "low" && started["confine"]["inside"]["write"] == false;
        if reads && started["approval"].is_null() {
            return None;
        }
        let asked = |e: &&Value| {
            e["type"] == "checkpoint_opened"
                && e["checkpoint"]["kind"]["call"] == *call
                && e["checkpoint"]["kind"]["shown"] == proposed["shown"]
        };
        let Some(question) = log.iter().find(asked) else { return Some(format!("{line:?} ran unasked")) };
        let answered = log.iter().any(|e| {
            e["type"] == "checkpoint_resolved"
                && e["checkpoint"] == question["checkpoint"]["id"]
                && e["approval"] == started["approval"]
        });
        // The hash covers the folder, the line, how it runs, why, and that it is without the project's variables, to the byte.
        let mut shown = format!("{}\0{line}\0", proposed["folder"].as_str().unwrap());
        shown.push_str(&confined(&proposed["confine"]));
        shown.push_str(&format!("\0{}", proposed["reason"].as_str().unwrap_or_default()));
        if question["checkpoint"]["kind"]["withheld"] == true {
            shown.push_str("\0withheld");
        }
        let exact = BlobId::of(shown.as_bytes()).to_string() == proposed["shown"];
        let seen = self.approved.iter().any(|a| a.command && a.what == line);
        (!answered || !exact || !seen || started["confine"] != proposed["confine"])
            .then(|| format!("{line:?} ran otherwise than it was shown: {started} {proposed}"))
    }
}

/// A text without what breaks its lines on the screen.
fn letters(text: &str) -> String {
    text.split(|c: char| c.is_whitespace() || c == '│').collect()
}

/// How it runs, in the words that the hash is made over.
fn confined(confine: &Value) -> String {
    let read: pilothouse_core::sandbox::Confine = serde_json::from_value(confine.clone()).unwrap_or_default();
    format!("{read:?}")
}
