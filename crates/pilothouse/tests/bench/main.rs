//! A bench of real work: small repositories in five languages with hidden tests, and recorded minds that
//! err as models do, driven through the real program without a screen.
//!
//! `PILOTHOUSE_BENCH=PATH cargo test -p pilothouse --test bench -- --nocapture` measures another binary.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::print_stdout)]

#[path = "../support/mod.rs"]
mod support;

mod mind;
mod screen;
mod task;

use std::{path::PathBuf, process::Command};

use mind::Cost;
use task::Task;

/// What the whole bench may cost at most: requests, calls that are refused or fail at once, files that are read though
/// they had been. The minds err on purpose in nine calls.
const MOST_REQUESTS: usize = 190;
const MOST_REFUSED: usize = 9;
const MOST_READ_AGAIN: usize = 0;

struct Line {
    task: Task,
    exit: i32,
    wrong: Option<String>,
    told: String,
    cost: Cost,
}

fn program() -> PathBuf {
    std::env::var_os("PILOTHOUSE_BENCH").map_or_else(|| PathBuf::from(support::PROGRAM), PathBuf::from)
}

fn work_on(task: Task) -> Line {
    let desk = support::Desk::empty();
    task.lay_out(desk.path());
    let mind = mind::Desk::of(&task);
    let asked =
        desk.with_model(&mind.server.base, &["run", &task.order, "--auto-confirm", "--trust", "--json"]);
    let mut command = Command::new(program());
    command.args(asked.get_args()).current_dir(desk.path()).env_clear().stdin(std::process::Stdio::null());
    command.envs(asked.get_envs().filter_map(|(k, v)| v.map(|v| (k, v))));
    // The desk has a home of its own; rustup looks for its toolchains in the user's.
    let home = PathBuf::from(std::env::var_os("HOME").unwrap_or_default());
    for (key, folder) in [("RUSTUP_HOME", ".rustup"), ("CARGO_HOME", ".cargo")] {
        command.env(key, std::env::var_os(key).map_or_else(|| home.join(folder), PathBuf::from));
    }
    let ended = support::alone::finish(command);
    let wrong = task.check(desk.path()).err();
    let last = ended.out.lines().last().unwrap_or_default().to_owned();
    Line { task, exit: ended.exit, wrong, told: format!("{last}\n{}", ended.err), cost: mind.cost() }
}

#[test]
fn every_task_ends_by_itself_with_its_hidden_tests_green() {
    let (able, unable): (Vec<Task>, Vec<Task>) = task::all().into_iter().partition(Task::can_run);
    for task in &unable {
        println!("not run: {} needs {}", task.name, task.needs);
    }
    let lines: Vec<Line> = able.into_iter().map(work_on).collect();
    println!("task | language | exit | hidden | requests | kB | repeated % | calls | refused | read again");
    let mut all = Cost::default();
    for Line { task, exit, wrong, cost, .. } in &lines {
        let hidden = if wrong.is_none() { "green" } else { "RED" };
        let share = cost.repeated * 100 / cost.bytes.max(1);
        println!(
            "{} | {} | {exit} | {hidden} | {} | {} | {share} | {} | {} | {}",
            task.name,
            task.language,
            cost.requests,
            cost.bytes / 1000,
            cost.calls,
            cost.refused,
            cost.read_again
        );
        all.requests += cost.requests;
        all.bytes += cost.bytes;
        all.repeated += cost.repeated;
        all.calls += cost.calls;
        all.refused += cost.refused;
        all.read_again += cost.read_again;
    }
    let ended: Vec<&Line> = lines.iter().filter(|l| l.exit == 0 && l.wrong.is_none()).collect();
    println!("checked={} ended={} {all:?}", lines.len(), ended.len());
    let mut failed = String::new();
    for l in lines.iter().filter(|l| l.exit != 0 || l.wrong.is_some()) {
        failed += &format!(
            "\n{}: exit {}\n{}\n{}",
            l.task.name,
            l.exit,
            l.told,
            l.wrong.as_deref().unwrap_or_default()
        );
    }
    assert!(failed.is_empty(), "{failed}");
    // Another binary is measured, not judged.
    if std::env::var_os("PILOTHOUSE_BENCH").is_none() {
        assert!(all.requests <= MOST_REQUESTS, "{all:?}");
        assert!(all.refused <= MOST_REFUSED, "{all:?}");
        assert!(all.read_again <= MOST_READ_AGAIN, "{all:?}");
    }
}
