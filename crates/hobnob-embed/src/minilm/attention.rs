//! Multi-head self-attention (12 heads): each token's output is a mean of the values of its
//! sequence's tokens, weighted by the softmax of query times key.

use std::ops::Range;

use super::multiply::{MatrixOutput, MatrixRows, Multiplier, Panels};
use super::rowwise::softmax;

/// The hidden size: components of a token.
pub(super) const WIDTH: usize = 384;

/// Query, key and value of a token, side by side.
const PROJECTIONS: usize = 3 * WIDTH;

/// The number of attention heads, and the components of a token per head.
const HEADS: usize = 12;
const HEAD_WIDTH: usize = WIDTH / HEADS;

/// Buffers reused for every sequence and every head.
#[derive(Default)]
pub(super) struct Attention {
    keys: Panels,
    values: Panels,
    scores: Vec<f32>,
}

impl Attention {
    /// Writes the attention output of one sequence to `context`.
    pub(super) fn attend(
        &mut self,
        multiplier: &mut Multiplier,
        projections: &[f32],
        sequence: &Range<usize>,
        context: &mut [f32],
    ) {
        let count = sequence.len();
        let projections = &projections[sequence.start * PROJECTIONS..sequence.end * PROJECTIONS];
        let context = &mut context[sequence.start * WIDTH..sequence.end * WIDTH];
        let scale = 1.0 / (HEAD_WIDTH as f32).sqrt();
        for head in (0..WIDTH).step_by(HEAD_WIDTH) {
            let (keys, values) = (&projections[WIDTH + head..], &projections[2 * WIDTH + head..]);
            self.keys.fill(HEAD_WIDTH, count, |at, token| keys[token * PROJECTIONS + at]);
            self.values.fill(count, HEAD_WIDTH, |token, at| values[token * PROJECTIONS + at]);

            let stride = self.keys.width();
            self.scores.resize(count * stride, 0.0);
            let queries = MatrixRows { values: &projections[head..], stride: PROJECTIONS, count };
            let scores = MatrixOutput { values: &mut self.scores, stride };
            multiplier.multiply(queries, &self.keys, scores);
            softmax(multiplier.level(), &mut self.scores, stride, count, scale);

            let weights = MatrixRows { values: &self.scores, stride, count };
            let output = MatrixOutput { values: &mut context[head..], stride: WIDTH };
            multiplier.multiply(weights, &self.values, output);
        }
    }
}
