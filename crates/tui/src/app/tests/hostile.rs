//! Hostile texts in every place of the screen, as bytes on their way to the terminal, read by an
//! independent parser: only the renderer's own sequences are there, and no row leaves its width.
//!
//! `PILOTHOUSE_PROOF=whole` tries all 300 texts; else one in ten.

#[path = "../../../../core/src/clean/hostile.rs"]
mod texts;

use std::collections::BTreeSet;

use pilothouse_core::{
    blob::Blob,
    checkpoint::Answer,
    diff,
    relpath::RelPath,
    talk::{Fault, FaultKind},
    tool::{ChangeKind, ProposalDraft, ToolOutcome},
};
use ratatui::{Terminal, TerminalOptions, Viewport, backend::CrosstermBackend};
use vte::{Params, Parser, Perform};

use super::*;

/// What an independent parser saw: kinds of sequences, not their numbers.
#[derive(Default)]
struct Seen(BTreeSet<String>);

impl Perform for Seen {
    fn execute(&mut self, byte: u8) {
        self.0.insert(format!("C0 {byte:02x}"));
    }

    fn hook(&mut self, _: &Params, _: &[u8], _: bool, c: char) {
        self.0.insert(format!("DCS {c}"));
    }

    fn osc_dispatch(&mut self, params: &[&[u8]], _: bool) {
        let head = params.first().map(|p| String::from_utf8_lossy(p).into_owned());
        self.0.insert(format!("OSC {}", head.unwrap_or_default()));
    }

    fn csi_dispatch(&mut self, _: &Params, marks: &[u8], _: bool, c: char) {
        self.0.insert(format!("CSI {}{c}", String::from_utf8_lossy(marks)));
    }

    fn esc_dispatch(&mut self, marks: &[u8], _: bool, byte: u8) {
        self.0.insert(format!("ESC {}{}", String::from_utf8_lossy(marks), char::from(byte)));
    }
}

/// What the renderer itself sends for a frame: places, styles, clearing, the caret.
const OWN: [&str; 5] = ["CSI H", "CSI m", "CSI J", "CSI ?h", "CSI ?l"];

const PLACES: [&str; 10] = [
    "message",
    "answer",
    "tool output",
    "diff",
    "plan and status",
    "approval",
    "question",
    "error",
    "files",
    "header",
];

