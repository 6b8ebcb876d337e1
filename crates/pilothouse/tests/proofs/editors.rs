//! Editors that say whatever they like whenever they like: nothing is written but by the answer to its own question, said
//! after that was read. `PILOTHOUSE_PROOF=whole` plays 200 games; else a share of them.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

use serde_json::{Value, json};

use crate::support::{
    Desk,
    alone::{Dice, edit, plan},
    editor::{Editor, offered},
    proof::{Tally, each, share},
    server::{Server, Turn},
};

const GOAL: &str = "rename score to points_of in src/search.rs";

/// One game: what the client knows of it.
struct Game {
    dice: Dice,
    session: String,
    /// Ids of questions of before, each with an option of it.
    old: Vec<(Value, String)>,
    turn: u64,
}

impl Game {
    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[usize::try_from(self.dice.roll(of.len() as u64)).unwrap()]
    }

    /// Something that answers no question which is open.
    fn noise(&mut self, prompts: bool) -> Value {
        let selected = |option: &str| json!({"outcome": {"outcome": "selected", "optionId": option}});
        let answer = |id: Value, result: Value| json!({"jsonrpc": "2.0", "id": id, "result": result});
        let option = self.pick(&["y", "apply", "pick-1", "a", "yes", "n", "later", ""]);
        match self.dice.roll(if prompts { 7 } else { 6 }) {
            0 => answer(json!(self.dice.roll(60)), selected(option)),
            1 => answer(json!(self.dice.roll(1 << 53)), selected(option)),
            2 => match self.old.last() {
                Some((id, option)) => answer(id.clone(), selected(option)),
                None => answer(Value::Null, selected(option)),
            },
            3 => answer(json!(format!("question-{}", self.dice.roll(40))), selected(option)),
            4 => {
                let params =
                    json!({"sessionId": self.session, "modeId": self.pick(&["ask", "mad", "auto "])});
                json!({"jsonrpc": "2.0", "id": "mode", "method": "session/set_mode", "params": params})
            }
            5 => {
                let params = json!({"sessionId": self.session, "optionId": option, "outcome": "selected"});
                json!({"jsonrpc": "2.0", "method": "session/request_permission", "params": params})
            }
            _ => {
                let text = self.pick(&["yes", "y", "apply", "ok, do it", "src/search.rs"]);
                self.turn += 1;
                let params = json!({"sessionId": self.session, "prompt": [{"type": "text", "text": text}]});
                json!({"jsonrpc": "2.0", "id": format!("noise-{}", self.turn), "method": "session/prompt", "params": params})
            }
        }
    }

    /// Several of them in one piece; messages only in the middle of a turn, where none may count.
    fn says(&mut self, editor: &mut Editor, prompts: bool) {
        let lines: Vec<String> =
            (0..self.dice.roll(6)).map(|_| format!("{}\n", self.noise(prompts))).collect();
        editor.raw(&lines.concat());
    }
}

#[test]
fn nothing_is_written_but_by_the_answer_to_its_own_question_after_that_was_read() {
    let tally = Tally::default();
    each(share(200, 9), |n| {
        play(n, &tally);
        tally.checked();
    });
    tally.end();
    assert!(tally.noted("written") > 0 && tally.noted("kept") > 0, "only one way was played");
}

