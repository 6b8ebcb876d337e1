//! The long runs of command risk: `risk_laws laws [N]` (20,000 derived cases), `risk_laws fuzz [N]` (5,000,000 lines) and
//! `risk_laws programs [N]` (1,000 generated lines in a bash that finds only recording stubs).
#![allow(clippy::disallowed_methods, reason = "an example or a test stands outside core")]
#![allow(clippy::print_stdout, clippy::expect_used, clippy::indexing_slicing)]

use std::time::Instant;

use pilothouse_shell::{Risk, assess};

#[cfg(unix)]
#[path = "../tests/risk_support/differential.rs"]
mod differential;
#[path = "../tests/risk_support/laws.rs"]
mod laws;

#[derive(serde::Deserialize)]
struct Labelled {
    cmd: String,
    risk: Risk,
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let what = words.get(1).map_or("laws", String::as_str);
    let count = words.get(2).and_then(|n| n.parse().ok());
    let lines: Vec<(String, Risk)> =
        [include_str!("../tests/data/risk-corpus.jsonl"), include_str!("../tests/data/risk-sample.jsonl")]
            .iter()
            .flat_map(|text| text.lines())
            .map(|line| serde_json::from_str::<Labelled>(line).expect("a labelled line"))
            .map(|case| (case.cmd, case.risk))
            .collect();
    let start = Instant::now();
    if what == "programs" {
        std::process::exit(programs(count.unwrap_or(1_000)));
    }
    if what == "fuzz" {
        let count = count.unwrap_or(5_000_000);
        let seeds: Vec<String> = lines.into_iter().map(|(line, _)| line).collect();
        let slowest = laws::fuzz(&seeds, count, 3);
        println!("checked={count} violations=0 slowest={slowest:?} in {:?}", start.elapsed());
        return;
    }
    speed(&lines);
    let count = count.unwrap_or(20_000);
    let broken = laws::check(&lines, count, 5);
    for line in broken.iter().take(20) {
        println!("{line:?}");
    }
    println!("checked={count} violations={} in {:?}", broken.len(), start.elapsed());
    std::process::exit(i32::from(!broken.is_empty()));
}

/// How long a line takes, and a line of a megabyte.
fn speed(lines: &[(String, Risk)]) {
    let time = |line: &str| {
        let start = Instant::now();
        let _ = assess(line);
        start.elapsed()
    };
    let mut times: Vec<_> = lines.iter().chain(lines).map(|(line, _)| time(line)).collect();
    times.sort_unstable();
    let n = times.len();
    println!("lines={n} median={:?} p99={:?} longest={:?}", times[n / 2], times[n * 99 / 100], times[n - 1]);
    let units = ["a", "(", "$(", "true;", "'", "\\", "a b ", "{a,b}", "${x:-", "<<a\n", "`"];
    let huge = units.iter().map(|unit| time(&unit.repeat(1_048_576 / unit.len()))).max();
    println!("a line of 1 MB: longest={:?}", huge.unwrap_or_default());
}

/// Whether one of these was asked for.
#[cfg(unix)]
fn words_ask(options: &[&str]) -> bool {
    std::env::args().any(|word| options.contains(&word.as_str()))
}

/// Generated lines are run; each must have had its programs named.
#[cfg(unix)]
fn programs(count: usize) -> i32 {
    use differential::{Generator, Outcome, Sandbox};
    let Some(sandbox) = Sandbox::new("long") else {
        println!("not run: this machine has no bash");
        return 2;
    };
    let start = Instant::now();
    let mut generator = Generator::new(9, &sandbox.has);
    let (mut named, mut open, mut missed) = (0, 0, 0);
    while named < count && missed < 20 {
        let line = generator.line();
        match sandbox.compare(&line) {
            Outcome::Named => named += 1,
            Outcome::Open => {
                open += 1;
                if words_ask(&["--open"]) {
                    println!("open: {line:?}");
                }
            }
            wrong @ (Outcome::Missed(_) | Outcome::Hung) => {
                missed += 1;
                println!("{wrong:?} in {line:?}");
            }
        }
    }
    println!("lines={named} open={open} violations={missed} in {:?}", start.elapsed());
    i32::from(missed > 0)
}

#[cfg(not(unix))]
fn programs(_: usize) -> i32 {
    println!("not run: only on unix");
    2
}
