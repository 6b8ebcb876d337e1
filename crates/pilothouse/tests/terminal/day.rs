//! A day by keyboard: twelve tasks one after the other, steered while they run, every key counted.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::print_stdout)]

use crate::support;
use serde_json::json;
use support::{
    Desk, Terminal,
    server::{Server, Turn, sorts},
};

const QUESTION: &str = "what does it greet?";

/// A model that plans the file which a message names, writes it, and answers what only asks.
fn mind() -> Server {
    Server::answering(|request| {
        if sorts(request) {
            return Some(Turn::Say("I cannot tell.", vec![]));
        }
        let messages = request["messages"].as_array().unwrap();
        // The last one is where the session stands.
        let [told @ .., _] = messages.as_slice() else { return None };
        let said = told.iter().filter_map(|m| m["content"].as_str()).collect::<Vec<_>>().join("\n");
        let last =
            |what: &str| said.rfind(what).map(|at| (at, said.get(at + what.len()..).unwrap_or_default()));
        let word = |text: &str| text.split(['<', '\n', '"', ' ']).next().unwrap_or_default().to_owned();
        let called = told.last().is_some_and(|m| m["role"] == "tool");
        let (order, task, question) = (last("create "), last("<files>"), last(QUESTION));
        if question.map(|q| q.0) > order.map(|o| o.0).max(task.map(|t| t.0)) {
            return Some(Turn::Say("It greets the world.", vec![]));
        }
        Some(match (order, task) {
            (Some((at, file)), task) if task.is_none_or(|t| t.0 < at) => {
                let file = word(file);
                let step = json!({"title": format!("Write {file}"), "kind": "create", "files": [file]});
                let plan = json!({"title": format!("Make {file}"), "tasks": [step]});
                Turn::Say("", vec![("submit_plan", plan)])
            }
            (_, Some((_, file))) if !called => {
                let file = word(file);
                Turn::Say("", vec![("write", json!({"path": file, "content": format!("{file}\n")}))])
            }
            _ => Turn::Say("Done.", vec![]),
        })
    })
}

/// The user, and how often they pressed a key: letters of what they wrote, and keys that decide or go somewhere.
struct User {
    terminal: Terminal,
    letters: usize,
    keys: usize,
}

impl User {
    fn says(&mut self, line: &str) {
        self.letters += line.chars().count();
        self.keys += 1;
        self.terminal.say(line);
    }

    fn presses(&mut self, key: &str) {
        self.keys += 1;
        self.terminal.decide(key);
    }

    /// Opens what waits and writes it: three keys.
    fn takes(&mut self, file: &str) {
        self.terminal.see("1 file waits for your decision");
        self.presses("\r");
        self.terminal.see(&format!("+ {file}"));
        self.presses("y");
        self.presses("a");
        // What was queued behind it may ask at once: of this file nothing waits.
        let (wrote, shown) = (format!("wrote {file}"), format!("+ {file}"));
        self.terminal.until(file, |s| s.contains(&wrote) && !s.contains(&shown));
    }
}

#[test]
fn twelve_tasks_with_steering_take_three_keys_each_and_none_goes_astray() {
    let desk = Desk::new();
    let before = desk.tree();
    let server = mind();
    let model = [("PILOTHOUSE_BASE_URL", server.base.as_str()), ("PILOTHOUSE_MODEL", "desk")];
    let terminal = Terminal::sized(&desk, &[], &model, 120, 40);
    terminal.see("[EXPLORE] idle");
    let mut user = User { terminal, letters: 0, keys: 0 };
    let file = |n: usize| format!("day-{n}.txt");
    for n in 1..=12 {
        match n {
            // It was queued beside the one before.
            5 => {}
            // A question about it first; its words never answer what waits.
            3 => {
                user.says(&format!("create {}", file(n)));
                user.terminal.see("1 file waits for your decision");
                user.says(QUESTION);
                user.terminal.see("It greets the world.");
            }
            4 => {
                user.says(&format!("create {}", file(n)));
                user.terminal.see("1 file waits for your decision");
                user.says(&format!("create {}", file(5)));
                user.terminal.see("[queued: 1]");
            }
            // Stopped, and taken up again.
            7 => {
                user.says(&format!("create {}", file(n)));
                user.terminal.see("1 file waits for your decision");
                user.says("/abort");
                user.terminal.see("set aside");
                user.says("/proposals all");
            }
            // A draft that is being written when the review appears is not touched by it.
            9 => {
                user.says(&format!("create {}", file(n)));
                user.letters += 4;
                user.terminal.keys("yaAy");
                user.terminal.see("1 file waits for your decision");
                user.terminal.see("› yaAy");
                user.presses("\x15");
            }
            _ => user.says(&format!("create {}", file(n))),
        }
        user.takes(&file(n));
    }
    user.says("/exit");
    assert_eq!(user.terminal.end(), 0);
    let mut after = desk.tree();
    for n in 1..=12 {
        let path = after.keys().find(|p| p.ends_with(file(n))).cloned().unwrap();
        assert_eq!(after.remove(&path).unwrap(), format!("{}\n", file(n)).into_bytes());
    }
    assert!(after == before, "nothing else was touched");
    println!("tasks=12 keys={} letters={}", user.keys, user.letters);
    assert!(user.keys <= 12 * 4 + 6, "{} keys", user.keys);
}
