//! Evaluates the built-in intent classifier on labelled lines.
//!
//! `cargo run --release -p pilothouse-core --example eval-intent [FILE.jsonl] [--misses]`
#![allow(clippy::disallowed_methods, reason = "an example or a test stands outside core")]
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing
)]

use std::{collections::BTreeMap, time::Instant};

use pilothouse_core::intent::{Classifier, Message, Phase, cli_row};
use serde::Deserialize;

#[derive(Deserialize)]
struct Row {
    #[serde(default)]
    id: String,
    text: String,
    leaf: String,
    #[serde(default)]
    also: Vec<String>,
    phase: String,
    turn: String,
    sub: Option<String>,
    #[serde(default)]
    also_turn: Vec<String>,
    guard: Option<String>,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    batch: Option<String>,
}

#[derive(Default)]
struct Tally {
    right: usize,
    all: usize,
}

impl Tally {
    fn add(&mut self, right: bool) {
        self.right += usize::from(right);
        self.all += 1;
    }
    fn show(&self) -> String {
        format!(
            "{:>5}/{:<5} {:>5.1} %",
            self.right,
            self.all,
            100.0 * self.right as f64 / self.all.max(1) as f64
        )
    }
}

fn turn_right(row: &Row, turn: &str, sub: Option<&str>) -> bool {
    if row.turn == turn {
        return turn != "control" || row.sub.as_deref() == sub;
    }
    row.also_turn.iter().any(|t| {
        *t == turn || t.strip_prefix("control.").is_some_and(|s| turn == "control" && Some(s) == sub)
    })
}

