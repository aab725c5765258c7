//! Search latency with a thousand tools: the recorded ones, repeated under names of other servers,
//! with every query. Measures CPU time of one thread, without the embedding model.

use crate::data::DataSet;
use hobnob_ranking::{RankingRequest, ToolDocument, ToolIndex};
use serde::Serialize;
use std::time::Instant;

/// The number of tools in the index.
const TOOLS: usize = 1000;

/// Runs per query; the fastest one counts, since other load only adds time.
const ROUNDS: usize = 5;

/// Search times in milliseconds, and the build time.
#[derive(Debug, Serialize)]
pub(crate) struct Latency {
    pub(crate) method: &'static str,
    pub(crate) median: f64,
    pub(crate) slowest: f64,
    /// Milliseconds to build the index.
    pub(crate) build: f64,
}

/// The vectors of the tools and of the queries.
pub(crate) type Vectors<'a> = (&'a [Vec<f32>], &'a [Vec<f32>]);

pub(crate) fn measure(
    method: &'static str,
    set: &DataSet,
    documents: &[ToolDocument],
    vectors: Option<Vectors<'_>>,
) -> Latency {
    let began = Instant::now();
    let mut index = ToolIndex::build(documents.iter().cycle().take(TOOLS).cloned());
    let build = began.elapsed().as_secs_f64() * 1e3;
    if let Some((tools, _)) = vectors {
        index = index.with_vectors(tools.iter().cycle().take(TOOLS).cloned().map(Some).collect());
    }
    let mut times: Vec<f64> = Vec::new();
    for (at, query) in set.queries.iter().enumerate() {
        let vector = vectors.map(|(_, asked)| asked[at].as_slice());
        let request =
            RankingRequest { query: &query.query, vector, limit: 10, ..Default::default() };
        let once = || {
            let began = Instant::now();
            std::hint::black_box(index.rank(&request));
            began.elapsed().as_secs_f64() * 1e3
        };
        times.push((0..ROUNDS).map(|_| once()).fold(f64::INFINITY, f64::min));
    }
    times.sort_by(f64::total_cmp);
    let median = times.get(times.len() / 2).copied().unwrap_or_default();
    let slowest = times.last().copied().unwrap_or_default();
    Latency { method, median, slowest, build }
}
