//! The request, the answer and the errors of recall.
//!
//! Scores are comparable between questions; tools and tests rely on their scale.

use hobnob_embed::EmbedError;
use hobnob_store::memory::{Memory, MemoryFilter, MemoryId};
use hobnob_store::{StoreError, Time};
use std::time::Duration;

/// How memories are searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecallMode {
    /// By words and by meaning; by words alone if there is no model.
    Hybrid,
    /// By words, without a model.
    Text,
    /// By meaning alone, which needs a model.
    Vector,
}

/// One question, and the page of its answer.
#[derive(Debug, Clone, PartialEq)]
pub struct RecallRequest {
    /// A question, or search words.
    pub query: String,
    /// Which memories may be found.
    pub filter: MemoryFilter,
    /// How memories are searched.
    pub mode: RecallMode,
    /// Most hits on the page.
    pub limit: usize,
    /// The cursor of the previous page, if this is not the first.
    pub after: Option<String>,
}

/// A memory that matches the question.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The memory in full.
    pub memory: Memory,
    /// How well it matches, 0 to 1. A barely related memory stays below 0.3; one that says exactly
    /// what the question asks comes near 1.
    pub score: f64,
    /// The word score, 0 to 1, if the memory was found by words.
    pub text_score: Option<f64>,
    /// The meaning score, 0 to 1, if the memory was found by meaning.
    pub vector_score: Option<f64>,
    /// The passage that matches best.
    pub snippet: String,
    /// Other memories that say the same and match as well; they are no hits of their own.
    pub copies: Vec<MemoryId>,
    /// The newer memory that replaced this one, and when that was captured.
    pub replaced_by: Option<(MemoryId, Time)>,
}

/// The hits, best first. An empty list is a valid answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Recalled {
    /// The hits of this page.
    pub hits: Vec<Hit>,
    /// The cursor of the next page, if there is one.
    pub next: Option<String>,
    /// After a search by meaning, the probability that the best hit answers the question, if half of
    /// all questions have an answer; `None` without hits, and after a search by words alone.
    pub confidence: Option<f64>,
    /// Whether even the best hit matches poorly, and may be unrelated to the question.
    pub weak: bool,
    /// Which part of the search failed, and what was done instead.
    pub degraded: Option<String>,
}

/// Why a recall failed.
#[derive(Debug, thiserror::Error)]
pub enum RecallError {
    /// A search by meaning needs a model, and there is none.
    #[error(
        "there is no embedding model: install one with `hobnob embeddings install`, or search by text"
    )]
    NoModel,
    /// The model could not embed the query.
    #[error("the query could not be embedded; search by text meanwhile")]
    Embed(#[source] EmbedError),
    /// The model took too long.
    #[error("the query was not embedded within {0:?}; search by text meanwhile")]
    Late(Duration),
    /// The cursor belongs to another question.
    #[error("the cursor does not belong to this query: ask again without it")]
    Cursor,
    /// The store could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}
