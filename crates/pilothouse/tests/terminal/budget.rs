//! What may be spent, at the screen: asked, answered by a word, and there again after a kill.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use crate::support;
use serde_json::json;
use support::{
    Desk, Terminal,
    alone::{edit, plan},
    server::{Server, Turn},
};

const OLD: &str = "The notes that hold every word of `query`, in any case, best first.";

fn changes() -> Turn {
    Turn::Say("", vec![("edit", edit("src/search.rs", OLD, "Notes."))])
}

fn reads() -> Turn {
    Turn::Say("", vec![("read", json!({"path": "src/search.rs"}))])
}

fn submits(steps: usize) -> Turn {
    let steps = vec![("modify", "src/search.rs"); steps];
    Turn::Say("", vec![("submit_plan", plan(&steps))])
}

#[test]
fn a_kill_in_a_run_of_five_steps_loses_neither_proposals_nor_queue_nor_budget() {
    let desk = Desk::new();
    let server = Server::start(vec![
        submits(5),
        changes(),
        Turn::Say("Done.", vec![]),
        submits(5),
        reads(),
        Turn::Hang("Let me see"),
        reads(),
        Turn::Say("Done.", vec![]),
    ]);
    let model = [("PILOTHOUSE_BASE_URL", server.base.as_str()), ("PILOTHOUSE_MODEL", "desk")];
    let mut terminal = Terminal::open(&desk, &[], &model);
    terminal.see("[EXPLORE] idle");
    // A proposal that is set aside, then a run with a queue and a budget.
    terminal.say("rename find_notes to search_notes");
    terminal.see("Proceed?");
    terminal.answer("y");
    terminal.see("1 file waits for your decision");
    terminal.say("/abort");
    terminal.see("[EXPLORE] idle");
    terminal.say("rename find_notes to look_for_notes");
    terminal.see("Proceed?");
    terminal.answer("y");
    terminal.see("Let me");
    terminal.say("/budget 1 call");
    terminal.see("Budget: 1 call from now on.");
    terminal.keys("then rename Store to Shelf");
    terminal.see("› then rename Store to Shelf");
    terminal.keys("\t");
    terminal.see("[queued: 1]");
    terminal.kill();
    let mut terminal = Terminal::open(&desk, &["resume"], &model);
    terminal.see("1 proposal is set aside");
    terminal.see("was left at 0 of 5 steps");
    for (command, told) in [
        ("/queue", "1. then rename Store to Shelf"),
        ("/budget", "0 of 1 call, 1 left"),
        ("/proposals", "src/search.rs"),
    ] {
        terminal.say(command);
        terminal.see("Esc close");
        terminal.see(told);
        terminal.keys("\x1b");
        terminal.gone("Esc close");
    }
    // It holds: one call leaves, and the next asks.
    terminal.say("/redo");
    terminal.see("Proceed?");
    terminal.answer("y");
    terminal.see("The budget is spent: 1 of 1 call.");
    terminal.answer("no limit");
    server.wait_requests(8);
}
