//! A recorded mind: it does the steps of a task as a model would, sees nothing but the requests, and
//! reacts to what it is told: a refused call is made anew, a file out of sight is read again.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use serde_json::{Value, json};

use super::task::{Attempt, Step, Task};
use crate::support::server::{Server, Turn, sorts};

/// What a run cost.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cost {
    /// Requests to the model, those that sort a message included.
    pub requests: usize,
    /// Bytes of them all.
    pub bytes: usize,
    /// Tool calls.
    pub calls: usize,
    /// Tool calls that were refused or failed at once.
    pub refused: usize,
    /// Reads of a file that had been read before.
    pub read_again: usize,
    /// Bytes of requests that repeat the beginning of the one before.
    pub repeated: usize,
}

struct Mind {
    task: Task,
    /// The step to do next.
    at: usize,
    /// What was called last, and whether it was its second attempt.
    called: Option<(Called, bool)>,
    /// The exit code of the last command.
    exit: Option<i64>,
    /// How often each file was read.
    read: BTreeMap<String, usize>,
    /// Whether it asked for leave to do more.
    asked: bool,
    last: String,
    cost: Cost,
}

#[derive(Clone)]
enum Called {
    Step(String, Attempt),
    Other,
}

/// A mind behind a server, and what it has cost so far.
pub struct Desk {
    /// The server.
    pub server: Server,
    mind: Arc<Mutex<Mind>>,
}

impl Desk {
    /// Starts the mind of a task.
    pub fn of(task: &Task) -> Self {
        let mind = Mind {
            task: task.clone(),
            at: 0,
            called: None,
            exit: None,
            read: BTreeMap::new(),
            asked: false,
            last: String::new(),
            cost: Cost::default(),
        };
        let mind = Arc::new(Mutex::new(mind));
        let theirs = Arc::clone(&mind);
        Self { server: Server::answering(move |request| Some(theirs.lock().unwrap().answer(request))), mind }
    }

    /// What the run has cost so far.
    pub fn cost(&self) -> Cost {
        self.mind.lock().unwrap().cost
    }
}

impl Mind {
    fn answer(&mut self, request: &Value) -> Turn {
        self.count(request);
        if sorts(request) {
            let read = json!({"primary": "plan_new", "sub": "none", "path": "modify", "target": "none",
                "confidence": "certain", "reason": "wants work done"});
            return Turn::Say(leak(read.to_string()), vec![]);
        }
        if let Some((called, again)) = self.called.take()
            && let Some(turn) = self.after(request, called, again)
        {
            return turn;
        }
        self.next(request)
    }

    fn count(&mut self, request: &Value) {
        let text = request["messages"].to_string();
        self.cost.requests += 1;
        self.cost.bytes += request.to_string().len();
        self.cost.repeated += text.bytes().zip(self.last.bytes()).take_while(|(a, b)| a == b).count();
        self.last = text;
    }

    /// What it does because of how its last call ended, if that changes anything.
    fn after(&mut self, request: &Value, called: Called, again: bool) -> Option<Turn> {
        let told = results(request);
        let Called::Step(tool, attempt) = called else { return None };
        if tool == "run" {
            self.exit = exit_of(&told);
        }
        if !failed(&tool, &told) {
            return None;
        }
        self.cost.refused += 1;
        if again {
            return None;
        }
        let unread = ["read it again", "changed since", "read it first"].iter().any(|w| told.contains(w));
        let shown = told.contains("This is its content");
        if attempt.instead.is_none() && !unread && !shown {
            return None;
        }
        if unread {
            let path = attempt.arguments(false)["path"].as_str().unwrap_or_default().to_owned();
            // It reads, then does the same once more.
            self.at -= 1;
            return Some(self.read(&path));
        }
        Some(self.call(&tool, &attempt, true))
    }

    fn next(&mut self, request: &Value) -> Turn {
        let planning = planning(request);
        if planning && !self.plans_ahead() {
            let again = self
                .task
                .steps
                .iter()
                .find_map(|s| if let Step::Plan(a) = s { Some(a.clone()) } else { None });
            if let Some(attempt) = again {
                return self.call("submit_plan", &attempt, true);
            }
        }
        while let Some(step) = self.task.steps.get(self.at).cloned() {
            self.at += 1;
            match step {
                Step::Read(path) if in_sight(request, &self.task, &path) => {}
                Step::Read(path) => return self.read(&path),
                Step::Plan(attempt) if planning => return self.call("submit_plan", &attempt, false),
                Step::Prose(text) if planning => return Turn::Say(leak(text), vec![]),
                Step::Plan(_) | Step::Prose(_) => {}
                Step::Mend(_) if self.exit == Some(0) => {}
                Step::Call(attempt) | Step::Mend(attempt) => return self.work(request, &attempt),
                Step::Say(text) => {
                    self.exit = None;
                    return Turn::Say(leak(text), vec![]);
                }
            }
        }
        Turn::Say("There is nothing more to do.", vec![])
    }

