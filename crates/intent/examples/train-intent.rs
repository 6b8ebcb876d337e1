//! Trains the weights of the statistical tier from the lines and frames in the tree.
//!
//! `cargo run --release -p pilothouse-intent --example train-intent [OUT.bin]` writes the weights; the
//! same files give the same bytes. One line in ten, by hash, is never trained on.
//! `--share 0.5` takes a part of the lines, writes nothing and prints how well the floor batches are
//! read: the learning curve. `--folds g1,g2` leaves out one round of writing at a time and prints
//! how well it is read: what the classifier does with another hand. `--frames 0` goes without frames.
//! `--with name=FILE,...` takes lines from outside the tree as further batches.
#![allow(clippy::many_single_char_names, clippy::needless_range_loop)]
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::case_sensitive_file_extension_comparisons,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    dead_code
)]

#[path = "intent/frames.rs"]
mod frames;
#[path = "intent/learn.rs"]
mod learn;
#[path = "intent/lines.rs"]
mod lines;

use learn::{Knobs, Learned, Sample, identity};
use lines::{Row, acts, hash, is_test};
use pilothouse_intent::{
    Classifier, Source, cli_row,
    features::schema,
    stats::{STEPS, Stamp, corpus},
};

/// What a line of a frame weighs beside one of the corpus.
const FRAME_WEIGHT: f32 = 0.3;
/// How often a frame with slots is filled.
const FRAME_TIMES: usize = 6;
const FOLDS: u64 = 5;

/// A line of the corpus with its samples.
struct Line {
    row: Row,
    samples: Vec<Sample>,
}

/// The stamp of weights that are measured and not kept.
fn unstamped() -> Stamp {
    Stamp { features: schema(), corpus: 0 }
}

/// How a set of lines was read.
#[derive(Default)]
struct Score {
    all: usize,
    leaf: usize,
    turn: usize,
    asked: usize,
    acted: usize,
    forbidden: usize,
}

impl Score {
    fn of(learned: &Learned, rows: &[&Row]) -> Self {
        let bytes = learned.bytes(unstamped(), &identity());
        let classifier = Classifier::without(&[], Some(bytes)).expect("weights that fit");
        let mut score = Self::default();
        for row in rows {
            let out = cli_row(None, &classifier.read(&row.message()), 0);
            let leaf = row.leaf_right(out.leaf.name());
            let unasked = row.only_asks() && acts(out.leaf.name()) && !leaf;
            score.all += 1;
            score.leaf += usize::from(leaf);
            score.turn += usize::from(row.turn_right(out.turn, out.sub));
            score.asked += usize::from(row.only_asks());
            score.acted += usize::from(unasked);
            score.forbidden += usize::from(unasked && row.forbids());
        }
        score
    }

    fn print(&self, name: &str) {
        let percent = |n: usize| 100.0 * n as f64 / self.all.max(1) as f64;
        println!(
            "{name:12} {:5} lines  leaf {:5.1} %  turn {:5.1} %  acted unasked {} of {} ({} forbidden)",
            self.all,
            percent(self.leaf),
            percent(self.turn),
            self.acted,
            self.asked,
            self.forbidden
        );
    }
}

/// How often a share is right on folds left out: bins smoothed, never falling.
fn calibration(lines: &[Line], frames: &[Sample]) -> [f32; STEPS] {
    let fold = |l: &Line| (hash(&l.row.text) >> 20) % FOLDS;
    let mut points: Vec<(f32, bool)> = Vec::new();
    for out in 0..FOLDS {
        let inside: Vec<&Sample> =
            lines.iter().filter(|l| fold(l) != out).flat_map(|l| &l.samples).chain(frames).collect();
        let bytes = Learned::from(&inside, &knobs()).bytes(unstamped(), &identity());
        let classifier = Classifier::without(&[], Some(bytes)).expect("weights that fit");
        for line in lines.iter().filter(|l| fold(l) == out) {
            let reading = classifier.read(&line.row.message());
            if reading.whole.source == Source::Exemplar {
                let out = cli_row(None, &reading, 0);
                let right = line.row.leaf_right(out.leaf.name()) && line.row.turn_right(out.turn, out.sub);
                points.push((out.confidence, right));
            }
        }
    }
    let right = points.iter().filter(|p| p.1).count();
    println!("left out in turn: {right} of {} right in leaf and turn", points.len());
    let mut table: [f32; STEPS] = std::array::from_fn(|i| {
        let at = i as f32 / (STEPS - 1) as f32;
        let (mut right, mut sum) = (0.0, 0.0);
        for (p, ok) in &points {
            let weight = (-((p - at) / 0.03).powi(2)).exp();
            right += weight * f32::from(u8::from(*ok));
            sum += weight;
        }
        (right + 0.6) / (sum + 1.2)
    });
    for i in 1..STEPS {
        table[i] = table[i].max(table[i - 1]);
    }
    table
}

