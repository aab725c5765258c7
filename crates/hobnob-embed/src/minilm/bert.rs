//! The network from end to end: an embedding layer and 6 or 12 encoder layers.
//!
//! The model calls it with whole sequences; sequences of one batch never influence each other.

use std::ops::Range;

use super::attention::WIDTH;
use super::int8_panels::Int8Rows;
use super::layer::{Layer, Scratch, take_norm};
use super::tensors::{BadTensors, Tensors};
use super::tokenizer::PieceId;
use crate::norm::{Norm, add};

/// Maximum tokens per sequence, including the start and end tokens.
pub(super) const MAX_SEQUENCE: usize = 256;

/// The size of the model's vocabulary.
pub(super) const VOCABULARY_SIZE: usize = 30_522;

/// The number of components of a text's vector.
pub(super) const DIMENSIONS: usize = WIDTH;

/// The number of position embeddings in the file.
pub(super) const POSITIONS: usize = 512;

/// The weights of the embedding layer and of all encoder layers.
pub(super) struct Bert {
    pieces: Int8Rows,
    positions: Vec<f32>,
    norm: Norm,
    layers: Vec<Layer>,
}

impl Bert {
    /// Takes the weights out of a file.
    pub(super) fn take(mut tensors: Tensors, layers: usize) -> Result<Self, BadTensors> {
        let tensors = &mut tensors;
        let pieces =
            tensors.take_int8("embeddings.word_embeddings.weight", [VOCABULARY_SIZE, WIDTH])?;
        let mut positions =
            tensors.take("embeddings.position_embeddings.weight", &[POSITIONS, WIDTH])?;
        positions.truncate(MAX_SEQUENCE * WIDTH);
        // All sequences have token type 0, so its embedding is added to the positions in advance.
        let kinds = tensors.take("embeddings.token_type_embeddings.weight", &[2, WIDTH])?;
        for position in positions.chunks_exact_mut(WIDTH) {
            position.iter_mut().zip(&kinds).for_each(|(to, from)| *to += from);
        }
        let norm = take_norm(tensors, "embeddings.LayerNorm")?;
        let layers = (0..layers).map(|number| Layer::take(tensors, number));
        Ok(Self { pieces, positions, norm, layers: layers.collect::<Result<_, _>>()? })
    }

    /// The tokens of each sequence after the last layer. Sequences have between one and
    /// [`MAX_SEQUENCE`] pieces and do not influence each other.
    pub(super) fn encode(&self, sequences: &[Vec<PieceId>]) -> Vec<SequenceTokens> {
        let mut scratch = Scratch::new();
        let level = scratch.multiplier.level();
        let mut tokens = Vec::new();
        let mut ranges = Vec::<Range<usize>>::new();
        for sequence in sequences {
            let first = tokens.len();
            for piece in sequence {
                self.pieces.extend(*piece as usize, &mut tokens);
            }
            add(level, &mut tokens[first..], &self.positions);
            ranges.push(first / WIDTH..tokens.len() / WIDTH);
        }
        self.norm.apply(level, &mut tokens);
        for layer in &self.layers {
            layer.apply(&mut scratch, &ranges, &mut tokens);
        }
        let tokens = |range: &Range<usize>| tokens[range.start * WIDTH..range.end * WIDTH].to_vec();
        ranges.iter().map(|range| SequenceTokens(tokens(range))).collect()
    }
}

/// The output tokens of a sequence, in one buffer.
pub(super) struct SequenceTokens(Vec<f32>);

impl SequenceTokens {
    /// The mean of all tokens (mean pooling), including the start and end tokens.
    pub(super) fn mean(&self) -> Vec<f32> {
        mean(&self.0)
    }

    /// The token at an index; index 0 is the start token.
    pub(super) fn token(&self, place: usize) -> &[f32] {
        self.0.get(place * WIDTH..(place + 1) * WIDTH).unwrap_or_default()
    }
}

fn mean(tokens: &[f32]) -> Vec<f32> {
    let mut sums = vec![0.0; WIDTH];
    for token in tokens.chunks_exact(WIDTH) {
        sums.iter_mut().zip(token).for_each(|(sum, value)| *sum += value);
    }
    let count = (tokens.len() / WIDTH) as f32;
    sums.iter_mut().for_each(|sum| *sum /= count);
    sums
}