    /// Whether a plan or its words are still to come.
    fn plans_ahead(&self) -> bool {
        let rest = self.task.steps.get(self.at..).unwrap_or_default();
        rest.iter().any(|s| matches!(s, Step::Plan(_) | Step::Prose(_)))
    }

    /// Makes a call, once it may be made and its file is in sight.
    fn work(&mut self, request: &Value, attempt: &Attempt) -> Turn {
        if !offered(request, &attempt.tool) {
            self.at -= 1;
            if self.asked || !offered(request, "request_path") {
                return Turn::Say("I may not do that here.", vec![]);
            }
            self.asked = true;
            let node = if attempt.tool == "run" { "execute" } else { "modify" };
            return self.tool(
                "request_path",
                json!({"node": node, "reason": "the order asks for it"}),
                Called::Other,
            );
        }
        let path = attempt.arguments(true)["path"].as_str().unwrap_or_default().to_owned();
        if attempt.tool == "edit"
            && self.task.files.contains_key(&path)
            && !in_sight(request, &self.task, &path)
        {
            self.at -= 1;
            return self.read(&path);
        }
        self.call(&attempt.tool.clone(), attempt, false)
    }

    fn call(&mut self, tool: &str, attempt: &Attempt, again: bool) -> Turn {
        let called = Called::Step(tool.to_owned(), attempt.clone());
        let turn = self.tool(tool, attempt.arguments(again), called);
        if again {
            self.called = self.called.take().map(|(c, _)| (c, true));
        }
        turn
    }

    fn read(&mut self, path: &str) -> Turn {
        let before = self.read.entry(path.to_owned()).or_default();
        self.cost.read_again += usize::from(*before > 0);
        *before += 1;
        self.tool("read", json!({"path": path}), Called::Other)
    }

    fn tool(&mut self, name: &str, args: Value, called: Called) -> Turn {
        self.cost.calls += 1;
        self.called = Some((called, false));
        Turn::Say("", vec![(leak(name.to_owned()), args)])
    }
}

/// The last message and the pinned one: where a request says what is to be done now.
fn instruction(request: &Value) -> String {
    let messages = request["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let text = |m: Option<&Value>| m.map(|m| m["content"].to_string()).unwrap_or_default();
    text(messages.first()) + &text(messages.last())
}

fn planning(request: &Value) -> bool {
    let told = instruction(request);
    offered(request, "submit_plan")
        && ["Now: make a plan", "Now: plan", "not called `submit_plan`"]
            .iter()
            .any(|words| told.contains(words))
}

fn offered(request: &Value, tool: &str) -> bool {
    request["tools"]
        .as_array()
        .is_some_and(|all| all.iter().any(|t| t.pointer("/function/name") == Some(&json!(tool))))
}

/// The results that came since the model last spoke.
fn results(request: &Value) -> String {
    let messages = request["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let newest = messages.iter().rposition(|m| m["role"] == "assistant").unwrap_or_default();
    let after = messages.get(newest..).unwrap_or_default();
    after.iter().filter(|m| m["role"] == "tool").filter_map(|m| m["content"].as_str()).collect()
}

fn failed(tool: &str, told: &str) -> bool {
    match tool {
        "edit" | "write" | "delete" => !["proposed", "applied"].iter().any(|word| told.starts_with(word)),
        "submit_plan" => ["field", "expected", "invalid", "refused"].iter().any(|word| told.contains(word)),
        "run" => exit_of(told).is_none(),
        _ => false,
    }
}

/// The exit code in a command's result.
fn exit_of(told: &str) -> Option<i64> {
    let rest = told.split_once("exit ")?.1;
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// Whether the text of a file of the task, as it was at first, stands in a result.
fn in_sight(request: &Value, task: &Task, path: &str) -> bool {
    let Some(text) = task.files.get(path) else { return false };
    let Some(mark) = text.lines().max_by_key(|l| l.len()) else { return true };
    let messages = request["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    messages
        .iter()
        .filter(|m| m["role"] == "tool" || m["role"] == "user")
        .any(|m| m["content"].as_str().is_some_and(|t| t.contains(mark)))
}

fn leak(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}
