//! Which tools fit a query best, and how well.
//!
//! What must stay true: the order depends on nothing but the index and the request; tools that fit
//! equally well keep the order of the catalogue.

use crate::index::ToolIndex;
use crate::query;
use crate::told::told_from;

/// How much each tenfold of calls is worth, about.
const USE: f32 = 0.05;

/// How much the meaning of a query counts that tells what to keep, in relation to others.
const TOLD_MEANING: f32 = 0.3;

/// A tool whose score is a smaller share of the best one's has hardly a word of the query.
const LEAST_SHARE: f32 = 0.25;

/// What is looked for.
#[derive(Debug, Clone, Copy, Default)]
pub struct RankingRequest<'a> {
    /// Plain words, a name, or a part of one.
    pub query: &'a str,
    /// The query's vector, from the model that made the vectors of the index. One of 384 numbers is
    /// taken for a vector of all-MiniLM-L6-v2 and compared with expressions of our own too.
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

impl ToolIndex {
    /// The tools that fit, the best first. A tool whose name was typed as it is comes first.
    pub fn rank(&self, request: &RankingRequest<'_>) -> Vec<RankedTool> {
        let parts = query::query_parts(request.query);
        let told = told_from(&parts);
        let terms = query::read(self, &parts, told);
        let mut scores = self.agreeing_scores(&parts[..told], &terms);
        if let Some(vector) = request.vector {
            // Most of what such a query means is what is kept.
            let share = if told < parts.len() { TOLD_MEANING } else { 1.0 };
            self.blend(&mut scores, vector, share);
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
}
