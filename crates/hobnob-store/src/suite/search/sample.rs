//! Sample memories and questions for the cases of search.

use crate::memory::{
    Captured, Memory, MemoryAccess, MemoryEdit, MemoryFilter, MemoryId, MemoryRepository,
    MemoryScope, MemorySearch, Namespace, NewMemory, NewVector, OrgRole, TextHit, VectorHit,
    WritableScope,
};
use crate::owner::{Owner, ProjectKey};
use crate::suite::case_result::{CaseResult, Failed, equal};
use crate::time::Time;
use std::sync::Arc;
use std::time::Duration;

/// A store that both keeps and finds memories.
pub trait SearchableStore: MemoryRepository + MemorySearch {}

impl<T: MemoryRepository + MemorySearch> SearchableStore for T {}

pub(super) type SearchUnderTest = Arc<dyn SearchableStore>;

/// The model of most vectors here.
pub(super) const MODEL: &str = "model";

/// A time relative to a day in the far future, so that nothing expires by the system clock.
pub(super) fn at(seconds: u64) -> Time {
    Time::from_millis(4_000_000_000_000).plus(Duration::from_secs(seconds))
}

/// What Ann reaches in project `alpha`.
pub(super) fn ann() -> MemoryAccess {
    reach_of("ann")
}

/// What an owner reaches in project `alpha`.
pub(super) fn reach_of(owner: &str) -> MemoryAccess {
    let project = Some(ProjectKey::new("alpha"));
    let org = Some(OrgRole::Writer);
    MemoryAccess { owner: Owner::named(owner), org, project, now: at(1_000) }
}

/// The shared scope, for an owner who may write there.
pub(super) fn org() -> Result<WritableScope, Failed> {
    Ok(WritableScope::new(MemoryScope::Org, Some(OrgRole::Writer))?)
}

/// A memory of Ann's in scope `user`; cases change fields as needed.
pub(super) fn note(content: &str) -> Result<NewMemory, Failed> {
    Ok(NewMemory {
        owner: Owner::named("ann"),
        scope: WritableScope::user(),
        namespace: Namespace::parse("notes")?,
        content: content.into(),
        tags: Vec::new(),
        source: None,
        created: at(0),
        expires: None,
        id: None,
        arrived_micros: None,
    })
}

/// Captures a memory that must be new.
pub(super) async fn stored(store: &SearchUnderTest, new: NewMemory) -> Result<Memory, Failed> {
    match store.capture(new).await? {
        Captured::New(memory) => Ok(memory),
        Captured::Same(memory) => Err(Failed::because(format!("{memory:?} is the same"))),
    }
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
