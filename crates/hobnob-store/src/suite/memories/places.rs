//! Who sees what: owners, projects, and what is for everybody. `list` has the cases.

use super::sample::{ann, at, everything, listed, note, reach_of, refused, stored, tags, there};
use crate::memory::{
    Memory, MemoryAccess, MemoryEdit, MemoryError, MemoryId, MemoryRepository, MemoryScope,
    MemoryStatus, Namespace, NewMemory,
};
use crate::owner::{Owner, ProjectKey};
use crate::suite::case_result::{CaseResult, equal, hold};
use std::sync::Arc;

type Store = Arc<dyn MemoryRepository>;

pub(super) async fn nobody_sees_what_is_not_for_them(store: Store) -> CaseResult {
    let mut all = Vec::new();
    for (number, owner) in ["ann", "bob", ""].into_iter().enumerate() {
        for (place, scope) in
            [project("alpha"), project("beta"), MemoryScope::User, MemoryScope::Org]
                .into_iter()
                .enumerate()
        {
            let new = NewMemory {
                owner: Owner::named(owner),
                scope,
                namespace: Namespace::parse(&format!("n{number}{place}"))?,
                tags: tags(&[&format!("t{number}{place}")])?,
                ..note("secret")?
            };
            all.push(stored(&*store, new).await?);
        }
    }
    for owner in ["ann", "bob", "", "eve"] {
        for key in [Some("alpha"), Some("beta"), Some("gamma"), None] {
            let project = key.map(ProjectKey::new);
            let access = MemoryAccess { owner: Owner::named(owner), project, now: at(1_000) };
            sees_only_its_own(&*store, &access, &all)
                .await
                .map_err(|failed| failed.of(&format!("{owner:?} in {key:?}")))?;
        }
    }
    Ok(())
}

async fn sees_only_its_own(
    store: &dyn MemoryRepository,
    access: &MemoryAccess,
    all: &[Memory],
) -> CaseResult {
    let (seen, hidden): (Vec<&Memory>, Vec<&Memory>) =
        all.iter().partition(|memory| sees(access, memory));
    let found = listed(store, access, &everything(), 100).await?;
    let newest_first: Vec<Memory> = seen.iter().rev().map(|memory| (*memory).clone()).collect();
    equal(&found, &newest_first, "the list")?;
    equal(&store.count(access.clone(), everything()).await?, &(seen.len() as u64), "the count")?;
    let mut expected: Vec<&str> = seen.iter().map(|memory| memory.namespace.as_str()).collect();
    expected.sort_unstable();
    let found = store.namespaces(access.clone(), everything()).await?;
    let found: Vec<&str> = found.iter().map(|count| count.word.as_str()).collect();
    equal(&found, &expected, "the namespaces")?;
    let mut expected: Vec<&str> = seen.iter().map(|memory| memory.tags[0].as_str()).collect();
    expected.sort_unstable();
    let found = store.tags(access.clone(), "t".into(), 100).await?;
    let found: Vec<&str> = found.iter().map(|count| count.word.as_str()).collect();
    equal(&found, &expected, "the tags")?;
    for memory in seen {
        equal(&there(store, access, &memory.id).await?, memory, "one that is seen")?;
        store.history(access.clone(), memory.id.clone()).await?;
    }
    for memory in hidden {
        is_not_there(store, access, &memory.id).await?;
    }
    is_not_there(store, access, &MemoryId::random()?).await
}

