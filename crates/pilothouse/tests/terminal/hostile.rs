//! Hostile texts from everywhere on a real terminal: an independent parser of everything that the
//! program wrote sees the renderer's own sequences only.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use crate::support;
use std::collections::BTreeMap;

use serde_json::json;
use support::{
    Desk, Terminal,
    server::{Server, Turn},
};
use vte::{Params, Parser, Perform};

/// Titles, the clipboard, a bell, cursor moves, links, device strings, eight-bit forms, bidi, tags.
const HOSTILE: &str = "\x1b]0;owned\x07\x1b]52;c;b3duZWQ=\x07\x1b[2J\x1b[1;1Howned\x1b[?1049l\x07\x08\x7f\
    \x1b]8;;http://evil\x1b\\x\x1b]8;;\x1b\\\x1bPq#0\x1b\\\x1b_G\x1b\\\u{9b}31m\u{9d}0;t\u{9c}\u{202e}fdp\u{2066}\
    \u{e0041}\u{200b}\r\x1b]1337;File=:\x07\x1b]777;notify;a;b\x07\x1bc";

/// Kinds of sequences, without their numbers, and how often each came.
#[derive(Default)]
struct Seen(BTreeMap<String, usize>);

impl Seen {
    fn saw(&mut self, kind: String) {
        *self.0.entry(kind).or_default() += 1;
    }

    fn count(&self, kind: &str) -> usize {
        self.0.get(kind).copied().unwrap_or_default()
    }
}

impl Perform for Seen {
    fn execute(&mut self, byte: u8) {
        self.saw(format!("C0 {byte:02x}"));
    }

    fn hook(&mut self, _: &Params, _: &[u8], _: bool, c: char) {
        self.saw(format!("DCS {c}"));
    }

    fn osc_dispatch(&mut self, params: &[&[u8]], _: bool) {
        let text: Vec<String> = params.iter().map(|p| String::from_utf8_lossy(p).into_owned()).collect();
        self.saw(format!("OSC {}", text.join(";")));
    }

    fn csi_dispatch(&mut self, params: &Params, marks: &[u8], _: bool, c: char) {
        let modes: Vec<String> = params.iter().flatten().map(u16::to_string).collect();
        let told = if matches!(c, 'h' | 'l' | 'u' | 'n' | 'c') { modes.join(";") } else { String::new() };
        self.saw(format!("CSI {}{told}{c}", String::from_utf8_lossy(marks)));
    }

    fn esc_dispatch(&mut self, marks: &[u8], _: bool, byte: u8) {
        self.saw(format!("ESC {}{}", String::from_utf8_lossy(marks), char::from(byte)));
    }
}

/// All that the program itself ever sends while it runs.
const OWN: [&str; 24] = [
    "CSI H",
    "CSI m",
    "CSI J",
    "CSI K",
    "CSI A",
    "CSI ?1049h",
    "CSI ?1049l",
    "CSI ?2004h",
    "CSI ?2004l",
    "CSI ?1004h",
    "CSI ?1004l",
    "CSI ?1000h",
    "CSI ?1000l",
    "CSI ?1006h",
    "CSI ?1006l",
    "CSI ?25h",
    "CSI ?25l",
    "CSI ?7h",
    "CSI ?7l",
    "CSI ?2026h",
    "CSI ?2026l",
    "CSI >1u",
    "CSI <1u",
    "OSC 11;?",
];

/// What a terminal is told when somebody is wanted: the program's own words, and a bell.
const TOLD: [&str; 6] = [
    "OSC 99;i=pilothouse:d=0;pilothouse",
    "OSC 99;i=pilothouse:d=1:p=body;a question is waiting for you",
    "OSC 99;i=pilothouse:d=1:p=body;a run ended",
    "OSC 99;i=pilothouse:d=1:p=body;a run failed",
    "ESC \\",
    "C0 07",
];

#[test]
fn whatever_the_world_says_only_the_programs_own_sequences_reach_the_terminal() {
    let (seen, screen) = a_wicked_session("off");
    let foreign: Vec<&String> = seen.0.keys().filter(|s| !OWN.contains(&s.as_str())).collect();
    assert!(foreign.is_empty(), "{foreign:?}\n{screen}");
}

#[test]
fn notifications_are_the_programs_own_words_and_one_bell_each() {
    let (seen, screen) = a_wicked_session("osc99");
    let known = |s: &str| OWN.contains(&s) || TOLD.contains(&s);
    let foreign: Vec<&String> = seen.0.keys().filter(|s| !known(s)).collect();
    assert!(foreign.is_empty(), "{foreign:?}\n{screen}");
    let bodies: usize = TOLD.iter().filter(|t| t.contains("p=body")).map(|t| seen.count(t)).sum();
    assert!(bodies > 0, "nobody was told\n{screen}");
    assert_eq!((seen.count(TOLD[0]), seen.count("C0 07")), (bodies, bodies));
}

/// A session in which everything that can speak says hostile things; `notify` is how the terminal is told.
fn a_wicked_session(notify: &str) -> (Seen, String) {
    let desk = Desk::new();
    desk.configure(&format!("[notify]\nterminal = \"{notify}\"\nalways = true\n"));
    let text = format!("before {HOSTILE} after");
    std::fs::write(desk.path().join("src/hostile\u{1b}[2J\u{202e}.rs"), &text).unwrap();
    std::fs::write(desk.path().join("NOTES.md"), format!("{text}\nsecond\n")).unwrap();
    let body = json!({"error": {"message": text}}).to_string();
    let refused = format!(
        "HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let said: &'static str = Box::leak(format!("said {HOSTILE} end").into_boxed_str());
    let server = Server::start(vec![
        Turn::Say(said, vec![("read", json!({"path": "NOTES.md"}))]),
        Turn::Say(said, vec![("ask_user", json!({"question": text, "choices": [text, text]}))]),
        Turn::Say(said, vec![("run", json!({"command": format!("rm -r build # {text}")}))]),
        Turn::Say(said, vec![]),
        Turn::Raw(refused),
    ]);
    let extra = [
        ("PILOTHOUSE_BASE_URL", server.base.as_str()),
        ("PILOTHOUSE_MODEL", "evil\u{1b}[2J"),
        ("PILOTHOUSE_API_KEY", "none"),
    ];
    let mut terminal = Terminal::open(&desk, &["."], &extra);
    terminal.see("[EXPLORE] idle");
    terminal.say("run the tests and tell me what NOTES.md says");
    terminal.see("⚑ before");
    terminal.answer("1");
    terminal.see("▲ high");
    terminal.keys("\x18a");
    terminal.see("nothing runs without you");
    terminal.keys("\x1b");
    terminal.gone("nothing runs without you");
    terminal.keys("@hostile");
    terminal.see("hostile␛[2J");
    terminal.keys("\x15");
    terminal.see("Enter opens what is waiting");
    terminal.keys("\x03");
    terminal.see("[EXPLORE] idle");
    terminal.say("what is this?");
    server.wait_requests(4);
    terminal.see("[EXPLORE] idle");
    terminal.say("why does it fail?");
    terminal.see("400");
    let mut seen = Seen::default();
    Parser::new().advance(&mut seen, &terminal.raw());
    (seen, terminal.screen())
}
