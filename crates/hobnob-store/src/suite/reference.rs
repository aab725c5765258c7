//! The naive reference implementation of a filter, with which the cases of memories and of search
//! compare what a store finds.

use crate::memory::{Memory, MemoryAccess, MemoryFilter, MemoryScope, MemoryStatus};

/// A literal reference implementation of the filter's documentation.
pub(super) fn fits(access: &MemoryAccess, filter: &MemoryFilter, memory: &Memory) -> bool {
    let own = memory.owner == access.owner;
    let reached = match &memory.scope {
        MemoryScope::Project(key) => {
            own && access.project.as_ref().is_none_or(|project| project == key)
        }
        MemoryScope::User => own,
        MemoryScope::Org => access.org.is_some(),
    };
    let status = match filter.statuses.as_slice() {
        [] => memory.status == MemoryStatus::Active,
        statuses => statuses.contains(&memory.status),
    };
    reached
        && status
        && (memory.status == MemoryStatus::Deleted
            || memory.expires.is_none_or(|expires| access.now < expires))
        && (filter.namespaces.is_empty() || filter.namespaces.contains(&memory.namespace))
        && (filter.scopes.is_empty() || filter.scopes.contains(&memory.scope.kind()))
        && filter.tags.iter().all(|group| group.iter().any(|tag| memory.tags.contains(tag)))
        && !filter.without_tags.iter().any(|tag| memory.tags.contains(tag))
        && filter.since.is_none_or(|since| since <= memory.created)
        && filter.until.is_none_or(|until| memory.created < until)
        && filter.source.as_ref().is_none_or(|glob| {
            let (glob, source): (Vec<char>, Option<Vec<char>>) =
                (glob.chars().collect(), memory.source.as_ref().map(|it| it.chars().collect()));
            source.is_some_and(|source| like(&glob, &source))
        })
}

fn like(glob: &[char], text: &[char]) -> bool {
    match (glob, text) {
        ([], text) => text.is_empty(),
        (['*', rest @ ..], text) => (0..=text.len()).any(|skip| like(rest, &text[skip..])),
        (['?', rest @ ..], [_, text @ ..]) => like(rest, text),
        ([one, rest @ ..], [other, text @ ..]) => one == other && like(rest, text),
        (_, []) => false,
    }
}
