//! Sample memories, owners and projects for the cases of memories.

use crate::memory::{
    Captured, Memory, MemoryAccess, MemoryError, MemoryFilter, MemoryId, MemoryRepository,
    MemoryScope, MemoryStatus, Namespace, NewMemory, OrgRole, PageRequest, Tag, WritableScope,
};
use crate::owner::{Owner, ProjectKey};
use crate::suite::case_result::{CaseResult, Failed, equal};
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

/// What Ann reaches at that time.
pub(super) fn ann_at(seconds: u64) -> MemoryAccess {
    MemoryAccess { now: at(seconds), ..ann() }
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
        namespace: Namespace::parse("decisions")?,
        content: content.into(),
        tags: Vec::new(),
        source: None,
        created: at(0),
        expires: None,
        id: None,
        arrived_micros: None,
    })
}

/// Parses tags that must be valid.
pub(super) fn tags(words: &[&str]) -> Result<Vec<Tag>, Failed> {
    words.iter().map(|word| Ok(Tag::parse(word)?)).collect()
}

/// Captures a memory that must be new.
pub(super) async fn stored(store: &dyn MemoryRepository, new: NewMemory) -> Result<Memory, Failed> {
    match store.capture(new).await? {
        Captured::New(memory) => Ok(memory),
        Captured::Same(memory) => Err(Failed::because(format!("{memory:?} is not the same"))),
    }
}

/// Captures a memory that must exist already, and returns the existing one.
pub(super) async fn repeated(
    store: &dyn MemoryRepository,
    new: NewMemory,
) -> Result<MemoryId, Failed> {
    match store.capture(new).await? {
        Captured::Same(memory) => Ok(memory.id),
        Captured::New(memory) => Err(Failed::because(format!("{memory:?} was stored again"))),
    }
}

/// A memory that must exist.
pub(super) async fn there(
    store: &dyn MemoryRepository,
    access: &MemoryAccess,
    id: &MemoryId,
) -> Result<Memory, Failed> {
    let found = store.get(access.clone(), id.clone()).await?;
    found.ok_or_else(|| Failed::because(format!("{id} is not there")))
}

/// All memories that match a filter, fetched page by page.
pub(super) async fn listed(
    store: &dyn MemoryRepository,
    access: &MemoryAccess,
    filter: &MemoryFilter,
    limit: usize,
) -> Result<Vec<Memory>, Failed> {
    let mut all = Vec::new();
    let mut page = PageRequest { after: None, limit };
    loop {
        let part = store.list(access.clone(), filter.clone(), page.clone()).await?;
        if limit < part.items.len() {
            return Err(Failed::because("a page is longer than it may be"));
        }
        all.extend(part.items);
        match part.next {
            Some(next) => page.after = Some(next),
            None => return Ok(all),
        }
    }
}

/// The contents of these memories, in order.
pub(super) fn contents(memories: &[Memory]) -> Vec<&str> {
    memories.iter().map(|memory| memory.content.as_str()).collect()
}

/// A filter for memories in any status.
pub(super) fn everything() -> MemoryFilter {
    MemoryFilter { statuses: MemoryStatus::ALL.into(), ..MemoryFilter::default() }
}

/// Fails unless the operation was refused with these words.
pub(super) fn refused<T>(done: Result<T, MemoryError>, expected: &MemoryError) -> CaseResult {
    let found = match done {
        Ok(_) => "nothing was refused".to_owned(),
        Err(error) => error.to_string(),
    };
    equal(&found, &expected.to_string(), "the refusal")
}
