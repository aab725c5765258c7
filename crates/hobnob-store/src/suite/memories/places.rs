//! Who sees what: owners, projects, and what is for everybody.

use super::sample::{ann, at, everything, listed, note, reach_of, refused, stored, tags, there};
use crate::memory::{
    Edit, Memories, Memory, MemoryError, MemoryId, Namespace, NewMemory, Reach, Scope, Status,
};
use crate::owner::{Owner, ProjectKey};
use crate::suite::verdict::{Verdict, equal, hold};
use std::sync::Arc;

type Store = Arc<dyn Memories>;

pub(super) async fn nobody_sees_what_is_not_for_them(store: Store) -> Verdict {
    let mut all = Vec::new();
    for (number, owner) in ["ann", "bob", ""].into_iter().enumerate() {
        for (place, scope) in
            [project("alpha"), project("beta"), Scope::User, Scope::Org].into_iter().enumerate()
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
            let reach = Reach { owner: Owner::named(owner), project, now: at(1_000) };
            sees_only_its_own(&*store, &reach, &all)
                .await
                .map_err(|failed| failed.of(&format!("{owner:?} in {key:?}")))?;
        }
    }
    Ok(())
}

async fn sees_only_its_own(store: &dyn Memories, reach: &Reach, all: &[Memory]) -> Verdict {
    let (seen, hidden): (Vec<&Memory>, Vec<&Memory>) =
        all.iter().partition(|memory| sees(reach, memory));
    let found = listed(store, reach, &everything(), 100).await?;
    let newest_first: Vec<Memory> = seen.iter().rev().map(|memory| (*memory).clone()).collect();
    equal(&found, &newest_first, "the list")?;
    equal(&store.count(reach.clone(), everything()).await?, &(seen.len() as u64), "the count")?;
    let mut expected: Vec<&str> = seen.iter().map(|memory| memory.namespace.as_str()).collect();
    expected.sort_unstable();
    let found = store.namespaces(reach.clone(), everything()).await?;
    let found: Vec<&str> = found.iter().map(|count| count.word.as_str()).collect();
    equal(&found, &expected, "the namespaces")?;
    let mut expected: Vec<&str> = seen.iter().map(|memory| memory.tags[0].as_str()).collect();
    expected.sort_unstable();
    let found = store.tags(reach.clone(), "t".into(), 100).await?;
    let found: Vec<&str> = found.iter().map(|count| count.word.as_str()).collect();
    equal(&found, &expected, "the tags")?;
    for memory in seen {
        equal(&there(store, reach, &memory.id).await?, memory, "one that is seen")?;
        store.history(reach.clone(), memory.id.clone()).await?;
    }
    for memory in hidden {
        is_not_there(store, reach, &memory.id).await?;
    }
    is_not_there(store, reach, &MemoryId::random()).await
}

/// What is there for others and what is not there at all are refused in the very same words.
async fn is_not_there(store: &dyn Memories, reach: &Reach, id: &MemoryId) -> Verdict {
    let missing = MemoryError::NotFound(id.clone());
    equal(&store.get(reach.clone(), id.clone()).await?, &None, "one that is not there")?;
    let edit = Edit { content: Some("mine".into()), ..Edit::default() };
    refused(store.update(reach.clone(), id.clone(), edit).await, &missing)?;
    let edit = Edit { expected_version: Some(7), ..Edit::default() };
    refused(store.update(reach.clone(), id.clone(), edit).await, &missing)?;
    refused(store.delete(reach.clone(), id.clone()).await, &missing)?;
    refused(store.restore(reach.clone(), id.clone()).await, &missing)?;
    refused(store.purge(reach.clone(), id.clone()).await, &missing)?;
    refused(store.history(reach.clone(), id.clone()).await, &missing)?;
    let new = NewMemory { owner: reach.owner.clone(), ..note("in its place")? };
    refused(store.supersede(reach.clone(), vec![id.clone()], new).await, &missing)
}

pub(super) async fn what_is_for_everybody_is_changed_by_its_owner(store: Store) -> Verdict {
    let new = NewMemory { scope: Scope::Org, ..note("for all")? };
    let memory = stored(&*store, new).await?;
    let (bob, id) = (reach_of("bob"), memory.id.clone());
    let foreign = MemoryError::Foreign(id.clone());
    let edit = Edit { content: Some("mine".into()), ..Edit::default() };
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
        &Status::Deleted,
        "its owner deletes it",
    )?;
    store.restore(ann(), id.clone()).await?;
    store.purge(ann(), id.clone()).await?;
    equal(&store.get(bob, id).await?, &None, "a purged one, for others")
}

pub(super) async fn names_that_look_alike_are_different(store: Store) -> Verdict {
    let names =
        ["a", "A", "a ", "a\0", "a\0b", "ä", "a\u{308}", "a%", "a_", "a*", "' OR 1=1 --", ""];
    for name in names {
        let new = NewMemory { owner: Owner::named(name), ..note(&format!("of {name}"))? };
        stored(&*store, new.clone()).await?;
        let scope = Scope::Project(ProjectKey::new(name));
        stored(&*store, NewMemory { scope, ..new }).await?;
    }
    for name in names {
        let project = Some(ProjectKey::new(name));
        let reach = Reach { owner: Owner::named(name), project, now: at(1_000) };
        let found = listed(&*store, &reach, &everything(), 100).await?;
        equal(&found.len(), &2, &format!("what {name:?} sees"))?;
        hold(found.iter().all(|memory| memory.owner == reach.owner), "all are the owner's")?;
        let elsewhere = Reach { project: Some(ProjectKey::new("elsewhere")), ..reach };
        equal(&store.count(elsewhere, everything()).await?, &1, "what it sees elsewhere")?;
    }
    Ok(())
}

fn project(key: &str) -> Scope {
    Scope::Project(ProjectKey::new(key))
}

fn sees(reach: &Reach, memory: &Memory) -> bool {
    let own = memory.owner == reach.owner;
    match &memory.scope {
        Scope::Project(key) => own && reach.project.as_ref().is_none_or(|project| project == key),
        Scope::User => own,
        Scope::Org => true,
    }
}
