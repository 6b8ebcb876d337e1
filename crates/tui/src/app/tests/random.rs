//! Any keys, any events, any size: nothing panics and every row keeps its width.

use proptest::prelude::*;

use super::*;

#[derive(Clone, Debug)]
enum Deed {
    Press(usize),
    Size(u16, u16),
    Reply(usize),
    Deliver,
    Wait(u64),
    Paste(String),
}

const KEYS: [&str; 34] = [
    "enter",
    "esc",
    "tab",
    "shift-tab",
    "up",
    "down",
    "left",
    "right",
    "backspace",
    "pgup",
    "f1",
    "ctrl-x",
    "ctrl-p",
    "ctrl-t",
    "ctrl-c",
    "ctrl-r",
    "ctrl-w",
    "ctrl-u",
    "ctrl-k",
    "ctrl-o",
    "alt-enter",
    "a",
    "d",
    "y",
    "n",
    "e",
    "j",
    "k",
    "q",
    "@",
    "/",
    "?",
    "漢",
    "p",
];

const REPLIES: [(&str, &str, &str); 5] = [
    ("An answer with `code` and\n\n- a list", "", ""),
    (
        "",
        "submit_plan",
        r#"{"title":"T","tasks":[{"title":"a"},{"title":"b"}],"gates":[{"name":"g","command":"make check"}]}"#,
    ),
    ("", "run", r#"{"command":"rm -rf /"}"#),
    ("", "ask_user", r#"{"question":"Which?","choices":["one","two"]}"#),
    ("\u{1b}[31m\u{202e}", "read", r#"{"path":"a"}"#),
];

fn deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        8 => (0..KEYS.len()).prop_map(Deed::Press),
        1 => (0u16..140, 0u16..50).prop_map(|(w, h)| Deed::Size(w, h)),
        2 => (0..REPLIES.len()).prop_map(Deed::Reply),
        3 => Just(Deed::Deliver),
        1 => (0u64..600).prop_map(Deed::Wait),
        1 => "\\PC{0,30}".prop_map(Deed::Paste),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn nothing_that_happens_makes_it_panic(deeds in prop::collection::vec(deed(), 1..60)) {
        let mut desk = Desk::new(100, 30);
        desk.press("add a limit to the login<enter>").deliver();
        for deed in deeds {
            match deed {
                Deed::Press(i) => drop(desk.press(&format!("<{}>", KEYS[i]))),
                Deed::Size(w, h) => desk.size = Rect::new(0, 0, w, h),
                Deed::Reply(i) if !desk.thinking.is_empty() => {
                    let (text, name, args) = REPLIES[i];
                    let calls = [(name, args)];
                    desk.reply(text, if name.is_empty() { &[] } else { &calls });
                }
                Deed::Reply(_) => {}
                Deed::Deliver => drop(desk.deliver()),
                Deed::Wait(ms) => drop(desk.wait(ms)),
                Deed::Paste(text) => drop(desk.app.terminal(&crossterm::event::Event::Paste(text), desk.now)),
            }
            let (buf, caret) = desk.draw();
            if let Some((x, y)) = caret {
                prop_assert!(buf.area.contains((x, y).into()));
            }
            for cell in buf.content() {
                prop_assert!(!cell.symbol().contains(['\u{1b}', '\u{202e}', '\u{9b}', '\n']), "{:?}", cell.symbol());
            }
        }
    }
}
