//! Evaluates the built-in intent classifier on labelled lines.
//!
//! `cargo run --release -p pilothouse-intent --example eval-intent [FILE.jsonl] [--misses] [--weights W.bin]`
#![allow(
    clippy::disallowed_methods,
    clippy::case_sensitive_file_extension_comparisons,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    dead_code
)]

use std::{collections::BTreeMap, time::Instant};

use lines::{Row, acts, is_test};
use pilothouse_intent::{Classifier, CliRow, cli_row};

#[path = "intent/lines.rs"]
mod lines;

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

/// Everything that is counted.
#[derive(Default)]
struct Report {
    leaf: Tally,
    turn: Tally,
    other: Tally,
    subs: Tally,
    sure: Tally,
    tables: [BTreeMap<String, Tally>; 4],
    batches: BTreeMap<String, (Tally, Tally, Tally)>,
    /// Lines about which no model is asked, and whether what they may do is right.
    alone: Tally,
    confusion: BTreeMap<(String, String), usize>,
    bins: BTreeMap<usize, Tally>,
    asked: usize,
    no_write: usize,
    forbid: usize,
    must_ask: usize,
    micros: Vec<f64>,
}

impl Report {
    fn count(&mut self, row: &Row, out: &CliRow, unsure: bool, micros: f64) -> (bool, bool, &'static str) {
        let got = out.leaf.name();
        let (leaf, turn) = (row.leaf_right(got), row.turn_right(out.turn, out.sub));
        self.micros.push(micros);
        self.leaf.add(leaf);
        self.turn.add(turn);
        if row.phase != "idle" {
            self.other.add(turn);
        }
        let sub = row.sub.as_deref().filter(|_| row.turn == "control");
        if sub.is_some() {
            self.subs.add(turn);
        }
        let kind = format!("{}{}", row.turn, sub.map(|s| format!(".{s}")).unwrap_or_default());
        let [leaves, turns, phases, tags] = &mut self.tables;
        leaves.entry(row.leaf.clone()).or_default().add(leaf);
        turns.entry(kind).or_default().add(turn);
        phases.entry(row.phase.clone()).or_default().add(turn);
        for tag in &row.tags {
            tags.entry(tag.clone()).or_default().add(leaf && turn);
        }
        let batch = self.batches.entry(row.batch.clone()).or_default();
        batch.0.add(leaf);
        batch.1.add(turn);
        batch.2.add(!unsure);
        if !unsure {
            self.alone.add(row.scope_right(out.leaf));
        }
        if !leaf {
            *self.confusion.entry((row.leaf.clone(), got.to_owned())).or_default() += 1;
        }
        self.bins.entry((out.confidence * 10.0) as usize).or_default().add(leaf);
        if out.confidence >= 0.9 {
            self.sure.add(leaf && turn);
        }
        (leaf, turn, self.serious(row, got, leaf))
    }

    /// Errors that no share of right ones makes good.
    fn serious(&mut self, row: &Row, got: &str, right: bool) -> &'static str {
        self.asked += usize::from(row.only_asks());
        if row.only_asks() && acts(got) && !right {
            self.no_write += 1;
            self.forbid += usize::from(row.forbids());
            return if row.forbids() { "FORBID" } else { "NO-WRITE" };
        }
        if row.guard.as_deref() == Some("must_ask") && !right {
            self.must_ask += 1;
            return "MUST-ASK";
        }
        ""
    }

    fn print(&mut self) {
        for (name, tally) in [
            ("leaf", &self.leaf),
            ("turn", &self.turn),
            ("turn, not idle", &self.other),
            ("control subs", &self.subs),
            ("sure (0.9), both", &self.sure),
            ("no model, scope", &self.alone),
        ] {
            println!("{name:16} {}", tally.show());
        }
        println!(
            "serious: {} of {} that only ask were read as acting ({} with a prohibition), {} deletions that would not ask",
            self.no_write, self.asked, self.forbid, self.must_ask
        );
        for (name, table) in ["leaf", "turn", "phase (turn)", "tag (both)"].iter().zip(&self.tables) {
            println!("-- {name}");
            for (key, tally) in table {
                println!("{key:22} {}", tally.show());
            }
        }
        if !self.batches.is_empty() {
            println!("-- batch (leaf, turn, read without a model)");
            for (key, (a, b, c)) in &self.batches {
                println!("{key:22} {}  {}  {}", a.show(), b.show(), c.show());
            }
        }
        println!("-- confusion");
        let mut pairs: Vec<_> = self.confusion.iter().collect();
        pairs.sort_by_key(|(_, n)| std::cmp::Reverse(**n));
        for ((a, b), n) in pairs.into_iter().take(16) {
            println!("{a:12} → {b:12} {n}");
        }
        println!("-- calibration (confidence, leaf right of all)");
        for (i, tally) in &self.bins {
            println!("{:.1}–{:.1}  {}", *i as f64 / 10.0, (*i as f64 + 1.0) / 10.0, tally.show());
        }
        self.micros.sort_by(f64::total_cmp);
        let at = |share: usize| self.micros.get(self.micros.len() * share / 100).copied().unwrap_or(0.0);
        let most = self.micros.last().copied().unwrap_or(0.0);
        println!("micros p50 {:.1}  p99 {:.1}  max {most:.1}", at(50), at(99));
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let file = args.iter().find(|a| a.ends_with(".jsonl")).cloned();
    let misses = args.iter().any(|a| a == "--misses");
    let own = file.is_none();
    let file = file.unwrap_or_else(|| {
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/intent/corpus.jsonl").to_owned()
    });
    let rows = lines::read(&file);
    let weights = args.iter().position(|a| a == "--weights").and_then(|i| args.get(i + 1));
    let classifier = weights.map_or_else(Classifier::builtin, |path| {
        let bytes = std::fs::read(path).expect("the weights can be read");
        Classifier::without(&[], Some(bytes)).expect("weights that fit")
    });
    let start = Instant::now();
    let _ = classifier.read(&lines::load());
    println!("load {} µs", start.elapsed().as_micros());
    let mut report = Report::default();
    for row in rows.iter().filter(|r| !own || is_test(&r.text)) {
        let start = Instant::now();
        let reading = classifier.read(&row.message());
        let micros = start.elapsed().as_nanos() as f64 / 1000.0;
        // As `classify` prints it, which has no plan at hand.
        let reading = classifier.beside_plan(reading, row.message().phase, |_| false);
        let out = cli_row(None, &reading, 0);
        let (leaf, turn, serious) = report.count(row, &out, classifier.unsure(&reading), micros);
        if misses && (!leaf || !turn) {
            let short: String = row.text.chars().take(110).collect::<String>().replace('\n', "⏎");
            println!(
                "{serious:8} {}{:5} {:9} leaf {}→{}{} turn {}.{}→{}.{}{} c{:.2} [{}] {short:?}",
                if classifier.unsure(&reading) { "asks " } else { "" },
                row.id,
                row.phase,
                row.leaf,
                out.leaf.name(),
                if leaf { "" } else { "✗" },
                row.turn,
                row.sub.as_deref().unwrap_or("-"),
                out.turn,
                out.sub.unwrap_or("-"),
                if turn { "" } else { "✗" },
                out.confidence,
                out.reasoning
            );
        }
    }
    report.print();
}
