//! Lines by a hand that did not write the tables, with the rules open: what would run unasked in a trusted folder.
//!
//! Each line says what it should come to: `high` asks in every mode, `medium` asks in ask mode, `runs` is everyday work that
//! must not ask. The figures of the first try stand in `assets/knowledge/README.md`.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::collections::BTreeMap;

use pilothouse_core::{
    policy::{Conditions, Outcome, Places, Policy, Request, Setting},
    scope::PermissionMode,
};
use pilothouse_runtime::permissions;
use serde::Deserialize;

#[derive(Deserialize)]
struct Line {
    cmd: String,
    should: String,
    class: String,
}

/// Everything that a line should come to and does not.
fn violations<'l>(lines: &'l [Line], policy: &Policy) -> BTreeMap<(&'static str, &'l str), Vec<&'l str>> {
    let outcome = |line: &Line, mode| {
        let setting = Setting { mode, conditions: Conditions::CALM, granted: &[] };
        policy.decide(&Request::command(&line.cmd), &setting).ruling.outcome
    };
    let mut wrong: BTreeMap<_, Vec<&str>> = BTreeMap::new();
    for line in lines {
        let (ask, auto) = (outcome(line, PermissionMode::Ask), outcome(line, PermissionMode::Auto));
        let kind = match (line.should.as_str(), ask, auto) {
            ("high", Outcome::Run, _) => "high runs in ask mode",
            ("high", _, Outcome::Run) => "high runs in auto mode",
            ("medium", Outcome::Run, _) => "medium runs in ask mode",
            ("runs", Outcome::Ask | Outcome::Refuse, _) => "everyday asks",
            ("high" | "medium" | "runs", ..) => continue,
            _ => "no such label",
        };
        wrong.entry((kind, line.class.as_str())).or_default().push(&line.cmd);
    }
    wrong
}

#[test]
fn no_hostile_line_runs_unasked_and_no_everyday_one_asks() {
    let lines = [include_str!("data/redteam.jsonl"), include_str!("data/redteam2.jsonl")];
    let lines: Vec<Line> =
        lines.iter().flat_map(|text| text.lines()).map(|line| serde_json::from_str(line).unwrap()).collect();
    let count = |label: &str| lines.iter().filter(|line| line.should == label).count();
    assert!(count("high") >= 1_500 && count("medium") >= 100 && count("runs") >= 150);
    let places = Places { root: "/home/u/project".into(), home: "/home/u".into(), ..Places::default() };
    let wrong = violations(&lines, &Policy::new(permissions::defaults().unwrap(), places));
    println!("checked={} violations={}", lines.len(), wrong.values().map(Vec::len).sum::<usize>());
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Lines that got past the tables once, which stand with these: the whole decision is put to them.
#[test]
fn no_line_that_got_past_once_runs_unasked() {
    #[derive(Deserialize)]
    struct Past {
        cmd: String,
        risk: String,
        class: String,
    }
    let text = include_str!("../../shell/tests/data/risk-redteam.jsonl");
    let past = text.lines().map(|line| serde_json::from_str::<Past>(line).unwrap());
    // What the shipped rules let through of the others is everyday work: `pytest -q`.
    let should = |past: &Past| match (past.risk.as_str(), past.class.as_str()) {
        ("high", _) => Some("high"),
        (
            _,
            "red7-everyday" | "red9-everyday" | "red10-everyday" | "red11-everyday" | "red12-everyday"
            | "red13-everyday" | "red14b-everyday",
        ) => Some("runs"),
        // Plain commits, whose values only look like options that lower them.
        (_, "red7-lowered") => None,
        ("medium", class)
            if ["red7-", "red8-", "red9-", "red10-", "red11-", "red12-", "red13-", "red14b-"]
                .iter()
                .any(|red| class.starts_with(red)) =>
        {
            Some("medium")
        }
        _ => None,
    };
    let lines: Vec<Line> = past
        .filter_map(|past| Some((should(&past)?.to_owned(), past)))
        .map(|(should, past)| Line { cmd: past.cmd, should, class: past.class })
        .collect();
    assert!(lines.len() >= 1_000, "{}", lines.len());
    let places = Places { root: "/home/u/project".into(), home: "/home/u".into(), ..Places::default() };
    let wrong = violations(&lines, &Policy::new(permissions::defaults().unwrap(), places));
    println!("checked={} violations={}", lines.len(), wrong.values().map(Vec::len).sum::<usize>());
    assert!(wrong.is_empty(), "{wrong:#?}");
}
