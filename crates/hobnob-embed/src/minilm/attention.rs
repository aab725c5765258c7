//! Self-attention with twelve heads: each token mixes the values of the tokens of its sequence,
//! weighted by how well their keys fit its query.

use std::ops::Range;

use super::multiply::{MatrixOutput, MatrixRows, Multiplier, Panels};
use super::rowwise::softmax;

/// Numbers of a token.
pub(super) const WIDTH: usize = 384;

/// Query, key and value of a token, side by side.
const PROJECTIONS: usize = 3 * WIDTH;

/// Attention heads, and the numbers that each has of a token.
const HEADS: usize = 12;
const HEAD: usize = WIDTH / HEADS;

/// Buffers that every sequence and every head uses again.
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
        let scale = 1.0 / (HEAD as f32).sqrt();
        for head in (0..WIDTH).step_by(HEAD) {
            let (keys, values) = (&projections[WIDTH + head..], &projections[2 * WIDTH + head..]);
            self.keys.fill(HEAD, count, |at, token| keys[token * PROJECTIONS + at]);
            self.values.fill(count, HEAD, |token, at| values[token * PROJECTIONS + at]);

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
