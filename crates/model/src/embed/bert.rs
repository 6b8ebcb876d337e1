//! The forward pass of a BERT encoder, one text at a time, on the processor.
//!
//! Owns the arithmetic and the names of the tensors. Sizes are checked when the weights are read,
//! so that nothing can go wrong after it.

use ndarray::{Array1, Array2, ArrayView1, Axis, Zip};
use pilothouse_core::talk::Fault;
use safetensors::{Dtype, SafeTensors, tensor::TensorView};
use serde::Deserialize;

use super::fault;

/// `config.json`, as far as it matters.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Config {
    #[serde(default)]
    pub model_type: String,
    pub hidden_size: usize,
    pub num_hidden_layers: usize,
    pub num_attention_heads: usize,
    pub intermediate_size: usize,
    #[serde(default = "usual_eps")]
    pub layer_norm_eps: f32,
    #[serde(default)]
    pub hidden_act: String,
}

fn usual_eps() -> f32 {
    1e-12
}

/// A matrix with what is added after it.
struct Linear {
    weight: Array2<f32>,
    bias: Array1<f32>,
}

impl Linear {
    fn apply(&self, x: &Array2<f32>) -> Array2<f32> {
        x.dot(&self.weight.t()) + &self.bias
    }
}

struct Norm {
    weight: Array1<f32>,
    bias: Array1<f32>,
    eps: f32,
}

impl Norm {
    fn apply(&self, x: &mut Array2<f32>) {
        for mut row in x.axis_iter_mut(Axis(0)) {
            let mean = row.mean().unwrap_or_default();
            let spread = row.fold(0.0, |sum, v| sum + (v - mean) * (v - mean)) / width(row.len());
            let scale = 1.0 / (spread + self.eps).sqrt();
            Zip::from(&mut row)
                .and(&self.weight)
                .and(&self.bias)
                .for_each(|v, w, b| *v = (*v - mean) * scale * w + b);
        }
    }
}

struct Layer {
    query: Linear,
    key: Linear,
    value: Linear,
    attended: Linear,
    attended_norm: Norm,
    wide: Linear,
    narrow: Linear,
    norm: Norm,
}

/// An encoder with its weights.
pub(super) struct Bert {
    words: Array2<f32>,
    /// Positions, with the embedding of the first and only segment added.
    positions: Array2<f32>,
    norm: Norm,
    layers: Vec<Layer>,
    heads: usize,
}

impl Bert {
    /// Takes the weights out of a safetensors file.
    pub fn read(config: &Config, bytes: &[u8]) -> Result<Self, Fault> {
        let hint = "the folder must hold config.json and model.safetensors of one BERT model";
        let wrong = |what: String| fault(what, hint);
        if !matches!(config.model_type.as_str(), "" | "bert") {
            return Err(wrong(format!(
                "config.json names a model of the kind {}; bert is wanted",
                config.model_type
            )));
        }
        if !matches!(config.hidden_act.as_str(), "" | "gelu") {
            return Err(wrong(format!("config.json wants {:?}; only gelu is known", config.hidden_act)));
        }
        let (hidden, heads) = (config.hidden_size, config.num_attention_heads);
        if heads == 0 || hidden == 0 || !hidden.is_multiple_of(heads) {
            return Err(wrong("the sizes in config.json contradict each other".to_owned()));
        }
        let file = SafeTensors::deserialize(bytes)
            .map_err(|e| wrong(format!("model.safetensors cannot be read: {e}")))?;
        let names = Names::of(&file, wrong);
        let table = |name: &str| names.matrix(name, None, hidden);
        let mut positions = table("embeddings.position_embeddings.weight")?;
        let segments = table("embeddings.token_type_embeddings.weight")?;
        if let Some(first) = segments.axis_iter(Axis(0)).next() {
            positions += &first;
        }
        let layers = (0..config.num_hidden_layers).map(|n| names.layer(n, config));
        Ok(Self {
            words: table("embeddings.word_embeddings.weight")?,
            positions,
            norm: names.norm("embeddings.LayerNorm", hidden, config.layer_norm_eps)?,
            layers: layers.collect::<Result<_, _>>()?,
            heads,
        })
    }

    /// How many words it knows.
    pub fn vocabulary(&self) -> usize {
        self.words.nrows()
    }

    /// How many ids a text may have.
    pub fn longest(&self) -> usize {
        self.positions.nrows()
    }

