//! Baselines for the ranking: the former search, plain BM25, and vectors alone.

use crate::data::DataSet;
use std::collections::HashMap;

/// The search that `hobnob tools` had before: every word of the query must occur somewhere.
pub(crate) fn every_word(set: &DataSet, query: &str) -> Vec<usize> {
    let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
    let score = |at: usize| {
        let tool = &set.tools[at];
        let fields = [("name", 4), ("title", 2), ("description", 1)]
            .map(|(member, weight)| (tool.text(member).to_lowercase(), weight));
        words.iter().try_fold(0, |sum, word| {
            let best = fields.iter().map(|(text, weight)| rate(text, word) * weight).max();
            best.filter(|best| 0 < *best).map(|best| sum + best)
        })
    };
    sorted((0..set.tools.len()).filter_map(|at| Some((at, score(at)? as f32))).collect())
}

/// A match of the whole text beats a word, which beats the start of a word, which beats any part.
fn rate(text: &str, word: &str) -> u32 {
    let parts = || text.split(|c: char| !c.is_alphanumeric());
    if text == word {
        8
    } else if parts().any(|part| part == word) {
        4
    } else if parts().any(|part| part.starts_with(word)) {
        2
    } else {
        u32::from(text.contains(word))
    }
}

/// Textbook BM25 over names and descriptions.
pub(crate) struct PlainIndex {
    tools: Vec<HashMap<String, f32>>,
    lengths: Vec<f32>,
    with: HashMap<String, f32>,
}

impl PlainIndex {
    pub(crate) fn build(set: &DataSet) -> Self {
        let mut index = Self { tools: Vec::new(), lengths: Vec::new(), with: HashMap::new() };
        for tool in &set.tools {
            let mut counts: HashMap<String, f32> = HashMap::new();
            let text =
                format!("{} {} {}", tool.server, tool.text("name"), tool.text("description"));
            for word in words(&text) {
                *counts.entry(word).or_default() += 1.0;
            }
            for word in counts.keys() {
                *index.with.entry(word.clone()).or_default() += 1.0;
            }
            index.lengths.push(counts.values().sum());
            index.tools.push(counts);
        }
        index
    }

    pub(crate) fn rank(&self, query: &str) -> Vec<usize> {
        let all = self.tools.len() as f32;
        let mean = self.lengths.iter().sum::<f32>() / all;
        let query = words(query);
        let score = |at: usize| {
            let of_word = |word: &String| {
                let count = self.tools[at].get(word).copied().unwrap_or_default();
                let with = self.with.get(word).copied().unwrap_or_default();
                let rarity = (1.0 + (all - with + 0.5) / (with + 0.5)).ln();
                rarity * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * self.lengths[at] / mean))
            };
            query.iter().map(of_word).sum::<f32>()
        };
        let scored = (0..self.tools.len()).map(|at| (at, score(at)));
        sorted(scored.filter(|(_, score)| 0.0 < *score).collect())
    }
}

fn words(text: &str) -> Vec<String> {
    let parts = text.split(|letter: char| !letter.is_alphanumeric());
    parts.filter(|part| !part.is_empty()).map(str::to_lowercase).collect()
}

/// All tools, those with the nearest vectors first.
pub(crate) fn nearest(tools: &[Vec<f32>], query: &[f32]) -> Vec<usize> {
    let dot = |tool: &[f32]| tool.iter().zip(query).map(|(one, other)| one * other).sum();
    sorted(tools.iter().enumerate().map(|(at, tool)| (at, dot(tool))).collect())
}

fn sorted(mut scored: Vec<(usize, f32)>) -> Vec<usize> {
    scored.sort_by(|(one, first), (other, second)| second.total_cmp(first).then(one.cmp(other)));
    scored.into_iter().map(|(at, _)| at).collect()
}