#[expect(clippy::too_many_lines, reason = "a table of places")]
fn with(place: &str, text: &str) -> Desk {
    let mut desk = Desk::new(100, 30);
    let json = serde_json::Value::from(text).to_string();
    match place {
        "message" => desk.give(Input::say(text)),
        "answer" => {
            desk.give(Input::say("what is this"));
            desk.reply(
                &format!("{text}\n\n```rust\n{text}\n```\n\n| a | {text} |\n|---|---|\n| b | c |\n"),
                &[],
            );
        }
        "tool output" => {
            desk.give(Input::say("what is this"));
            desk.reply(text, &[("read", &format!("{{\"path\":{json}}}"))]);
            if let Some(call) = desk.tools.pop() {
                desk.give(Input::ToolEnded { call, outcome: ToolOutcome::text(text, text) });
            }
            desk.press("<ctrl-o>");
        }
        "diff" => {
            desk = desk.with_plan();
            let id = desk.state().phase_question().unwrap().id;
            let shown = desk.state().open[&id].kind.shown();
            desk.give(Input::Answer { checkpoint: id, answer: Answer::Approve, shown });
            desk.reply("", &[("edit", r#"{"path":"src/a.rs","edits":[{"old":"a","new":"b"}]}"#)]);
            let call = desk.tools.remove(0);
            let [before, after] =
                ["old\nrest\n", &format!("{text}\nrest\n")].map(|t| Blob::new(t.as_bytes().to_vec()));
            let mut outcome = ToolOutcome::text("proposed", "proposed");
            let kept = [before.clone(), after.clone()];
            let hunks = diff::hunks(before.bytes(), after.bytes());
            let path = RelPath::new("src/a.rs").unwrap();
            let (before, after) = (Some(before), Some(after));
            outcome.proposals = vec![ProposalDraft {
                notes: Vec::new(),
                path,
                kind: ChangeKind::Modify,
                before,
                after,
                hunks,
            }];
            desk.give(Input::ToolEnded { call, outcome });
            desk.press("<ctrl-x>d");
            for blob in kept {
                let reply = Reply::Blob(blob.id(), Some(blob.bytes().to_vec()));
                desk.app.update(Update::Answered(0, reply), desk.now);
            }
        }
        "plan and status" => {
            desk.give(Input::say("add rate limiting to the login endpoint"));
            let plan = format!(
                r#"{{"title":{json},"note":{json},"tasks":[{{"title":{json}}}],"gates":[{{"name":{json},"command":{json}}}]}}"#
            );
            desk.reply("", &[("submit_plan", &plan)]);
            desk.press("<ctrl-t>");
        }
        "approval" => {
            desk.give(Input::say("run the tests"));
            desk.reply("", &[("run", &format!("{{\"command\":{json},\"folder\":{json}}}"))]);
            desk.press("<ctrl-x>a");
        }
        "question" => {
            desk.give(Input::say("what is this"));
            desk.reply("", &[("ask_user", &format!("{{\"question\":{json},\"choices\":[{json},{json}]}}"))]);
        }
        "error" => {
            desk.give(Input::say("what is this"));
            let call = desk.thinking.remove(0);
            let fault = Fault {
                kind: FaultKind::Refused,
                message: text.to_owned(),
                hint: text.to_owned(),
                status: None,
            };
            desk.give(Input::Replied { call, reply: Err(fault) });
            desk.app.update(Update::Refused(text.to_owned()), desk.now);
        }
        "files" => {
            desk.press("@");
            let files = RelPath::new(text).into_iter().collect();
            let number = desk.app.files_asked.unwrap_or_default();
            desk.app.update(Update::Answered(number, Reply::Files(files)), desk.now);
        }
        _ => {
            let around = Surroundings {
                folder: text.into(),
                branch: Some(text.into()),
                model: text.into(),
                ..Surroundings::default()
            };
            desk.app.update(Update::Surroundings(Box::new(around)), desk.now);
        }
    }
    desk
}

/// The bytes of one frame, as they go to the terminal.
fn bytes(desk: &mut Desk) -> Vec<u8> {
    let area = desk.size;
    desk.app.layout(area, desk.now);
    desk.app.foretell();
    let mut out = Vec::new();
    let options = TerminalOptions { viewport: Viewport::Fixed(area) };
    let mut terminal = Terminal::with_options(CrosstermBackend::new(&mut out), options).unwrap();
    terminal
        .draw(|frame| {
            let _ = desk.app.render(frame.buffer_mut(), desk.now);
        })
        .unwrap();
    drop(terminal);
    out
}

#[test]
fn no_sequence_of_a_hostile_text_reaches_the_terminal_from_any_place() {
    let whole = std::env::var("PILOTHOUSE_PROOF").is_ok_and(|p| p == "whole");
    let mut dice = texts::Dice(0x0dd_c0de);
    let (mut text, mut checked) = (Vec::new(), 0);
    for n in 0..300 {
        dice.hostile(&mut text);
        if !whole && n % 10 != 0 {
            continue;
        }
        let text = String::from_utf8_lossy(&text).into_owned();
        for place in PLACES {
            let mut desk = with(place, &text);
            let out = bytes(&mut desk);
            let mut seen = Seen::default();
            Parser::new().advance(&mut seen, &out);
            let foreign: Vec<&String> = seen.0.iter().filter(|s| !OWN.contains(&s.as_str())).collect();
            assert!(foreign.is_empty(), "{foreign:?} in {place} from {text:?}");
            assert!(!out.iter().any(|b| matches!(b, 0x07 | 0x08 | 0x0a | 0x0d | 0x7f)), "{place}: {text:?}");
            let mut screen = vt100::Parser::new(30.try_into().unwrap(), 100.try_into().unwrap(), 0);
            screen.process(&out);
            let bottom = screen.screen().contents_between(29, 0, 29, 100);
            assert!(
                bottom.trim_start().starts_with('['),
                "{place} moved the status line: {bottom:?} by {text:?}"
            );
            checked += 1;
        }
    }
    println!("checked={checked} violations=0");
}

#[test]
fn every_place_really_draws_its_text() {
    for place in PLACES {
        let mut desk = with(place, "marker-7");
        let text = desk.text();
        assert!(text.contains("marker-7"), "{place}:\n{text}");
    }
}
