//! Being told of what waits, by the terminal and by the desktop, in the program's own words.
#![allow(clippy::unwrap_used, missing_docs)]

use crate::support;
use std::{fs, os::unix::fs::PermissionsExt};

use support::*;

const RENAME: &str = "rename find_notes to search_notes";

#[test]
fn a_question_is_told_in_the_terminal_s_own_way_with_nothing_of_the_session_in_it() {
    for (setting, extra, bytes) in [
        (
            "auto",
            ("KITTY_WINDOW_ID", "1"),
            "\x1b]99;i=pilothouse:d=1:p=body;a question is waiting for you\x1b\\",
        ),
        ("auto", ("TERM_PROGRAM", "WezTerm"), "\x1b]9;pilothouse: a question is waiting for you\x1b\\"),
        (
            "osc777",
            ("TMUX", "x"),
            "\x1bPtmux;\x1b\x1b]777;notify;pilothouse;a question is waiting for you\x1b\x1b\\\x1b\\",
        ),
        ("bell", ("TERM_PROGRAM", "WezTerm"), "\x07"),
    ] {
        let desk = Desk::new();
        desk.configure(&format!("[notify]\nterminal = \"{setting}\"\nalways = true\n"));
        let mut terminal = Terminal::open(&desk, &[], &[extra]);
        terminal.see("[EXPLORE] idle");
        terminal.say(RENAME);
        terminal.see("Proceed?");
        terminal.wrote(0, bytes);
        let raw = String::from_utf8_lossy(&terminal.raw()).into_owned();
        for told in raw.split("\x1b]").skip(1).map(|s| s.split(['\x07', '\x1b']).next().unwrap_or_default()) {
            assert!(!told.contains("find_notes") && !told.contains("search_notes"), "{told:?}");
        }
        terminal.kill();
    }
}

#[test]
fn who_looks_is_not_told_and_off_is_off() {
    let desk = Desk::new();
    let mut terminal = Terminal::open(&desk, &[], &[("TERM_PROGRAM", "WezTerm")]);
    terminal.see("[EXPLORE] idle");
    terminal.keys("\x1b[I");
    terminal.say(RENAME);
    terminal.see("Proceed?");
    terminal.keys("\x18q");
    terminal.see("Leave?");
    terminal.keys("\x18q");
    terminal.end();
    assert!(!String::from_utf8_lossy(&terminal.raw()).contains("\x1b]9;"));
    desk.configure("[notify]\nterminal = \"off\"\nalways = true\n");
    let mut terminal = Terminal::open(&desk, &[], &[("TERM_PROGRAM", "WezTerm")]);
    terminal.see("[EXPLORE] idle");
    terminal.say(RENAME);
    terminal.see("Proceed?");
    terminal.keys("\x18q");
    terminal.see("Leave?");
    terminal.keys("\x18q");
    terminal.end();
    assert!(!String::from_utf8_lossy(&terminal.raw()).contains("\x1b]9;"));
}

#[test]
fn the_desktop_is_told_by_its_own_program_and_its_absence_is_said_once() {
    let desk = Desk::new();
    let bin = desk.home.path().join("bin");
    fs::create_dir(&bin).unwrap();
    let out = desk.home.path().join("told");
    let name = if cfg!(target_os = "macos") { "osascript" } else { "notify-send" };
    fs::write(bin.join(name), format!("#!/bin/sh\necho \"$@\" >> {}\n", out.display())).unwrap();
    fs::set_permissions(bin.join(name), fs::Permissions::from_mode(0o755)).unwrap();
    desk.configure("[notify]\nterminal = \"off\"\ndesktop = true\nalways = true\n");
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let mut terminal = Terminal::open(&desk, &[], &[("PATH", &path)]);
    terminal.see("[EXPLORE] idle");
    terminal.say(RENAME);
    terminal.see("Proceed?");
    terminal.until("the desktop to be told", |_| out.exists());
    terminal.kill();
    let told = fs::read_to_string(&out).unwrap();
    assert!(told.contains("a question is waiting for you") && !told.contains("notes"), "{told}");
    let empty = desk.home.path().join("empty");
    fs::create_dir(&empty).unwrap();
    let mut terminal = Terminal::open(&desk, &[], &[("PATH", empty.to_str().unwrap())]);
    terminal.see("[EXPLORE] idle");
    terminal.say(RENAME);
    terminal.see("is not installed");
    terminal.kill();
}
