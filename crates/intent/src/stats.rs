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
pub const TURNS: [&str; 16] = [
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
    "manner",
    "resume",
    "breakout",
];

/// Classes of both heads.
pub const CLASSES: usize = LEAVES.len() + TURNS.len();

/// The guards: that a message only asks, and that it forbids changes.
pub const GUARDS: usize = 2;

/// Steps of the table that turns a raw share into a calibrated confidence.
pub const STEPS: usize = 21;

/// Probabilities of both heads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// In the order of [`LEAVES`].
    pub leaves: [f32; LEAVES.len()],
    /// In the order of [`TURNS`].
    pub turns: [f32; TURNS.len()],
}

/// What the guards say, each by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Guard {
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
    guards: [f32; GUARDS],
    weights: Cow<'a, [u8]>,
}

/// Floats before the weights.
const HEADER: usize = CLASSES + STEPS + GUARDS;
static WEIGHTS: &[u8] = include_bytes!("../../../assets/intent/weights.bin");
static MODEL: LazyLock<Option<Model<'static>>> = LazyLock::new(|| Model::parse(Cow::Borrowed(WEIGHTS)));

impl<'a> Model<'a> {
    /// The weights in the binary.
    pub fn builtin() -> Option<&'static Model<'static>> {
        MODEL.as_ref()
    }

    /// Reads a weights file; `None` when its size is wrong.
    pub fn parse(bytes: Cow<'a, [u8]>) -> Option<Self> {
        if bytes.len() != HEADER * 4 + BUCKETS as usize * (CLASSES + GUARDS) {
            return None;
        }
        let (mut scales, mut table, mut guards) = ([0f32; CLASSES], [0f32; STEPS], [0f32; GUARDS]);
        let mut floats = bytes.chunks_exact(4).map(|c| c.try_into().map_or(0.0, f32::from_le_bytes));
        for slot in scales.iter_mut().chain(&mut table).chain(&mut guards) {
            *slot = floats.next()?;
        }
        let weights = match bytes {
            Cow::Borrowed(all) => Cow::Borrowed(all.get(HEADER * 4..)?),
            Cow::Owned(mut all) => Cow::Owned(all.split_off(HEADER * 4)),
        };
        Some(Self { scales, table, guards, weights })
    }

    /// What the guards say of a bag of features.
    pub fn guard(&self, features: &[(u32, f32)]) -> Guard {
        let rows = self.weights.get(BUCKETS as usize * CLASSES..).unwrap_or(&[]);
        let (mut asks, mut forbids) = (0f32, 0f32);
        for (bucket, value) in features {
            let from = *bucket as usize * GUARDS;
            if let Some([ask, ban]) = rows.get(from..from + GUARDS) {
                asks += f32::from(ask.cast_signed()) * value;
                forbids += f32::from(ban.cast_signed()) * value;
            }
        }
        let [a, b] = self.guards;
        Guard { asks: 1.0 / (1.0 + (-asks * a).exp()), forbids: 1.0 / (1.0 + (-forbids * b).exp()) }
    }

    /// Probabilities of both heads for a bag of features.
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
        let mut out = Prediction { leaves: [0.0; LEAVES.len()], turns: [0.0; TURNS.len()] };
        let (leaves, turns) = sums.split_at(LEAVES.len());
        softmax(leaves, &mut out.leaves);
        softmax(turns, &mut out.turns);
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