    /// The last layer's vector for each id.
    pub fn forward(&self, ids: &[u32]) -> Array2<f32> {
        let rows = ids.len().min(self.longest());
        let mut x = Array2::zeros((rows, self.words.ncols()));
        let places = self.positions.axis_iter(Axis(0));
        for ((mut row, id), place) in x.axis_iter_mut(Axis(0)).zip(ids).zip(places) {
            if let Some(word) = self.word(*id as usize) {
                row += &word;
            }
            row += &place;
        }
        self.norm.apply(&mut x);
        for layer in &self.layers {
            let mut seen = layer.attended.apply(&self.attend(layer, &x));
            seen += &x;
            layer.attended_norm.apply(&mut seen);
            let mut wide = layer.wide.apply(&seen);
            wide.mapv_inplace(gelu);
            x = layer.narrow.apply(&wide);
            x += &seen;
            layer.norm.apply(&mut x);
        }
        x
    }

    fn word(&self, id: usize) -> Option<ArrayView1<'_, f32>> {
        let width = self.words.ncols();
        let start = id.checked_mul(width)?;
        self.words.as_slice()?.get(start..start.checked_add(width)?).map(ArrayView1::from)
    }

    fn attend(&self, layer: &Layer, x: &Array2<f32>) -> Array2<f32> {
        let (query, key, value) = (layer.query.apply(x), layer.key.apply(x), layer.value.apply(x));
        let size = x.ncols() / self.heads;
        let scale = 1.0 / width(size).sqrt();
        let mut out = Array2::zeros(x.dim());
        let parts =
            |m: &Array2<f32>| m.axis_chunks_iter(Axis(1), size).map(|v| v.to_owned()).collect::<Vec<_>>();
        let all = parts(&query).into_iter().zip(parts(&key)).zip(parts(&value));
        for (mut into, ((q, k), v)) in out.axis_chunks_iter_mut(Axis(1), size).zip(all) {
            let mut scores = q.dot(&k.t()) * scale;
            for mut row in scores.axis_iter_mut(Axis(0)) {
                let top = row.fold(f32::MIN, |a, b| a.max(*b));
                row.mapv_inplace(|s| (s - top).exp());
                let sum = row.sum();
                row.mapv_inplace(|s| s / sum);
            }
            into.assign(&scores.dot(&v));
        }
        out
    }
}

/// How the vectors of a text become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pooling {
    /// The mean of all.
    Mean,
    /// The first.
    First,
}

/// The vector of a text.
pub(super) fn pooled(rows: &Array2<f32>, pooling: Pooling) -> Vec<f32> {
    let mean = || rows.mean_axis(Axis(0)).map(|m| m.to_vec());
    let first = || rows.axis_iter(Axis(0)).next().map(|r: ArrayView1<'_, f32>| r.to_vec());
    match pooling {
        Pooling::Mean => mean(),
        Pooling::First => first(),
    }
    .unwrap_or_default()
}

#[expect(clippy::cast_precision_loss, reason = "widths of layers are small")]
fn width(n: usize) -> f32 {
    n as f32
}

/// x·Φ(x), by the error function of Abramowitz and Stegun 7.1.26 (within 1.5e-7).
fn gelu(x: f32) -> f32 {
    let z = f64::from(x) / std::f64::consts::SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * z.abs());
    let poly = t
        * (0.254_829_592
            + t * (-0.284_496_736 + t * (1.421_413_741 + t * (-1.453_152_027 + t * 1.061_405_429))));
    let erf = (1.0 - poly * (-z * z).exp()).copysign(z);
    #[expect(clippy::cast_possible_truncation, reason = "back to the width it came from")]
    let out = (0.5 * f64::from(x) * (1.0 + erf)) as f32;
    out
}

/// The tensors of a file, with or without the prefix `bert.`.
struct Names<'a, W> {
    file: &'a SafeTensors<'a>,
    prefix: &'static str,
    wrong: W,
}

impl<'a, W: Fn(String) -> Fault> Names<'a, W> {
    fn of(file: &'a SafeTensors<'a>, wrong: W) -> Self {
        let bare = file.tensor("embeddings.word_embeddings.weight").is_ok();
        Self { file, prefix: if bare { "" } else { "bert." }, wrong }
    }

    fn tensor(&self, name: &str) -> Result<(Vec<usize>, Vec<f32>), Fault> {
        let name = format!("{}{name}", self.prefix);
        let view =
            self.file.tensor(&name).map_err(|_| (self.wrong)(format!("model.safetensors lacks {name}")))?;
        let numbers = numbers(&view).ok_or_else(|| {
            (self.wrong)(format!(
                "{name} holds numbers of the kind {:?}; f32, f16 and bf16 are read",
                view.dtype()
            ))
        })?;
        Ok((view.shape().to_vec(), numbers))
    }

