//! Sample memories, owners and projects for the cases of memories.

use crate::memory::{
    Captured, Memory, MemoryAccess, MemoryError, MemoryFilter, MemoryId, MemoryRepository,
    MemoryStatus, NewMemory, PageRequest, Tag,
};
use crate::suite::case_result::{CaseResult, Failed, equal};
use crate::suite::sample::note_in;
pub(super) use crate::suite::sample::{ann, at, org, reach_of, stored};

/// What Ann reaches at that time.
pub(super) fn ann_at(seconds: u64) -> MemoryAccess {
    MemoryAccess { now: at(seconds), ..ann() }
}

/// A decision of Ann's in scope `user`; cases change fields as needed.
pub(super) fn note(content: &str) -> Result<NewMemory, Failed> {
    note_in("decisions", content)
}

/// Parses tags that must be valid.
pub(super) fn tags(words: &[&str]) -> Result<Vec<Tag>, Failed> {
    words.iter().map(|word| Ok(Tag::parse(word)?)).collect()
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
