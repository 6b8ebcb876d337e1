//! The statistical tier: a linear model over hashed features, its weights in the binary.
//!
//! Owns prediction and the layout of the weights file. Training is `examples/train-intent.rs`.

use std::{borrow::Cow, sync::LazyLock};

use super::{
    IntentNode as N,
    features::{self, BUCKETS},
};

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

/// Why a weights file cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WeightsError {
    /// Other bytes at its head.
    #[error(
        "this is no file of weights, or one of another version; train again (see assets/intent/README.md)"
    )]
    Kind,
    /// Not the bytes that the classes and buckets need.
    #[error("a file of weights cannot have {0} bytes; train again (see assets/intent/README.md)")]
    Size(usize),
    /// Names, classes or buckets have changed since.
    #[error("these weights were learned under other features; train again (see assets/intent/README.md)")]
    Features,
}

/// What a weights file says of itself: under which features and from which lines it was learned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// [`features::schema`] at the time.
    pub features: u64,
    /// [`corpus`] of the lines and frames.
    pub corpus: u64,
}

/// First bytes of a weights file: its kind and version.
const MAGIC: &[u8; 8] = b"phintnt1";

impl Stamp {
    /// Its bytes at the head of a file.
    pub const BYTES: usize = 24;

    /// The bytes of a file that follow from this stamp.
    pub fn bytes(self) -> [u8; Self::BYTES] {
        let parts = [*MAGIC, self.features.to_le_bytes(), self.corpus.to_le_bytes()];
        std::array::from_fn(|i| parts.iter().flatten().nth(i).copied().unwrap_or(0))
    }

    /// Reads the head of a file.
    ///
    /// # Errors
    /// When it is no file of weights, or one of another version.
    pub fn read(bytes: &[u8]) -> Result<Self, WeightsError> {
        let mut words = bytes.chunks_exact(8).map(|c| c.try_into().unwrap_or([0u8; 8]));
        match [words.next(), words.next(), words.next()] {
            [Some(magic), Some(a), Some(b)] if magic == *MAGIC => {
                Ok(Self { features: u64::from_le_bytes(a), corpus: u64::from_le_bytes(b) })
            }
            _ => Err(WeightsError::Kind),
        }
    }
}

/// The hash of what weights are learned from.
pub fn corpus(lines: &str, frames: &str) -> u64 {
    features::fingerprint([lines, frames])
}

/// Floats before the weights.
const FLOATS: usize = CLASSES + STEPS + GUARDS;
static WEIGHTS: &[u8] = include_bytes!("../../../assets/intent/weights.bin");
static MODEL: LazyLock<Result<Model<'static>, WeightsError>> =
    LazyLock::new(|| Model::parse(Cow::Borrowed(WEIGHTS)));

impl<'a> Model<'a> {
    /// The weights in the binary; without them the structural tier decides alone.
    pub fn builtin() -> Option<&'static Model<'static>> {
        MODEL.as_ref().ok()
    }

    /// Reads a weights file.
    ///
    /// # Errors
    /// When it is none, or was learned under other features than these.
    pub fn parse(bytes: Cow<'a, [u8]>) -> Result<Self, WeightsError> {
        let stamp = Stamp::read(&bytes)?;
        if stamp.features != features::schema() {
            return Err(WeightsError::Features);
        }
        if bytes.len() != Stamp::BYTES + FLOATS * 4 + BUCKETS as usize * (CLASSES + GUARDS) {
            return Err(WeightsError::Size(bytes.len()));
        }
        let size = || WeightsError::Size(0);
        let (mut scales, mut table, mut guards) = ([0f32; CLASSES], [0f32; STEPS], [0f32; GUARDS]);
        let mut floats = bytes
            .get(Stamp::BYTES..)
            .unwrap_or(&[])
            .chunks_exact(4)
            .map(|c| c.try_into().map_or(0.0, f32::from_le_bytes));
        for slot in scales.iter_mut().chain(&mut table).chain(&mut guards) {
            *slot = floats.next().ok_or_else(size)?;
        }
        let from = Stamp::BYTES + FLOATS * 4;
        let weights = match bytes {
            Cow::Borrowed(all) => Cow::Borrowed(all.get(from..).ok_or_else(size)?),
            Cow::Owned(mut all) => Cow::Owned(all.split_off(from)),
        };
        Ok(Self { scales, table, guards, weights })
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::Exemplars;

    #[test]
    fn the_weights_in_the_tree_were_learned_from_the_files_in_the_tree() {
        let stamp = Stamp::read(WEIGHTS).unwrap();
        let lines = include_str!("../../../assets/intent/corpus.jsonl");
        let frames = include_str!("../../../assets/intent/frames.txt");
        assert_eq!(stamp.features, features::schema(), "{}", WeightsError::Features);
        assert_eq!(stamp.corpus, corpus(lines, frames), "corpus or frames changed; train again");
        assert!(Model::builtin().is_some());
    }

    #[test]
    fn every_leaf_has_its_weights_lines_phrases_and_word_in_the_prompt() {
        let prompt = include_str!("../../../assets/prompts/classify.md");
        let lines = include_str!("../../../assets/intent/corpus.jsonl");
        let phrases = Exemplars::builtin();
        for leaf in N::ALL.into_iter().filter(|n| n.children().next().is_none()) {
            let name = leaf.name();
            assert!(LEAVES.contains(&leaf), "LEAVES: {name}");
            assert!(lines.contains(&format!("\"leaf\": \"{name}\"")), "corpus.jsonl: {name}");
            assert!(phrases.iter().any(|(s, n, _)| (s, n) == ("leaves", name)), "exemplars.yaml: {name}");
            assert!(prompt.contains(&format!("| {name} ")), "classify.md: {name}");
        }
    }

    #[test]
    fn weights_of_another_kind_size_or_schema_are_refused() {
        let with = |at: usize, byte: u8| {
            let mut bytes = WEIGHTS.to_vec();
            if let Some(slot) = bytes.get_mut(at) {
                *slot ^= byte;
            }
            Model::parse(Cow::Owned(bytes)).err()
        };
        assert_eq!(with(0, 1), Some(WeightsError::Kind));
        assert_eq!(with(8, 1), Some(WeightsError::Features));
        let short = WEIGHTS.len() - 1;
        let cut = Model::parse(Cow::Owned(WEIGHTS.iter().copied().take(short).collect()));
        assert_eq!(cut.err(), Some(WeightsError::Size(short)));
        assert_eq!(Model::parse(Cow::Owned(Vec::new())).err(), Some(WeightsError::Kind));
    }
}
