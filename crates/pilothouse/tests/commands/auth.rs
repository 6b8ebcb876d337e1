//! Keys are put away without being shown, and what is said of them is where they are.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, clippy::indexing_slicing)]

use crate::support;
use std::{
    io::Write,
    os::unix::fs::{MetadataExt, PermissionsExt},
    process::Stdio,
};

use support::{Desk, Terminal, alone::Ended};

const KEY: &str = "sk-proj-4fJq0Zx81LmNwPq7RtYv";

fn set(desk: &Desk, name: &str, key: &str) -> Ended {
    let mut command = desk.command(&["auth", "set", name]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    writeln!(child.stdin.take().unwrap(), "{key}").unwrap();
    let out = child.wait_with_output().unwrap();
    let text = |b: &[u8]| String::from_utf8_lossy(b).into_owned();
    Ended { exit: out.status.code().unwrap(), out: text(&out.stdout), err: text(&out.stderr) }
}

fn silent(ended: Ended) -> Ended {
    assert!(!format!("{}{}", ended.out, ended.err).contains("4fJq0"), "{}{}", ended.out, ended.err);
    ended
}

#[test]
fn a_stored_key_is_private_listed_by_its_place_and_removed() {
    let desk = Desk::empty();
    silent(set(&desk, "openai", KEY)).with(0).tells(&["stored the key for openai", "readable by you alone"]);
    let file = desk.home.path().join("credentials.toml");
    assert_eq!(std::fs::metadata(&file).unwrap().mode() & 0o777, 0o600);
    assert!(std::fs::read_to_string(&file).unwrap().contains(KEY));
    silent(set(&desk, "api.example.org", KEY)).with(0);
    let mut list = desk.command(&["auth", "list"]);
    list.env("ANTHROPIC_API_KEY", KEY).env("OPENAI_API_KEY", KEY);
    let listed = silent(support::alone::finish(list)).with(0).out;
    assert_eq!(
        listed,
        "anthropic        ANTHROPIC_API_KEY (environment)\n\
         api.example.org  api.example.org (credentials.toml)\n\
         openai           OPENAI_API_KEY (environment), then openai (credentials.toml)\n"
    );
    let mut show = desk.command(&["config", "show"]);
    show.env("PILOTHOUSE_MODEL", "openai:m").env("PILOTHOUSE_BASE_URL", "");
    let shown = silent(support::alone::finish(show)).with(0).out;
    assert!(shown.contains("key          openai (credentials.toml)"), "{shown}");
    desk.go(&["auth", "remove", "openai"]).with(0);
    desk.go(&["auth", "remove", "openai"]).with(1).tells(&["no key is stored for openai"]);
    assert!(!desk.go(&["auth", "list", "--json"]).with(0).out.contains("openai"));
}

#[test]
fn what_is_no_provider_or_no_key_is_told_and_nothing_is_stored() {
    let desk = Desk::empty();
    set(&desk, "opneai", KEY).with(2).tells(&["openai, openrouter", "the host that the key is for"]);
    for key in ["", "two words", "tab\there", "é"] {
        set(&desk, "openai", key).with(2).tells(&["nothing was stored"]);
    }
    assert!(!desk.home.path().join("credentials.toml").exists());
}

#[test]
fn a_key_given_as_an_argument_is_not_repeated() {
    let desk = Desk::empty();
    let ended = silent(desk.go(&["auth", "set", "openai", KEY])).with(2);
    assert!(ended.err.contains("[secret: api key]"), "{}", ended.err);
    silent(desk.go(&["run", "x", "--key", KEY])).with(2);
    desk.go(&["--help"]).with(0);
}

#[test]
fn a_file_that_others_can_read_is_refused_and_setting_a_key_tightens_it() {
    let desk = Desk::empty();
    set(&desk, "openai", KEY).with(0);
    let file = desk.home.path().join("credentials.toml");
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o644)).unwrap();
    desk.go(&["run", "where is x?"]).with(2).tells(&["readable by others (mode 644)", "chmod 600"]);
    silent(set(&desk, "openai", KEY)).with(0).tells(&["was readable by others (mode 644); it is now 600"]);
    desk.go(&["auth", "list"]).with(0);
}

#[test]
fn a_key_typed_on_a_terminal_is_not_shown_and_the_terminal_is_as_before() {
    let desk = Desk::empty();
    let mut terminal = Terminal::open(&desk, &["auth", "set", "openai"], &[]);
    terminal.see("Key for openai (it is not shown):");
    terminal.keys(&format!("wrong\x15{KEY}x\x7f\r"));
    assert_eq!(terminal.end(), 0);
    let raw = String::from_utf8_lossy(&terminal.raw()).into_owned();
    assert!(!raw.contains("4fJq0") && raw.contains("stored the key"), "{raw}");
    assert!(
        std::fs::read_to_string(desk.home.path().join("credentials.toml"))
            .unwrap()
            .contains(&format!("\"{KEY}\""))
    );
    let mut terminal = Terminal::open(&desk, &["auth", "set", "google"], &[]);
    terminal.see("Key for google");
    terminal.keys("half\x03");
    assert_eq!(terminal.end(), 2);
    assert!(!std::fs::read_to_string(desk.home.path().join("credentials.toml")).unwrap().contains("google"));
}
