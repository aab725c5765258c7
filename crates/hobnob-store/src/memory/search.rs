//! The search trait: which memories match a text or a vector. Every hit satisfies the filter and is
//! within reach, and a page is filled after filtering.

use super::filter::{MemoryAccess, MemoryFilter};
use super::record::{Memory, MemoryId};
use crate::StoreFuture;
use crate::error::StoreError;
use crate::time::Time;
use std::time::Duration;

/// A memory that matches words of the query.
#[derive(Debug, Clone, PartialEq)]
pub struct TextHit {
    /// The memory in full.
    pub memory: Memory,
    /// The BM25 score, as a share of what a text of average length gets that has each word of the
    /// query once: about 1 is a full match, 0.1 is little, 1.5 is the maximum.
    pub fit: f64,
    /// The same as a share of those words of the query that at least one memory has, since a
    /// question may use words that no memory has.
    pub fit_of_known: f64,
}

/// A memory whose vector is near.
#[derive(Debug, Clone, PartialEq)]
pub struct VectorHit {
    /// The memory in full.
    pub memory: Memory,
    /// The cosine similarity, from −1 to 1.
    pub cosine: f32,
}

/// The vectors that a model computed for a question.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct QuestionVectors {
    /// The vector of the whole question.
    pub vector: Vec<f32>,
    /// The vectors of its words without stop words; empty if the model has no word vectors.
    pub words: Vec<QuestionWord>,
}

/// A word of a question with its vector.
#[derive(Debug, Clone, PartialEq)]
pub struct QuestionWord {
    /// The term that the index has for it.
    pub term: String,
    /// Its vector in the context of the question.
    pub vector: Vec<f32>,
}

/// A vector of a memory, and the vectors of its words.
#[derive(Debug, Clone, PartialEq)]
pub struct NewVector {
    /// The memory that it belongs to.
    pub id: MemoryId,
    /// The memory's version; the vector is ignored if the version has changed.
    pub version: u32,
    /// The vector of the whole text.
    pub vector: Vec<f32>,
    /// The vectors of its words; `None` if the model has no word vectors.
    pub words: Option<Vec<Vec<f32>>>,
}

impl NewVector {
    /// A vector of a text, without word vectors.
    pub fn of_text(id: MemoryId, version: u32, vector: Vec<f32>) -> Self {
        Self { id, version, vector, words: None }
    }
}

/// How near a memory is to a question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nearness {
    /// The cosine of the two texts' vectors.
    pub cosine: f32,
    /// The mean cosine of each word of the question to the nearest word of the memory, weighted by
    /// rarity, from −1 to 1; `None` without word vectors.
    pub words: Option<f32>,
}

/// How near a memory and its neighbours are to a question.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Closeness {
    /// Of the memory itself; `None` without a vector.
    pub own: Option<Nearness>,
    /// Of the memories that the same source captured before and after it: the distance in steps, at
    /// most two each way, and the nearness.
    pub around: Vec<(u8, Nearness)>,
    /// Of the memory just before it in the same source, if that one ends with a question mark: this
    /// memory is probably its answer.
    pub question_before: Option<Nearness>,
    /// Whether the memory ends with a question mark, and its source goes on after it.
    pub is_answered_question: bool,
}

/// Whether a model computes word vectors, so that the store should keep them too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WantedWords {
    /// Only the vectors of whole texts.
    No,
    /// The vectors of their words as well.
    Yes,
}

/// A memory that has no vector of a model yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unembedded {
    /// The memory that lacks a vector.
    pub id: MemoryId,
    /// The memory's version; a vector for an older version is ignored.
    pub version: u32,
    /// The text to embed.
    pub text: String,
}

/// Finds memories by text and by vector, and stores the vectors.
pub trait MemorySearch: Send + Sync + 'static {
    /// At most `limit` memories by text, best first. A memory matches if it has any word of the
    /// query; words that only a neighbour has count a little.
    fn by_text(
        &self,
        access: MemoryAccess,
        filter: MemoryFilter,
        query: String,
        limit: usize,
    ) -> StoreFuture<'_, Result<Vec<TextHit>, StoreError>>;

    /// At most `limit` memories by cosine similarity to a vector of a model, nearest first.
    fn by_vector(
        &self,
        access: MemoryAccess,
        filter: MemoryFilter,
        model: String,
        vector: Vec<f32>,
        limit: usize,
    ) -> StoreFuture<'_, Result<Vec<VectorHit>, StoreError>>;

    /// The memories of these ids that match the filter, in the order of `ids`.
    fn by_ids(
        &self,
        access: MemoryAccess,
        filter: MemoryFilter,
        ids: Vec<MemoryId>,
    ) -> StoreFuture<'_, Result<Vec<Memory>, StoreError>>;

    /// How near these memories are to a question, in the order of `ids`; a memory without a vector
    /// gets the default. Only for ids that a search found with the same access.
    fn closeness(
        &self,
        access: MemoryAccess,
        model: String,
        question: QuestionVectors,
        ids: Vec<MemoryId>,
    ) -> StoreFuture<'_, Result<Vec<Closeness>, StoreError>>;

    /// At most `limit` active memories that have no vector of this model, newest first. The call
    /// marks the model as in use, and from then on the store tracks which memories lack its
    /// vectors. If word vectors are wanted, a vector without them counts as missing.
    fn unembedded(
        &self,
        model: String,
        words: WantedWords,
        now: Time,
        limit: usize,
    ) -> StoreFuture<'_, Result<Vec<Unembedded>, StoreError>>;

    /// Stores vectors of a model. Vectors of memories that changed or are gone are ignored.
    fn put_vectors(
        &self,
        model: String,
        vectors: Vec<NewVector>,
    ) -> StoreFuture<'_, Result<(), StoreError>>;

    /// How many active memories have a vector of this model, and how many there are, over all
    /// owners.
    fn embedded(&self, model: String) -> StoreFuture<'_, Result<(u64, u64), StoreError>>;

    /// The same two counts over what a caller can reach.
    fn embedded_within(
        &self,
        access: MemoryAccess,
        model: String,
    ) -> StoreFuture<'_, Result<(u64, u64), StoreError>>;

    /// Removes the vectors of models that were not used since `unused_since`, give or take an hour.
    fn forget_models(&self, unused_since: Time) -> StoreFuture<'_, Result<(), StoreError>>;

    /// Frees caches that no search has used for `idle`; the next search fills them again. A backend
    /// without caches does nothing.
    fn release_idle(&self, _idle: Duration) {}
}
