//! Ten tasks of the bench at a real pseudo-terminal: the order is typed, what asks is answered by keys, and the keys
//! are counted. `PILOTHOUSE_PROOF=whole` does all of them, else a share is done.

use super::{
    mind,
    task::{self, Task},
};
use crate::support::{Desk, Terminal, proof};

/// Those of the share come first.
const TASKS: [&str; 10] = [
    "js-solve",
    "py-bowling",
    "sh-ask",
    "c-list",
    "c-new",
    "js-cart",
    "py-grade-school",
    "py-tree",
    "sh-count",
    "sh-write",
];

/// What stands on the screen when it asks, with the key that says yes.
const ASKED: [(&str, &str); 10] = [
    ("or say it in your own words", "1\r"),
    ("a auto-fix", "a\r"),
    ("   y     once ", "y"),
    ("waits for your decision", "\r"),
    ("wait for your decision", "\r"),
    ("Ctrl-X a answer", "\r"),
    (" a applies", "a"),
    (" a asks to apply", "a"),
    ("Enter runs it", "\r"),
    ("awaiting_approval", "\r"),
];
const ENDED: &str = "✓ Complete";

/// The line that asks, and the key that says yes.
fn asked(screen: &str) -> Option<(String, &'static str)> {
    ASKED.iter().find_map(|(text, key)| {
        let line = screen.lines().find(|line| line.contains(text))?;
        Some((line.to_owned(), *key))
    })
}

/// Works on a task as a person who looks and says yes to everything; the keys besides the words of the order.
fn work_on(task: &Task) -> (usize, mind::Cost) {
    let desk = Desk::empty();
    task.lay_out(desk.path());
    let mind = mind::Desk::of(task);
    let model = [("PILOTHOUSE_BASE_URL", mind.server.base.as_str()), ("PILOTHOUSE_MODEL", "desk")];
    let mut terminal = Terminal::open(&desk, &["."], &model);
    terminal.see("[EXPLORE] idle");
    terminal.say(&task.order);
    let (mut keys, mut last) = (1, None);
    loop {
        let screen = terminal.until(&format!("an end of {}", task.name), |s| {
            s.contains(ENDED) || asked(s).map(|(line, _)| line) != last
        });
        if screen.contains(ENDED) {
            break;
        }
        terminal.read();
        let now = asked(&terminal.screen());
        last = now.as_ref().map(|(line, _)| line.clone());
        // What went away while it was looked at is not answered.
        if let Some((_, key)) = now.filter(|now| asked(&screen).as_ref() == Some(now)) {
            terminal.keys(key);
            keys += key.len();
        } else {
            last = None;
        }
        assert!(keys < 40, "{} asks again and again\n{screen}", task.name);
    }
    task.check(desk.path()).unwrap_or_else(|wrong| panic!("{}: {wrong}", task.name));
    (keys, mind.cost())
}

#[test]
fn tasks_are_done_by_keys_on_the_screen() {
    let wanted = &TASKS[..proof::share(TASKS.len(), 3)];
    let all: Vec<Task> = task::all().into_iter().filter(|t| wanted.contains(&t.name.as_str())).collect();
    assert_eq!(all.len(), wanted.len());
    println!("task | keys besides the order | requests | calls | refused");
    for task in &all {
        if !task.can_run() {
            println!("not run: {} needs {}", task.name, task.needs);
            continue;
        }
        let (keys, cost) = work_on(task);
        println!("{} | {keys} | {} | {} | {}", task.name, cost.requests, cost.calls, cost.refused);
    }
}
