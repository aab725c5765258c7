//! The words of all tools of a catalogue, and in which tools each of them is.
//!
//! Built once for a catalogue; `query` looks words up in it, `rank` scores with it. A word weighs
//! more in a name than in a description (BM25F): the weights below were found on the tuning half of
//! `eval/tools`.

use crate::document::{ToolDocument, ToolField};
use crate::intent::Intent;
use crate::phrases::MeantScores;
use std::collections::HashMap;

/// The number of a word.
pub(crate) type TermId = u32;

/// One word in one tool.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Posting {
    pub(crate) tool: u32,
    /// How much the tool speaks of it, between 0 and 1.
    pub(crate) weight: f32,
    /// Whether the tool's name has it.
    pub(crate) in_name: bool,
}

/// A catalogue that can be searched. It never changes; a new catalogue gets a new index.
#[derive(Debug, Default)]
pub struct ToolIndex {
    numbers: HashMap<String, TermId>,
    postings: Vec<Vec<Posting>>,
    pub(crate) tools: Vec<IndexedTool>,
    /// Of the same length as `tools`, or empty.
    pub(crate) vectors: Vec<Option<Vec<f32>>>,
    /// Which tools fit what people mean by expressions; empty without vectors.
    pub(crate) meant: MeantScores,
}

/// What is kept of a tool beside its words.
#[derive(Debug)]
pub(crate) struct IndexedTool {
    /// As it was handed in and without what a hub put in front of it, in lower case.
    pub(crate) names: [String; 2],
    pub(crate) intent: Option<Intent>,
    /// How many different words the name has.
    pub(crate) name_words: usize,
}

/// How much a word counts in each field, and how much the length of the field takes from that.
const FIELD_WEIGHTS: [(f32, f32); ToolField::ALL.len()] =
    [(2.5, 0.4), (1.3, 0.3), (1.6, 0.3), (0.8, 0.8), (0.7, 0.4), (0.3, 0.6), (4.0, 0.0)];

/// How soon it does not matter any more that a tool says a word once again.
const SATURATION: f32 = 1.2;

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

    /// How many tools it has.
    pub fn len(&self) -> usize {
        self.tools.len()
    }

    /// Whether there is nothing to find.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    pub(crate) fn term(&self, word: &str) -> Option<TermId> {
        self.numbers.get(word).copied()
    }

    pub(crate) fn postings(&self, term: TermId) -> &[Posting] {
        self.postings.get(term as usize).map_or(&[], Vec::as_slice)
    }

    /// Every word of the index, in no order.
    pub(crate) fn vocabulary(&self) -> impl Iterator<Item = (&str, TermId)> {
        self.numbers.iter().map(|(word, term)| (word.as_str(), *term))
    }

    /// How much a word says: the rarer, the more.
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
            let weight = frequency / (SATURATION + frequency);
            let in_name = names.binary_search(&term).is_ok();
            // Tools come in their order, so every list of postings is sorted.
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
