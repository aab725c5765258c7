//! One layer of the model: every token looks at the others of its sequence, then changes alone.

use std::ops::Range;

use super::attention::{Attention, WIDTH};
use super::multiply::{Multiplier, Panels};
use super::rowwise::{Norm, add, gelu};
use super::tensors::{BadTensors, Tensors};

/// Numbers of a token in the middle of its change.
const INNER: usize = 1536;

/// The layer's matrices.
pub(super) struct Layer {
    aspects: Panels,
    attended: Panels,
    attended_norm: Norm,
    widen: Panels,
    narrow: Panels,
    norm: Norm,
}

/// What a pass needs beside the tokens, used again in every layer.
pub(super) struct Scratch {
    pub(super) multiplier: Multiplier,
    attention: Attention,
    aspects: Vec<f32>,
    context: Vec<f32>,
    inner: Vec<f32>,
    change: Vec<f32>,
}

impl Layer {
    /// Takes out the matrices of the layer with this number.
    pub(super) fn take(tensors: &mut Tensors, number: usize) -> Result<Self, BadTensors> {
        let name = |part: &str| format!("encoder.layer.{number}.{part}");
        let (mut matrix, mut bias) = (Vec::new(), Vec::new());
        for aspect in ["query", "key", "value"] {
            let part = name(&format!("attention.self.{aspect}"));
            matrix.extend(tensors.take(&format!("{part}.weight"), &[WIDTH, WIDTH])?);
            bias.extend(tensors.take(&format!("{part}.bias"), &[WIDTH])?);
        }
        Ok(Self {
            aspects: Panels::of_layer(WIDTH, &matrix, bias),
            attended: take_linear(tensors, &name("attention.output.dense"), WIDTH, WIDTH)?,
            attended_norm: take_norm(tensors, &name("attention.output.LayerNorm"))?,
            widen: take_linear(tensors, &name("intermediate.dense"), WIDTH, INNER)?,
            narrow: take_linear(tensors, &name("output.dense"), INNER, WIDTH)?,
            norm: take_norm(tensors, &name("output.LayerNorm"))?,
        })
    }

    /// Brings all tokens one layer on.
    pub(super) fn apply(
        &self,
        scratch: &mut Scratch,
        sequences: &[Range<usize>],
        tokens: &mut [f32],
    ) {
        let Scratch { multiplier, attention, aspects, context, inner, change } = scratch;
        let level = multiplier.level();
        multiplier.multiply_all(tokens, &self.aspects, aspects);
        context.resize(tokens.len(), 0.0);
        for sequence in sequences {
            attention.look(multiplier, aspects, sequence, context);
        }
        multiplier.multiply_all(context, &self.attended, change);
        add(level, tokens, change);
        self.attended_norm.apply(level, tokens);
        multiplier.multiply_all(tokens, &self.widen, inner);
        gelu(level, inner);
        multiplier.multiply_all(inner, &self.narrow, change);
        add(level, tokens, change);
        self.norm.apply(level, tokens);
    }
}

impl Scratch {
    pub(super) fn new() -> Self {
        Self {
            multiplier: Multiplier::new(),
            attention: Attention::default(),
            aspects: Vec::new(),
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

/// Takes out what normalises the tokens.
pub(super) fn take_norm(tensors: &mut Tensors, name: &str) -> Result<Norm, BadTensors> {
    Ok(Norm {
        gain: tensors.take(&format!("{name}.weight"), &[WIDTH])?,
        offset: tensors.take(&format!("{name}.bias"), &[WIDTH])?,
    })
}
