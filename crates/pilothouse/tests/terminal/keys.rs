//! What the program takes of the terminal it gives back, however it ends; and the editor.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use crate::support;
use rustix::process::{Pid, Signal, kill_process};
use support::{Desk, Terminal};

const CTRL_C: &str = "\x03";
const CTRL_G: &str = "\x07";
const CTRL_Z: &str = "\x1a";

/// What the program set on the terminal, and how it is set back.
const TAKEN: [(&str, &str, &str); 6] = [
    ("the alternate screen", "\x1b[?1049h", "\x1b[?1049l"),
    ("bracketed paste", "\x1b[?2004h", "\x1b[?2004l"),
    ("focus events", "\x1b[?1004h", "\x1b[?1004l"),
    ("the keyboard enhancement", "\x1b[>1u", "\x1b[<1u"),
    ("lines that do not wrap", "\x1b[?7l", "\x1b[?7h"),
    ("the hidden caret", "\x1b[?25l", "\x1b[?25h"),
];

/// Everything that was taken is given back behind the last time that it was taken.
#[track_caller]
fn given_back(terminal: &Terminal) -> String {
    let raw = String::from_utf8_lossy(&terminal.raw()).into_owned();
    for (name, set, reset) in TAKEN {
        let last = raw.rfind(set);
        assert!(raw.rfind(reset) > last, "{name} stays: {:?}", raw.get(last.unwrap_or(0)..));
    }
    // Behind the alternate screen only text for people follows.
    raw.rsplit_once("\x1b[?1049l").map(|(_, after)| after.to_owned()).unwrap()
}

fn tell(terminal: &Terminal, signal: Signal) {
    let pid = Pid::from_raw(i32::try_from(terminal.pid()).unwrap()).unwrap();
    kill_process(pid, signal).unwrap();
}

fn opened(desk: &Desk, extra: &[(&str, &str)]) -> Terminal {
    let terminal = Terminal::open(desk, &["."], extra);
    terminal.see("[EXPLORE] idle");
    terminal.see("nothing leaves this machine");
    terminal
}

#[test]
fn a_signal_gives_the_terminal_back_saves_and_has_its_exit_code() {
    for (signal, code) in [(Signal::TERM, 143), (Signal::HUP, 129)] {
        let desk = Desk::new();
        let mut terminal = opened(&desk, &[]);
        terminal.say("where is find_notes used?");
        terminal.see("src/search.rs");
        tell(&terminal, signal);
        assert_eq!(terminal.end(), code, "{signal:?}");
        let after = given_back(&terminal);
        assert!(after.contains("Session saved."), "{signal:?}: {after:?}");
    }
}

#[test]
fn a_signal_while_a_question_stands_gives_the_terminal_back() {
    let desk = Desk::new();
    let mut terminal = opened(&desk, &[]);
    terminal.say("rename find_notes to search_notes");
    terminal.see("Proceed?");
    tell(&terminal, Signal::TERM);
    assert_eq!(terminal.end(), 143);
    given_back(&terminal);
}

#[test]
fn leaving_by_two_interrupts_or_by_name_gives_the_terminal_back() {
    for keys in [[CTRL_C, CTRL_C], ["/exit", "\r"]] {
        let desk = Desk::new();
        let mut terminal = opened(&desk, &[]);
        terminal.keys(keys[0]);
        if keys[0] == CTRL_C {
            terminal.see("press it again to quit");
        } else {
            terminal.see(keys[0]);
        }
        terminal.keys(keys[1]);
        assert_eq!(terminal.end(), 0, "{keys:?}");
        let after = given_back(&terminal);
        assert!(!after.contains("Session saved."), "nothing was said, nothing is kept: {after:?}");
    }
}

#[test]
fn a_broken_configuration_gives_the_terminal_back_and_says_what_to_do() {
    let desk = Desk::new();
    std::fs::write(desk.home.path().join("config.toml"), "model = [broken\n").unwrap();
    let mut terminal = Terminal::open(&desk, &["."], &[]);
    assert_eq!(terminal.end(), 2);
    let after = given_back(&terminal);
    assert!(after.contains("config.toml"), "{after:?}");
}

#[test]
fn suspended_it_gives_the_terminal_back_and_continued_it_draws_again() {
    let desk = Desk::new();
    let mut terminal = opened(&desk, &[]);
    terminal.keys("half a thought");
    terminal.see("half a thought");
    let before = terminal.raw().len();
    terminal.keys(CTRL_Z);
    // Without a shell above it the kernel does not stop it, so it may be back at once.
    terminal.wrote(before, "\x1b[?2004l");
    let said = terminal.wrote(before, "\x1b[?1049l");
    let left = before + said.find("\x1b[?1049l").unwrap();
    tell(&terminal, Signal::CONT);
    terminal.wrote(left, "\x1b[?1049h");
    terminal.see("half a thought");
    terminal.keys(" more");
    terminal.see("half a thought more");
    terminal.keys(CTRL_C);
    terminal.see("cleared");
    terminal.keys("/exit\r");
    assert_eq!(terminal.end(), 0);
    given_back(&terminal);
}

