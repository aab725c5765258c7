//! Sample memories, searches and assertions for the search cases of the backend test suite.

use crate::memory::{
    Memory, MemoryEdit, MemoryFilter, MemoryId, MemoryRepository, MemorySearch, NewMemory,
    NewVector, TextHit, VectorHit,
};
use crate::suite::case_result::{CaseResult, Failed, equal};
use crate::suite::sample::{self, note_in};
pub(super) use crate::suite::sample::{ann, at, org, reach_of};
use std::sync::Arc;

/// A store that both keeps and finds memories.
pub trait SearchableStore: MemoryRepository + MemorySearch {}

impl<T: MemoryRepository + MemorySearch> SearchableStore for T {}

pub(super) type SearchUnderTest = Arc<dyn SearchableStore>;

/// The model of most vectors here.
pub(super) const MODEL: &str = "model";

/// A note of Ann's in scope `user`; cases change fields as needed.
pub(super) fn note(content: &str) -> Result<NewMemory, Failed> {
    note_in("notes", content)
}

/// Captures a memory that must be new.
pub(super) async fn stored(store: &SearchUnderTest, new: NewMemory) -> Result<Memory, Failed> {
    sample::stored(&**store, new).await
}

/// Captures a memory and stores its vector.
pub(super) async fn placed(
    store: &SearchUnderTest,
    new: NewMemory,
    vector: &[f32],
) -> Result<Memory, Failed> {
    let memory = stored(store, new).await?;
    embed(store, &memory, vector).await?;
    Ok(memory)
}

/// Stores a vector for the current version of a memory.
pub(super) async fn embed(store: &SearchUnderTest, memory: &Memory, vector: &[f32]) -> CaseResult {
    let vectors = vec![NewVector::of_text(memory.id.clone(), memory.version, vector.to_vec())];
    Ok(store.put_vectors(MODEL.into(), vectors).await?)
}

/// Changes the text of a memory.
pub(super) async fn say(
    store: &SearchUnderTest,
    memory: &Memory,
    content: &str,
) -> Result<Memory, Failed> {
    let edit = MemoryEdit { content: Some(content.into()), ..MemoryEdit::default() };
    Ok(store.update(ann(), memory.id.clone(), edit).await?)
}

/// What Ann finds by text.
pub(super) async fn by_text(store: &SearchUnderTest, query: &str) -> Result<Vec<TextHit>, Failed> {
    Ok(store.by_text(ann(), MemoryFilter::default(), query.into(), 20).await?)
}

/// What Ann finds by vector.
pub(super) async fn by_vector(
    store: &SearchUnderTest,
    vector: &[f32],
) -> Result<Vec<VectorHit>, Failed> {
    let filter = MemoryFilter::default();
    Ok(store.by_vector(ann(), filter, MODEL.into(), vector.to_vec(), 20).await?)
}

/// Fails unless a text search finds exactly these, in this order.
pub(super) async fn finds(
    store: &SearchUnderTest,
    query: &str,
    expected: &[&Memory],
) -> CaseResult {
    let hits = by_text(store, query).await?;
    let found: Vec<&str> = hits.iter().map(|hit| hit.memory.content.as_str()).collect();
    let expected: Vec<&str> = expected.iter().map(|memory| memory.content.as_str()).collect();
    equal(&found, &expected, query)
}

/// Fails unless a vector search finds exactly these, in this order.
pub(super) async fn is_near(
    store: &SearchUnderTest,
    vector: &[f32],
    expected: &[&MemoryId],
) -> CaseResult {
    let hits = by_vector(store, vector).await?;
    let found: Vec<&MemoryId> = hits.iter().map(|hit| &hit.memory.id).collect();
    equal(&*found, expected, &format!("what is near to {vector:?}"))
}
