//! Sample memories and owners for the cases of memories and of search.

use super::case_result::Failed;
use crate::memory::{
    Captured, Memory, MemoryAccess, MemoryRepository, MemoryScope, Namespace, NewMemory, OrgRole,
    WritableScope,
};
use crate::owner::{Owner, ProjectKey};
use crate::time::Time;
use std::time::Duration;

/// A time relative to a day in the far future, so that nothing expires by the system clock.
pub(super) fn at(seconds: u64) -> Time {
    Time::from_millis(4_000_000_000_000).plus(Duration::from_secs(seconds))
}

/// What `owner` reaches in project `alpha`.
pub(super) fn reach_of(owner: &str) -> MemoryAccess {
    let project = Some(ProjectKey::new("alpha"));
    let org = Some(OrgRole::Writer);
    MemoryAccess { owner: Owner::named(owner), org, project, now: at(1_000) }
}

/// What Ann reaches in project `alpha`; most memories here are hers.
pub(super) fn ann() -> MemoryAccess {
    reach_of("ann")
}

/// The shared scope, for an owner who may write there.
pub(super) fn org() -> Result<WritableScope, Failed> {
    Ok(WritableScope::new(MemoryScope::Org, Some(OrgRole::Writer))?)
}

/// A memory of Ann's in scope `user`; cases change fields as needed.
///
/// # Errors
///
/// The namespace is not valid.
pub fn note_in(namespace: &str, content: &str) -> Result<NewMemory, Failed> {
    Ok(NewMemory {
        owner: Owner::named("ann"),
        scope: WritableScope::user(),
        namespace: Namespace::parse(namespace)?,
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
pub(super) async fn stored(store: &dyn MemoryRepository, new: NewMemory) -> Result<Memory, Failed> {
    match store.capture(new).await? {
        Captured::New(memory) => Ok(memory),
        Captured::Same(memory) => Err(Failed::because(format!("{memory:?} is not the same"))),
    }
}
