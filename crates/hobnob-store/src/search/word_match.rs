//! Late interaction: a question's words against a memory's, by Hamming distance of sign bits.
//!
//! Invariant: packed words are the sign bits of one word after the other, each in as many bytes as
//! the signs of one vector of the model take.

use super::signs::signs;
use fearless_simd::{Level, Simd, dispatch};

/// Words stored per memory.
const MAX_WORDS: usize = 256;

/// The sign bits of a memory's words, as the file stores them.
pub fn packed(words: &[Vec<f32>]) -> Vec<u8> {
    let bytes = |word: &Vec<f32>| {
        signs(word.iter().copied()).into_iter().flat_map(u64::to_le_bytes).collect::<Vec<u8>>()
    };
    words.iter().take(MAX_WORDS).flat_map(bytes).collect()
}

/// The words of a question with their weights.
pub struct AskedWords {
    /// The sign bits of all words, one word after the other.
    signs: Vec<u64>,
    weights: Vec<f32>,
    dimensions: usize,
}

impl AskedWords {
    /// From word vectors and weights; `None` if all weights are zero.
    pub fn new(words: &[(&[f32], f32)], dimensions: usize) -> Option<Self> {
        let fits = || words.iter().filter(|(vector, _)| vector.len() == dimensions);
        let weights: Vec<f32> = fits().map(|(_, weight)| *weight).collect();
        let signs = fits().flat_map(|(vector, _)| signs(vector.iter().copied())).collect();
        let counts = 0.0 < weights.iter().sum::<f32>();
        counts.then_some(Self { signs, weights, dimensions })
    }

    /// The weighted mean of each asked word's cosine to its nearest word; `None` without words.
    pub fn nearness(&self, packed: &[u8]) -> Option<f32> {
        let words: Vec<u64> =
            packed.as_chunks().0.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect();
        let length = self.dimensions.div_ceil(64);
        if words.len() < length {
            return None;
        }
        let mut sum = 0.0;
        for (asked, weight) in self.signs.chunks_exact(length).zip(&self.weights) {
            let differing = dispatch!(Level::new(), simd => min_distance(simd, asked, &words));
            // The share of differing signs estimates the angle as a share of half a turn.
            let angle = std::f32::consts::PI * differing as f32 / self.dimensions as f32;
            sum += weight * angle.cos();
        }
        Some(sum / self.weights.iter().sum::<f32>())
    }
}

/// The smallest Hamming distance between a word of the question and a word of the memory.
#[inline(always)]
fn min_distance<S: Simd>(_simd: S, asked: &[u64], words: &[u64]) -> u32 {
    let mut minimum = u32::MAX;
    for word in words.chunks_exact(asked.len()) {
        let mut differing = 0;
        for (one, other) in word.iter().zip(asked) {
            differing += (one ^ other).count_ones();
        }
        minimum = minimum.min(differing);
    }
    minimum
}

#[cfg(test)]
mod tests {
    use super::{AskedWords, MAX_WORDS, packed};

    #[test]
    fn each_word_counts_by_its_nearest_and_its_weight() {
        let [east, north, west] =
            [[1.0, 1.0, -1.0, 1.0], [1.0, -1.0, 1.0, 1.0], [-1.0, -1.0, 1.0, -1.0]];
        let memory = packed(&[east.to_vec(), north.to_vec()]);
        let nearness = |words: &[(&[f32], f32)]| AskedWords::new(words, 4)?.nearness(&memory);
        // Two of four signs differ from the nearest of `west`: a right angle.
        for (words, expected) in [
            (vec![(&east[..], 2.0)], 1.0),
            (vec![(&west[..], 1.0)], 0.0),
            (vec![(&east[..], 3.0), (&west[..], 1.0)], 0.75),
        ] {
            let found = nearness(&words).unwrap();
            assert!((found - expected).abs() < 1e-6, "{found}, not {expected}");
        }
        assert_eq!(nearness(&[]), None);
        assert_eq!(nearness(&[(&[1.0][..], 1.0)]), None, "of another model");
        assert_eq!(AskedWords::new(&[(&east, 1.0)], 4).unwrap().nearness(&[]), None);
    }

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(packed(&vec![vec![1.0; 384]; 1_000]).len(), MAX_WORDS * 48);
    }
}
