//! Cases of captures: new memories and duplicates. `list` has the cases.

use super::sample::{ann, everything, listed, note, org, reach_of, repeated, stored, tags, there};
use crate::memory::{
    Captured, Memory, MemoryId, MemoryRepository, MemoryScope, MemoryStatus, Namespace, NewMemory,
    OrgRole, WritableScope,
};
use crate::owner::{Owner, ProjectKey};
use crate::suite::case_result::{CaseResult, Failed, equal, hold};
use crate::time::Time;
use std::sync::Arc;
use tokio::task::JoinSet;

type Store = Arc<dyn MemoryRepository>;

pub(super) async fn what_is_captured_is_there(store: Store) -> CaseResult {
    let new = NewMemory {
        scope: WritableScope::project(ProjectKey::new("alpha")),
        tags: tags(&["b", "a", "b"])?,
        source: Some("notes.md".into()),
        expires: Some(super::sample::at(5_000)),
        ..note("  use one writer \n")?
    };
    let memory = stored(&*store, new.clone()).await?;
    let expected = Memory {
        id: memory.id.clone(),
        owner: new.owner,
        scope: new.scope.into_scope(),
        namespace: new.namespace,
        content: new.content,
        tags: tags(&["a", "b"])?,
        source: new.source,
        status: MemoryStatus::Active,
        superseded_by: None,
        version: 1,
        created: new.created,
        updated: new.created,
        expires: new.expires,
    };
    equal(&memory, &expected, "what the capture says")?;
    equal(&there(&*store, &ann(), &memory.id).await?, &expected, "what is there")?;
    let none = store.get(ann(), MemoryId::random()?).await?;
    equal(&none, &None, "an id that nothing has")
}

pub(super) async fn the_very_same_is_stored_once(store: Store) -> CaseResult {
    let first = stored(&*store, note("use one  writer")?).await?;
    for again in ["use one  writer", " use\tone writer\n", "use\u{3000}one writer"] {
        let new = NewMemory { tags: tags(&["other"])?, ..note(again)? };
        equal(&repeated(&*store, new).await?, &first.id, again)?;
    }
    for other in ["Use one writer", "useone writer", "use one writer.", ""] {
        stored(&*store, note(other)?).await?;
    }
    equal(&there(&*store, &ann(), &first.id).await?, &first, "the first")?;
    equal(&store.count(ann(), everything()).await?, &5, "how many there are")
}

pub(super) async fn the_very_same_elsewhere_is_another(store: Store) -> CaseResult {
    let project = |key: &str| MemoryScope::Project(ProjectKey::new(key));
    let places = [
        ("ann", MemoryScope::User, "decisions"),
        ("ann", MemoryScope::User, "patterns"),
        ("ann", project("alpha"), "decisions"),
        ("ann", project("beta"), "decisions"),
        ("ann", MemoryScope::Org, "decisions"),
        ("bob", MemoryScope::User, "decisions"),
        ("bob", project("alpha"), "decisions"),
    ];
    let mut ids = Vec::new();
    for (owner, scope, namespace) in &places {
        let new = NewMemory {
            owner: Owner::named(owner),
            scope: WritableScope::new(scope.clone(), Some(OrgRole::Writer))?,
            namespace: Namespace::parse(namespace)?,
            ..note("the same")?
        };
        ids.push(stored(&*store, new.clone()).await?.id);
        equal(&ids.last(), &Some(&repeated(&*store, new).await?), "the same in the same place")?;
    }
    let bobs = NewMemory { owner: Owner::named("bob"), scope: org()?, ..note("the same")? };
    equal(&repeated(&*store, bobs).await?, &ids[4], "what is for everybody is said once")
}

pub(super) async fn what_is_gone_can_be_captured_again(store: Store) -> CaseResult {
    let first = stored(&*store, note("deleted")?).await?;
    store.delete(ann(), first.id.clone()).await?;
    let second = stored(&*store, note("deleted")?).await?;
    hold(first.id != second.id, "a deleted one does not come back by itself")?;
    let past = NewMemory { expires: Some(Time::from_millis(1)), ..note("expired")? };
    stored(&*store, past.clone()).await?;
    stored(&*store, past).await?;
    let third = stored(&*store, note("superseded")?).await?;
    store.supersede(ann(), vec![third.id], note("what came after")?).await?;
    stored(&*store, note("superseded")?).await?;
    Ok(())
}

pub(super) async fn the_very_same_at_the_same_time_is_stored_once(store: Store) -> CaseResult {
    let mut captures = JoinSet::new();
    for _ in 0..16 {
        let (store, new) = (Arc::clone(&store), note("said by many")?);
        captures.spawn(async move { store.capture(new).await });
    }
    let (mut new, mut ids) = (0, Vec::new());
    while let Some(captured) = captures.join_next().await {
        match captured?? {
            Captured::New(memory) => {
                new += 1;
                ids.push(memory.id);
            }
            Captured::Same(memory) => ids.push(memory.id),
        }
    }
    equal(&new, &1, "how many were stored")?;
    hold(ids.iter().all(|id| *id == ids[0]), "all get the same id")
}

pub(super) async fn an_id_that_is_taken_is_not_given_again(store: Store) -> CaseResult {
    let wanted = MemoryId::random()?;
    let with_id =
        |content: &str| Ok::<_, Failed>(NewMemory { id: Some(wanted.clone()), ..note(content)? });
    let first = stored(&*store, with_id("from elsewhere")?).await?;
    equal(&first.id, &wanted, "an id that is free")?;
    equal(&repeated(&*store, with_id("from elsewhere")?).await?, &wanted, "the very same")?;
    let other = stored(&*store, with_id("changed elsewhere")?).await?;
    hold(other.id != wanted, "an id that is taken")?;
    let bobs = NewMemory { owner: Owner::named("bob"), ..with_id("from elsewhere")? };
    let bobs = stored(&*store, bobs).await?;
    hold(bobs.id != wanted, "an id that somebody else has")?;
    there(&*store, &reach_of("bob"), &bobs.id).await?;
    equal(&there(&*store, &ann(), &wanted).await?, &first, "whoever had it first")
}

pub(super) async fn many_are_answered_in_their_order(store: Store) -> CaseResult {
    let words = ["one", "two", " one ", "three", "two"];
    let new = words.iter().map(|word| note(word)).collect::<Result<Vec<_>, _>>()?;
    let captured = store.capture_all(new).await?;
    let found: Vec<(&str, &str)> = captured
        .iter()
        .map(|outcome| match &outcome.captured {
            Captured::New(memory) => ("new", memory.content.as_str()),
            Captured::Same(memory) => ("same", memory.content.as_str()),
        })
        .collect();
    let expected =
        [("new", "one"), ("new", "two"), ("same", "one"), ("new", "three"), ("same", "two")];
    equal(found.as_slice(), expected.as_slice(), "the answers")?;
    equal(&listed(&*store, &ann(), &everything(), 2).await?.len(), &3, "how many there are")?;
    equal(&store.capture_all(Vec::new()).await?.len(), &0, "none at all")
}
