//! A day's work of an agent, command by command: how often it asks with the rules that come with the program.
//!
//! The commands are those of three projects (Rust, Node, Python) as an agent runs them: looking around, testing, building,
//! formatting, committing, a few installs, a few removals.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::indexing_slicing, clippy::panic)]

use std::{cmp::Ordering, collections::BTreeMap};

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

#[derive(Default, Deserialize)]
struct Ran {
    project: String,
    command: String,
    #[serde(default)]
    network: bool,
    /// Where it stands, of one that was found.
    #[serde(default)]
    source: String,
    /// How loud it should be, as somebody judged who had not seen what it comes to.
    #[serde(default)]
    expected: Option<Comes>,
    /// What its question is about where it is louder, as was said afterwards: `own` (a script of the project, a program that
    /// no rule knows), `files` (it changes files of the project), `variable` (one is set), `options` (arguments that no rule
    /// knows), `outside` (it installs or sets something outside the folder, or a hook), `removal`, `secret`.
    #[serde(default)]
    kind: String,
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
const NO_WORD: [&str; 13] = [
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
    (dir, Around { root, folder, signals: true, since: None, environment, redactor: Redactor::default() })
}

/// What a line comes to: it runs, asks, or wants a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Comes {
    Run,
    Ask,
    Word,
}

fn comes(ran: &Ran, policy: &Policy, around: &Around) -> (Comes, String) {
    comes_in(PermissionMode::Ask, ran, policy, around)
}

fn comes_in(mode: PermissionMode, ran: &Ran, policy: &Policy, around: &Around) -> (Comes, String) {
    let setting = Setting { mode, conditions: Conditions::CALM, granted: &[] };
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
        withheld: false,
        by_trust: false,
        unready: String::new(),
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
    let alone = |line: &str| comes(&Ran { command: line.to_owned(), ..Ran::default() }, &policy, &around).0;
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
        [("go", [43, 17, 0]), ("node", [57, 21, 1]), ("python", [64, 19, 0]), ("rust", [55, 23, 0])];
    assert_eq!(table, BTreeMap::from(expected), "run, ask, want a word");
}

/// Lines of repositories' own builds, CI files and guides for contributors, each with where it stands.
fn recorded() -> Vec<Ran> {
    include_str!("data/recorded.jsonl").lines().map(|l| serde_json::from_str(l).unwrap()).collect()
}

/// Lines that the reader would have had louder: one only lists, the other loses here only what tools make again.
const QUIETER: [&str; 2] = ["git clean -xdf", "docker images"];

#[test]
fn a_recorded_day_of_real_repositories_is_nowhere_quieter_than_a_reader_judged_and_louder_by_known_kinds() {
    let (day, policy) = (recorded(), policy());
    let (_dir, around) = workspace();
    let (mut asks, mut auto) = (BTreeMap::<&str, [usize; 3]>::new(), [0; 3]);
    let (mut quiet, mut kinds, mut unsorted) = (Vec::new(), BTreeMap::<&str, usize>::new(), Vec::new());
    for ran in &day {
        let (is, said) = comes_in(PermissionMode::Ask, ran, &policy, &around);
        let should = ran.expected.unwrap();
        asks.entry(&ran.project).or_default()[is as usize] += 1;
        auto[comes_in(PermissionMode::Auto, ran, &policy, &around).0 as usize] += 1;
        println!("{is:?}\t{should:?}\t{}\t{}\t{said}", ran.source, ran.command);
        match is.cmp(&should) {
            Ordering::Less => quiet.push(ran.command.as_str()),
            Ordering::Equal => {}
            Ordering::Greater if ran.kind.is_empty() => unsorted.push(ran.command.as_str()),
            Ordering::Greater => *kinds.entry(&ran.kind).or_default() += 1,
        }
    }
    println!("checked={} ask mode {asks:?}, auto {auto:?}, louder than judged {kinds:?}", day.len());
    assert!(day.len() >= 300 && day.iter().all(|ran| !ran.source.is_empty()));
    assert_eq!(quiet, QUIETER, "not loud enough");
    assert_eq!(unsorted, [""; 0], "louder than a reader judged, and nobody said why");
    assert_eq!(asks, BTreeMap::from(ASKS), "run, ask, want a word in ask mode");
    assert_eq!(auto, AUTO, "run, ask, want a word in auto");
    assert_eq!(kinds, BTreeMap::from(KINDS), "louder than judged, by what the question is about");
}

const ASKS: [(&str, [usize; 3]); 4] =
    [("go", [27, 61, 10]), ("node", [21, 61, 8]), ("python", [22, 52, 9]), ("rust", [40, 26, 11])];
const AUTO: [usize; 3] = [253, 57, 38];
const KINDS: [(&str, usize); 7] = [
    ("files", 33),
    ("options", 22),
    ("outside", 17),
    ("own", 62),
    ("removal", 13),
    ("secret", 6),
    ("variable", 14),
];
