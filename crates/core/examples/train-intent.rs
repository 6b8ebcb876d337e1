//! Trains the weights of the statistical tier from the labelled lines in the tree.
//!
//! `cargo run --release -p pilothouse-core --example train-intent [--share 0.5] [--all] [OUT]`
//! `--share` takes a part of the lines and prints the accuracy of folds left out: the learning
//! curve. Deterministic: the same lines give the same bytes. Rows of the test split are left out unless
//! `--all` says that the weights are for shipping.
#![allow(clippy::disallowed_methods, reason = "an example or a test stands outside core")]
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::many_single_char_names,
    clippy::case_sensitive_file_extension_comparisons,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss
)]

use pilothouse_core::intent::{
    Message, Phase,
    features::{BUCKETS, features},
    stats::{CLASSES, LEAVES, STEPS, TURNS, softmax},
};
use serde::Deserialize;

#[derive(Clone, Deserialize)]
struct Row {
    text: String,
    leaf: String,
    #[serde(default)]
    also: Vec<String>,
    phase: String,
    turn: String,
    sub: Option<String>,
    #[serde(default)]
    also_turn: Vec<String>,
}

struct Sample {
    features: Vec<(u32, f32)>,
    leaves: Vec<(usize, f32)>,
    turns: Vec<(usize, f32)>,
    weight: f32,
    fold: u64,
    real: bool,
}

fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
}

fn is_test(text: &str) -> bool {
    hash(text) >> 40 & 0xff < 26
}

fn turn_index(turn: &str, sub: Option<&str>, text: &str) -> Option<usize> {
    let name = match (turn, sub) {
        ("control", Some("mode_switch")) => {
            let lower = text.to_lowercase();
            let explore = [
                "explor",
                "relax",
                "loose",
                "freely",
                "erkund",
                "探索",
                "탐색",
                "esplor",
                "исслед",
                "quick",
                "stop prov",
                "drop the proof",
                "leave proof",
                "exit proof",
                "without proof",
                "no more",
            ];
            if explore.iter().any(|e| lower.contains(e)) { "mode_explore" } else { "mode_proof" }
        }
        ("control", Some(sub)) => sub,
        (turn, _) => turn,
    };
    TURNS.iter().position(|t| *t == name)
}

fn sample(row: &Row, weight: f32, real: bool) -> Sample {
    let phase = Phase::ALL.into_iter().find(|p| p.name() == row.phase).unwrap_or(Phase::AwaitingApproval);
    let message = Message {
        text: &row.text,
        phase,
        paused: row.phase == "paused",
        plan_active: row.phase != "idle",
        ..Message::default()
    };
    let leaf = |name: &str| LEAVES.iter().position(|l| l.name() == name);
    let share = 0.3 / row.also.len().max(1) as f32;
    let own = if row.also.is_empty() { 1.0 } else { 0.7 };
    let mut leaves: Vec<(usize, f32)> = leaf(&row.leaf).map(|i| (i, own)).into_iter().collect();
    leaves.extend(row.also.iter().filter_map(|l| leaf(l)).map(|i| (i, share)));
    let own = if row.also_turn.is_empty() { 1.0 } else { 0.7 };
    let mut turns: Vec<(usize, f32)> =
        turn_index(&row.turn, row.sub.as_deref(), &row.text).map(|i| (i, own)).into_iter().collect();
    turns.extend(
        row.also_turn
            .iter()
            .filter_map(|t| turn_index(t.strip_prefix("control.").unwrap_or(t), None, &row.text))
            .map(|i| (i, 0.3 / row.also_turn.len() as f32)),
    );
    Sample { features: features(&message), leaves, turns, weight, fold: hash(&row.text) >> 20, real }
}

fn train(samples: &[&Sample], epochs: usize) -> Vec<f32> {
    let mut w = vec![0f32; BUCKETS as usize * CLASSES];
    let mut g2 = vec![1e-2f32; BUCKETS as usize * CLASSES];
    let mut state = 0x1234_5678_9abc_def1u64;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut order: Vec<usize> = (0..samples.len()).collect();
    let rate = 0.12;
    for _ in 0..epochs {
        for i in (1..order.len()).rev() {
            order.swap(i, (random() % (i as u64 + 1)) as usize);
        }
        for &i in &order {
            let s = samples[i];
            // leave out one feature in five, so that no single one carries a class
            let kept: Vec<(u32, f32)> =
                s.features.iter().filter(|_| random() % 100 >= 22).map(|(b, v)| (*b, v * 1.28)).collect();
            let mut sums = [0f32; CLASSES];
            for (b, v) in &kept {
                let row = &w[*b as usize * CLASSES..][..CLASSES];
                for (sum, x) in sums.iter_mut().zip(row) {
                    *sum += x * v;
                }
            }
            let mut grad = [0f32; CLASSES];
            let mut probabilities = [0f32; CLASSES];
            let (a, b) = probabilities.split_at_mut(LEAVES.len());
            softmax(&sums[..LEAVES.len()], a);
            softmax(&sums[LEAVES.len()..], b);
            for (offset, targets) in [(0, &s.leaves), (LEAVES.len(), &s.turns)] {
                if targets.is_empty() {
                    continue;
                }
                let end = if offset == 0 { LEAVES.len() } else { CLASSES };
                grad[offset..end].copy_from_slice(&probabilities[offset..end]);
                let total: f32 =
                    targets.iter().map(|(i, t)| t * probabilities[offset + i]).sum::<f32>().max(1e-9);
                for (i, t) in targets {
                    let posterior = t * probabilities[offset + i] / total;
                    grad[offset + i] -= 0.5 * t + 0.5 * posterior;
                }
            }
            for (b, v) in &kept {
                let from = *b as usize * CLASSES;
                for (c, g) in grad.iter().enumerate() {
                    let g = g * v * s.weight + 2e-5 * w[from + c];
                    g2[from + c] += g * g;
                    w[from + c] -= rate * g / g2[from + c].sqrt();
                }
            }
        }
    }
    w
}

