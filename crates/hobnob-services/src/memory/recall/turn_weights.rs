//! The fitted weights of questions and answers among the turns of a conversation.
//!
//! `find` uses them in every search by meaning. `cargo xtask eval memory --fit` chooses them, and
//! prints what the held-out halves say to the choice.

/// How turns that ask and turns that answer are ranked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TurnWeights {
    /// The share of its predecessor's nearness that a memory gains if that one is a question: the
    /// topic of an answer is often in the question alone.
    pub answer: f64,
    /// The share of its score that a question loses if its source goes on after it: it resembles
    /// what is asked now, but does not answer it.
    pub question: f64,
}

impl TurnWeights {
    /// Fitted to `eval/memory` and `eval/conversations` on 19 November 2026, with all-MiniLM-L6-v2;
    /// `eval/public/README.md` has the figures. The grid's choice is 0.2 for a question, and from
    /// 0.2 to 0.3 both sets have as many right first hits.
    pub const FITTED: Self = Self { answer: 0.3, question: 0.25 };
    /// No difference between turns.
    pub const NONE: Self = Self { answer: 0.0, question: 0.0 };
}

impl Default for TurnWeights {
    fn default() -> Self {
        Self::FITTED
    }
}
