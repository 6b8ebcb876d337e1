//! The long runs of command risk: `risk_laws laws [N]` (20,000 derived cases) and `risk_laws fuzz [N]` (5,000,000 lines).
#![allow(clippy::disallowed_methods, reason = "an example or a test stands outside core")]
#![allow(clippy::print_stdout, clippy::expect_used, clippy::indexing_slicing)]

use std::time::Instant;

use pilothouse_core::risk::Risk;

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
    if what == "fuzz" {
        let count = count.unwrap_or(5_000_000);
        let seeds: Vec<String> = lines.into_iter().map(|(line, _)| line).collect();
        let slowest = laws::fuzz(&seeds, count, 3);
        println!("checked={count} violations=0 slowest={slowest:?} in {:?}", start.elapsed());
        return;
    }
    let count = count.unwrap_or(20_000);
    let broken = laws::check(&lines, count, 5);
    for line in broken.iter().take(20) {
        println!("{line:?}");
    }
    println!("checked={count} violations={} in {:?}", broken.len(), start.elapsed());
    std::process::exit(i32::from(!broken.is_empty()));
}