    fn matrix(&self, name: &str, rows: Option<usize>, columns: usize) -> Result<Array2<f32>, Fault> {
        let (shape, numbers) = self.tensor(name)?;
        let [r, c] = shape.as_slice() else { return Err((self.wrong)(format!("{name} is no matrix"))) };
        if *c != columns || *r == 0 || rows.is_some_and(|rows| rows != *r) {
            return Err((self.wrong)(format!("{name} is {r} × {c}, which config.json does not fit")));
        }
        Array2::from_shape_vec((*r, *c), numbers).map_err(|_| (self.wrong)(format!("{name} is cut off")))
    }

    fn vector(&self, name: &str, length: usize) -> Result<Array1<f32>, Fault> {
        let (_, numbers) = self.tensor(name)?;
        if numbers.len() != length {
            return Err((self.wrong)(format!("{name} has {} numbers, not {length}", numbers.len())));
        }
        Ok(Array1::from_vec(numbers))
    }

    fn linear(&self, name: &str, from: usize, to: usize) -> Result<Linear, Fault> {
        let weight = self.matrix(&format!("{name}.weight"), Some(to), from)?;
        Ok(Linear { weight, bias: self.vector(&format!("{name}.bias"), to)? })
    }

    fn norm(&self, name: &str, length: usize, eps: f32) -> Result<Norm, Fault> {
        let weight = self.vector(&format!("{name}.weight"), length)?;
        Ok(Norm { weight, bias: self.vector(&format!("{name}.bias"), length)?, eps })
    }

    fn layer(&self, n: usize, config: &Config) -> Result<Layer, Fault> {
        let (h, wide, eps) = (config.hidden_size, config.intermediate_size, config.layer_norm_eps);
        let at = |name: &str| format!("encoder.layer.{n}.{name}");
        Ok(Layer {
            query: self.linear(&at("attention.self.query"), h, h)?,
            key: self.linear(&at("attention.self.key"), h, h)?,
            value: self.linear(&at("attention.self.value"), h, h)?,
            attended: self.linear(&at("attention.output.dense"), h, h)?,
            attended_norm: self.norm(&at("attention.output.LayerNorm"), h, eps)?,
            wide: self.linear(&at("intermediate.dense"), h, wide)?,
            narrow: self.linear(&at("output.dense"), wide, h)?,
            norm: self.norm(&at("output.LayerNorm"), h, eps)?,
        })
    }
}

fn numbers(view: &TensorView<'_>) -> Option<Vec<f32>> {
    let bytes = view.data();
    let pairs = || bytes.chunks_exact(2).map(|c| c.try_into().map_or(0, u16::from_le_bytes));
    if view.dtype() == Dtype::F32 {
        return Some(bytes.chunks_exact(4).map(|c| c.try_into().map_or(0.0, f32::from_le_bytes)).collect());
    }
    if view.dtype() == Dtype::BF16 {
        return Some(pairs().map(|b| f32::from_bits(u32::from(b) << 16)).collect());
    }
    (view.dtype() == Dtype::F16).then(|| pairs().map(half).collect())
}

/// A number of sixteen bits at full width.
fn half(bits: u16) -> f32 {
    let (exponent, fraction) = ((bits >> 10) & 0x1f, bits & 0x3ff);
    let size = match exponent {
        0 => f32::from(fraction) * 2f32.powi(-24),
        31 if fraction == 0 => f32::INFINITY,
        31 => f32::NAN,
        e => (1.0 + f32::from(fraction) / 1024.0) * 2f32.powi(i32::from(e) - 15),
    };
    if bits >> 15 == 1 { -size } else { size }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gelu_is_that_of_the_tables() {
        for (x, y) in [(-3.0, -0.004_050), (-1.0, -0.158_655), (0.0, 0.0), (0.5, 0.345_731), (2.0, 1.954_5)] {
            assert!((gelu(x) - y).abs() < 1e-5, "{x}: {}", gelu(x));
        }
    }

    #[test]
    fn halves_are_widened() {
        for (bits, x) in
            [(0x3c00, 1.0), (0xc000, -2.0), (0x3555, 0.333_252), (0x0001, 5.960_464e-8), (0x0000, 0.0)]
        {
            assert!((half(bits) - x).abs() < 1e-6, "{bits:x}");
        }
    }

    #[test]
    fn pooling_takes_the_mean_or_the_first() {
        let Ok(rows) = Array2::from_shape_vec((2, 2), vec![1.0, 2.0, 3.0, 6.0]) else { return };
        assert_eq!(pooled(&rows, Pooling::Mean), [2.0, 4.0]);
        assert_eq!(pooled(&rows, Pooling::First), [1.0, 2.0]);
    }
}
