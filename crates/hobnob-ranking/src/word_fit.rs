//! The word score of each tool (BM25F with coverage bonuses), and the agreement of its intent with
//! the query's.
//!
//! `rank` scores a query with it, `meaning` the synonyms of near expressions.

use crate::index::{IndexedTool, ToolIndex};
use crate::intent::Intent;
use crate::query::{AskedTerm, Variant};

/// Bonuses for a tool that has all words of the query, and for a query with all of its name.
const COVERAGE_WEIGHT: f32 = 0.7;
const NAME_COVERAGE_WEIGHT: f32 = 0.5;

/// Accumulated sums of one tool.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    /// The contributions of all words of the query.
    words: f32,
    /// The summed rarity of the query's words that the tool has.
    covered: f32,
    /// The words of its name that the query has.
    named: f32,
}

impl ToolIndex {
    /// The score of each tool by words and intent.
    pub(crate) fn agreeing_scores(&self, parts: &[String], terms: &[AskedTerm]) -> Vec<f32> {
        let mut scores = self.word_scores(terms);
        if let Some(wanted) = Intent::of_query(parts) {
            for (score, tool) in scores.iter_mut().zip(&self.tools) {
                *score *= agreement(wanted, tool.intent);
            }
        }
        scores
    }

    fn word_scores(&self, terms: &[AskedTerm]) -> Vec<f32> {
        let mut sums = vec![Sums::default(); self.tools.len()];
        let mut asked = 0.0;
        let mut best = Best::new(self.tools.len());
        for term in terms {
            let rarity = self.rarity_of(term);
            asked += term.weight * rarity;
            for variant in &term.variants {
                self.score_variant(variant, &mut best);
            }
            best.drain(|tool, score, named| {
                let sums = &mut sums[tool];
                sums.words += term.weight * score;
                sums.covered += term.weight * rarity.min(score * 2.0);
                sums.named += term.weight * named;
            });
        }
        let score = |(sums, tool): (&Sums, &IndexedTool)| {
            let coverage = sums.covered / f32::max(asked, f32::EPSILON);
            let words = tool.name_words.max(1) as f32;
            let named = sums.named.min(words) / words;
            sums.words * (1.0 + COVERAGE_WEIGHT * coverage) * (1.0 + NAME_COVERAGE_WEIGHT * named)
        };
        sums.iter().zip(&self.tools).map(score).collect()
    }

    /// The highest possible contribution of a word; an unknown word counts like a rare one.
    fn rarity_of(&self, term: &AskedTerm) -> f32 {
        let rarities = term.variants.iter().map(|variant| {
            let rarity = variant.terms.iter().map(|it| self.rarity(*it)).fold(0.0, f32::max);
            variant.weight * rarity
        });
        rarities.reduce(f32::max).unwrap_or_else(|| (1.0 + self.tools.len() as f32).ln())
    }

    fn score_variant(&self, variant: &Variant, best: &mut Best) {
        match variant.terms.as_slice() {
            [] => {}
            [term] => {
                let rarity = self.rarity(*term);
                for posting in self.postings(*term) {
                    let score = variant.weight * rarity * posting.weight;
                    let named = if posting.in_name { variant.weight } else { 0.0 };
                    best.raise(posting.tool as usize, score, named);
                }
            }
            [first, rest @ ..] => {
                let count = variant.terms.len() as f32;
                'tools: for posting in self.postings(*first) {
                    let mut sum = self.rarity(*first) * posting.weight;
                    let mut named = posting.in_name;
                    for term in rest {
                        let postings = self.postings(*term);
                        let found = postings.binary_search_by_key(&posting.tool, |it| it.tool);
                        let Ok(at) = found else { continue 'tools };
                        sum += self.rarity(*term) * postings[at].weight;
                        named &= postings[at].in_name;
                    }
                    let named = if named { count * variant.weight } else { 0.0 };
                    best.raise(posting.tool as usize, variant.weight * sum / count, named);
                }
            }
        }
    }
}

/// The factor for a tool's intent, given the query's.
fn agreement(wanted: Intent, does: Option<Intent>) -> f32 {
    match does {
        None => 1.0,
        Some(does) if does == wanted => 1.3,
        // A query that does not ask for a deletion never wants one.
        Some(Intent::Delete) => 0.3,
        Some(_) => 0.9,
    }
}

/// Per tool, the best contribution among a word's variants.
struct Best {
    scores: Vec<(f32, f32)>,
    touched: Vec<usize>,
}

impl Best {
    fn new(tools: usize) -> Self {
        Self { scores: vec![(0.0, 0.0); tools], touched: Vec::new() }
    }

    fn raise(&mut self, tool: usize, score: f32, named: f32) {
        let best = &mut self.scores[tool];
        if best.0 == 0.0 {
            self.touched.push(tool);
        }
        best.0 = best.0.max(score);
        best.1 = best.1.max(named);
    }

    fn drain(&mut self, mut each: impl FnMut(usize, f32, f32)) {
        for tool in self.touched.drain(..) {
            let (score, named) = std::mem::take(&mut self.scores[tool]);
            each(tool, score, named);
        }
    }
}