#[test]
fn stopped_from_outside_it_gives_the_terminal_back_and_continued_it_draws_again() {
    let desk = Desk::new();
    let mut terminal = opened(&desk, &[]);
    terminal.keys("half a thought");
    terminal.see("half a thought");
    let before = terminal.raw().len();
    tell(&terminal, Signal::TSTP);
    let said = terminal.wrote(before, "\x1b[?1049l");
    let left = before + said.find("\x1b[?1049l").unwrap();
    tell(&terminal, Signal::CONT);
    terminal.wrote(left, "\x1b[?1049h");
    terminal.see("half a thought");
    terminal.keys(CTRL_C);
    terminal.see("cleared");
    terminal.keys("/exit\r");
    assert_eq!(terminal.end(), 0);
    given_back(&terminal);
}

#[test]
fn continued_it_takes_no_line_in_between() {
    let desk = Desk::new();
    let mut terminal = opened(&desk, &[]);
    for _ in 0..50 {
        let before = terminal.raw().len();
        tell(&terminal, Signal::CONT);
        while !terminal.raw()[before..].windows(8).any(|bytes| bytes == b"\x1b[?1049h") {
            assert!(!terminal.takes_lines(), "an Enter that was typed now is a line's end");
        }
    }
    terminal.keys("/exit\r");
    assert_eq!(terminal.end(), 0);
}

#[test]
fn the_draft_goes_through_the_editor_and_back() {
    let desk = Desk::new();
    let editor = r#"sh -c "echo 'from the editor' >> \$0""#;
    let mut terminal = opened(&desk, &[("EDITOR", editor)]);
    terminal.keys("a thought");
    terminal.see("a thought");
    terminal.keys(CTRL_G);
    let screen = terminal.see("from the editor");
    assert!(screen.contains("a thought"), "{screen}");
    terminal.keys(CTRL_C);
    terminal.see("cleared");
    terminal.keys("/exit\r");
    assert_eq!(terminal.end(), 0);
    given_back(&terminal);
}

#[test]
fn an_editor_that_fails_leaves_the_draft() {
    let desk = Desk::new();
    let mut terminal = opened(&desk, &[("EDITOR", "false")]);
    terminal.keys("a thought");
    terminal.see("a thought");
    terminal.keys(CTRL_G);
    let screen = terminal.see("your draft is untouched");
    assert!(screen.contains("› a thought"), "{screen}");
}

#[test]
fn a_proposal_goes_through_the_editor_and_what_is_written_is_what_came_back() {
    let desk = Desk::new();
    let editor = r#"sh -c "sed -i s/search_notes/look_up/ \$0""#;
    let mut terminal = opened(&desk, &[("VISUAL", editor)]);
    terminal.say("rename find_notes to search_notes");
    terminal.see("Proceed?");
    terminal.answer("y");
    terminal.see("5 files wait");
    terminal.keys("\x18d");
    terminal.see("Proposed changes to src/lib.rs");
    terminal.see("+ pub use search::search_notes;");
    terminal.keys("e");
    terminal.see("+ pub use search::look_up;");
    terminal.decide("a");
    terminal.see("a applies it");
    terminal.decide("a");
    terminal.see("edited src/lib.rs");
    assert!(desk.file("src/lib.rs").contains("pub use search::look_up;"));
    assert!(!desk.file("src/main.rs").contains("look_up"));
}

#[test]
fn a_terminal_that_only_takes_lines_is_told_of_what_works_there() {
    let desk = Desk::new();
    for term in ["dumb", "unknown"] {
        let mut terminal = Terminal::open(&desk, &["."], &[("TERM", term)]);
        assert_eq!(terminal.end(), 2, "{term}");
        let said = String::from_utf8_lossy(&terminal.raw()).into_owned();
        assert!(said.contains("`pilothouse run \"GOAL\"` works here") && !said.contains('\x1b'), "{said:?}");
        assert_eq!(said.trim_end().lines().count(), 1, "{said:?}");
    }
}

#[test]
fn an_unknown_theme_names_those_that_there_are() {
    let desk = Desk::new();
    let mut terminal = Terminal::open(&desk, &["--theme", "nope"], &[]);
    terminal.see("no theme is called \"nope\"; there are");
    terminal.keys("\x03\x03");
    assert_eq!(terminal.end(), 0);
}
