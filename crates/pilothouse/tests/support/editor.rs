//! An editor that speaks the Agent Client Protocol with the real program, over its pipes.

use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, sync_channel},
    time::Duration,
};

use serde_json::{Value, json};

use super::Desk;

/// How long something may take to come on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// An editor at its end of the pipes.
pub struct Editor {
    pub child: Child,
    pub input: Option<ChildStdin>,
    output: Receiver<String>,
    asked: u64,
    /// Every message that came, in order.
    pub seen: Vec<Value>,
}

impl Editor {
    pub fn start(desk: &Desk, base: &str) -> Self {
        Self::of(desk.with_model(base, &["acp"]))
    }

    /// The editor of a program that is started so.
    pub fn of(mut command: Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let (input, lines) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()).lines());
        let (said, output) = sync_channel(1024);
        std::thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| said.send(line)));
        Self { child, input, output, asked: 0, seen: Vec::new() }
    }

    /// One that has greeted and has a session in the desk's folder.
    pub fn seated(desk: &Desk, base: &str) -> (Self, String) {
        let mut editor = Self::start(desk, base);
        editor.call("initialize", &json!({"protocolVersion": 1}));
        let session = editor.sits(desk.path());
        (editor, session)
    }

    pub fn sits(&mut self, folder: &Path) -> String {
        let made = self.call("session/new", &json!({"cwd": folder, "mcpServers": []}));
        made["result"]["sessionId"].as_str().unwrap().to_owned()
    }

    pub fn raw(&mut self, text: &str) {
        self.input.as_mut().unwrap().write_all(text.as_bytes()).unwrap();
    }

    pub fn send(&mut self, message: &Value) {
        self.raw(&format!("{message}\n"));
    }

    pub fn read(&mut self) -> Value {
        let line = self.output.recv_timeout(PATIENCE);
        let line = line.unwrap_or_else(|e| panic!("{e}; so far came {:#?}", self.seen));
        let message: Value = serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e}: {line:?}"));
        assert_eq!(message["jsonrpc"], "2.0", "{message}");
        self.seen.push(message.clone());
        message
    }

    /// Reads up to the first message that is so.
    pub fn until(&mut self, is: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.read();
            if is(&message) {
                return message;
            }
        }
    }

    pub fn begin(&mut self, method: &str, params: &Value) -> String {
        self.asked += 1;
        let id = format!("e{}", self.asked);
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    pub fn call(&mut self, method: &str, params: &Value) -> Value {
        let id = self.begin(method, params);
        self.until(|m| m["id"] == id)
    }

    pub fn prompt(&mut self, session: &str, text: &str) -> String {
        let prompt = json!([{"type": "text", "text": text}]);
        self.begin("session/prompt", &json!({"sessionId": session, "prompt": prompt}))
    }

    /// The next question.
    pub fn question(&mut self) -> Value {
        self.until(|m| m["method"] == "session/request_permission")
    }

    pub fn answer(&mut self, question: &Value, option: &str) {
        let outcome = json!({"outcome": "selected", "optionId": option});
        self.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": {"outcome": outcome}}));
    }

    /// Gives no answer to a question.
    pub fn dismiss(&mut self, question: &Value) {
        let cancelled = json!({"outcome": {"outcome": "cancelled"}});
        self.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": cancelled}));
    }

    /// Says a message and answers every question by its first option of this kind, else by its first one; whether to
    /// trust the folder stays open. Gives the questions that had one of this kind.
    pub fn clicks(&mut self, session: &str, text: &str, kind: &str) -> Vec<Value> {
        let id = self.prompt(session, text);
        let mut answered = Vec::new();
        loop {
            let message = self.until(|m| m["id"] == id || m["method"] == "session/request_permission");
            if message["id"] == id {
                return answered;
            }
            let options = offered(&message);
            let of_kind = options.iter().find(|(_, k)| k == kind);
            if message.to_string().contains("Trust this folder?") {
                self.dismiss(&message);
            } else if let Some((option, _)) = of_kind {
                self.answer(&message, option);
                answered.push(message);
            } else {
                self.answer(&message, &options[0].0);
            }
        }
    }

    /// The reason for which a turn stops.
    pub fn stops(&mut self, prompt: &str) -> String {
        reason(&self.until(|m| m["id"] == prompt))
    }

    /// Says a message and answers every question with one of these options; gives the reason for which the turn stops.
    pub fn work(&mut self, session: &str, text: &str, options: &[&str]) -> String {
        let id = self.prompt(session, text);
        self.through(&id, options)
    }

    /// Answers every question of a turn with one of these options; gives the reason for which it stops.
    pub fn through(&mut self, id: &str, options: &[&str]) -> String {
        loop {
            let message = self.until(|m| m["id"] == id || m["method"] == "session/request_permission");
            if message["id"] == id {
                return reason(&message);
            }
            let offered = offered(&message);
            let option = options.iter().find(|o| offered.iter().any(|(id, _)| id == *o));
            self.answer(&message, option.unwrap_or_else(|| panic!("{message}")));
        }
    }

    /// Says messages that mean nothing until this holds.
    pub fn wait(&mut self, what: &str, holds: impl Fn() -> bool) {
        let many = (0..20_000).find(|_| {
            self.call("nothing", &json!({}));
            holds()
        });
        assert!(many.is_some(), "never saw {what}");
    }

    /// The updates of a kind that came so far.
    pub fn updates(&self, kind: &str) -> Vec<&Value> {
        let updates = self.seen.iter().map(|m| &m["params"]["update"]);
        updates.filter(|u| u["sessionUpdate"] == kind).collect()
    }

    pub fn texts(&self, kind: &str) -> String {
        self.updates(kind).iter().filter_map(|u| u["content"]["text"].as_str()).collect()
    }

    /// Ends the input; the program ends by itself.
    pub fn leave(mut self) -> Vec<Value> {
        drop(self.input.take());
        self.seen.extend(self.output.iter().map(|line| serde_json::from_str::<Value>(&line).unwrap()));
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
        std::mem::take(&mut self.seen)
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// The reason for which a turn stopped.
pub fn reason(answer: &Value) -> String {
    answer["result"]["stopReason"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

/// The options of a question: id and kind.
pub fn offered(question: &Value) -> Vec<(String, String)> {
    let text = |v: &Value| v.as_str().unwrap().to_owned();
    let options = question["params"]["options"].as_array().unwrap();
    options.iter().map(|o| (text(&o["optionId"]), text(&o["kind"]))).collect()
}