/// The batches that are never trained on, by name.
fn floor() -> Vec<(String, Vec<Row>)> {
    let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/");
    let mut names: Vec<String> = std::fs::read_dir(dir)
        .expect("the data of the tests")
        .filter_map(|e| e.ok()?.file_name().into_string().ok())
        .filter(|n| n.starts_with("intent-batch-"))
        .collect();
    names.sort();
    names
        .into_iter()
        .map(|n| {
            let rows = lines::read(&format!("{dir}{n}"));
            (n.trim_start_matches("intent-batch-").trim_end_matches(".jsonl").to_owned(), rows)
        })
        .collect()
}

/// The learner's knobs, each to be set for an ablation: `--epochs`, `--rate`, `--drop`, `--decay`, `--runs`.
fn knobs() -> Knobs {
    let args: Vec<String> = std::env::args().collect();
    let value = |name: &str| {
        args.iter().position(|a| a == name).and_then(|i| args.get(i + 1)).and_then(|s| s.parse::<f32>().ok())
    };
    let usual = Knobs::default();
    Knobs {
        epochs: value("--epochs").map_or(usual.epochs, |v| v as usize),
        rate: value("--rate").unwrap_or(usual.rate),
        drop: value("--drop").map_or(usual.drop, |v| v as u64),
        decay: value("--decay").unwrap_or(usual.decay),
        runs: value("--runs").map_or(usual.runs, |v| v as u64),
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/intent/");
    let value = |name: &str| args.iter().position(|a| a == name).and_then(|i| args.get(i + 1)).cloned();
    let share: f64 = value("--share").map_or(1.0, |s| s.parse().expect("a number"));
    let times = value("--frames").map_or(FRAME_TIMES, |s| s.parse().expect("a number"));
    let source = std::fs::read_to_string(format!("{root}frames.txt")).expect("the frames can be read");
    let by = Classifier::builtin();
    let frames: Vec<Sample> = match times {
        0 => Vec::new(),
        _ => frames::expand(&source, times).iter().map(|r| Sample::new(&by, r, FRAME_WEIGHT)).collect(),
    };
    // lines that are not in the tree: a round of writing that is only measured, `name=FILE`
    let more = value("--with").into_iter().flat_map(|list| {
        let parts: Vec<String> = list.split(',').map(str::to_owned).collect();
        parts.into_iter().flat_map(|part| {
            let (name, file) = part.split_once('=').expect("name=FILE");
            lines::read(file).into_iter().map(|r| Row { batch: name.to_owned(), ..r }).collect::<Vec<_>>()
        })
    });
    let lines: Vec<Line> = lines::read(&format!("{root}corpus.jsonl"))
        .into_iter()
        .chain(more)
        .filter(|r| !is_test(&r.text) && ((hash(&r.text) >> 8 & 0xffff) as f64 / 65536.0) < share)
        .map(|row| Line { samples: Sample::all(&by, &row), row })
        .collect();
    println!("{} lines, {} lines of frames", lines.len(), frames.len());
    let learn = |keep: &dyn Fn(&Line) -> bool| {
        let inside: Vec<&Sample> =
            lines.iter().filter(|l| keep(l)).flat_map(|l| &l.samples).chain(&frames).collect();
        Learned::from(&inside, &knobs())
    };
    if let Some(folds) = value("--folds") {
        for batch in folds.split(',') {
            let out: Vec<&Row> = lines.iter().map(|l| &l.row).filter(|r| r.batch == batch).collect();
            Score::of(&learn(&|l| l.row.batch != batch), &out).print(batch);
        }
        return;
    }
    let learned = learn(&|_| true);
    let floor = floor();
    for (name, rows) in &floor {
        Score::of(&learned, &rows.iter().collect::<Vec<_>>()).print(name);
    }
    Score::of(&learned, &floor.iter().flat_map(|(_, r)| r).collect::<Vec<_>>()).print("together");
    if value("--share").is_some() {
        return;
    }
    let table = calibration(&lines, &frames);
    println!("calibration {table:.2?}");
    let out =
        args.iter().find(|a| a.ends_with(".bin")).cloned().unwrap_or_else(|| format!("{root}weights.bin"));
    let written = std::fs::read_to_string(format!("{root}corpus.jsonl")).expect("the corpus can be read");
    let stamp = Stamp { features: schema(), corpus: corpus(&written, &source) };
    std::fs::write(&out, learned.bytes(stamp, &table)).expect("the weights can be written");
}