fn predict(w: &[f32], features: &[(u32, f32)]) -> ([f32; LEAVES.len()], [f32; TURNS.len()]) {
    let mut sums = [0f32; CLASSES];
    for (b, v) in features {
        for (sum, x) in sums.iter_mut().zip(&w[*b as usize * CLASSES..][..CLASSES]) {
            *sum += x * v;
        }
    }
    let (mut leaves, mut turns) = ([0.0; LEAVES.len()], [0.0; TURNS.len()]);
    softmax(&sums[..LEAVES.len()], &mut leaves);
    softmax(&sums[LEAVES.len()..], &mut turns);
    (leaves, turns)
}

fn best(p: &[f32]) -> (usize, f32) {
    p.iter().copied().enumerate().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap()
}

/// How often a share is right on folds left out: bins smoothed, never falling.
fn calibration(samples: &[Sample], folds: u64, epochs: usize) -> [f32; STEPS] {
    let mut points: Vec<(f32, bool)> = Vec::new();
    let (mut leaf, mut turn, mut all) = (0, 0, 0);
    for fold in 0..folds {
        let inside: Vec<&Sample> = samples.iter().filter(|s| s.fold % folds != fold).collect();
        let w = train(&inside, epochs);
        for s in samples.iter().filter(|s| s.real && s.fold % folds == fold) {
            let (leaves, turns) = predict(&w, &s.features);
            let (i, p) = best(&leaves);
            let right = s.leaves.iter().any(|(l, _)| *l == i);
            points.push((p, right));
            leaf += usize::from(right);
            turn += usize::from(s.turns.iter().any(|(t, _)| *t == best(&turns).0));
            all += 1;
        }
    }
    println!(
        "cross-validated, model alone: leaf {:.1} %, turn {:.1} % of {all}",
        100.0 * leaf as f32 / all as f32,
        100.0 * turn as f32 / all as f32
    );
    let mut table = [0f32; STEPS];
    for (i, slot) in table.iter_mut().enumerate() {
        let at = i as f32 / (STEPS - 1) as f32;
        let (mut right, mut sum) = (0.0, 0.0);
        for (p, ok) in &points {
            let weight = (-((p - at) / 0.04).powi(2)).exp();
            right += weight * f32::from(u8::from(*ok));
            sum += weight;
        }
        *slot = (right + 0.6) / (sum + 1.2);
    }
    for i in 1..STEPS {
        table[i] = table[i].max(table[i - 1]);
    }
    table
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/intent/");
    let value = |name: &str| args.iter().position(|a| a == name).and_then(|i| args.get(i + 1)).cloned();
    let share: f64 = value("--share").map_or(1.0, |s| s.parse().expect("a number"));
    let all = args.iter().any(|a| a == "--all");
    let out =
        args.iter().find(|a| a.ends_with(".bin")).cloned().unwrap_or_else(|| format!("{root}weights.bin"));
    let text = std::fs::read_to_string(format!("{root}corpus.jsonl")).expect("the corpus can be read");
    let rows: Vec<Row> = text
        .lines()
        .filter(|l| !l.trim().is_empty())
        .map(|l| serde_json::from_str(l).expect("a labelled line"))
        .collect();
    let mut samples = Vec::new();
    for row in rows.iter().filter(|r| all || !is_test(&r.text)) {
        if (hash(&row.text) >> 8 & 0xffff) as f64 / 65536.0 >= share {
            continue;
        }
        samples.push(sample(row, 1.0, true));
        // a question stays a question whatever runs
        if row.phase == "idle"
            && row.turn == "query"
            && matches!(row.leaf.as_str(), "explain" | "clarify" | "read" | "audit" | "review")
        {
            let phase = ["executing", "awaiting_approval", "planning", "failed"]
                [(hash(&row.text) >> 30 & 3) as usize];
            let copy = Row { phase: phase.into(), also_turn: Vec::new(), ..row.clone() };
            samples.push(sample(&copy, 0.4, false));
        }
        if row.phase == "idle"
            && row.turn == "plan_new"
            && row.leaf == "modify"
            && hash(&row.text) >> 33 & 1 == 0
        {
            // beside an open plan it changes that plan; while a plan runs it is new work
            let (phase, turn, other) = [
                ("awaiting_approval", "plan_continue", None),
                ("executing", "plan_new", Some("plan_continue")),
            ][(hash(&row.text) >> 30 & 1) as usize];
            let copy = Row {
                phase: phase.into(),
                turn: turn.into(),
                also_turn: other.map(str::to_owned).into_iter().collect(),
                ..row.clone()
            };
            samples.push(sample(&copy, 0.3, false));
        }
    }
    println!("{} samples from {} lines", samples.len(), rows.len());
    let epochs = 12;
    let table = calibration(&samples, 5, epochs);
    let w = train(&samples.iter().collect::<Vec<_>>(), epochs);
    let mut bytes = Vec::new();
    let scales: Vec<f32> = (0..CLASSES)
        .map(|c| w.iter().skip(c).step_by(CLASSES).fold(1e-6f32, |m, x| m.max(x.abs())) / 127.0)
        .collect();
    for x in scales.iter().chain(&table) {
        bytes.extend(x.to_le_bytes());
    }
    bytes.extend(
        w.iter()
            .enumerate()
            .map(|(i, x)| ((x / scales[i % CLASSES]).round().clamp(-127.0, 127.0) as i8).cast_unsigned()),
    );
    std::fs::write(&out, bytes).expect("the weights can be written");
    println!("calibration {table:.2?}");
}
