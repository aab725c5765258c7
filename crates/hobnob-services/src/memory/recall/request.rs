//! What is asked of recall, what it answers, and how it fails.
//!
//! The score of a hit is comparable between questions; tools and tests rely on its scale.

use hobnob_embed::EmbedError;
use hobnob_store::StoreError;
use hobnob_store::memory::{Memory, MemoryFilter};
use std::time::Duration;

/// How memories are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecallMode {
    /// By words and by meaning; by words alone where there is no model.
    Hybrid,
    /// By words, without a model.
    Text,
    /// By meaning alone, which needs a model.
    Vector,
}

/// One question, and which page of its answer.
#[derive(Debug, Clone, PartialEq)]
pub struct RecallRequest {
    /// A question, or words.
    pub query: String,
    /// Which memories may be found.
    pub filter: MemoryFilter,
    /// How they are found.
    pub mode: RecallMode,
    /// At most so many.
    pub limit: usize,
    /// Where the page before ended.
    pub after: Option<String>,
}

/// A memory that fits.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The memory in full.
    pub memory: Memory,
    /// How well it fits, 0 to 1. What has little to do with the question stays below 0.3, and what
    /// says just that comes near 1.
    pub score: f64,
    /// How well its words fit, 0 to 1, if it was found by words.
    pub text_score: Option<f64>,
    /// How near its meaning is, 0 to 1, if it was found by meaning.
    pub vector_score: Option<f64>,
    /// The passage of it that fits best.
    pub snippet: String,
}

/// What fits, best first. Nothing is an answer too.
#[derive(Debug, Clone, PartialEq)]
pub struct Recalled {
    /// The hits of this page.
    pub hits: Vec<Hit>,
    /// Where the next page begins, if there is one.
    pub next: Option<String>,
    /// Whether even the best of all fits poorly, and may have nothing to do with the question.
    pub weak: bool,
    /// What could not be done as asked, and what was done instead.
    pub degraded: Option<String>,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum RecallError {
    /// Only a model can search by meaning.
    #[error(
        "there is no embedding model: install one with `hobnob embeddings install`, or search by text"
    )]
    NoModel,
    /// The model could not embed the query.
    #[error("the query could not be embedded; search by text meanwhile")]
    Embed(#[source] EmbedError),
    /// The model takes too long.
    #[error("the query was not embedded within {0:?}; search by text meanwhile")]
    Late(Duration),
    /// The cursor is not of this question.
    #[error("the cursor does not belong to this query: ask again without it")]
    Cursor,
    /// The store could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}
