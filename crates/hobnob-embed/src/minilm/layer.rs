//! One encoder layer: self-attention within each sequence, then the feed-forward network. `bert`
//! runs the layers in order.
//!
//! What must stay true: a sequence never sees the tokens of another one, so a batch gives the same
//! vectors as single texts.

use std::ops::Range;

use super::attention::{Attention, WIDTH};
use super::multiply::{Multiplier, Panels};
use super::rowwise::{Norm, add, gelu};
use super::tensors::{BadTensors, Tensors};

/// The intermediate size: components of a token inside the feed-forward network.
const INNER_WIDTH: usize = 1536;

/// The weights of one encoder layer.
pub(super) struct Layer {
    projections: Panels,
    attention_output: Panels,
    attention_norm: Norm,
    intermediate: Panels,
    output: Panels,
    norm: Norm,
}

/// Buffers that a forward pass reuses in every layer.
pub(super) struct Scratch {
    pub(super) multiplier: Multiplier,
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
        let (mut matrix, mut bias) = (Vec::new(), Vec::new());
        for projection in ["query", "key", "value"] {
            let part = name(&format!("attention.self.{projection}"));
            matrix.extend(tensors.take(&format!("{part}.weight"), &[WIDTH, WIDTH])?);
            bias.extend(tensors.take(&format!("{part}.bias"), &[WIDTH])?);
        }
        Ok(Self {
            projections: Panels::of_layer(WIDTH, &matrix, bias),
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
        let Scratch { multiplier, attention, projections, context, inner, change } = scratch;
        let level = multiplier.level();
        multiplier.multiply_all(tokens, &self.projections, projections);
        context.resize(tokens.len(), 0.0);
        for sequence in sequences {
            attention.attend(multiplier, projections, sequence, context);
        }
        multiplier.multiply_all(context, &self.attention_output, change);
        add(level, tokens, change);
        self.attention_norm.apply(level, tokens);
        multiplier.multiply_all(tokens, &self.intermediate, inner);
        gelu(level, inner);
        multiplier.multiply_all(inner, &self.output, change);
        add(level, tokens, change);
        self.norm.apply(level, tokens);
    }
}

impl Scratch {
    pub(super) fn new() -> Self {
        Self {
            multiplier: Multiplier::new(),
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
) -> Result<Panels, BadTensors> {
    let matrix = tensors.take(&format!("{name}.weight"), &[width, depth])?;
    let bias = tensors.take(&format!("{name}.bias"), &[width])?;
    Ok(Panels::of_layer(depth, &matrix, bias))
}

/// Takes the weights of a layer normalisation.
pub(super) fn take_norm(tensors: &mut Tensors, name: &str) -> Result<Norm, BadTensors> {
    Ok(Norm {
        gain: tensors.take(&format!("{name}.weight"), &[WIDTH])?,
        offset: tensors.take(&format!("{name}.bias"), &[WIDTH])?,
    })
}
