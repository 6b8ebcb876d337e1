//! A day's work of an agent, command by command: how often it asks with the rules that come with the program.
//!
//! The commands are those of three projects (Rust, Node, Python) as an agent runs them: looking around, testing, building,
//! formatting, committing, a few installs, a few removals.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::indexing_slicing)]

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
