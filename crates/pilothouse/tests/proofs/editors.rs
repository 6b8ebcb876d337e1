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
