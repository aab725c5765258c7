//! How near the meaning of a query is to that of each tool, beside how well its words fit.
//!
//! `rank` calls it where there are vectors. The tools' own vectors count, and what is meant by the
//! expressions nearest to the query: people say a thing in many ways, and `synonyms.txt` has a few.
//! The weights were found on the tuning half of `eval/tools`.

use crate::index::ToolIndex;
use crate::phrases::Phrases;
use crate::query::read_plainly;
use crate::words::parts;
use std::sync::OnceLock;

/// How much meaning counts beside words, which count 1.
const MEANING: f32 = 1.0;

/// How much it counts what is meant by expressions that are near.
const PHRASES: f32 = 0.5;

impl ToolIndex {
    /// Adds the vectors of tools, in the order of the tools; one without a vector is found by its
    /// words alone. Vectors of a length that differs from the query's are left aside.
    #[must_use]
    pub fn with_vectors(mut self, vectors: Vec<Option<Vec<f32>>>) -> Self {
        self.vectors = vectors;
        self.vectors.resize(self.tools.len(), None);
        let meant = Phrases::of_the_trade().meant();
        self.meant = meant.map(|text| (text, OnceLock::new())).collect();
        self
    }

    /// Adds that share of how near the meaning is to how well the words fit, each in relation to the
    /// best.
    pub(crate) fn blend(&self, scores: &mut [f32], vector: &[f32], share: f32) {
        let cosines: Vec<Option<f32>> = self
            .vectors
            .iter()
            .map(|it| it.as_deref().filter(|it| it.len() == vector.len()).map(|it| dot(it, vector)))
            .collect();
        let known: Vec<f32> = cosines.iter().flatten().copied().collect();
        let best = known.iter().copied().fold(0.0, f32::max);
        let mean = known.iter().sum::<f32>() / known.len().max(1) as f32;
        in_relation(scores);
        if best <= mean {
            return;
        }
        for (score, cosine) in scores.iter_mut().zip(&cosines) {
            if let Some(cosine) = cosine {
                *score += share * MEANING * ((cosine - mean) / (best - mean)).max(0.0);
            }
        }
        for (score, near) in scores.iter_mut().zip(self.phrase_scores(vector)) {
            *score += share * PHRASES * near;
        }
    }

    /// How well each tool fits what is meant by the expressions nearest to a query, in relation to
    /// the best.
    fn phrase_scores(&self, vector: &[f32]) -> Vec<f32> {
        let mut sums = vec![0.0; self.tools.len()];
        let mut best = vec![0.0_f32; self.tools.len()];
        for (phrase, weight) in Phrases::of_the_trade().nearest(vector) {
            let scores = |meant: &&'static str| {
                self.meant.get(meant).map(|it| it.get_or_init(|| plain_scores(self, meant)))
            };
            let fits = || phrase.meant.iter().filter_map(scores).flatten();
            for (tool, score) in fits() {
                let best = &mut best[*tool as usize];
                *best = best.max(*score);
            }
            // Taking it leaves nothing for the next phrase, nor for the same tool again.
            for (tool, _) in fits() {
                sums[*tool as usize] += weight * std::mem::take(&mut best[*tool as usize]);
            }
        }
        in_relation(&mut sums);
        sums
    }
}

fn plain_scores(index: &ToolIndex, meant: &str) -> Vec<(u32, f32)> {
    let parts = parts(meant);
    let mut scores = index.agreeing_scores(&parts, &read_plainly(index, &parts));
    in_relation(&mut scores);
    (0..).zip(scores).filter(|(_, score)| 0.0 < *score).collect()
}

/// Brings the best to 1.
fn in_relation(scores: &mut [f32]) {
    let top = scores.iter().copied().fold(0.0, f32::max).max(f32::EPSILON);
    scores.iter_mut().for_each(|score| *score /= top);
}

/// Of vectors of the same length. Eight sums at a time, so that the compiler can add them at once.
fn dot(one: &[f32], other: &[f32]) -> f32 {
    let (ones, one_rest) = one.as_chunks::<8>();
    let (others, other_rest) = other.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for (one, other) in ones.iter().zip(others) {
        for at in 0..8 {
            sums[at] += one[at] * other[at];
        }
    }
    let rest = one_rest.iter().zip(other_rest).map(|(one, other)| one * other);
    sums.into_iter().sum::<f32>() + rest.sum::<f32>()
}

#[cfg(test)]
mod tests;
