//! Memories that a newer one replaces: they stay active and name it. `list` has the cases.

use super::sample::{ann, ann_at, at, listed, note, org, reach_of, refused, stored, there};
use crate::memory::{
    Memory, MemoryAccess, MemoryEdit, MemoryError, MemoryFilter, MemoryId, MemoryRepository,
    MemoryScope, MemoryStatus, MissingRole, NewMemory, OrgRole, WritableScope,
};
use crate::owner::ProjectKey;
use crate::suite::case_result::{CaseResult, Failed, equal};
use std::sync::Arc;

type Store = Arc<dyn MemoryRepository>;

/// Two memories of Ann's, the first one replaced by the second.
async fn replaced(store: &Store) -> Result<(Memory, Memory), Failed> {
    let older = stored(&**store, note("port 80")?).await?;
    let newer = stored(&**store, note("port 81")?).await?;
    let marked = store.mark_replaced(ann_at(2_000), newer.id.clone(), vec![older.id.clone()]).await;
    let mut marked = marked?;
    let older = marked.pop().ok_or_else(|| Failed::because("nothing was marked"))?;
    Ok((older, newer))
}

async fn successor(store: &Store, id: &MemoryId) -> Result<Option<MemoryId>, Failed> {
    Ok(there(&**store, &ann(), id).await?.superseded_by)
}

pub(super) async fn a_replaced_one_stays_and_names_the_newer(store: Store) -> CaseResult {
    let (older, newer) = replaced(&store).await?;
    let expected = Memory { version: 2, updated: at(2_000), ..older.clone() };
    equal(&older, &expected, "the mark is a version")?;
    equal(&older.superseded_by.as_ref(), &Some(&newer.id), "the newer one")?;
    equal(&there(&*store, &ann(), &older.id).await?, &older, "the older one")?;
    equal(&there(&*store, &ann(), &newer.id).await?, &newer, "the newer one is unchanged")?;
    let all = listed(&*store, &ann(), &MemoryFilter::default(), 10).await?;
    equal(&all, &vec![newer.clone(), older.clone()], "active ones")?;
    let again = store.mark_replaced(ann(), newer.id.clone(), vec![older.id.clone()]).await?;
    equal(&again, &vec![older.clone()], "marking it again changes nothing")?;
    let past = store.history(ann(), older.id).await?;
    let past: Vec<_> = past.iter().map(|it| (it.action.as_str(), it.status)).collect();
    let expected = [("captured", MemoryStatus::Active), ("replaced", MemoryStatus::Active)];
    equal(past.as_slice(), expected.as_slice(), "its history")
}

pub(super) async fn the_mark_goes_and_comes_with_the_newer_one(store: Store) -> CaseResult {
    let (older, newer) = replaced(&store).await?;
    store.delete(ann(), newer.id.clone()).await?;
    equal(&successor(&store, &older.id).await?, &None, "once the newer one is deleted")?;
    store.restore(ann(), newer.id.clone()).await?;
    equal(&successor(&store, &older.id).await?.as_ref(), &Some(&newer.id), "once it is back")?;
    store.purge(ann(), newer.id).await?;
    equal(&successor(&store, &older.id).await?, &None, "once it is gone for good")?;
    equal(&there(&*store, &ann(), &older.id).await?.status, &MemoryStatus::Active, "the older one")
}

pub(super) async fn the_mark_can_be_taken_back(store: Store) -> CaseResult {
    let (older, newer) = replaced(&store).await?;
    let restored = store.restore(ann_at(3_000), older.id.clone()).await?;
    equal(&restored.superseded_by, &None, "after a restoration")?;
    equal(&successor(&store, &older.id).await?, &None, "what is stored")?;
    store.mark_replaced(ann(), newer.id.clone(), vec![older.id.clone()]).await?;
    let edit = MemoryEdit { tags: Some(Vec::new()), source: Some(None), ..MemoryEdit::default() };
    store.update(ann(), older.id.clone(), edit).await?;
    equal(&successor(&store, &older.id).await?.as_ref(), &Some(&newer.id), "other labels")?;
    let edit = MemoryEdit { content: Some("port 82".into()), ..MemoryEdit::default() };
    store.update(ann(), older.id.clone(), edit).await?;
    equal(&successor(&store, &older.id).await?, &None, "a text that is newer than the newer one")
}

pub(super) async fn what_makes_no_sense_is_refused_and_marks_nothing(store: Store) -> CaseResult {
    let (first, second) = replaced(&store).await?;
    let third = stored(&*store, note("port 82")?).await?;
    store.mark_replaced(ann(), third.id.clone(), vec![second.id.clone()]).await?;
    let project = |key: &str| WritableScope::project(ProjectKey::new(key));
    let elsewhere = stored(&*store, NewMemory { scope: project("alpha"), ..note("port 83")? });
    let elsewhere = elsewhere.await?;
    let other = stored(&*store, note("port 84")?).await?;
    for (newer, older) in [(&first, &first), (&first, &third), (&elsewhere, &other)] {
        let (newer, older) = (newer.id.clone(), older.id.clone());
        let done = store.mark_replaced(ann(), newer.clone(), vec![other.id.clone(), older.clone()]);
        let older = if newer == elsewhere.id { other.id.clone() } else { older };
        refused(done.await, &MemoryError::NoReplacement { older, newer })?;
    }
    let missing = MemoryId::random()?;
    let done = store.mark_replaced(ann(), third.id.clone(), vec![missing.clone()]).await;
    refused(done, &MemoryError::NotFound(missing.clone()))?;
    let done = store.mark_replaced(ann(), missing.clone(), vec![other.id.clone()]).await;
    refused(done, &MemoryError::NotFound(missing))?;
    equal(&there(&*store, &ann(), &other.id).await?, &other, "what was refused marks nothing")?;
    let deleted = store.delete(ann(), other.id.clone()).await?;
    let done = store.mark_replaced(ann(), third.id, vec![other.id.clone()]).await?;
    equal(&done, &Vec::new(), "a deleted one is not marked")?;
    equal(&there(&*store, &ann(), &other.id).await?, &deleted, "and stays as it was")
}

pub(super) async fn only_those_who_may_change_it_mark_it(store: Store) -> CaseResult {
    let shared = stored(&*store, NewMemory { scope: org()?, ..note("port 80")? }).await?;
    let bob = |role| MemoryAccess { org: Some(role), ..reach_of("bob") };
    let scope = WritableScope::new(MemoryScope::Org, Some(OrgRole::Writer))?;
    let own = NewMemory { owner: bob(OrgRole::Writer).owner, scope, ..note("port 81")? };
    let own = stored(&*store, own).await?;
    let mark = |access| store.mark_replaced(access, own.id.clone(), vec![shared.id.clone()]);
    let needed = OrgRole::Admin;
    refused(mark(bob(OrgRole::Writer)).await, &MissingRole { needed }.into())?;
    equal(&successor(&store, &shared.id).await?, &None, "after a refusal")?;
    mark(bob(OrgRole::Admin)).await?;
    equal(&successor(&store, &shared.id).await?.as_ref(), &Some(&own.id), "by an administrator")?;
    let private = stored(&*store, note("port 80")?).await?;
    let eve = reach_of("eve");
    let done = store.mark_replaced(eve, own.id, vec![private.id.clone()]).await;
    refused(done, &MemoryError::NotFound(private.id))
}
