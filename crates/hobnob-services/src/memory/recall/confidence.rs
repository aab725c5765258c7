//! How likely it is that the best hit answers the question, from its score and from how far the
//! nearest memory stands out of the others.
//!
//! `find` calls it after a search by meaning. A question about something that is not stored has
//! many hits that are about equally near.

#[cfg(test)]
mod tests;

/// The logistic regression of "the first hit is right" against "nothing stored answers this",
/// fitted on 19 November 2026 with all-MiniLM-L6-v2; `eval/public/README.md` says on what.
const SCORE_WEIGHT: f64 = 8.08;
const CONTRAST_WEIGHT: f64 = 13.35;
const OFFSET: f64 = -5.60;
/// Below this confidence, the hits are called weak.
const WEAK_CONFIDENCE: f64 = 0.35;

/// The nearest memories that are not compared with the others, and how many others are.
const NEAREST: usize = 5;
const OTHERS: usize = 25;
/// The cosine of unrelated texts, which stands for each of the others that a small store lacks.
const UNRELATED_COSINE: f64 = 0.1;

/// The probability that a question with such a first hit has its answer there, if half of all
/// questions have one.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub(super) struct Confidence(f64);

impl Confidence {
    pub(super) fn new(best_score: f64, contrast: f64) -> Self {
        let logit = SCORE_WEIGHT * best_score + CONTRAST_WEIGHT * contrast + OFFSET;
        Self(1.0 / (1.0 + (-logit).exp()))
    }

    pub(super) fn value(self) -> f64 {
        self.0
    }

    pub(super) fn is_weak(self) -> bool {
        self.0 < WEAK_CONFIDENCE
    }
}

/// How far the nearest memory is from the mean of those behind the first few, given the cosines of
/// all candidates in any order.
pub(super) fn contrast(mut cosines: Vec<f64>) -> f64 {
    cosines.sort_by(|one, other| other.total_cmp(one));
    let best = cosines.first().copied().unwrap_or_default();
    let others = cosines.iter().skip(NEAREST).take(OTHERS);
    let missing = OTHERS - others.len();
    let sum = others.sum::<f64>() + missing as f64 * UNRELATED_COSINE;
    best - sum / OTHERS as f64
}
