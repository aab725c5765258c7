//! How tokens look at each other: each mixes what the others offer, by how well their keys fit its
//! query, in twelve ways at once.

use std::ops::Range;

use super::multiply::{Multiplier, Panels, Rows, Target};
use super::rowwise::softmax;

/// Numbers of a token.
pub(super) const WIDTH: usize = 384;

/// Query, key and value of a token, side by side.
const ASPECTS: usize = 3 * WIDTH;

/// Ways of looking, and the numbers that each has of a token.
const HEADS: usize = 12;
const HEAD: usize = WIDTH / HEADS;

/// What is used again for every sequence and every way of looking.
#[derive(Default)]
pub(super) struct Attention {
    keys: Panels,
    values: Panels,
    scores: Vec<f32>,
}

impl Attention {
    /// Writes to the context what the tokens of one sequence see.
    pub(super) fn look(
        &mut self,
        multiplier: &mut Multiplier,
        aspects: &[f32],
        sequence: &Range<usize>,
        context: &mut [f32],
    ) {
        let count = sequence.len();
        let aspects = &aspects[sequence.start * ASPECTS..sequence.end * ASPECTS];
        let context = &mut context[sequence.start * WIDTH..sequence.end * WIDTH];
        let scale = 1.0 / (HEAD as f32).sqrt();
        for head in (0..WIDTH).step_by(HEAD) {
            let (keys, values) = (&aspects[WIDTH + head..], &aspects[2 * WIDTH + head..]);
            self.keys.fill(HEAD, count, |at, token| keys[token * ASPECTS + at]);
            self.values.fill(count, HEAD, |token, at| values[token * ASPECTS + at]);

            let stride = self.keys.width();
            self.scores.resize(count * stride, 0.0);
            let queries = Rows { values: &aspects[head..], stride: ASPECTS, count };
            let scores = Target { values: &mut self.scores, stride };
            multiplier.multiply(queries, &self.keys, scores);
            softmax(multiplier.level(), &mut self.scores, stride, count, scale);

            let weights = Rows { values: &self.scores, stride, count };
            let seen = Target { values: &mut context[head..], stride: WIDTH };
            multiplier.multiply(weights, &self.values, seen);
        }
    }
}
