//! Plain BM25 with the usual parameters over lower-case words: the baseline beside recall.
//!
//! It knows no stems, no stop words, no labels, no filters and no neighbours.

use crate::data::MemoryLine;
use std::collections::HashMap;

const K1: f64 = 1.2;
const B: f64 = 0.75;

/// The postings of all words of one data set.
pub(crate) struct Bm25 {
    /// For each word, the memories that have it and how often.
    postings: HashMap<String, Vec<(usize, f64)>>,
    lengths: Vec<f64>,
    average_length: f64,
}

impl Bm25 {
    pub(crate) fn new(memories: &[MemoryLine]) -> Self {
        let mut postings: HashMap<String, Vec<(usize, f64)>> = HashMap::new();
        let mut lengths = Vec::with_capacity(memories.len());
        for (place, memory) in memories.iter().enumerate() {
            let words = words(&memory.content);
            lengths.push(words.len() as f64);
            let mut counts: HashMap<String, f64> = HashMap::new();
            for word in words {
                *counts.entry(word).or_default() += 1.0;
            }
            for (word, count) in counts {
                postings.entry(word).or_default().push((place, count));
            }
        }
        let average_length = lengths.iter().sum::<f64>() / lengths.len().max(1) as f64;
        Self { postings, lengths, average_length }
    }

    /// The best memories by index, best first; on equal scores the earlier memory goes first.
    pub(crate) fn best(&self, query: &str, limit: usize) -> Vec<usize> {
        let mut scores = vec![0.0; self.lengths.len()];
        let all = self.lengths.len() as f64;
        for word in words(query) {
            let Some(postings) = self.postings.get(&word) else { continue };
            let having = postings.len() as f64;
            let weight = (1.0 + (all - having + 0.5) / (having + 0.5)).ln();
            for (place, count) in postings {
                let length = self.lengths.get(*place).copied().unwrap_or_default();
                let norm = 1.0 - B + B * length / self.average_length;
                if let Some(score) = scores.get_mut(*place) {
                    *score += weight * count * (K1 + 1.0) / (count + K1 * norm);
                }
            }
        }
        let mut best: Vec<(usize, f64)> =
            scores.into_iter().enumerate().filter(|(_, score)| 0.0 < *score).collect();
        best.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        best.into_iter().take(limit).map(|(place, _)| place).collect()
    }
}

fn words(text: &str) -> Vec<String> {
    let words = text.split(|letter: char| !letter.is_alphanumeric());
    words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}
