//! The statistical tier: a linear model over hashed features, its weights in the binary.
//!
//! Owns prediction and the layout of the weights file. Training is `examples/train-intent.rs`.

use std::{borrow::Cow, sync::LazyLock};

use super::{IntentNode as N, features::BUCKETS};

/// The leaves in the order of the weights.
pub const LEAVES: [N; 12] = [
    N::Conversation,
    N::Clarify,
    N::Explain,
    N::Review,
    N::Audit,
    N::Design,
    N::Decompose,
    N::Read,
    N::Create,
    N::Modify,
    N::Delete,
    N::Execute,
];

/// The turns in the order of the weights.
pub const TURNS: [&str; 15] = [
    "query",
    "plan_new",
    "plan_continue",
    "control",
    "cancel",
    "replan",
    "redo_cmd",
    "status",
    "help",
    "exit",
    "reset",
    "mode_proof",
    "mode_explore",
    "resume",
    "breakout",
];

/// Classes of all heads.
pub const CLASSES: usize = LEAVES.len() + TURNS.len() + 4;

/// Where the classes of a head stand: leaf, turn, acts or only asks, free or forbidden.
pub const HEADS: [(usize, usize); 4] = [(0, 12), (12, 27), (27, 29), (29, 31)];

/// Steps of the table that turns a raw share into a calibrated confidence.
pub const STEPS: usize = 21;

/// Probabilities of all heads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// In the order of [`LEAVES`].
    pub leaves: [f32; LEAVES.len()],
    /// In the order of [`TURNS`].
    pub turns: [f32; TURNS.len()],
    /// That the message only asks.
    pub asks: f32,
    /// That the message forbids changes.
    pub forbids: f32,
}

impl Prediction {
    /// The share of a leaf.
    pub fn leaf(&self, leaf: N) -> f32 {
        LEAVES.iter().zip(self.leaves).find(|(l, _)| **l == leaf).map_or(0.0, |(_, p)| p)
    }

    /// The share of a turn.
    pub fn turn(&self, turn: &str) -> f32 {
        TURNS.iter().zip(self.turns).find(|(t, _)| **t == turn).map_or(0.0, |(_, p)| p)
    }

    /// The best leaf among those that `may` allows.
    pub fn best(&self, may: impl Fn(N) -> bool) -> (N, f32) {
        LEAVES
            .iter()
            .copied()
            .zip(self.leaves)
            .filter(|(l, _)| may(*l))
            .max_by(|a, b| a.1.total_cmp(&b.1))
            .unwrap_or((N::Conversation, 0.0))
    }
}

/// The weights: a header of scales and the calibration table, then one byte a weight.
#[derive(Debug)]
pub struct Model<'a> {
    scales: [f32; CLASSES],
    table: [f32; STEPS],
    weights: Cow<'a, [u8]>,
}

static WEIGHTS: &[u8] = include_bytes!("../../../../assets/intent/weights.bin");
static MODEL: LazyLock<Option<Model<'static>>> = LazyLock::new(|| Model::parse(Cow::Borrowed(WEIGHTS)));

impl<'a> Model<'a> {
    /// The weights in the binary.
    pub fn builtin() -> Option<&'static Model<'static>> {
        MODEL.as_ref()
    }

    /// Reads a weights file; `None` when its size is wrong.
    pub fn parse(bytes: Cow<'a, [u8]>) -> Option<Self> {
        let (mut scales, mut table) = ([0f32; CLASSES], [0f32; STEPS]);
        let (head, weights) = match bytes {
            Cow::Borrowed(all) => {
                let (head, weights) = all.split_at_checked((CLASSES + STEPS) * 4)?;
                (Cow::Borrowed(head), Cow::Borrowed(weights))
            }
            Cow::Owned(mut all) => {
                let weights = (all.len() >= (CLASSES + STEPS) * 4).then(|| all.split_off((CLASSES + STEPS) * 4))?;
                (Cow::Owned(all), Cow::Owned(weights))
            }
        };
        let mut floats = head.chunks_exact(4).map(|c| c.try_into().map_or(0.0, f32::from_le_bytes));
        for slot in scales.iter_mut().chain(&mut table) {
            *slot = floats.next()?;
        }
        (weights.len() == BUCKETS as usize * CLASSES).then_some(Self { scales, table, weights })
    }

    /// Probabilities of all heads for a bag of features.
    pub fn predict(&self, features: &[(u32, f32)]) -> Prediction {
        let mut sums = [0f32; CLASSES];
        for (bucket, value) in features {
            let from = *bucket as usize * CLASSES;
            let Some(row) = self.weights.get(from..from + CLASSES) else { continue };
            for (sum, w) in sums.iter_mut().zip(row) {
                *sum += f32::from(w.cast_signed()) * value;
            }
        }
        for (sum, scale) in sums.iter_mut().zip(self.scales) {
            *sum *= scale;
        }
        let mut out =
            Prediction { leaves: [0.0; LEAVES.len()], turns: [0.0; TURNS.len()], asks: 0.0, forbids: 0.0 };
        let (leaves, rest) = sums.split_at(LEAVES.len());
        let (turns, rest) = rest.split_at(TURNS.len());
        softmax(leaves, &mut out.leaves);
        softmax(turns, &mut out.turns);
        if let [act, ask, free, ban] = rest {
            out.asks = 1.0 / (1.0 + (act - ask).exp());
            out.forbids = 1.0 / (1.0 + (free - ban).exp());
        }
        out
    }

    /// How often a prediction with this share is right, measured on folds left out.
    pub fn calibrate(&self, share: f32) -> f32 {
        let last = f32::from(u8::try_from(STEPS - 1).unwrap_or(u8::MAX));
        let at = share.clamp(0.0, 1.0) * last;
        let low = at.floor();
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at is within 0..STEPS")]
        let i = low as usize;
        let a = self.table.get(i).copied().unwrap_or(0.0);
        let b = self.table.get(i + 1).copied().unwrap_or(a);
        a + (b - a) * (at - low)
    }
}

/// Exponentials that sum to one.
pub fn softmax(from: &[f32], to: &mut [f32]) {
    let top = from.iter().copied().fold(f32::MIN, f32::max);
    let mut sum = 0.0;
    for (x, out) in from.iter().zip(to.iter_mut()) {
        *out = (x - top).exp();
        sum += *out;
    }
    for out in to {
        *out /= sum;
    }
}
