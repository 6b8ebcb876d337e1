//! Measures the bars of command risk on a file of labelled lines: `risk_bars FILE [--wrong]`.
#![allow(clippy::disallowed_methods, reason = "an example or a test stands outside core")]
#![allow(clippy::cast_precision_loss, clippy::print_stdout, clippy::expect_used, clippy::indexing_slicing)]

use std::time::Instant;

use pilothouse_shell::{Risk, assess};

#[derive(serde::Deserialize)]
struct Labelled {
    cmd: String,
    risk: Risk,
    #[serde(default)]
    tricky: bool,
}

fn main() {
    let path = std::env::args().nth(1).expect("a file of labelled lines");
    let wrong = std::env::args().any(|a| a == "--wrong");
    let text = std::fs::read_to_string(path).expect("the file");
    let mut table = [[0usize; 3]; 3];
    let (mut tricky, mut tricky_right) = (0, 0);
    let mut times = Vec::new();
    assess("ls");
    for line in text.lines().filter(|l| !l.trim().is_empty()) {
        let case: Labelled = serde_json::from_str(line).expect(line);
        let start = Instant::now();
        let verdict = assess(&case.cmd);
        times.push(start.elapsed());
        table[case.risk as usize][verdict.risk as usize] += 1;
        tricky += usize::from(case.tricky);
        tricky_right += usize::from(case.tricky && verdict.risk == case.risk);
        if wrong && verdict.risk != case.risk {
            println!(
                "{:6} not {:6} {:18} {}",
                verdict.risk.name(),
                case.risk.name(),
                verdict.rule,
                case.cmd.escape_debug()
            );
        }
        if verdict.risk > Risk::Low && (verdict.part.is_empty() || !case.cmd.contains(&verdict.part)) {
            println!("part {:?} is not in {:?}", verdict.part, case.cmd);
        }
    }
    times.sort_unstable();
    let n = times.len();
    let right: usize = (0..3).map(|i| table[i][i]).sum();
    println!(
        "lines={n} right={right} ({:.1} %) tricky={tricky_right}/{tricky}",
        100.0 * right as f64 / n as f64
    );
    println!("rows are labels, columns are verdicts (low, medium, high): {table:?}");
    println!("median {:?}, p99 {:?}, longest {:?}", times[n / 2], times[n * 99 / 100], times[n - 1]);
}
