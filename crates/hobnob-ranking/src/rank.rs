//! Ranks the tools of an index for a query.
//!
//! What must stay true: the order depends only on the index and the request; tools with equal
//! scores keep the order of the catalogue.

use crate::index::ToolIndex;
use crate::query;
use crate::told::fact_start;

/// The weight of usage: about what a tenfold number of calls adds.
const USE_WEIGHT: f32 = 0.05;

/// The share of the semantic score for a query that hands over a fact to keep.
const FACT_VECTOR_SHARE: f32 = 0.3;

/// A tool with less than this share of the best score matches hardly a word of the query.
const MIN_SHARE: f32 = 0.25;

/// A query with its options.
#[derive(Debug, Clone, Copy, Default)]
pub struct RankingRequest<'a> {
    /// Plain words, a tool's name, or a part of one.
    pub query: &'a str,
    /// The query's vector, from the model that computed the index's vectors. A vector of 384
    /// components is assumed to be from all-MiniLM-L6-v2 and also compared with built-in
    /// expressions.
    pub vector: Option<&'a [f32]>,
    /// How often each tool was called, in the order of the index; missing entries count as 0.
    pub uses: &'a [u32],
    /// The maximum number of results.
    pub limit: usize,
}

/// A tool that the ranking found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankedTool {
    /// Its position in the sequence that the index was built from.
    pub position: usize,
    /// The score: greater than 0, higher is better. Scores of different queries are not comparable.
    pub score: f32,
}

impl ToolIndex {
    /// The matching tools, best first. A tool whose exact name is the query comes first.
    pub fn rank(&self, request: &RankingRequest<'_>) -> Vec<RankedTool> {
        let parts = query::query_parts(request.query);
        let start = fact_start(&parts);
        let terms = query::read(self, &parts, start);
        let mut scores = self.agreeing_scores(&parts[..start], &terms);
        if let Some(vector) = request.vector {
            // The meaning of such a query is mostly that of the fact.
            let share = if start < parts.len() { FACT_VECTOR_SHARE } else { 1.0 };
            self.blend(&mut scores, vector, share);
        }
        for (score, uses) in scores.iter_mut().zip(request.uses) {
            // Ten calls outweigh about the gap between two neighbours in the ranking, not more.
            *score *= 1.0 + USE_WEIGHT * (1.0 + *uses as f32).ln();
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

    /// The same without tools that match hardly a word of the query.
    pub fn rank_fitting(&self, request: &RankingRequest<'_>) -> Vec<RankedTool> {
        let mut found = self.rank(request);
        let min_score = found.first().map_or(0.0, |best| MIN_SHARE * best.score);
        found.retain(|hit| min_score <= hit.score);
        found
    }
}
