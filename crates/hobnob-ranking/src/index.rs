//! The inverted index of a catalogue: every word with the tools that have it.
//!
//! Built once per catalogue; `query` looks up words in it, `rank` scores with it. The score is
//! BM25F: a word weighs more in a name than in a description. The weights below were tuned on the
//! tuning half of `eval/tools`.

use crate::document::{ToolDocument, ToolField};
use crate::intent::Intent;
use crate::phrases::MeantScores;
use std::collections::HashMap;

/// The id of a word in the index.
pub(crate) type TermId = u32;

/// A word's occurrence in one tool.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Posting {
    pub(crate) tool: u32,
    /// The saturated BM25F term frequency, between 0 and 1.
    pub(crate) weight: f32,
    /// Whether the tool's name has the word.
    pub(crate) in_name: bool,
}

/// A searchable, immutable catalogue; a new catalogue needs a new index.
#[derive(Debug, Default)]
pub struct ToolIndex {
    numbers: HashMap<String, TermId>,
    postings: Vec<Vec<Posting>>,
    pub(crate) tools: Vec<IndexedTool>,
    /// As many vectors as tools, or none.
    pub(crate) vectors: Vec<Option<Vec<f32>>>,
    /// How well the tools fit the meanings of expressions; empty without vectors.
    pub(crate) meant: MeantScores,
}

/// What the index stores of a tool besides its words.
#[derive(Debug)]
pub(crate) struct IndexedTool {
    /// The full name and the name without a hub's prefix, in lower case.
    pub(crate) names: [String; 2],
    pub(crate) intent: Option<Intent>,
    /// How many distinct words the name has.
    pub(crate) name_words: usize,
}

/// Per field (see `ToolField`): BM25F's weight, and `b`, the strength of length normalisation.
const FIELD_WEIGHTS: [(f32, f32); ToolField::ALL.len()] =
    [(2.5, 0.4), (1.3, 0.3), (1.6, 0.3), (0.8, 0.8), (0.7, 0.4), (0.3, 0.6), (4.0, 0.0)];

/// BM25's `k1`: how fast repeated occurrences of a word saturate.
const K1: f32 = 1.2;

impl ToolIndex {
    /// Indexes tools; positions in results are positions in this sequence.
    pub fn build(tools: impl IntoIterator<Item = ToolDocument>) -> Self {
        let tools: Vec<ToolDocument> = tools.into_iter().collect();
        let mean_lengths = mean_lengths(&tools);
        let mut index = Self::default();
        for (tool, position) in tools.iter().zip(0..) {
            index.add(tool, position, &mean_lengths);
        }
        index
    }

    /// The number of tools in the index.
    pub fn len(&self) -> usize {
        self.tools.len()
    }

    /// Whether the index has no tools.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    pub(crate) fn term(&self, word: &str) -> Option<TermId> {
        self.numbers.get(word).copied()
    }

    pub(crate) fn postings(&self, term: TermId) -> &[Posting] {
        self.postings.get(term as usize).map_or(&[], Vec::as_slice)
    }

    /// Every word of the index, in arbitrary order.
    pub(crate) fn vocabulary(&self) -> impl Iterator<Item = (&str, TermId)> {
        self.numbers.iter().map(|(word, term)| (word.as_str(), *term))
    }

    /// BM25's inverse document frequency of a word.
    pub(crate) fn rarity(&self, term: TermId) -> f32 {
        let (all, with) = (self.tools.len() as f32, self.postings(term).len() as f32);
        (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
    }

    fn add(&mut self, tool: &ToolDocument, position: u32, mean_lengths: &[f32]) {
        let mut found: HashMap<TermId, f32> = HashMap::new();
        for field in ToolField::ALL {
            let words = &tool.terms[field as usize];
            let (weight, share) = FIELD_WEIGHTS[field as usize];
            let relative = words.len() as f32 / mean_lengths[field as usize].max(1.0);
            let each = weight / (1.0 - share + share * relative);
            for word in words {
                *found.entry(self.number(word)).or_default() += each;
            }
        }
        let names = &tool.terms[ToolField::Name as usize];
        let mut names: Vec<TermId> = names.iter().filter_map(|word| self.term(word)).collect();
        names.sort_unstable();
        names.dedup();
        for (term, frequency) in found {
            let weight = frequency / (K1 + frequency);
            let in_name = names.binary_search(&term).is_ok();
            // Tools are added in order, so every posting list is sorted.
            self.postings[term as usize].push(Posting { tool: position, weight, in_name });
        }
        self.tools.push(IndexedTool {
            names: [tool.name.to_lowercase(), tool.own_name.to_lowercase()],
            intent: tool.intent,
            name_words: names.len(),
        });
    }

    fn number(&mut self, word: &str) -> TermId {
        if let Some(known) = self.term(word) {
            return known;
        }
        let number = self.postings.len() as TermId;
        self.numbers.insert(word.to_owned(), number);
        self.postings.push(Vec::new());
        number
    }
}

fn mean_lengths(tools: &[ToolDocument]) -> Vec<f32> {
    let mean = |field: ToolField| {
        let lengths = tools.iter().map(|tool| tool.terms[field as usize].len());
        let (filled, sum) = lengths
            .filter(|length| 0 < *length)
            .fold((0_usize, 0_usize), |(filled, sum), length| (filled + 1, sum + length));
        sum as f32 / filled.max(1) as f32
    };
    ToolField::ALL.into_iter().map(mean).collect()
}