/// The same hash in the trainer: one line in ten is for testing.
fn is_test(text: &str) -> bool {
    text.bytes().fold(0xcbf2_9ce4_8422_2325u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
        >> 40
        & 0xff
        < 26
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let file = args.iter().find(|a| !a.starts_with("--")).cloned();
    let misses = args.iter().any(|a| a == "--misses");
    let own = file.is_none();
    let file = file.unwrap_or_else(|| {
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/intent/corpus.jsonl").to_owned()
    });
    let text = std::fs::read_to_string(&file).expect("the file can be read");
    let rows: Vec<Row> = text
        .lines()
        .filter(|l| !l.trim().is_empty())
        .map(|l| serde_json::from_str(l).expect("a labelled line"))
        .collect();
    let classifier = Classifier::builtin();
    let start = Instant::now();
    let _ = classifier.read(&Message { text: "load the tables", ..Message::default() });
    println!("load {} µs", start.elapsed().as_micros());
    let (mut leaf, mut turn, mut other, mut subs) =
        (Tally::default(), Tally::default(), Tally::default(), Tally::default());
    let mut by_leaf: BTreeMap<String, Tally> = BTreeMap::new();
    let mut by_turn: BTreeMap<String, Tally> = BTreeMap::new();
    let mut by_phase: BTreeMap<String, Tally> = BTreeMap::new();
    let mut by_tag: BTreeMap<String, Tally> = BTreeMap::new();
    let mut by_batch: BTreeMap<String, (Tally, Tally)> = BTreeMap::new();
    let mut confusion: BTreeMap<(String, String), usize> = BTreeMap::new();
    let mut bins = [(0usize, 0usize); 11];
    let (mut no_write, mut forbid, mut must_ask, mut asked) = (0, 0, 0, 0);
    let mut micros: Vec<f64> = Vec::new();
    for row in rows.iter().filter(|r| !own || is_test(&r.text)) {
        let phase = Phase::ALL.into_iter().find(|p| p.name() == row.phase).unwrap_or(Phase::AwaitingApproval);
        let message = Message {
            text: &row.text,
            phase,
            paused: row.phase == "paused",
            plan_active: row.phase != "idle",
            ..Message::default()
        };
        let start = Instant::now();
        let reading = classifier.read(&message);
        micros.push(start.elapsed().as_nanos() as f64 / 1000.0);
        let out = cli_row(None, &reading, 0);
        let got = out.leaf.name();
        let leaf_ok = row.leaf == got || row.also.iter().any(|l| l == got);
        let turn_ok = turn_right(row, out.turn, out.sub);
        leaf.add(leaf_ok);
        turn.add(turn_ok);
        if row.phase != "idle" {
            other.add(turn_ok);
        }
        if row.turn == "control" && row.sub.is_some() {
            subs.add(turn_ok);
        }
        by_leaf.entry(row.leaf.clone()).or_default().add(leaf_ok);
        by_turn
            .entry(format!(
                "{}{}",
                row.turn,
                row.sub
                    .as_deref()
                    .filter(|_| row.turn == "control")
                    .map(|s| format!(".{s}"))
                    .unwrap_or_default()
            ))
            .or_default()
            .add(turn_ok);
        by_phase.entry(row.phase.clone()).or_default().add(turn_ok);
        for tag in &row.tags {
            by_tag.entry(tag.clone()).or_default().add(leaf_ok && turn_ok);
        }
        let batch = by_batch.entry(row.batch.clone().unwrap_or_default()).or_default();
        batch.0.add(leaf_ok);
        batch.1.add(turn_ok);
        if !leaf_ok {
            *confusion.entry((row.leaf.clone(), got.to_owned())).or_default() += 1;
        }
        let bin = &mut bins[(out.confidence * 10.0) as usize];
        bin.0 += usize::from(leaf_ok);
        bin.1 += 1;
        let acts = matches!(got, "create" | "modify" | "delete" | "execute" | "write");
        let mut serious = "";
        if row.guard.as_deref() == Some("no_write") {
            asked += 1;
            if acts && !leaf_ok {
                no_write += 1;
                serious = "NO-WRITE";
                if row.tags.iter().any(|t| t == "forbid") {
                    forbid += 1;
                    serious = "FORBID";
                }
            }
        }
        if row.guard.as_deref() == Some("must_ask") && !leaf_ok {
            must_ask += 1;
            serious = "MUST-ASK";
        }
        if misses && (!leaf_ok || !turn_ok) {
            let short: String = row.text.chars().take(110).collect::<String>().replace('\n', "⏎");
            println!(
                "{serious:8} {:5} {:9} leaf {}→{}{} turn {}.{}→{}.{}{} c{:.2} [{}] {short:?}",
                row.id,
                row.phase,
                row.leaf,
                got,
                if leaf_ok { "" } else { "✗" },
                row.turn,
                row.sub.as_deref().unwrap_or("-"),
                out.turn,
                out.sub.unwrap_or("-"),
                if turn_ok { "" } else { "✗" },
                out.confidence,
                out.reasoning
            );
        }
    }
    println!(
        "leaf           {}\nturn           {}\nturn, not idle {}\ncontrol subs   {}",
        leaf.show(),
        turn.show(),
        other.show(),
        subs.show()
    );
    println!(
        "serious: {no_write} of {asked} that only ask were read as acting ({forbid} with a prohibition), {must_ask} deletions that would not ask"
    );
    for (name, table) in
        [("leaf", by_leaf), ("turn", by_turn), ("phase (turn)", by_phase), ("tag (both)", by_tag)]
    {
        println!("-- {name}");
        for (key, tally) in table {
            println!("{key:22} {}", tally.show());
        }
    }
    if by_batch.len() > 1 {
        println!("-- batch (leaf, turn)");
        for (key, (a, b)) in by_batch {
            println!("{key:22} {}  {}", a.show(), b.show());
        }
    }
    println!("-- confusion");
    let mut pairs: Vec<_> = confusion.into_iter().collect();
    pairs.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    for ((a, b), n) in pairs.into_iter().take(16) {
        println!("{a:12} → {b:12} {n}");
    }
    println!("-- calibration (confidence, right of all)");
    for (i, (right, all)) in bins.iter().enumerate().filter(|(_, b)| b.1 > 0) {
        println!(
            "{:.1}–{:.1}  {right}/{all}  {:.1} %",
            i as f64 / 10.0,
            (i as f64 + 1.0) / 10.0,
            100.0 * *right as f64 / *all as f64
        );
    }
    micros.sort_by(f64::total_cmp);
    if !micros.is_empty() {
        println!(
            "micros p50 {:.1}  p99 {:.1}  max {:.1}",
            micros[micros.len() / 2],
            micros[micros.len() * 99 / 100],
            micros[micros.len() - 1]
        );
    }
}
