//! Figures about many answers: hit rates, mean reciprocal rank, and a sign test between two modes.

use crate::trial::Answer;
use serde::Serialize;

/// The percentages of questions with a correct hit, and the mean reciprocal rank times 100.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Figures {
    pub(crate) questions: usize,
    pub(crate) hit_at_1: f64,
    pub(crate) hit_at_5: f64,
    pub(crate) hit_at_10: f64,
    pub(crate) mrr: f64,
}

/// The figures of questions that have an answer.
pub(crate) fn figures<'a>(answers: impl Iterator<Item = &'a Answer>) -> Figures {
    let ranks: Vec<Option<usize>> =
        answers.filter(|answer| answer.answerable).map(|answer| answer.rank).collect();
    let count = ranks.len().max(1) as f64;
    let within = |limit: usize| {
        let found = ranks.iter().filter(|rank| rank.is_some_and(|rank| rank < limit)).count();
        100.0 * found as f64 / count
    };
    let reciprocal = ranks.iter().flatten().map(|rank| 1.0 / (rank + 1) as f64).sum::<f64>();
    Figures {
        questions: ranks.len(),
        hit_at_1: within(1),
        hit_at_5: within(5),
        hit_at_10: within(10),
        // The sum of no ranks is -0.0, which would be printed.
        mrr: (100.0 * reciprocal / count).abs(),
    }
}

/// How many of these found nothing or only weak hits, and how many there are.
pub(crate) fn count_empty<'a>(answers: impl Iterator<Item = &'a Answer>) -> (usize, usize) {
    let answers: Vec<_> = answers.collect();
    let empty = answers.iter().filter(|answer| answer.best.is_none() || answer.weak).count();
    (empty, answers.len())
}

/// The comparison of two modes, question by question.
#[derive(Debug, Serialize)]
pub(crate) struct Paired {
    /// Questions whose first hit is correct only in the first mode.
    pub(crate) only_first: usize,
    /// Questions whose first hit is correct only in the second mode.
    pub(crate) only_second: usize,
    /// The p-value: the probability of such a difference or a larger one if both modes are equal.
    pub(crate) chance: f64,
}

/// Compares answers to the same questions, in the same order.
pub(crate) fn paired(first: &[&Answer], second: &[&Answer]) -> Paired {
    let (mut only_first, mut only_second) = (0, 0);
    for (one, other) in first.iter().zip(second) {
        match (one.rank == Some(0), other.rank == Some(0)) {
            (true, false) => only_first += 1,
            (false, true) => only_second += 1,
            _ => {}
        }
    }
    Paired { only_first, only_second, chance: sign_test(only_first, only_second) }
}

/// The two-sided sign test: twice the probability of at most `few` heads in `all` tosses of a coin.
fn sign_test(one: usize, other: usize) -> f64 {
    let (few, all) = (one.min(other), one + other);
    let mut probability = 0.5_f64.powi(i32::try_from(all).unwrap_or(i32::MAX));
    let mut sum = 0.0;
    for heads in 0..=few {
        sum += probability;
        probability *= (all - heads) as f64 / (heads + 1) as f64;
    }
    (2.0 * sum).min(1.0)
}
