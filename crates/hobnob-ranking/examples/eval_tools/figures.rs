//! Summary figures over many answers.

use serde::Serialize;

/// Recall and mean reciprocal rank (MRR).
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Figures {
    pub(crate) queries: usize,
    /// The share of queries with a correct tool among the first one, five, ten.
    pub(crate) recall_at_1: f64,
    pub(crate) recall_at_5: f64,
    pub(crate) recall_at_10: f64,
    pub(crate) mrr: f64,
}

/// Computes the figures from the rank of the first correct tool per query, counted from zero.
pub(crate) fn figures(places: &[Option<usize>]) -> Figures {
    let count = places.len().max(1) as f64;
    let within = |limit: usize| {
        let found = places.iter().filter(|place| place.is_some_and(|place| place < limit)).count();
        found as f64 / count
    };
    let reciprocal = places.iter().flatten().map(|place| 1.0 / (place + 1) as f64).sum::<f64>();
    Figures {
        queries: places.len(),
        recall_at_1: within(1),
        recall_at_5: within(5),
        recall_at_10: within(10),
        mrr: reciprocal / count,
    }
}
