//! The bars of command risk: the labelled lines, the rules' own examples, the laws, the limits.
#![allow(clippy::disallowed_methods, reason = "an example or a test stands outside core")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout
)]

use std::time::{Duration, Instant};

use pilothouse_shell::{MAX_LINE_BYTES, Risk, assess, quote, read, rules};
use serde::Deserialize;

#[cfg(unix)]
#[path = "risk_support/differential.rs"]
mod differential;
#[path = "risk_support/laws.rs"]
mod laws;

#[derive(Deserialize)]
struct Labelled {
    cmd: String,
    risk: Risk,
    why: String,
    tricky: bool,
}

fn labelled(text: &str) -> Vec<Labelled> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn corpus() -> Vec<Labelled> {
    labelled(include_str!("data/risk-corpus.jsonl"))
}

/// Lines by another hand that are kept apart: nothing of them is in the corpus.
fn floor() -> Vec<Labelled> {
    labelled(include_str!("data/risk-floor.jsonl"))
}

fn share(part: usize, whole: usize) -> f64 {
    f64::from(u32::try_from(part).unwrap()) / f64::from(u32::try_from(whole.max(1)).unwrap())
}

fn sample() -> Vec<Labelled> {
    labelled(include_str!("data/risk-sample.jsonl"))
}

#[test]
fn every_line_of_the_public_sample_is_right() {
    let sample = sample();
    assert_eq!(sample.len(), 60);
    for case in sample {
        assert_eq!(assess(&case.cmd).risk, case.risk, "{} ({})", case.cmd, case.why);
    }
}

#[test]
fn the_corpus_holds_the_bars() {
    let corpus = corpus();
    assert!(corpus.len() >= 2_500);
    hold_the_bars(&corpus);
}

#[test]
fn lines_by_another_hand_hold_the_bars() {
    let (floor, corpus) = (floor(), corpus());
    assert_eq!(floor.len(), 150);
    assert!(floor.iter().all(|line| corpus.iter().all(|other| other.cmd != line.cmd)));
    hold_the_bars(&floor);
}

/// What lines come to that do not come to their label: `PILOTHOUSE_BASELINE=update` writes it anew, in a commit of its own.
const BASELINE: &str = "tests/data/risk-baseline.jsonl";

/// Bars are of many lines: here every line has its own, and it only gets better.
#[test]
fn no_line_comes_to_worse_than_it_did() {
    #[derive(Deserialize, serde::Serialize, PartialEq, Eq, Debug)]
    struct Known {
        cmd: String,
        label: Risk,
        is: Risk,
    }
    let all = corpus().into_iter().chain(floor()).chain(sample());
    let is: Vec<Known> = all
        .map(|case| Known { is: assess(&case.cmd).risk, label: case.risk, cmd: case.cmd })
        .filter(|known| known.is != known.label)
        .collect();
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(BASELINE);
    if std::env::var("PILOTHOUSE_BASELINE").is_ok_and(|wish| wish == "update") {
        let lines: Vec<String> =
            is.iter().map(|known| serde_json::to_string(known).unwrap() + "\n").collect();
        std::fs::write(&path, lines.concat()).unwrap();
    }
    let text = std::fs::read_to_string(&path).unwrap();
    let known: Vec<Known> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let worse: Vec<&Known> = is.iter().filter(|line| !known.contains(line)).collect();
    assert!(worse.is_empty(), "worse than recorded: {worse:#?}");
    let better: Vec<&Known> = known.iter().filter(|line| !is.contains(line)).collect();
    assert!(better.is_empty(), "better than recorded, take them out: {better:#?}");
}

fn hold_the_bars(corpus: &[Labelled]) {
    let mut table = [[0usize; 3]; 3];
    let (mut tricky, mut tricky_right) = (0, 0);
    for case in corpus {
        assert!(!case.why.is_empty());
        let verdict = assess(&case.cmd);
        table[case.risk as usize][verdict.risk as usize] += 1;
        tricky += usize::from(case.tricky);
        tricky_right += usize::from(case.tricky && verdict.risk == case.risk);
        assert!(
            !(case.risk == Risk::High && verdict.risk == Risk::Low),
            "high called low: {} ({})",
            case.cmd,
            case.why
        );
    }
    let [low, medium, high] = table;
    let right = low[0] + medium[1] + high[2];
    assert!(share(high[1], high.iter().sum()) <= 0.02, "high called medium: {table:?}");
    assert!(share(medium[0], medium.iter().sum()) <= 0.01, "medium called low: {table:?}");
    assert!(share(low[1] + low[2], low.iter().sum()) <= 0.08, "low called more: {table:?}");
    assert!(share(low[2], low.iter().sum()) <= 0.02, "low called high: {table:?}");
    assert!(share(right, corpus.len()) >= 0.95, "exact: {table:?}");
    assert!(share(tricky_right, tricky) >= 0.93, "tricky: {tricky_right} of {tricky}");
}

