//! Measures what each part of the classifier earns: leaves out one tier, rule family, tag or word list at a
//! time, learns the weights again without it, and reads the batches of other hands.
//!
//! `cargo run --release -p pilothouse-intent --example ablate-intent` writes the table into
//! `assets/intent/README.md`. No line of another hand is learned from here. `--without NAME,NAME` leaves out
//! several parts at once and only prints. `--with FILE.jsonl` reads further lines as well.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::many_single_char_names,
    clippy::needless_range_loop,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    dead_code
)]

#[path = "intent/frames.rs"]
mod frames;
#[path = "intent/learn.rs"]
mod learn;
#[path = "intent/lines.rs"]
mod lines;

use std::{
    fmt::Write as _,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use learn::{Knobs, Learned, Sample, identity};
use lines::{Row, acts, hash, is_test};
use pilothouse_intent::{Classifier, Part, cli_row, features::schema, stats::Stamp};

/// Rounds of writing by other hands.
const HANDS: &[&str] = &[
    "g1", "g2", "g3", "g4", "a2", "a3", "a4", "a5", "b2", "b3", "b4", "b5", "k1", "k2", "k3", "l1", "l2",
    "l3", "l4",
];
/// Those that aim at the borders.
const HARD: &[&str] = &["k2", "l1", "l2", "l3", "l4"];
/// Passes over the lines, and every second line only: a difference shows as well as with all.
const PASSES: usize = 4;
/// How often all is learned; with one run what stays below a point may be chance.
const RUNS: u64 = 1;
/// What a line of a frame weighs, and how often a frame is filled.
const FRAMES: (f32, usize) = (0.3, 3);
const MARKS: [&str; 2] = ["<!-- ablation: written by ablate-intent -->", "<!-- end of ablation -->"];

/// How a set of lines was read, in percent, and how often in a way that does harm.
#[derive(Clone, Copy, Default)]
struct Score {
    leaf: f64,
    turn: f64,
    sub: f64,
    acted: usize,
    forbidden: usize,
    unasked: usize,
}

impl Score {
    fn of(by: &Classifier, rows: &[&Row]) -> Self {
        let (mut score, mut subs) = (Self::default(), 0.0);
        for row in rows {
            let out = cli_row(None, &by.read(&row.message()), 0);
            let (leaf, turn) = (row.leaf_right(out.leaf.name()), row.turn_right(out.turn, out.sub));
            score.leaf += f64::from(u8::from(leaf));
            score.turn += f64::from(u8::from(turn));
            if row.turn == "control" && row.sub.is_some() {
                subs += 1.0;
                score.sub += f64::from(u8::from(turn));
            }
            let wrong = row.only_asks() && acts(out.leaf.name()) && !leaf;
            score.acted += usize::from(wrong);
            score.forbidden += usize::from(wrong && row.forbids());
            score.unasked += usize::from(row.guard.as_deref() == Some("must_ask") && !leaf);
        }
        let all = rows.len().max(1) as f64;
        score.leaf *= 100.0 / all;
        score.turn *= 100.0 / all;
        score.sub *= 100.0 / f64::max(subs, 1.0);
        score
    }
}

/// What is read and what is learned from.
struct Bench {
    own: Vec<Row>,
    frames: Vec<Row>,
    easy: Vec<Row>,
    hard: Vec<Row>,
}

impl Bench {
    fn load(more: Option<&str>) -> Self {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/intent/");
        let (others, own): (Vec<Row>, Vec<Row>) = lines::read(&format!("{root}corpus.jsonl"))
            .into_iter()
            .partition(|r| HANDS.contains(&r.batch.as_str()));
        let (hard, mut easy): (Vec<Row>, Vec<Row>) =
            others.into_iter().partition(|r| HARD.contains(&r.batch.as_str()));
        let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/");
        for name in ["a1", "a5", "b1", "g5", "g6", "g7"] {
            easy.extend(lines::read(&format!("{dir}intent-batch-{name}.jsonl")));
        }
        easy.extend(more.into_iter().flat_map(lines::read));
        let source = std::fs::read_to_string(format!("{root}frames.txt")).expect("the frames can be read");
        let own = own.into_iter().filter(|r| !is_test(&r.text) && hash(&r.text) >> 20 & 1 == 0).collect();
        Self { own, frames: frames::expand(&source, FRAMES.1), easy, hard }
    }

    /// The batches as they are read without some parts: those that aim at the borders by themselves. Where the
    /// samples are those of `whole`, so are the weights.
    fn read(&self, parts: &[Part], whole: Option<&Whole>) -> ([Score; 2], Whole) {
        let blank = Classifier::without(parts, None).expect("no weights, no fault");
        let own = self.own.iter().flat_map(|r| Sample::all(&blank, r));
        let frames = self.frames.iter().map(|r| Sample::new(&blank, r, FRAMES.0));
        let samples: Vec<Sample> = own.chain(frames).collect();
        let knobs = Knobs { epochs: PASSES, runs: RUNS, ..Knobs::default() };
        let seen = samples.iter().fold(0, |h, s| seen(seen(h, &s.features), &s.guard.0));
        let bytes = match whole.filter(|w| w.seen == seen) {
            Some(same) => same.bytes.clone(),
            None => Learned::from(&samples.iter().collect::<Vec<_>>(), &knobs)
                .bytes(Stamp { features: schema(), corpus: 0 }, &identity()),
        };
        let by = Classifier::without(parts, Some(bytes.clone())).expect("weights that fit");
        let scores = [&self.easy, &self.hard].map(|rows| Score::of(&by, &rows.iter().collect::<Vec<_>>()));
        (scores, Whole { seen, bytes })
    }
}

/// Weights, and a hash of the samples that they were learned from.
struct Whole {
    seen: u64,
    bytes: Vec<u8>,
}

fn seen(hash: u64, features: &[(u32, f32)]) -> u64 {
    features.iter().fold(hash, |h, (bucket, value)| {
        (h ^ (u64::from(*bucket) << 32 | u64::from(value.to_bits()))).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// What a part earns: how much worse it goes without it.
fn row(name: &str, whole: [Score; 2], without: [Score; 2]) -> String {
    let points = |a: f64, b: f64| format!("{:+.1}", if (a - b).abs() < 0.05 { 0.0 } else { a - b });
    let mut out = format!("| {name} ");
    for (a, b) in whole.iter().zip(without) {
        let _ =
            write!(out, "| {} {} {} ", points(a.leaf, b.leaf), points(a.turn, b.turn), points(a.sub, b.sub));
    }
    let sum = |s: [Score; 2], of: fn(&Score) -> usize| s.iter().map(of).sum::<usize>() as i64;
    for of in [|s: &Score| s.acted, |s: &Score| s.forbidden, |s: &Score| s.unasked] {
        let _ = write!(out, "| {:+} ", sum(without, of) - sum(whole, of));
    }
    out + "|"
}

fn absolute(name: &str, score: Score, lines: usize) -> String {
    format!(
        "{name}: {lines} lines, leaf {:.1}, turn {:.1}, subs {:.1}; read as acting though they only ask {}, of \
         these with a prohibition {}; removals that would not be asked about {}.",
        score.leaf, score.turn, score.sub, score.acted, score.forbidden, score.unasked
    )
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let value = |name: &str| args.iter().position(|a| a == name).and_then(|i| args.get(i + 1)).cloned();
    let bench = Bench::load(value("--with").as_deref());
    let parts: Vec<Part> = Part::all().collect();
    if let Some(names) = value("--without") {
        let left: Vec<Part> =
            parts.iter().copied().filter(|p| names.split(',').any(|n| n == p.name())).collect();
        let ([easy, hard], _) = bench.read(&left, None);
        println!("{}", absolute("others", easy, bench.easy.len()));
        println!("{}", absolute("hard", hard, bench.hard.len()));
        return;
    }
    let (whole, weights) = bench.read(&[], None);
    let heads = [
        absolute("All parts, the batches at large", whole[0], bench.easy.len()),
        absolute("The hard ones", whole[1], bench.hard.len()),
    ];
    println!("{}", heads.join("\n"));
    let next = AtomicUsize::new(0);
    let rows: Mutex<Vec<(usize, String)>> = Mutex::default();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(part) = parts.get(at) else { return };
                    let line = row(part.name(), whole, bench.read(&[*part], Some(&weights)).0);
                    println!("{line}");
                    rows.lock().expect("no thread fails").push((at, line));
                }
            });
        }
    });
    let mut rows = rows.into_inner().expect("no thread fails");
    rows.sort_unstable();
    let mut table = format!("{}\n\n", heads.join("\n"));
    for (at, line) in rows {
        if at == 0 || parts[at].kind() != parts[at - 1].kind() {
            let _ = writeln!(
                table,
                "\n| without ({}) | leaf turn subs | hard: leaf turn subs | acted | forbidden | unasked |\n|---|---|---|---|---|---|",
                parts[at].kind()
            );
        }
        table.push_str(&line);
        table.push('\n');
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/intent/README.md");
    let text = std::fs::read_to_string(path).expect("the README can be read");
    let (before, rest) = text.split_once(MARKS[0]).expect("the first mark");
    let (_, after) = rest.split_once(MARKS[1]).expect("the last mark");
    let text = format!("{before}{}\n{table}{}{after}", MARKS[0], MARKS[1]);
    std::fs::write(path, text).expect("the README can be written");
}
