//! Memories and questions to search with.

use crate::memory::{
    Captured, Edit, Filter, Memories, Memory, MemoryId, Namespace, NewMemory, Reach, Scope, Search,
    TextHit, VectorHit,
};
use crate::owner::{Owner, ProjectKey};
use crate::suite::verdict::{Failed, Verdict, equal};
use crate::time::Time;
use std::sync::Arc;
use std::time::Duration;

/// A store that both keeps and finds memories.
pub trait Searched: Memories + Search {}

impl<T: Memories + Search> Searched for T {}

pub(super) type Store = Arc<dyn Searched>;

/// The model of most vectors here.
pub(super) const MODEL: &str = "model";

/// That much after a day in the far future, so that nothing expires by the clock on the wall.
pub(super) fn at(seconds: u64) -> Time {
    Time::from_millis(4_000_000_000_000).plus(Duration::from_secs(seconds))
}

/// What Ann reaches in project `alpha`.
pub(super) fn ann() -> Reach {
    reach_of("ann")
}

/// What somebody reaches in project `alpha`.
pub(super) fn reach_of(owner: &str) -> Reach {
    let project = Some(ProjectKey::new("alpha"));
    Reach { owner: Owner::named(owner), project, now: at(1_000) }
}

/// A memory of Ann's for everywhere, to be changed as needed.
pub(super) fn note(content: &str) -> Result<NewMemory, Failed> {
    Ok(NewMemory {
        owner: Owner::named("ann"),
        scope: Scope::User,
        namespace: Namespace::parse("notes")?,
        content: content.into(),
        tags: Vec::new(),
        source: None,
        created: at(0),
        expires: None,
        id: None,
    })
}

/// Captures one that must be new.
pub(super) async fn stored(store: &Store, new: NewMemory) -> Result<Memory, Failed> {
    match store.capture(new).await? {
        Captured::New(memory) => Ok(memory),
        Captured::Same(memory) => Err(Failed::because(format!("{memory:?} is the same"))),
    }
}

/// Captures one with a vector.
pub(super) async fn placed(
    store: &Store,
    new: NewMemory,
    vector: &[f32],
) -> Result<Memory, Failed> {
    let memory = stored(store, new).await?;
    embed(store, &memory, vector).await?;
    Ok(memory)
}

/// Gives a memory a vector as it is now.
pub(super) async fn embed(store: &Store, memory: &Memory, vector: &[f32]) -> Verdict {
    let vectors = vec![(memory.id.clone(), memory.version, vector.to_vec())];
    Ok(store.put_vectors(MODEL.into(), vectors).await?)
}

/// Changes what a memory says.
pub(super) async fn say(store: &Store, memory: &Memory, content: &str) -> Result<Memory, Failed> {
    let edit = Edit { content: Some(content.into()), ..Edit::default() };
    Ok(store.update(ann(), memory.id.clone(), edit).await?)
}

/// What Ann finds by words.
pub(super) async fn by_text(store: &Store, query: &str) -> Result<Vec<TextHit>, Failed> {
    Ok(store.by_text(ann(), Filter::default(), query.into(), 20).await?)
}

/// What Ann finds by a vector.
pub(super) async fn by_vector(store: &Store, vector: &[f32]) -> Result<Vec<VectorHit>, Failed> {
    let filter = Filter::default();
    Ok(store.by_vector(ann(), filter, MODEL.into(), vector.to_vec(), 20).await?)
}

/// Fails unless exactly these are found by words, in this order.
pub(super) async fn finds(store: &Store, query: &str, expected: &[&Memory]) -> Verdict {
    let hits = by_text(store, query).await?;
    let found: Vec<&str> = hits.iter().map(|hit| hit.memory.content.as_str()).collect();
    let expected: Vec<&str> = expected.iter().map(|memory| memory.content.as_str()).collect();
    equal(&found, &expected, query)
}

/// Fails unless exactly these are found by a vector, in this order.
pub(super) async fn is_near(store: &Store, vector: &[f32], expected: &[&MemoryId]) -> Verdict {
    let hits = by_vector(store, vector).await?;
    let found: Vec<&MemoryId> = hits.iter().map(|hit| &hit.memory.id).collect();
    equal(&*found, expected, &format!("what is near to {vector:?}"))
}