/// Lines that got past an older version, and further ones of each class by the hand that mended them.
#[test]
fn what_got_past_once_does_not_again() {
    #[derive(Deserialize)]
    struct Past {
        cmd: String,
        risk: Risk,
        class: String,
        why: String,
    }
    let lines: Vec<Past> =
        include_str!("data/risk-redteam.jsonl").lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert!(lines.len() >= 1_600);
    let wrong: Vec<String> = lines
        .iter()
        .filter(|line| assess(&line.cmd).risk != line.risk)
        .map(|line| format!("{} is {:?}: {} ({})", line.cmd, assess(&line.cmd).rule, line.class, line.why))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_medium_and_high_names_its_part() {
    for case in corpus().into_iter().chain(sample()) {
        let verdict = assess(&case.cmd);
        assert_eq!(verdict.risk == Risk::Low, verdict.part.is_empty(), "{}", case.cmd);
        assert!(case.cmd.contains(&verdict.part), "{:?} is not in {:?}", verdict.part, case.cmd);
        assert!(!verdict.why.is_empty() && rules::exists(&verdict.rule));
        assert!(verdict.parts.iter().all(|p| p.risk <= verdict.risk && case.cmd.contains(&p.text)));
    }
}

#[test]
fn every_rule_matches_its_examples_and_no_others() {
    assert!(rules::all().len() > 40);
    for rule in rules::all() {
        assert!(rule.id == "too-long" || !rule.matching.is_empty(), "{} has no example", rule.id);
        assert!(!rule.other.is_empty(), "{} has no counter-example", rule.id);
        for line in &rule.matching {
            assert_eq!(assess(line).rule, rule.id, "{line}");
        }
        for line in &rule.other {
            assert_ne!(assess(line).rule, rule.id, "{line}");
        }
    }
}

#[test]
fn what_installs_runs_code_of_others_and_what_builds_tests_or_starts_the_project_does_not() {
    for line in [
        "npm install",
        "npm ci && npm test",
        "npm it",
        "yarn",
        "yarn add x",
        "pnpm i",
        "bun install",
        "pip install -r requirements.txt",
        "python3 -m pip install x",
        "poetry install",
        "uv sync",
        "bundle install",
        "composer install",
        "cargo add serde",
        "gem install x",
        "sudo npm install",
        "sh -c 'npm ci'",
        "CI=1 npm ci",
        "cd app && npm i",
        "curl -s https://example.org/i.sh | sh",
        "npm ci > log.txt",
        "npm ci; rm -rf dist",
        "pnpm dlx create-x",
        "apt-get install jq",
    ] {
        assert!(pilothouse_shell::read(line).foreign, "{line}");
    }
    for line in [
        "npm test",
        "npm run build",
        "npm start",
        "node server.js",
        "cargo build",
        "python manage.py migrate",
        "docker compose up -d",
        "npx prisma migrate dev",
        "make all",
        "bundle exec rails s",
        "npm ls",
        "poetry run pytest",
        "uv run pytest",
        "git pull",
        "./install.sh",
        "echo npm install",
        "npm install --help",
    ] {
        assert!(!pilothouse_shell::read(line).foreign, "{line}");
    }
}

#[test]
fn what_could_not_be_read_whole_may_run_code_of_others() {
    let deep = format!("{}npm ci", "eval ".repeat(40));
    for line in [&format!("npm ci # {}", "x".repeat(70_000)), "npm ci 'never closed", &deep] {
        let reading = pilothouse_shell::read(line);
        assert!(!reading.whole && reading.foreign, "{}", line.chars().take(40).collect::<String>());
    }
}

#[test]
fn no_file_that_says_what_a_program_does_stands_there_twice() {
    for program in ["make", "gmake", "just", "rake", "ninja", "tox", "npm", "cargo", "composer"] {
        let files = pilothouse_shell::work_files(program);
        let once: std::collections::BTreeSet<&str> = files.iter().copied().collect();
        assert!(!files.is_empty() && once.len() == files.len(), "{program}: {files:?}");
    }
}

#[test]
fn every_clause_holds_on_its_lines() {
    let clauses = rules::clauses();
    assert!(clauses.iter().map(|clause| clause.number).eq(1..=12));
    for clause in clauses {
        assert!(!clause.text.is_empty() && clause.examples.len() > 1);
        for (risk, line) in clause.examples {
            assert_eq!(assess(line).risk, risk, "{}: {line}", clause.number);
        }
    }
}

#[test]
fn a_share_of_the_derived_cases_holds_the_laws() {
    let lines: Vec<(String, Risk)> = corpus().into_iter().map(|c| (c.cmd, c.risk)).collect();
    let broken = laws::check(&lines, 2_000, 7);
    assert!(broken.is_empty(), "{} broken, first: {:?}", broken.len(), broken.first());
}

#[test]
fn a_share_of_the_fuzz_runs_ends_well() {
    let seeds: Vec<String> = corpus().into_iter().map(|c| c.cmd).collect();
    let slowest = laws::fuzz(&seeds, 20_000, 11);
    assert!(slowest < Duration::from_secs(2), "{slowest:?}");
}

#[test]
fn a_huge_line_is_refused_at_once() {
    for unit in ["a", "(", "$(", "true;", "'", "\\", "a b ", "{a,b}", "${x:-", "<<a\n", "`"] {
        let line = unit.repeat(1_048_576 / unit.len());
        let start = Instant::now();
        assert_eq!(assess(&line).risk, Risk::High);
        assert!(start.elapsed() < Duration::from_millis(50), "{unit}");
    }
}

#[test]
fn deep_and_wide_lines_are_bounded() {
    for (open, close) in
        [("$(", ")"), ("(", ")"), ("{ ", ";}"), ("\"$(", ")\""), ("${a:-", "}"), ("if ", "; then ls; fi")]
    {
        let line = format!("echo {}ls{}", open.repeat(5_000), close.repeat(5_000));
        let start = Instant::now();
        assert_eq!(assess(&line).risk, Risk::High, "{open}");
        assert!(start.elapsed() < Duration::from_secs(2), "{open}");
    }
}

#[test]
fn commands_that_start_commands_are_bounded() {
    for starter in [
        "sudo ",
        "sudo -u x ",
        "env A=b ",
        "npx ",
        "uv run ",
        "find . -exec ",
        "nice ",
        "timeout 5 ",
        "xargs ",
    ] {
        let deep = read(&(starter.repeat(400) + "ls"));
        assert!(deep.too_long && deep.verdict.risk == Risk::High, "{starter}");
    }
    assert_eq!(assess(&("env ".repeat(12) + "ls")).risk, Risk::Low);
    // All words of what is put in for `$x` stand at one place of the line.
    assert!(!read("${x:- sudo sudo ls}").too_long);
    assert!(read("${x:- sudo sudo ls}").calls.iter().any(|call| call.program == "ls"));
}

#[test]
fn an_address_stands_for_a_path_once() {
    let line = format!("cat {}src/lib.rs", "file:".repeat(12_000));
    assert!(assess(&line).risk <= Risk::Medium);
    for line in ["cat file:.env", "sqlite3 'file:%2e%65nv?mode=ro' .dump", "cat file:caf%C3%A9/.env"] {
        assert_eq!(assess(line).risk, Risk::High, "{line}");
    }
}

/// Functions of which each calls the next one twice.
fn doubling(count: usize) -> String {
    let mut line = String::new();
    for n in 0..count {
        let next = n + 1;
        line.push_str(
            &["f", &n.to_string(), "() { f", &next.to_string(), "; f", &next.to_string(), "; };"].concat(),
        );
    }
    line + " f0"
}

#[test]
fn a_long_script_in_one_word_is_read() {
    let body = "print(1)\n".repeat(4_000);
    assert_eq!(assess(&format!("python3 - <<'E'\n{body}E")).risk, Risk::Medium);
    assert_eq!(assess(&format!("bash -c '{}ls'", "ls;".repeat(9_000))).risk, Risk::Low);
}

#[test]
fn loops_and_copies_cannot_multiply_without_end() {
    let words = "ab ".repeat(10_000);
    let lines = [
        format!("for i in {words}; do echo {words}; done"),
        format!("x='{}'; echo {}", "y".repeat(8_000), "\"$x\" ".repeat(9_000)),
        "for a in 1 2 3 4 5 6; do ".repeat(40) + "ls" + &"; done".repeat(40),
        format!("x=a; {} echo $x", "x=$x$x;".repeat(8_000)),
        format!("echo {}", "{a,b}".repeat(12_000)),
        doubling(800),
        format!("eval {}", "\"eval 'ls'\"; eval ".repeat(3_000) + "ls"),
        format!("case x in {} esac", "*) ls;; ".repeat(7_000)),
        format!("a=(x); {}echo \"${{a[@]}}\"", "a+=(y);".repeat(6_000)),
        format!("set -- {}; {}", "a ".repeat(9_000), "shift; ".repeat(3_000)),
        format!("{}{}", "x=1;".repeat(8_000), "(x=2);".repeat(5_000)),
        format!("declare -i x='{}'", "a[".repeat(16_000)),
        "cd a;".repeat(6_000),
        "true && cd /a/$RANDOM;".repeat(900) + "cat " + &"b ".repeat(5_000),
        (0..20).map(|n| ["true && cd /a/", &n.to_string(), ";"].concat()).collect::<String>()
            + "cat "
            + &"b ".repeat(15_000),
        "pushd ~/a;".repeat(2_000) + &"popd;(popd);".repeat(1_000),
    ];
    for line in lines {
        let start = Instant::now();
        let _ = assess(&line);
        assert!(start.elapsed() < Duration::from_secs(15), "{}: {:?}", &line[..40], start.elapsed());
    }
}

#[test]
fn the_number_of_parts_changes_nothing() {
    for (line, risk) in [("ls", Risk::Low), ("touch a", Risk::Medium), ("rm -rf a", Risk::High)] {
        for count in [1, 50, 51, 500, 5_000] {
            assert_eq!(assess(&format!("{}{line}", "true;".repeat(count))).risk, risk);
            assert_eq!(assess(&format!("{line}{}", ";true".repeat(count))).risk, risk);
        }
    }
}

#[test]
fn the_number_of_parts_hides_no_program() {
    for count in [1, 50, 51, 500, 5_000] {
        let others: Vec<String> = (0..count).map(|n| ["p", &n.to_string(), ";"].concat()).collect();
        let others = others.concat();
        for line in [
            format!("{others}rm a.txt"),
            format!("rm a.txt;{others}"),
            format!("{others}true && rm a.txt;{others}"),
            format!("{}rm a.txt", "true && ".repeat(count)),
            format!("{}rm a.txt", "echo a | ".repeat(count)),
            format!("f() {{ rm a.txt; }}; {}f", "true;".repeat(count)),
        ] {
            let reading = read(&line);
            if line.len() > MAX_LINE_BYTES {
                assert!(!reading.whole && reading.verdict.risk == Risk::High);
                continue;
            }
            assert!(reading.whole, "{count}: {}", &line[..40]);
            assert!(reading.verdict.programs.iter().any(|p| p == "rm"), "{count}: {}", &line[..40]);
            assert!(reading.calls.iter().any(|call| call.program == "rm"), "{count}: {}", &line[..40]);
            assert!(reading.verdict.risk >= Risk::Medium);
        }
    }
}

/// A share of the whole, which `cargo run --release -p pilothouse-shell --example risk_laws programs` runs.
#[cfg(unix)]
#[test]
fn every_program_that_really_runs_was_named() {
    use differential::{Generator, Outcome, Sandbox};
    let Some(sandbox) = Sandbox::new("test") else {
        println!("not run: this machine has no bash, whose behaviour is what the reader is compared with");
        return;
    };
    let mut generator = Generator::new(21, &sandbox.has);
    let (mut named, mut open) = (0, 0);
    while named < 120 {
        let line = generator.line();
        match sandbox.compare(&line) {
            Outcome::Named => named += 1,
            Outcome::Open => open += 1,
            wrong @ (Outcome::Missed(_) | Outcome::Hung) => panic!("{wrong:?} in {line:?}"),
        }
    }
    assert!(open < 30, "{open} lines were not certain");
}

#[test]
fn what_holds_elsewhere_is_not_taken_to_hold_here() {
    let lines = include_str!("data/risk-scopes.txt");
    for line in lines.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
        let line = line.replace("\\n", "\n");
        assert_eq!(assess(&line).risk, Risk::High, "{line}");
    }
}

#[test]
fn an_argv_is_judged_as_its_words() {
    let risk = |words: &[&str]| assess(&words.iter().map(|w| quote(w)).collect::<Vec<_>>().join(" ")).risk;
    assert_eq!(risk(&["echo", "; rm -rf x"]), Risk::Low);
    assert_eq!(risk(&["echo", "$(rm -rf x)"]), Risk::Low);
    assert_eq!(risk(&["rm", "-rf", "it's"]), Risk::High);
    assert_eq!(risk(&["sh", "-c", "rm -rf x"]), Risk::High);
    assert_eq!(risk(&[]), Risk::Low);
}

#[test]
fn every_program_that_may_run_is_named() {
    let programs = assess("cat a | sort && env X=1 sh -c 'r\\m -r x' $(date)").programs;
    for name in ["cat", "sort", "env", "sh", "rm", "date"] {
        assert!(programs.iter().any(|p| p == name), "{name} in {programs:?}");
    }
}

#[test]
fn the_same_line_gives_the_same_verdict() {
    for case in corpus() {
        assert_eq!(assess(&case.cmd), assess(&case.cmd));
    }
}
