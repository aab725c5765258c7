//! Which tools fit a query best, and how well.
//!
//! What must stay true: the order depends on nothing but the index and the request; tools that fit
//! equally well keep the order of the catalogue.

use crate::index::ToolIndex;
use crate::intent::Intent;
use crate::query::{self, AskedTerm, Variant};

/// How much it is worth that a tool has all words of the query, and the query all of its name.
const COVERAGE: f32 = 0.7;
const NAME_COVERAGE: f32 = 0.3;

/// How much meaning counts beside words.
const MEANING: f32 = 1.5;

/// How much each tenfold of calls is worth, about.
const USE: f32 = 0.05;

/// A tool whose score is a smaller share of the best one's has hardly a word of the query.
const LEAST_SHARE: f32 = 0.25;

/// What is looked for.
#[derive(Debug, Clone, Copy, Default)]
pub struct RankingRequest<'a> {
    /// Plain words, a name, or a part of one.
    pub query: &'a str,
    /// The query's vector, from the model that made the vectors of the index.
    pub vector: Option<&'a [f32]>,
    /// How often each tool was called, in the order of the index; missing ones count as never.
    pub uses: &'a [u32],
    /// The most tools that are wanted.
    pub limit: usize,
}

/// A tool that was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankedTool {
    /// Its position in what the index was built from.
    pub position: usize,
    /// How well it fits: more than 0, and higher is better. Scores of different queries cannot be
    /// compared.
    pub score: f32,
}

/// Sums of one tool.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    /// Of what every word of the query contributes.
    words: f32,
    /// Of the rarity of those words of the query that the tool has.
    covered: f32,
    /// Words of its name that were asked for.
    named: f32,
}

impl ToolIndex {
    /// The tools that fit, the best first. A tool whose name was typed as it is comes first.
    pub fn rank(&self, request: &RankingRequest<'_>) -> Vec<RankedTool> {
        let parts = query::query_parts(request.query);
        let terms = query::read(self, &parts);
        let mut scores = self.word_scores(&terms);
        if let Some(wanted) = Intent::of_query(&parts) {
            for (score, tool) in scores.iter_mut().zip(&self.tools) {
                *score *= agreement(wanted, tool.intent);
            }
        }
        if let Some(vector) = request.vector {
            self.blend(&mut scores, vector);
        }
        for (score, uses) in scores.iter_mut().zip(request.uses) {
            // Ten calls are worth as much as the difference between two neighbours, not more.
            *score *= 1.0 + USE * (1.0 + *uses as f32).ln();
        }
        let typed = request.query.trim().to_lowercase();
        let top = scores.iter().copied().fold(0.0, f32::max);
        for (score, tool) in scores.iter_mut().zip(&self.tools) {
            if !typed.is_empty() && tool.names.contains(&typed) {
                *score = 2.0 * top + 1.0;
            }
        }
        let found = scores.iter().enumerate().filter(|(_, score)| 0.0 < **score);
        let mut found: Vec<RankedTool> =
            found.map(|(position, score)| RankedTool { position, score: *score }).collect();
        found.sort_by(|one, other| {
            other.score.total_cmp(&one.score).then(one.position.cmp(&other.position))
        });
        found.truncate(request.limit);
        found
    }

    /// The same without tools that have hardly a word of the query.
    pub fn rank_fitting(&self, request: &RankingRequest<'_>) -> Vec<RankedTool> {
        let mut found = self.rank(request);
        let least = found.first().map_or(0.0, |best| LEAST_SHARE * best.score);
        found.retain(|hit| least <= hit.score);
        found
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
        let score = |(sums, tool): (&Sums, &crate::index::IndexedTool)| {
            let coverage = sums.covered / f32::max(asked, f32::EPSILON);
            let words = tool.name_words.max(1) as f32;
            let named = sums.named.min(words) / words;
            sums.words * (1.0 + COVERAGE * coverage) * (1.0 + NAME_COVERAGE * named)
        };
        sums.iter().zip(&self.tools).map(score).collect()
    }

    /// What a word could contribute at best; one that no tool has counts as much as a rare one.
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
                    let named = if named { variant.weight } else { 0.0 };
                    best.raise(posting.tool as usize, variant.weight * sum / count, named);
                }
            }
        }
    }

    /// Adds how near the meaning is to how well the words fit, each in relation to the best.
    fn blend(&self, scores: &mut [f32], vector: &[f32]) {
        let cosines: Vec<Option<f32>> = self
            .vectors
            .iter()
            .map(|it| it.as_deref().filter(|it| it.len() == vector.len()).map(|it| dot(it, vector)))
            .collect();
        let known: Vec<f32> = cosines.iter().flatten().copied().collect();
        let best = known.iter().copied().fold(0.0, f32::max);
        let mean = known.iter().sum::<f32>() / known.len().max(1) as f32;
        let top = scores.iter().copied().fold(0.0, f32::max).max(f32::EPSILON);
        for (at, score) in scores.iter_mut().enumerate() {
            *score /= top;
            if let Some(Some(cosine)) = cosines.get(at)
                && mean < best
            {
                *score += MEANING * ((cosine - mean) / (best - mean)).max(0.0);
            }
        }
    }
}

/// How much what a tool does speaks for it.
fn agreement(wanted: Intent, does: Option<Intent>) -> f32 {
    match does {
        None => 1.0,
        Some(does) if does == wanted => 1.4,
        // Deleting is never what somebody wants who did not say so.
        Some(Intent::Delete) => 0.3,
        Some(_) => 0.9,
    }
}

fn dot(one: &[f32], other: &[f32]) -> f32 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

/// The best of what a word's variants contribute, for each tool that has any of them.
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
