//! Semantic ranking: how near a query's meaning is to that of each tool, added to the word score.
//!
//! `rank` calls it if there are vectors. Both the tools' own vectors count and the synonyms of the
//! expressions nearest to the query: people say a thing in many ways, and `synonyms.txt` lists a
//! few. The weights were tuned on the tuning half of `eval/tools`.

use crate::index::ToolIndex;
use crate::phrases::Phrases;
use crate::query::read_literally;
use crate::words::parts;
use std::sync::OnceLock;

/// The weight of the vectors' similarity; the word score weighs 1.
const VECTOR_WEIGHT: f32 = 1.0;

/// The weight of the synonyms of near expressions.
const PHRASE_WEIGHT: f32 = 0.5;

impl ToolIndex {
    /// Adds the vectors of tools, in the order of the tools; a tool without one is found by words
    /// only. Vectors with another length than the query's are ignored.
    #[must_use]
    pub fn with_vectors(mut self, vectors: Vec<Option<Vec<f32>>>) -> Self {
        self.vectors = vectors;
        self.vectors.resize(self.tools.len(), None);
        let meant = Phrases::built_in().meant();
        self.meant = meant.map(|text| (text, OnceLock::new())).collect();
        self
    }

    /// Normalises the word scores and adds the semantic scores, multiplied by `share`.
    pub(crate) fn blend(&self, scores: &mut [f32], vector: &[f32], share: f32) {
        let cosines: Vec<Option<f32>> = self
            .vectors
            .iter()
            .map(|it| it.as_deref().filter(|it| it.len() == vector.len()).map(|it| dot(it, vector)))
            .collect();
        let known: Vec<f32> = cosines.iter().flatten().copied().collect();
        let best = known.iter().copied().fold(0.0, f32::max);
        let mean = known.iter().sum::<f32>() / known.len().max(1) as f32;
        normalize(scores);
        if best <= mean {
            return;
        }
        for (score, cosine) in scores.iter_mut().zip(&cosines) {
            if let Some(cosine) = cosine {
                *score += share * VECTOR_WEIGHT * ((cosine - mean) / (best - mean)).max(0.0);
            }
        }
        for (score, near) in scores.iter_mut().zip(self.phrase_scores(vector)) {
            *score += share * PHRASE_WEIGHT * near;
        }
    }

    /// How well each tool fits the synonyms of the expressions nearest to a query, normalised.
    fn phrase_scores(&self, vector: &[f32]) -> Vec<f32> {
        let mut sums = vec![0.0; self.tools.len()];
        let mut best = vec![0.0_f32; self.tools.len()];
        for (phrase, weight) in Phrases::built_in().nearest(vector) {
            let scores = |meant: &&'static str| {
                self.meant.get(meant).map(|it| it.get_or_init(|| plain_scores(self, meant)))
            };
            let fits = || phrase.meant.iter().filter_map(scores).flatten();
            for (tool, score) in fits() {
                let best = &mut best[*tool as usize];
                *best = best.max(*score);
            }
            // `take` resets the entry, so each tool counts once per phrase.
            for (tool, _) in fits() {
                sums[*tool as usize] += weight * std::mem::take(&mut best[*tool as usize]);
            }
        }
        normalize(&mut sums);
        sums
    }
}

fn plain_scores(index: &ToolIndex, meant: &str) -> Vec<(u32, f32)> {
    let parts = parts(meant);
    let mut scores = index.agreeing_scores(&parts, &read_literally(index, &parts));
    normalize(&mut scores);
    (0..).zip(scores).filter(|(_, score)| 0.0 < *score).collect()
}

/// Scales the scores so that the best one is 1.
fn normalize(scores: &mut [f32]) {
    let top = scores.iter().copied().fold(0.0, f32::max).max(f32::EPSILON);
    scores.iter_mut().for_each(|score| *score /= top);
}

/// The dot product of two vectors of equal length, in eight partial sums for vectorisation.
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
