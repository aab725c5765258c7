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
}

/// A memory whose vector is near.
#[derive(Debug, Clone, PartialEq)]
pub struct VectorHit {
    /// The memory in full.
    pub memory: Memory,
    /// From −1 to 1, where 1 is the same direction.
    pub cosine: f32,
    /// The cosine of the nearer of its neighbours: what the same source said just before or after
    /// it. −1 without neighbours.
    pub beside: f32,
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

    /// Active memories that have no vector of this model, newest first, at most so many. From then
    /// on the store keeps account of which ones have none, and knows that the model is in use now.
    fn unembedded(
        &self,
        model: String,
        now: Time,
        limit: usize,
    ) -> StoreFuture<'_, Result<Vec<Unembedded>, StoreError>>;

    /// Stores vectors of a model, each for an id at a version. What has changed or gone in the
    /// meantime is left out.
    fn put_vectors(
        &self,
        model: String,
        vectors: Vec<(MemoryId, u32, Vec<f32>)>,
    ) -> StoreFuture<'_, Result<(), StoreError>>;

    /// How many active memories have a vector of this model, and how many there are.
    fn embedded(&self, model: String) -> StoreFuture<'_, Result<(u64, u64), StoreError>>;

    /// Removes the vectors of models that were not in use since then, give or take an hour.
    fn forget_models(&self, unused_since: Time) -> StoreFuture<'_, Result<(), StoreError>>;

    /// Frees what was read into memory for searching and has not been used for that long. It is
    /// read again when it is needed; a backend that holds nothing does nothing.
    fn release_idle(&self, _idle: Duration) {}
}