/// What is there for others and what is not there at all are refused in the very same words.
async fn is_not_there(
    store: &dyn MemoryRepository,
    access: &MemoryAccess,
    id: &MemoryId,
) -> CaseResult {
    let missing = MemoryError::NotFound(id.clone());
    equal(&store.get(access.clone(), id.clone()).await?, &None, "one that is not there")?;
    let edit = MemoryEdit { content: Some("mine".into()), ..MemoryEdit::default() };
    refused(store.update(access.clone(), id.clone(), edit).await, &missing)?;
    let edit = MemoryEdit { expected_version: Some(7), ..MemoryEdit::default() };
    refused(store.update(access.clone(), id.clone(), edit).await, &missing)?;
    refused(store.delete(access.clone(), id.clone()).await, &missing)?;
    refused(store.restore(access.clone(), id.clone()).await, &missing)?;
    refused(store.purge(access.clone(), id.clone()).await, &missing)?;
    refused(store.history(access.clone(), id.clone()).await, &missing)?;
    let new = NewMemory { owner: access.owner.clone(), ..note("in its place")? };
    refused(store.supersede(access.clone(), vec![id.clone()], new).await, &missing)
}

pub(super) async fn what_is_for_everybody_is_changed_by_its_owner(store: Store) -> CaseResult {
    let new = NewMemory { scope: MemoryScope::Org, ..note("for all")? };
    let memory = stored(&*store, new).await?;
    let (bob, id) = (reach_of("bob"), memory.id.clone());
    let foreign = MemoryError::Foreign(id.clone());
    let edit = MemoryEdit { content: Some("mine".into()), ..MemoryEdit::default() };
    refused(store.update(bob.clone(), id.clone(), edit.clone()).await, &foreign)?;
    refused(store.delete(bob.clone(), id.clone()).await, &foreign)?;
    refused(store.restore(bob.clone(), id.clone()).await, &foreign)?;
    refused(store.purge(bob.clone(), id.clone()).await, &foreign)?;
    let bobs = NewMemory { owner: Owner::named("bob"), ..note("better")? };
    refused(store.supersede(bob.clone(), vec![id.clone()], bobs).await, &foreign)?;
    equal(&there(&*store, &bob, &id).await?, &memory, "what others read")?;
    equal(&store.history(bob.clone(), id.clone()).await?.len(), &1, "its history, for others")?;
    let updated = store.update(ann(), id.clone(), edit).await?;
    equal(updated.content.as_str(), "mine", "what its owner made of it")?;
    equal(
        &store.delete(ann(), id.clone()).await?.status,
        &MemoryStatus::Deleted,
        "its owner deletes it",
    )?;
    store.restore(ann(), id.clone()).await?;
    store.purge(ann(), id.clone()).await?;
    equal(&store.get(bob, id).await?, &None, "a purged one, for others")
}

pub(super) async fn names_that_look_alike_are_different(store: Store) -> CaseResult {
    let names =
        ["a", "A", "a ", "a\0", "a\0b", "ä", "a\u{308}", "a%", "a_", "a*", "' OR 1=1 --", ""];
    for name in names {
        let new = NewMemory { owner: Owner::named(name), ..note(&format!("of {name}"))? };
        stored(&*store, new.clone()).await?;
        let scope = MemoryScope::Project(ProjectKey::new(name));
        stored(&*store, NewMemory { scope, ..new }).await?;
    }
    for name in names {
        let project = Some(ProjectKey::new(name));
        let access = MemoryAccess { owner: Owner::named(name), project, now: at(1_000) };
        let found = listed(&*store, &access, &everything(), 100).await?;
        equal(&found.len(), &2, &format!("what {name:?} sees"))?;
        hold(found.iter().all(|memory| memory.owner == access.owner), "all are the owner's")?;
        let elsewhere = MemoryAccess { project: Some(ProjectKey::new("elsewhere")), ..access };
        equal(&store.count(elsewhere, everything()).await?, &1, "what it sees elsewhere")?;
    }
    Ok(())
}

fn project(key: &str) -> MemoryScope {
    MemoryScope::Project(ProjectKey::new(key))
}

fn sees(access: &MemoryAccess, memory: &Memory) -> bool {
    let own = memory.owner == access.owner;
    match &memory.scope {
        MemoryScope::Project(key) => {
            own && access.project.as_ref().is_none_or(|project| project == key)
        }
        MemoryScope::User => own,
        MemoryScope::Org => true,
    }
}
