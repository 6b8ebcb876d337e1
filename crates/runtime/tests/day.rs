//! A day's work of an agent, command by command: how often it asks with the rules that come with the program.
//!
//! The commands are those of three projects (Rust, Node, Python) as an agent runs them: looking around, testing, building,
//! formatting, committing, a few installs, a few removals.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::indexing_slicing, clippy::panic)]

use std::collections::BTreeMap;

use pilothouse_core::{
    policy::{Conditions, Manner, Outcome, Places, Policy, Request, Setting},
    scope::PermissionMode,
    shell::Risk,
};
use pilothouse_runtime::permissions;
use serde::Deserialize;

/// At most so many of a hundred may ask.
const MOST: usize = 12;

#[derive(Deserialize)]
struct Ran {
    project: String,
    command: String,
    #[serde(default)]
    network: bool,
}

fn day() -> Vec<Ran> {
    include_str!("data/day.jsonl").lines().map(|l| serde_json::from_str(l).unwrap()).collect()
}

/// The hundred of before and two hundred more, with a fourth project (Go).
fn days() -> Vec<Ran> {
    let more = include_str!("data/days.jsonl").lines().map(|l| serde_json::from_str(l).unwrap());
    day().into_iter().chain(more).collect()
}

fn policy() -> Policy {
    let places = Places { root: "/home/u/project".into(), home: "/home/u".into(), ..Places::default() };
    Policy::new(permissions::defaults().unwrap(), places)
}

fn request(ran: &Ran) -> Request {
    Request::command(&ran.command).in_manner(Manner { network: ran.network, ..Manner::default() })
}

#[test]
fn a_days_work_of_a_hundred_commands_asks_at_most_twelve_times_and_nothing_of_high_risk_runs_unasked() {
    let (day, policy) = (day(), policy());
    assert_eq!(day.len(), 100);
    for project in ["rust", "node", "python"] {
        assert!(day.iter().filter(|r| r.project == project).count() >= 30, "{project}");
    }
    let setting = Setting { mode: PermissionMode::Ask, conditions: Conditions::CALM, granted: &[] };
    let (mut asked, mut high) = (0, 0);
    for ran in &day {
        let found = policy.decide(&request(ran), &setting);
        let (risk, outcome) = (found.risk.unwrap(), found.ruling.outcome);
        let does = if outcome == Outcome::Run { "runs" } else { "ASKS" };
        println!("{:7} {does}  {:7} {:62} {}", ran.project, risk.name(), ran.command, found.ruling);
        assert_ne!(outcome, Outcome::Refuse, "{}", ran.command);
        assert!(risk < Risk::High || outcome == Outcome::Ask, "{}", ran.command);
        asked += usize::from(outcome == Outcome::Ask);
        high += usize::from(risk == Risk::High);
    }
    println!("checked={} asked={asked} of them high={high}", day.len());
    assert!(asked <= MOST, "{asked} questions in a day");
    assert!(asked >= 8 && high > 0, "the day has its installs, its removals and a high one");
}

#[test]
fn where_no_sandbox_can_be_had_every_one_of_them_asks() {
    let (day, policy) = (day(), policy());
    for mode in [PermissionMode::Ask, PermissionMode::Auto] {
        let conditions = Conditions { sandboxed: false, ..Conditions::CALM };
        let setting = Setting { mode, conditions, granted: &[] };
        assert!(day.iter().all(|r| policy.decide(&request(r), &setting).ruling.outcome == Outcome::Ask));
    }
}

/// Everyday lines that were said to be asked about too loudly, and want no word any more.
const NOT_HIGH: [&str; 7] = [
    "docker run --rm -it alpine sh",
    "docker exec -it web sh",
    "git pull --rebase",
    "git rebase main",
    "git rebase --continue",
    "git commit --amend",
    "git commit --amend --no-edit",
];

/// Of the same list, those that asked and do not any more.
const UNASKED: [&str; 10] = [
    "npm run",
    "make help",
    "rake -T",
    "redis-cli ping",
    "ldd target/debug/app",
    "git merge-file -p a.py b.py c.py",
    "python -c \"print(1)\"",
    "node -p \"require('./package.json').version\"",
    "python -m venv .venv",
    "docker exec web ls",
];

/// Of the same list, what still wants a word: removals without a look at what is lost, what ends processes, publishes,
/// or prints every variable. None may come to it.
const STILL_HIGH: [&str; 8] = [
    "git branch -D old",
    "rm -rf target",
    "rm -rf node_modules",
    "rm -rf build",
    "gh pr create --fill",
    "kill 12345",
    "env | grep NODE",
    "env | grep -c PYTHON",
];

/// Of the same list, what still asks: it runs the project's program, or wants a network or a server. None may come to it.
const STILL_ASKED: [&str; 4] =
    ["cargo run -- --help", "psql -c 'select 1'", "git ls-remote origin", "curl localhost/health"];

#[test]
fn of_three_hundred_everyday_commands_so_many_run_ask_and_want_a_word() {
    let (days, policy) = (days(), policy());
    assert_eq!(days.len(), 300);
    let setting = Setting { mode: PermissionMode::Ask, conditions: Conditions::CALM, granted: &[] };
    let mut table: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    for ran in &days {
        let found = policy.decide(&request(ran), &setting);
        let risk = found.risk.unwrap();
        let kind = match (found.ruling.outcome, risk) {
            (Outcome::Run, _) => 0,
            (Outcome::Ask, Risk::Low | Risk::Medium) => 1,
            (Outcome::Ask, Risk::High) => 2,
            (Outcome::Refuse, _) => panic!("{} is refused", ran.command),
        };
        table.entry(&ran.project).or_default()[kind] += 1;
        if kind > 0 {
            println!("{:6} {:7} {:60} {}", ran.project, risk.name(), ran.command, found.ruling);
        }
    }
    for (project, [run, ask, word]) in &table {
        println!("{project}: {run} run, {ask} ask, {word} want a word");
    }
    let alone = |line: &str| {
        let ran = Ran { project: String::new(), command: line.to_owned(), network: false };
        policy.decide(&request(&ran), &setting)
    };
    let having = |lines: &[&'static str], what: fn(Outcome, Risk) -> bool| -> Vec<&str> {
        let found = |line: &str| {
            let found = alone(line);
            what(found.ruling.outcome, found.risk.unwrap())
        };
        lines.iter().copied().filter(|line| found(line)).collect()
    };
    assert_eq!(having(&NOT_HIGH, |_, risk| risk == Risk::High), [""; 0], "too loud");
    assert_eq!(having(&UNASKED, |outcome, _| outcome != Outcome::Run), [""; 0], "asked for nothing");
    assert_eq!(having(&STILL_HIGH, |_, risk| risk == Risk::High), STILL_HIGH, "one less: move it up");
    assert_eq!(
        having(&STILL_ASKED, |outcome, _| outcome == Outcome::Ask),
        STILL_ASKED,
        "one less: move it up"
    );
    let expected =
        [("go", [39, 20, 1]), ("node", [54, 19, 6]), ("python", [59, 19, 5]), ("rust", [54, 22, 2])];
    assert_eq!(table, BTreeMap::from(expected), "run, ask, want a word");
}
