//! A day's work of an agent, command by command: how often it asks with the rules that come with the program.
//!
//! The commands are those of three projects (Rust, Node, Python) as an agent runs them: looking around, testing, building,
//! formatting, committing, a few installs, a few removals.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::indexing_slicing, clippy::panic)]

use std::collections::BTreeMap;

use pilothouse_core::{
    blob::BlobId,
    ids::CallId,
    policy::{Conditions, Manner, Outcome, Places, Policy, Request, Setting},
    question::CommandQuestion,
    redact::Redactor,
    resolved::{ResolvedCommand, Thing},
    scope::PermissionMode,
    shell::Risk,
};
use pilothouse_runtime::permissions;
use pilothouse_tools::unlost::Around;
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

/// Everyday lines that were said to be asked about too loudly: a plain yes is enough for them.
const NO_WORD: [&str; 14] = [
    "docker run --rm -it alpine sh",
    "docker exec -it web sh",
    "git pull --rebase",
    "git rebase main",
    "git rebase --continue",
    "git commit --amend",
    "git commit --amend --no-edit",
    "git branch -D old",
    "rm -rf target",
    "rm -rf node_modules",
    "rm -rf build",
    "gh pr create --fill",
    "kill 12345",
    "env | grep NODE",
];

/// Of the same list, those that are not asked about at all.
const UNASKED: [&str; 14] = [
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
    "cargo run -- --help",
    "psql -c 'select 1'",
    "git ls-remote origin",
    "curl localhost/health",
];

/// The workspace of the day: what its projects build is there, and git ignores it.
fn workspace() -> (tempfile::TempDir, Around) {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    for (name, text) in [
        (".git/HEAD", "ref: refs/heads/main\n"),
        (".gitignore", "/target\nnode_modules\ndist\nbuild\nbin\n__pycache__\n.pytest_cache\n"),
        ("target/debug/app", ""),
        ("node_modules/left/index.js", ""),
        ("dist/app.js", ""),
        ("build/lib/app.py", ""),
        ("bin/app", ""),
        (".pytest_cache/x", ""),
        ("app/limits.py", "LIMIT = 3\n"),
        ("app/__pycache__/limits.pyc", ""),
    ] {
        let path = root.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let environment = vec![("PATH".into(), "/usr/bin".into()), ("HOME".into(), "/home/u".into())];
    let folder = root.clone();
    (dir, Around { root, folder, signals: true, environment, redactor: Redactor::default() })
}

/// What a line comes to: it runs, asks, or wants a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comes {
    Run,
    Ask,
    Word,
}

fn comes(ran: &Ran, policy: &Policy, around: &Around) -> (Comes, String) {
    let setting = Setting { mode: PermissionMode::Ask, conditions: Conditions::CALM, granted: &[] };
    let found = policy.decide(&request(ran), &setting);
    assert_ne!(found.ruling.outcome, Outcome::Refuse, "{}", ran.command);
    let said = format!("{:7} {:60} {}", found.risk.unwrap().name(), ran.command, found.ruling);
    if found.ruling.outcome == Outcome::Run {
        return (Comes::Run, said);
    }
    let of = BlobId::of(b"");
    let folder = Thing { name: String::new(), path: String::new(), of };
    let unlost = around.unlost(&ran.command);
    let meant = ResolvedCommand { folder, runs: Vec::new(), environment: of, unlost };
    let question = CommandQuestion {
        call: CallId(1),
        gate: None,
        command: ran.command.clone(),
        folder: String::new(),
        shown: of,
        risk: found.risk.unwrap(),
        why: String::new(),
        confine: found.confine.unwrap(),
        reason: String::new(),
        ruling: None,
        deletes: found.deletes,
        meant: Some(Box::new(meant)),
        changed: String::new(),
        brought: false,
        loses: false,
        shows: false,
        gives: Vec::new(),
    };
    (if question.word() == Some("proceed") { Comes::Word } else { Comes::Ask }, said)
}

#[test]
fn of_three_hundred_everyday_commands_none_over_asks_and_none_that_should_does_not() {
    let (days, policy) = (days(), policy());
    let (_dir, around) = workspace();
    assert_eq!(days.len(), 300);
    let mut table: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    for ran in &days {
        let (comes, said) = comes(ran, &policy, &around);
        table.entry(&ran.project).or_default()[comes as usize] += 1;
        if comes != Comes::Run {
            println!("{:6} {comes:?} {said}", ran.project);
        }
    }
    for (project, [run, ask, word]) in &table {
        println!("{project}: {run} run, {ask} ask, {word} want a word");
    }
    let alone = |line: &str| {
        comes(&Ran { project: String::new(), command: line.to_owned(), network: false }, &policy, &around).0
    };
    let having = |lines: &[&'static str], what: fn(Comes) -> bool| -> Vec<&str> {
        lines.iter().copied().filter(|line| what(alone(line))).collect()
    };
    assert_eq!(having(&NO_WORD, |comes| comes == Comes::Word), [""; 0], "too loud");
    assert_eq!(having(&UNASKED, |comes| comes != Comes::Run), [""; 0], "asked for nothing");
    // The same words where something is lost.
    let still = [
        "rm -rf /home/u/target",
        "env | grep NODE; cat .env",
        "git branch -D old; git push -f",
        "rm -rf build; rm -rf \"$X\"",
        "docker exec web printenv",
    ];
    assert_eq!(having(&still, |comes| comes != Comes::Word), [""; 0], "not loud enough");
    let expected =
        [("go", [41, 19, 0]), ("node", [55, 24, 0]), ("python", [61, 22, 0]), ("rust", [55, 23, 0])];
    assert_eq!(table, BTreeMap::from(expected), "run, ask, want a word");
}