fn play(number: usize, tally: &Tally) {
    let script = || {
        vec![
            Turn::Say("", vec![("submit_plan", plan(&[("modify", "src/search.rs")]))]),
            Turn::Say("", vec![("edit", edit("src/search.rs", "fn score(", "fn points_of("))]),
            Turn::Say("Done.", vec![]),
        ]
    };
    let (desk, server) = (Desk::new(), Server::start(script()));
    desk.configure("[plan]\nconfirm = \"always\"\n");
    let tree = desk.tree();
    let (mut editor, session) = Editor::seated(&desk, &server.base);
    let dice = Dice(0x0acb_0000_0000_0001 + number as u64 * 0x9e37_79b9);
    let mut game = Game { dice, session: session.clone(), old: Vec::new(), turn: 0 };
    game.says(&mut editor, false);
    let prompt = editor.prompt(&session, GOAL);
    game.says(&mut editor, true);
    let mut allowed = Vec::new();
    loop {
        let message = editor.until(|m| m["id"] == prompt || m["method"] == "session/request_permission");
        if message["id"] == prompt {
            break;
        }
        game.says(&mut editor, true);
        if !allowed.contains(&true) && desk.tree() != tree {
            tally.violation(format!("game {number}: written before it was allowed: {:#?}", editor.seen));
        }
        let options = offered(&message);
        let luck = game.dice.roll(10);
        let random = options[usize::try_from(game.dice.roll(options.len() as u64)).unwrap()].clone();
        let yes = options.iter().find(|(_, kind)| kind == "allow_once").filter(|_| luck > 3);
        let (option, kind) = yes.cloned().unwrap_or(random);
        let change = message["params"]["toolCall"]["kind"] == "edit";
        match luck {
            0 => {
                let cancel =
                    json!({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": session}});
                editor.raw(&format!("{cancel}\n"));
                editor.answer(&message, &option);
            }
            1 => editor.answer(&message, "no such option"),
            _ => {
                editor.answer(&message, &option);
                allowed.push(change && kind == "allow_once");
            }
        }
        game.old.push((message["id"].clone(), option));
        game.says(&mut editor, true);
    }
    game.says(&mut editor, false);
    editor.leave();
    let (written, may) = (desk.tree() != tree, allowed.contains(&true));
    if written != may {
        tally.violation(format!("game {number}: written: {written}, allowed: {may}"));
    }
    tally.note(if written { "written" } else { "kept" }, 1);
    desk.verified();
}

/// What a model of a game does next: it thinks without end, answers, plans, edits, runs, asks for something odd.
fn mind(seed: u64) -> Server {
    let dice = std::sync::Mutex::new(Dice(seed));
    Server::answering(move |_| {
        Some(match dice.lock().unwrap().roll(8) {
            0 => Turn::Hang("I am looking into it, and then"),
            1 | 2 => Turn::Say("By score.", vec![]),
            3 | 4 => Turn::Say("", vec![("submit_plan", plan(&[("modify", "src/search.rs")]))]),
            5 => Turn::Say("", vec![("edit", edit("src/search.rs", "fn score(", "fn points_of("))]),
            6 => Turn::Say("", vec![("run", json!({"command": "sleep 600"}))]),
            _ => Turn::Say("Shall I rename score to points_of in src/search.rs?", vec![]),
        })
    })
}

/// A client that begins, stops, closes and loads as it likes.
struct Hasty {
    dice: Dice,
    editor: Editor,
    session: String,
    folder: Value,
    /// Requests that were made.
    made: Vec<String>,
    /// Messages that were read when questions were looked for last.
    read: usize,
}

impl Hasty {
    fn of_session(&self) -> Value {
        json!({"sessionId": self.session})
    }

    fn begins(&mut self, method: &str, more: &Value) {
        let mut params = self.of_session();
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.made.push(self.editor.begin(method, &params));
    }

    fn cancels(&mut self) {
        let cancel = json!({"jsonrpc": "2.0", "method": "session/cancel", "params": self.of_session()});
        self.editor.send(&cancel);
    }

    /// Answers some of the questions that came meanwhile.
    fn answers(&mut self) {
        let asks = |m: &&Value| m["method"] == "session/request_permission";
        let asked: Vec<Value> = self.editor.seen[self.read..].iter().filter(asks).cloned().collect();
        self.read = self.editor.seen.len();
        for question in asked {
            let options = offered(&question);
            match self.dice.roll(5) {
                0 => {}
                1 => self.editor.dismiss(&question),
                n => {
                    let at = if n == 2 { self.dice.roll(options.len() as u64) } else { 0 };
                    self.editor.answer(&question, &options[usize::try_from(at).unwrap()].0);
                }
            }
        }
    }

    fn acts(&mut self) {
        match self.dice.roll(12) {
            0..=3 => {
                let lines =
                    [GOAL, "how are notes found?", "run the tests", "/undo", "stop", "yes", "!sleep 600"];
                let text = lines[usize::try_from(self.dice.roll(lines.len() as u64)).unwrap()];
                self.begins("session/prompt", &json!({"prompt": [{"type": "text", "text": text}]}));
            }
            4 | 5 => self.cancels(),
            6 => (0..self.dice.roll(8)).for_each(|_| self.cancels()),
            7 => {
                let mode = ["ask", "read-only", "auto"][usize::try_from(self.dice.roll(3)).unwrap()];
                self.begins("session/set_mode", &json!({"modeId": mode}));
            }
            8 => self.begins("session/close", &json!({})),
            9 => {
                let method = if self.dice.roll(2) == 0 { "session/load" } else { "session/resume" };
                let server = json!({"name": "thing", "command": "sh", "args": ["-c", "exit"], "env": []});
                let servers = if self.dice.roll(2) == 0 { vec![server] } else { Vec::new() };
                let folder = json!({"cwd": self.folder, "mcpServers": servers});
                self.begins(method, &folder);
            }
            _ => drop(self.editor.call("all/read", &json!({}))),
        }
        self.answers();
    }
}

#[test]
fn every_request_is_answered_once_whatever_is_stopped_closed_and_loaded() {
    let tally = Tally::default();
    each(share(200, 9), |n| {
        let seed = 0x5afe_0000_0000_0001 + n as u64 * 0x9e37_79b9;
        let (desk, server) = (Desk::new(), mind(seed));
        desk.configure("[plan]\nconfirm = \"always\"\n");
        let (editor, session) = Editor::seated(&desk, &server.base);
        let (dice, folder) = (Dice(seed ^ 0xffff), json!(desk.path()));
        let mut game = Hasty { dice, editor, session, folder, made: Vec::new(), read: 0 };
        (0..30).for_each(|_| game.acts());
        // One stop ends whatever goes on: nobody answers any more.
        game.cancels();
        let is_made = |made: &[String], m: &Value| made.iter().any(|id| m["id"] == *id);
        let made = game.made.clone();
        let mut open: std::collections::BTreeSet<&String> = made.iter().collect();
        for message in &game.editor.seen {
            open.retain(|id| message["id"] != **id);
        }
        while !open.is_empty() {
            let message = game.editor.until(|m| is_made(&made, m));
            open.retain(|id| message["id"] != **id);
        }
        let seen = game.editor.leave();
        for id in &made {
            let answers = seen.iter().filter(|m| m["id"] == *id && m["method"].is_null());
            if answers.count() != 1 {
                tally.violation(format!("game {n}: {id} of {seen:#?}"));
            }
        }
        let cancelled = seen.iter().filter(|m| m["result"]["stopReason"] == "cancelled").count();
        tally.note("cancelled", cancelled);
        desk.verified();
        tally.checked();
    });
    tally.end();
    assert!(tally.noted("cancelled") > 0, "nothing was stopped");
}
