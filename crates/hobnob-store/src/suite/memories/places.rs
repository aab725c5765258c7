//! Who sees which memory: owners, projects, and the shared scope. `list` has the cases.

use super::sample::{
    ann, at, everything, listed, note, org, reach_of, refused, stored, tags, there,
};
use crate::memory::{
    Memory, MemoryAccess, MemoryEdit, MemoryError, MemoryId, MemoryRepository, MemoryScope,
    MemoryStatus, MissingRole, Namespace, NewMemory, OrgRole, PageRequest, WritableScope,
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
                scope: WritableScope::new(scope, Some(OrgRole::Writer))?,
                namespace: Namespace::parse(&format!("n{number}{place}"))?,
                tags: tags(&[&format!("t{number}{place}")])?,
                ..note("secret")?
            };
            all.push(stored(&*store, new).await?);
        }
    }
    let roles = [None, Some(OrgRole::Reader), Some(OrgRole::Writer), Some(OrgRole::Admin)];
    for owner in ["ann", "bob", "", "eve"] {
        for (key, org) in [Some("alpha"), Some("beta"), Some("gamma"), None]
            .into_iter()
            .flat_map(|key| roles.map(|org| (key, org)))
        {
            let project = key.map(ProjectKey::new);
            let access = MemoryAccess { owner: Owner::named(owner), org, project, now: at(1_000) };
            sees_only_its_own(&*store, &access, &all)
                .await
                .map_err(|failed| failed.of(&format!("{owner:?}, {org:?}, in {key:?}")))?;
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

/// A memory of another owner and a missing memory are refused with the same words.
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

/// Ann captured it. A caller without the needed role is refused with its name, and changes nothing.
pub(super) async fn what_is_shared_is_changed_by_those_with_the_role(store: Store) -> CaseResult {
    let memory = stored(&*store, NewMemory { scope: org()?, ..note("for all")? }).await?;
    for (owner, role, needed) in [
        ("ann", OrgRole::Reader, OrgRole::Writer),
        ("bob", OrgRole::Reader, OrgRole::Admin),
        ("bob", OrgRole::Writer, OrgRole::Admin),
    ] {
        let access = MemoryAccess { org: Some(role), ..reach_of(owner) };
        changes_nothing(&*store, &access, &memory, &MissingRole { needed }.into())
            .await
            .map_err(|failed| failed.of(&format!("{owner} as {}", role.as_str())))?;
    }
    for (owner, role) in [("ann", OrgRole::Writer), ("bob", OrgRole::Admin)] {
        let memory = stored(&*store, NewMemory { scope: org()?, ..note(owner)? }).await?;
        let access = MemoryAccess { org: Some(role), ..reach_of(owner) };
        let (id, said) = (memory.id, format!("changed by {owner}"));
        let edit = MemoryEdit { content: Some(said.clone()), ..MemoryEdit::default() };
        let updated = store.update(access.clone(), id.clone(), edit).await?;
        equal(updated.content.as_str(), said.as_str(), "what it says now")?;
        equal(updated.owner.as_str(), "ann", "whose it is still")?;
        let deleted = store.delete(access.clone(), id.clone()).await?;
        equal(&deleted.status, &MemoryStatus::Deleted, "after it was deleted")?;
        store.restore(access.clone(), id.clone()).await?;
        let new = NewMemory { owner: access.owner.clone(), scope: org()?, ..note("instead")? };
        let instead = store.supersede(access.clone(), vec![id.clone()], new).await?;
        store.purge(access.clone(), instead.id).await?;
        store.purge(access.clone(), id.clone()).await?;
        equal(&store.get(access, id).await?, &None, "after it was purged")?;
    }
    Ok(())
}

async fn changes_nothing(
    store: &dyn MemoryRepository,
    access: &MemoryAccess,
    memory: &Memory,
    expected: &MemoryError,
) -> CaseResult {
    let id = || memory.id.clone();
    let edit = MemoryEdit { content: Some("mine".into()), ..MemoryEdit::default() };
    refused(store.update(access.clone(), id(), edit).await, expected)?;
    refused(store.delete(access.clone(), id()).await, expected)?;
    refused(store.restore(access.clone(), id()).await, expected)?;
    refused(store.purge(access.clone(), id()).await, expected)?;
    let own = NewMemory { owner: access.owner.clone(), ..note("better")? };
    refused(store.supersede(access.clone(), vec![id()], own).await, expected)?;
    equal(&there(store, access, &memory.id).await?, memory, "what is read afterwards")?;
    equal(&store.history(access.clone(), id()).await?.len(), &1, "its history")
}

/// Only a caller with the role gets a scope for a new memory.
pub(super) async fn only_writers_capture_what_is_shared(store: Store) -> CaseResult {
    for role in [None, Some(OrgRole::Reader)] {
        let found = WritableScope::new(MemoryScope::Org, role);
        equal(&found, &Err(MissingRole { needed: OrgRole::Writer }), "without the role")?;
        WritableScope::new(MemoryScope::User, role)?;
        WritableScope::new(project("alpha"), role)?;
    }
    for role in [OrgRole::Writer, OrgRole::Admin] {
        let scope = WritableScope::new(MemoryScope::Org, Some(role))?;
        stored(&*store, NewMemory { scope, ..note(role.as_str())? }).await?;
    }
    Ok(())
}

/// A page continued with an old cursor shows no more than a list started now.
pub(super) async fn a_cursor_shows_nothing_once_the_role_is_gone(store: Store) -> CaseResult {
    for number in 0..6 {
        let scope = if number % 2 == 0 { org()? } else { WritableScope::user() };
        let new = NewMemory { scope, created: at(number), ..note(&number.to_string())? };
        stored(&*store, new).await?;
    }
    let page = PageRequest { after: None, limit: 2 };
    let first = store.list(ann(), everything(), page).await?;
    let page = PageRequest { after: first.next, limit: 10 };
    let rest = store.list(MemoryAccess { org: None, ..ann() }, everything(), page).await?;
    let rest: Vec<&str> = rest.items.iter().map(|memory| memory.content.as_str()).collect();
    equal(&rest, &vec!["3", "1"], "the rest of what is Ann's alone")
}

pub(super) async fn names_that_look_alike_are_different(store: Store) -> CaseResult {
    let names =
        ["a", "A", "a ", "a\0", "a\0b", "ä", "a\u{308}", "a%", "a_", "a*", "' OR 1=1 --", ""];
    for name in names {
        let new = NewMemory { owner: Owner::named(name), ..note(&format!("of {name}"))? };
        stored(&*store, new.clone()).await?;
        let scope = WritableScope::project(ProjectKey::new(name));
        stored(&*store, NewMemory { scope, ..new }).await?;
    }
    for name in names {
        let project = Some(ProjectKey::new(name));
        let org = Some(OrgRole::Reader);
        let access = MemoryAccess { owner: Owner::named(name), org, project, now: at(1_000) };
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
        MemoryScope::Org => access.org.is_some(),
    }
}
