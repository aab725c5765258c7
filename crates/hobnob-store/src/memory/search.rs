//! The port of search: which memories fit a text or a vector. Every hit satisfies the filter and
//! is within reach, and a page is filled after filtering.

use super::filter::{MemoryAccess, MemoryFilter};
use super::record::{Memory, MemoryId};
use crate::StoreFuture;
use crate::error::StoreError;
use crate::time::Time;
use std::time::Duration;

/// A memory that has words of the query.
#[derive(Debug, Clone, PartialEq)]
pub struct TextHit {
    /// The memory in full.
    pub memory: Memory,
    /// How well it fits: BM25 as a share of what a text of usual length gets that has each word
    /// of the query once. So 1 is about everything, 0.1 is little, and 1.5 is the most.
    pub fit: f64,
    /// The same as a share of those words of the query that any memory has. A question may well use
    /// words that nobody wrote down.
    pub fit_of_known: f64,
}

/// A memory whose vector is near.
#[derive(Debug, Clone, PartialEq)]
pub struct VectorHit {
    /// The memory in full.
    pub memory: Memory,
    /// From −1 to 1, where 1 is the same direction.
    pub cosine: f32,
}

/// A question as a model sees it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct QuestionVectors {
    /// Of all of it.
    pub vector: Vec<f32>,
    /// Of its words, without those that say nothing; empty if the model does not tell them apart.
    pub words: Vec<QuestionWord>,
}

/// A word of a question.
#[derive(Debug, Clone, PartialEq)]
pub struct QuestionWord {
    /// The term that it is indexed by.
    pub term: String,
    /// Its vector where it stands.
    pub vector: Vec<f32>,
}

/// A vector of a memory, and those of its words.
#[derive(Debug, Clone, PartialEq)]
pub struct NewVector {
    /// The memory that it is of.
    pub id: MemoryId,
    /// At which version; for another one it is not taken.
    pub version: u32,
    /// Of the whole text.
    pub vector: Vec<f32>,
    /// Of its words; `None` if the model does not tell them apart.
    pub words: Option<Vec<Vec<f32>>>,
}

impl NewVector {
    /// The vector of a text alone.
    pub fn of_text(id: MemoryId, version: u32, vector: Vec<f32>) -> Self {
        Self { id, version, vector, words: None }
    }
}

/// How near a memory is to a question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nearness {
    /// Of the vectors of both texts, from −1 to 1.
    pub cosine: f32,
    /// How near the question's words come to words of the memory, each to the nearest, from −1 to 1;
    /// rare words count more. `None` without vectors of words.
    pub words: Option<f32>,
}

/// How near a memory and what surrounds it are to a question.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Closeness {
    /// Of itself; `None` without a vector.
    pub own: Option<Nearness>,
    /// What the same source said before and after it: how many steps away, and how near. At most
    /// two steps each way.
    pub around: Vec<(u8, Nearness)>,
}

/// Whether a model tells words apart, so that their vectors are wanted too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WantedWords {
    /// Only the vectors of whole texts.
    No,
    /// The vectors of the words in them as well.
    Yes,
}

/// A memory that has no vector of a model yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unembedded {
    /// The memory that lacks a vector.
    pub id: MemoryId,
    /// At which version; a vector for an older one is not taken.
    pub version: u32,
    /// The text that the model gets.
    pub text: String,
}

/// Finds memories by text and by vector, and stores the vectors.
pub trait MemorySearch: Send + Sync + 'static {
    /// The best by text, best first, at most so many. Any word of the query counts, and words that
    /// are only in a neighbour count a little.
    fn by_text(
        &self,
        access: MemoryAccess,
        filter: MemoryFilter,
        query: String,
        limit: usize,
    ) -> StoreFuture<'_, Result<Vec<TextHit>, StoreError>>;

    /// The nearest by vector of a model, nearest first, at most so many.
    fn by_vector(
        &self,
        access: MemoryAccess,
        filter: MemoryFilter,
        model: String,
        vector: Vec<f32>,
        limit: usize,
    ) -> StoreFuture<'_, Result<Vec<VectorHit>, StoreError>>;

    /// How near these are to a question, each in its place; nothing is known of those without a
    /// vector. Only for ids that a search has found for the same access.
    fn closeness(
        &self,
        access: MemoryAccess,
        model: String,
        question: QuestionVectors,
        ids: Vec<MemoryId>,
    ) -> StoreFuture<'_, Result<Vec<Closeness>, StoreError>>;

    /// Active memories that have no vector of this model, newest first, at most so many. From then
    /// on the store keeps account of which ones have none, and knows that the model is in use now.
    /// Where words are wanted too, a vector without them counts as none here.
    fn unembedded(
        &self,
        model: String,
        words: WantedWords,
        now: Time,
        limit: usize,
    ) -> StoreFuture<'_, Result<Vec<Unembedded>, StoreError>>;

    /// Stores vectors of a model. What has changed or gone in the meantime is left out.
    fn put_vectors(
        &self,
        model: String,
        vectors: Vec<NewVector>,
    ) -> StoreFuture<'_, Result<(), StoreError>>;

    /// How many active memories have a vector of this model, and how many there are, whosever they
    /// are.
    fn embedded(&self, model: String) -> StoreFuture<'_, Result<(u64, u64), StoreError>>;

    /// The same of what a caller can reach.
    fn embedded_within(
        &self,
        access: MemoryAccess,
        model: String,
    ) -> StoreFuture<'_, Result<(u64, u64), StoreError>>;

    /// Removes the vectors of models that were not in use since then, give or take an hour.
    fn forget_models(&self, unused_since: Time) -> StoreFuture<'_, Result<(), StoreError>>;

    /// Frees what was read into memory for searching and has not been used for that long. It is
    /// read again when it is needed; a backend that holds nothing does nothing.
    fn release_idle(&self, _idle: Duration) {}
}
