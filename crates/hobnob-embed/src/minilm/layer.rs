//! One encoder layer: self-attention within each sequence, then the feed-forward network. `bert`
//! runs the layers in order.
//!
//! What must stay true: a sequence never sees the tokens of another one, so a batch gives the same
//! vectors as single texts.

use std::ops::Range;

use super::attention::{Attention, WIDTH};
use super::int8_panels::{Int8Multiplier, Int8Panels, Int8Rows};
use super::multiply::Multiplier;
use super::rowwise::gelu;
use super::tensors::{BadTensors, Tensors};
use crate::norm::{Norm, add};

/// The intermediate size: components of a token inside the feed-forward network.
pub(super) const INNER_WIDTH: usize = 1536;

/// The weights of one encoder layer.
pub(super) struct Layer {
    projections: Int8Panels,
    attention_output: Int8Panels,
    attention_norm: Norm,
    intermediate: Int8Panels,
    output: Int8Panels,
    norm: Norm,
}

/// Buffers that a forward pass reuses in every layer.
pub(super) struct Scratch {
    pub(super) multiplier: Multiplier,
    linear: Int8Multiplier,
    attention: Attention,
    projections: Vec<f32>,
    context: Vec<f32>,
    inner: Vec<f32>,
    change: Vec<f32>,
}

impl Layer {
    /// Takes the weights of the layer with this number out of a file.
    pub(super) fn take(tensors: &mut Tensors, number: usize) -> Result<Self, BadTensors> {
        let name = |part: &str| format!("encoder.layer.{number}.{part}");
        let mut matrix = Int8Rows { values: Vec::new(), scales: Vec::new() };
        let mut bias = Vec::new();
        for projection in ["query", "key", "value"] {
            let part = name(&format!("attention.self.{projection}"));
            let rows = tensors.take_int8(&format!("{part}.weight"), [WIDTH, WIDTH])?;
            matrix.values.extend(rows.values);
            matrix.scales.extend(rows.scales);
            bias.extend(tensors.take(&format!("{part}.bias"), &[WIDTH])?);
        }
        Ok(Self {
            projections: pack(WIDTH, &matrix, bias)?,
            attention_output: take_linear(tensors, &name("attention.output.dense"), WIDTH, WIDTH)?,
            attention_norm: take_norm(tensors, &name("attention.output.LayerNorm"))?,
            intermediate: take_linear(tensors, &name("intermediate.dense"), WIDTH, INNER_WIDTH)?,
            output: take_linear(tensors, &name("output.dense"), INNER_WIDTH, WIDTH)?,
            norm: take_norm(tensors, &name("output.LayerNorm"))?,
        })
    }

    /// Applies this layer to all tokens.
    pub(super) fn apply(
        &self,
        scratch: &mut Scratch,
        sequences: &[Range<usize>],
        tokens: &mut [f32],
    ) {
        let Scratch { multiplier, linear, attention, projections, context, inner, change } =
            scratch;
        let level = multiplier.level();
        linear.multiply(tokens, &self.projections, projections);
        context.resize(tokens.len(), 0.0);
        for sequence in sequences {
            attention.attend(multiplier, projections, sequence, context);
        }
        linear.multiply(context, &self.attention_output, change);
        add(level, tokens, change);
        self.attention_norm.apply(level, tokens);
        linear.multiply(tokens, &self.intermediate, inner);
        gelu(level, inner);
        linear.multiply(inner, &self.output, change);
        add(level, tokens, change);
        self.norm.apply(level, tokens);
    }
}

impl Scratch {
    pub(super) fn new() -> Self {
        let multiplier = Multiplier::new();
        Self {
            linear: Int8Multiplier::new(multiplier.level()),
            multiplier,
            attention: Attention::default(),
            projections: Vec::new(),
            context: Vec::new(),
            inner: Vec::new(),
            change: Vec::new(),
        }
    }
}

fn take_linear(
    tensors: &mut Tensors,
    name: &str,
    depth: usize,
    width: usize,
) -> Result<Int8Panels, BadTensors> {
    let matrix = tensors.take_int8(&format!("{name}.weight"), [width, depth])?;
    let bias = tensors.take(&format!("{name}.bias"), &[width])?;
    pack(depth, &matrix, bias)
}

fn pack(depth: usize, matrix: &Int8Rows, bias: Vec<f32>) -> Result<Int8Panels, BadTensors> {
    let shape = vec![bias.len(), depth];
    let missing = || BadTensors::Missing { name: "matrix".into(), shape };
    Int8Panels::of_layer(depth, matrix, bias).ok_or_else(missing)
}

/// Takes the weights of a layer normalisation.
pub(super) fn take_norm(tensors: &mut Tensors, name: &str) -> Result<Norm, BadTensors> {
    Ok(Norm {
        gain: tensors.take(&format!("{name}.weight"), &[WIDTH])?,
        offset: tensors.take(&format!("{name}.bias"), &[WIDTH])?,
    })
}
