//! Learning: samples from labelled lines, gradient descent, and the bytes of a weights file.

use pilothouse_intent::{
    Classifier,
    features::BUCKETS,
    stats::{CLASSES, GUARDS, LEAVES, STEPS, Stamp, TURNS, softmax},
};

use super::lines::{Row, acts, hash};

/// Passes over the lines.
pub const EPOCHS: usize = 10;

/// A line as the learner sees it.
pub struct Sample {
    /// Buckets and values.
    pub features: Vec<(u32, f32)>,
    /// Right classes with their shares, for each head.
    pub targets: [Vec<(usize, f32)>; 2],
    /// For the guards: buckets, and whether it only asks and whether it forbids.
    pub guard: (Vec<(u32, f32)>, [Option<bool>; GUARDS]),
    weight: f32,
}

/// Words of a switch between the two modes of the program; any other is about the manner.
const MODES: &[&str] = &[
    "proof",
    "prov",
    "explor",
    "audit",
    "relax",
    "loose",
    "freely",
    "rigor",
    "rigour",
    "strict",
    "formal",
    "evidence",
    "verif",
    "quick",
    "beweis",
    "nachweis",
    "erkund",
    "探索",
    "证明",
    "証明",
    "탐색",
    "증명",
    "esplor",
    "исслед",
    "доказ",
    "prueba",
    "preuve",
    "belegt",
    "proba",
    "trace",
    "cite",
    "claim",
];
/// Those of the exploratory one.
const EXPLORE: &[&str] = &[
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

fn turn_index(row: &Row, turn: &str, sub: Option<&str>) -> Option<usize> {
    let name = match (turn, sub) {
        ("control", Some("mode_switch")) => {
            let lower = row.text.to_lowercase();
            let any = |list: &[&str]| list.iter().any(|w| lower.contains(w));
            if !any(MODES) {
                "manner"
            } else if any(EXPLORE) {
                "mode_explore"
            } else {
                "mode_proof"
            }
        }
        ("control", Some(sub)) => sub,
        (turn, _) => turn,
    };
    TURNS.iter().position(|t| *t == name)
}

fn shares(own: Option<usize>, others: Vec<usize>) -> Vec<(usize, f32)> {
    let mine = if others.is_empty() { 1.0 } else { 0.7 };
    let each = 0.3 / others.len().max(1) as f32;
    own.map(|i| (i, mine)).into_iter().chain(others.into_iter().map(|i| (i, each))).collect()
}

impl Sample {
    /// A sample with a weight, as a classifier sees it.
    pub fn new(by: &Classifier, row: &Row, weight: f32) -> Self {
        let leaf = |name: &str| LEAVES.iter().position(|l| l.name() == name);
        let leaves = shares(leaf(&row.leaf), row.also.iter().filter_map(|l| leaf(l)).collect());
        let turns = shares(
            turn_index(row, &row.turn, row.sub.as_deref()),
            row.also_turn
                .iter()
                .filter_map(|t| turn_index(row, t.strip_prefix("control.").unwrap_or(t), None))
                .collect(),
        );
        let deep = acts(&row.leaf) && !row.only_asks();
        let asks = row.only_asks() && !row.also.iter().any(|l| acts(l)) && !deep;
        let only = (deep || asks).then_some(asks);
        let guard = (by.guards(&row.message()), [only, Some(row.forbids() && row.only_asks())]);
        Self { features: by.features(&row.message()), targets: [leaves, turns], guard, weight }
    }

    /// The samples of a line: itself, and what follows from it in other phases.
    pub fn all(by: &Classifier, row: &Row) -> Vec<Self> {
        let mut out = vec![Self::new(by, row, 1.0)];
        // a question stays a question whatever runs
        if row.phase == "idle"
            && row.turn == "query"
            && matches!(row.leaf.as_str(), "explain" | "clarify" | "read" | "audit" | "review")
        {
            let phase = ["executing", "awaiting_approval", "planning", "failed"]
                [(hash(&row.text) >> 30 & 3) as usize];
            out.push(Self::new(by, &Row { phase: phase.into(), also_turn: Vec::new(), ..row.clone() }, 0.4));
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
            out.push(Self::new(by, &copy, 0.3));
        }
        out
    }
}

/// Knobs, for ablation.
#[derive(Clone)]
pub struct Knobs {
    /// Passes over the lines.
    pub epochs: usize,
    /// Step size.
    pub rate: f32,
    /// Share of features left out at each step, in percent.
    pub drop: u64,
    /// Pull towards zero.
    pub decay: f32,
    /// How often all is learned, in other orders; the weights are the mean.
    pub runs: u64,
}

impl Default for Knobs {
    fn default() -> Self {
        Self { epochs: EPOCHS, rate: 0.08, drop: 40, decay: 2e-5, runs: 3 }
    }
}

/// Learns the weights.
fn train(samples: &[&Sample], knobs: &Knobs, run: u64) -> Vec<f32> {
    let mut w = vec![0f32; BUCKETS as usize * CLASSES];
    let mut g2 = vec![1e-2f32; BUCKETS as usize * CLASSES];
    let mut state = 0x1234_5678_9abc_def1u64 ^ (run << 32);
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut order: Vec<usize> = (0..samples.len()).collect();
    let keep = 100.0 / (100 - knobs.drop) as f32;
    for _ in 0..knobs.epochs {
        for i in (1..order.len()).rev() {
            order.swap(i, (random() % (i as u64 + 1)) as usize);
        }
        for &i in &order {
            let s = samples[i];
            // leave out one feature in five, so that no single one carries a class
            let kept: Vec<(u32, f32)> = s
                .features
                .iter()
                .filter(|_| random() % 100 >= knobs.drop)
                .map(|(b, v)| (*b, v * keep))
                .collect();
            let grad = gradient(&sums(&w, &kept), &s.targets);
            for (b, v) in &kept {
                let from = *b as usize * CLASSES;
                let (w, g2) = (&mut w[from..from + CLASSES], &mut g2[from..from + CLASSES]);
                for ((w, g2), g) in w.iter_mut().zip(g2).zip(&grad) {
                    let g = g * v * s.weight + knobs.decay * *w;
                    *g2 += g * g;
                    *w -= knobs.rate * g / g2.sqrt();
                }
            }
        }
    }
    w
}

fn gradient(sums: &[f32; CLASSES], targets: &[Vec<(usize, f32)>; 2]) -> [f32; CLASSES] {
    let mut grad = [0f32; CLASSES];
    for ((from, to), targets) in [(0, LEAVES.len()), (LEAVES.len(), CLASSES)].into_iter().zip(targets) {
        if targets.is_empty() {
            continue;
        }
        let mut p = vec![0f32; to - from];
        softmax(&sums[from..to], &mut p);
        grad[from..to].copy_from_slice(&p);
        let total: f32 = targets.iter().map(|(i, t)| t * p[*i]).sum::<f32>().max(1e-9);
        for (i, t) in targets {
            let posterior = t * p[*i] / total;
            grad[from + i] -= 0.5 * t + 0.5 * posterior;
        }
    }
    grad
}

/// Raw sums of all classes.
fn sums(w: &[f32], features: &[(u32, f32)]) -> [f32; CLASSES] {
    let mut sums = [0f32; CLASSES];
    for (b, v) in features {
        for (sum, x) in sums.iter_mut().zip(&w[*b as usize * CLASSES..][..CLASSES]) {
            *sum += x * v;
        }
    }
    sums
}

/// The mean of weights that were learned in other orders: what is chance in one run cancels out.
fn mean(runs: u64, learn: impl Fn(u64) -> Vec<f32>) -> Vec<f32> {
    let share = 1.0 / runs as f32;
    let mut out: Vec<f32> = Vec::new();
    for run in (0..runs).map(learn) {
        out.resize(run.len(), 0.0);
        out.iter_mut().zip(&run).for_each(|(sum, w)| *sum += w * share);
    }
    out
}

/// What was learned.
pub struct Learned {
    leaves: Vec<f32>,
    guards: Vec<f32>,
}

impl Learned {
    /// Learns from samples.
    pub fn from(samples: &[&Sample], knobs: &Knobs) -> Self {
        let runs = |learn: fn(&[&Sample], &Knobs, u64) -> Vec<f32>| {
            mean(knobs.runs, |run| learn(samples, knobs, run))
        };
        Self { leaves: runs(train), guards: runs(train_guards) }
    }

    /// The bytes of a weights file.
    pub fn bytes(&self, stamp: Stamp, table: &[f32; STEPS]) -> Vec<u8> {
        let (a, b) = (scales(&self.leaves, CLASSES), scales(&self.guards, GUARDS));
        let mut bytes = stamp.bytes().to_vec();
        bytes.extend(a.iter().chain(table).chain(&b).flat_map(|x| x.to_le_bytes()));
        for (w, scales) in [(&self.leaves, a), (&self.guards, b)] {
            bytes.extend(w.iter().enumerate().map(|(i, x)| {
                ((x / scales[i % scales.len()]).round().clamp(-127.0, 127.0) as i8).cast_unsigned()
            }));
        }
        bytes
    }
}

fn scales(w: &[f32], classes: usize) -> Vec<f32> {
    (0..classes)
        .map(|c| w.iter().skip(c).step_by(classes).fold(1e-6f32, |m, x| m.max(x.abs())) / 127.0)
        .collect()
}

/// A table that changes nothing.
pub fn identity() -> [f32; STEPS] {
    std::array::from_fn(|i| i as f32 / (STEPS - 1) as f32)
}

/// Learns the guards: two logistic regressions over the same buckets.
fn train_guards(samples: &[&Sample], knobs: &Knobs, run: u64) -> Vec<f32> {
    let mut w = vec![0f32; BUCKETS as usize * 2];
    let mut g2 = vec![1e-2f32; BUCKETS as usize * 2];
    let mut state = 0x9e37_79b9_7f4a_7c15u64 ^ (run << 32);
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut order: Vec<usize> = (0..samples.len()).collect();
    let keep = 100.0 / (100 - knobs.drop) as f32;
    for _ in 0..knobs.epochs {
        for i in (1..order.len()).rev() {
            order.swap(i, (random() % (i as u64 + 1)) as usize);
        }
        for &i in &order {
            let s = samples[i];
            let kept: Vec<(u32, f32)> = s
                .guard
                .0
                .iter()
                .filter(|_| random() % 100 >= knobs.drop)
                .map(|(b, v)| (*b, v * keep))
                .collect();
            let z = guard_sums(&w, &kept);
            for h in 0..2 {
                let Some(yes) = s.guard.1[h] else { continue };
                let p = 1.0 / (1.0 + (-z[h]).exp());
                let e = (p - f32::from(u8::from(yes))) * s.weight;
                for (b, v) in &kept {
                    let at = *b as usize * 2 + h;
                    let g = e * v + knobs.decay * w[at];
                    g2[at] += g * g;
                    w[at] -= knobs.rate * g / g2[at].sqrt();
                }
            }
        }
    }
    w
}

/// Raw sums of the guards.
fn guard_sums(w: &[f32], features: &[(u32, f32)]) -> [f32; 2] {
    let mut z = [0f32; 2];
    for (b, v) in features {
        z[0] += w[*b as usize * 2] * v;
        z[1] += w[*b as usize * 2 + 1] * v;
    }
    z
}
