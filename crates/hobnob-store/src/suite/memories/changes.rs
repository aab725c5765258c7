//! Cases of changes: updates, deletion, restoring, and the history. `list` has the cases.

use super::sample::{
    ann, ann_at, at, contents, everything, listed, note, refused, stored, tags, there,
};
use crate::memory::{
    Memory, MemoryEdit, MemoryError, MemoryFilter, MemoryId, MemoryRepository, MemoryStatus,
    MemoryVersion, Namespace, NewMemory,
};
use crate::suite::case_result::{CaseResult, equal, hold};
use std::sync::Arc;

type Store = Arc<dyn MemoryRepository>;

pub(super) async fn an_update_changes_what_it_names(store: Store) -> CaseResult {
    let new = NewMemory {
        tags: tags(&["old"])?,
        source: Some("a.md".into()),
        expires: Some(at(9_000)),
        ..note("first")?
    };
    let mut expected = stored(&*store, new).await?;
    let id = expected.id.clone();
    let edits = [
        MemoryEdit { content: Some("second".into()), ..MemoryEdit::default() },
        MemoryEdit { namespace: Some(Namespace::parse("patterns")?), ..MemoryEdit::default() },
        MemoryEdit { tags: Some(tags(&["a", "b"])?), ..MemoryEdit::default() },
        MemoryEdit { source: Some(Some("b.md".into())), ..MemoryEdit::default() },
        MemoryEdit { source: Some(None), ..MemoryEdit::default() },
        MemoryEdit { expires: Some(Some(at(8_000))), ..MemoryEdit::default() },
        MemoryEdit { expires: Some(None), tags: Some(Vec::new()), ..MemoryEdit::default() },
    ];
    for (seconds, edit) in (2_000..).zip(edits) {
        expected = Memory {
            content: edit.content.clone().unwrap_or(expected.content),
            namespace: edit.namespace.clone().unwrap_or(expected.namespace),
            tags: edit.tags.clone().unwrap_or(expected.tags),
            source: edit.source.clone().unwrap_or(expected.source),
            expires: edit.expires.unwrap_or(expected.expires),
            version: expected.version + 1,
            updated: at(seconds),
            ..expected
        };
        let updated = store.update(ann_at(seconds), id.clone(), edit.clone()).await?;
        equal(&updated, &expected, &format!("after {edit:?}"))?;
        equal(&there(&*store, &ann(), &id).await?, &expected, &format!("there, after {edit:?}"))?;
    }
    let edit = MemoryEdit { tags: Some(tags(&["z", "y", "z"])?), ..MemoryEdit::default() };
    let updated = store.update(ann(), id, edit).await?;
    equal(&updated.tags, &tags(&["y", "z"])?, "tags, sorted and each once")?;
    let missing = MemoryId::random()?;
    let done = store.update(ann(), missing.clone(), MemoryEdit::default()).await;
    refused(done, &MemoryError::NotFound(missing))
}

pub(super) async fn an_update_of_nothing_is_no_version(store: Store) -> CaseResult {
    let new = NewMemory { tags: tags(&["a", "b"])?, ..note("as it is")? };
    let memory = stored(&*store, new).await?;
    let same = MemoryEdit {
        content: Some("as it is".into()),
        namespace: Some(memory.namespace.clone()),
        tags: Some(tags(&["b", "a", "a"])?),
        source: Some(None),
        expires: Some(None),
        expected_version: Some(1),
    };
    for edit in [MemoryEdit::default(), same] {
        let updated = store.update(ann_at(3_000), memory.id.clone(), edit).await?;
        equal(&updated, &memory, "what is so already")?;
    }
    equal(&store.history(ann(), memory.id).await?.len(), &1, "versions")
}

pub(super) async fn an_update_for_another_version_is_refused(store: Store) -> CaseResult {
    let id = stored(&*store, note("first")?).await?.id;
    let edit = |content: &str, expected| MemoryEdit {
        content: Some(content.into()),
        expected_version: Some(expected),
        ..MemoryEdit::default()
    };
    let second = store.update(ann(), id.clone(), edit("second", 1)).await?;
    for expected in [0, 1, 3] {
        let done = store.update(ann(), id.clone(), edit("third", expected)).await;
        refused(done, &MemoryError::Changed { id: id.clone(), found: 2, expected })?;
    }
    equal(&there(&*store, &ann(), &id).await?, &second, "what was refused changes nothing")?;
    let third = store.update(ann(), id, edit("third", 2)).await?;
    equal(&third.version, &3, "the version after that")
}

pub(super) async fn an_update_into_the_very_same_is_refused(store: Store) -> CaseResult {
    let first = stored(&*store, note("one")?).await?;
    let patterns = Namespace::parse("patterns")?;
    let elsewhere = NewMemory { namespace: patterns.clone(), ..note("two")? };
    let elsewhere = stored(&*store, elsewhere).await?;
    let second = stored(&*store, note("two")?).await?;
    let content = |text: &str| MemoryEdit { content: Some(text.into()), ..MemoryEdit::default() };
    let done = store.update(ann(), second.id.clone(), content(" one\n")).await;
    refused(done, &MemoryError::Same(first.id.clone()))?;
    let edit = MemoryEdit { namespace: Some(patterns), ..MemoryEdit::default() };
    let done = store.update(ann(), second.id.clone(), edit).await;
    refused(done, &MemoryError::Same(elsewhere.id))?;
    equal(&there(&*store, &ann(), &second.id).await?, &second, "what was refused changes nothing")?;
    store.update(ann(), second.id.clone(), content("two ")).await?;
    store.delete(ann(), first.id).await?;
    let updated = store.update(ann(), second.id, content("one")).await?;
    equal(updated.content.as_str(), "one", "what a deleted one says")?;
    let third = stored(&*store, note("three")?).await?.id;
    store.delete(ann(), third.clone()).await?;
    let updated = store.update(ann(), third, content("one")).await?;
    equal(&updated.status, &MemoryStatus::Deleted, "a deleted one may say anything")
}

pub(super) async fn a_deletion_can_be_taken_back(store: Store) -> CaseResult {
    let memory = stored(&*store, NewMemory { tags: tags(&["kept"])?, ..note("here")? }).await?;
    let id = memory.id.clone();
    let deleted = store.delete(ann_at(2_000), id.clone()).await?;
    let expected =
        Memory { status: MemoryStatus::Deleted, version: 2, updated: at(2_000), ..memory.clone() };
    equal(&deleted, &expected, "what the deletion says")?;
    equal(&there(&*store, &ann(), &id).await?, &expected, "a deleted one is still there")?;
    equal(&store.delete(ann_at(2_500), id.clone()).await?, &expected, "deleting it again")?;
    equal(&store.count(ann(), MemoryFilter::default()).await?, &0, "active ones")?;
    let only = MemoryFilter { statuses: vec![MemoryStatus::Deleted], ..MemoryFilter::default() };
    equal(&listed(&*store, &ann(), &only, 10).await?, &vec![expected], "deleted ones")?;
    let restored = store.restore(ann_at(3_000), id.clone()).await?;
    let expected = Memory { version: 3, updated: at(3_000), ..memory };
    equal(&restored, &expected, "what the restoration says")?;
    equal(&store.restore(ann_at(3_500), id.clone()).await?, &expected, "restoring it again")?;
    equal(
        &listed(&*store, &ann(), &MemoryFilter::default(), 10).await?,
        &vec![expected],
        "active ones",
    )?;
    for missing in
        [store.delete(ann(), MemoryId::random()?), store.restore(ann(), MemoryId::random()?)]
    {
        hold(matches!(missing.await, Err(MemoryError::NotFound(_))), "what is not there")?;
    }
    Ok(())
}

pub(super) async fn a_restored_one_is_not_there_twice(store: Store) -> CaseResult {
    let first = stored(&*store, note("once")?).await?;
    let deleted = store.delete(ann(), first.id.clone()).await?;
    let second = stored(&*store, note("once")?).await?;
    let done = store.restore(ann(), first.id.clone()).await;
    refused(done, &MemoryError::Same(second.id.clone()))?;
    equal(&there(&*store, &ann(), &first.id).await?, &deleted, "what was refused changes nothing")?;
    store.purge(ann(), second.id).await?;
    equal(
        &store.restore(ann(), first.id).await?.status,
        &MemoryStatus::Active,
        "now that it is gone",
    )
}

pub(super) async fn a_purged_one_leaves_nothing(store: Store) -> CaseResult {
    let new = NewMemory { tags: tags(&["mark"])?, ..note("for good")? };
    let active = stored(&*store, new.clone()).await?.id;
    let edit = MemoryEdit { content: Some("changed".into()), ..MemoryEdit::default() };
    store.update(ann(), active.clone(), edit).await?;
    let deleted = stored(&*store, new.clone()).await?.id;
    store.delete(ann(), deleted.clone()).await?;
    for id in [active, deleted] {
        store.purge(ann(), id.clone()).await?;
        equal(&store.get(ann(), id.clone()).await?, &None, "a purged one")?;
        let missing = MemoryError::NotFound(id.clone());
        refused(store.history(ann(), id.clone()).await, &missing)?;
        refused(store.restore(ann(), id.clone()).await, &missing)?;
        refused(store.purge(ann(), id.clone()).await, &missing)?;
        let again = NewMemory { id: Some(id.clone()), ..note(id.as_str())? };
        let again = stored(&*store, again).await?;
        equal(&again.id, &id, "its id is free")?;
        equal(&store.history(ann(), id.clone()).await?.len(), &1, "nothing of the old one")?;
        store.purge(ann(), id).await?;
    }
    equal(&store.count(ann(), everything()).await?, &0, "memories")?;
    equal(&store.tags(ann(), String::new(), 10).await?.len(), &0, "tags")
}

pub(super) async fn a_new_one_takes_the_place_of_others(store: Store) -> CaseResult {
    let first = stored(&*store, note("one")?).await?;
    let second = stored(&*store, note("two")?).await?;
    let gone = stored(&*store, note("gone")?).await?;
    let gone = store.delete(ann(), gone.id).await?;
    let other = stored(&*store, note("other")?).await?;
    let old = vec![first.id.clone(), second.id.clone(), gone.id.clone(), first.id.clone()];
    let wanted = NewMemory { id: Some(MemoryId::random()?), ..note("both")? };
    let new = store.supersede(ann_at(2_000), old, wanted.clone()).await?;
    equal(&Some(&new.id), &wanted.id.as_ref(), "the id it brings")?;
    equal(&there(&*store, &ann(), &new.id).await?, &new, "the new one")?;
    for memory in [first.clone(), second] {
        let expected = Memory {
            status: MemoryStatus::Superseded,
            superseded_by: Some(new.id.clone()),
            version: 2,
            updated: at(2_000),
            ..memory
        };
        equal(&there(&*store, &ann(), &expected.id).await?, &expected, "an old one")?;
    }
    equal(&there(&*store, &ann(), &gone.id).await?, &gone, "one that was deleted before")?;
    equal(&there(&*store, &ann(), &other.id).await?, &other, "one that was not named")?;
    let active = listed(&*store, &ann(), &MemoryFilter::default(), 10).await?;
    equal(contents(&active).as_slice(), ["both", "other"].as_slice(), "active ones")?;
    let restored = store.restore(ann_at(3_000), first.id.clone()).await?;
    let expected = Memory { version: 3, updated: at(3_000), ..first };
    equal(&restored, &expected, "a replacement that was taken back")
}

pub(super) async fn a_new_one_may_say_what_an_old_one_says(store: Store) -> CaseResult {
    let first = stored(&*store, note("one")?).await?;
    let new = NewMemory { tags: tags(&["more"])?, ..note("one")? };
    let second = store.supersede(ann(), vec![first.id.clone()], new).await?;
    let done = store.restore(ann(), first.id.clone()).await;
    refused(done, &MemoryError::Same(second.id))?;
    equal(
        &there(&*store, &ann(), &first.id).await?.status,
        &MemoryStatus::Superseded,
        "the old one",
    )
}

pub(super) async fn what_cannot_be_superseded_leaves_all_as_it_was(store: Store) -> CaseResult {
    let first = stored(&*store, note("one")?).await?;
    let second = stored(&*store, note("two")?).await?;
    let missing = MemoryId::random()?;
    let done = store.supersede(ann(), vec![first.id.clone(), missing.clone()], note("new")?).await;
    refused(done, &MemoryError::NotFound(missing))?;
    let done = store.supersede(ann(), vec![first.id.clone()], note("two")?).await;
    refused(done, &MemoryError::Same(second.id.clone()))?;
    let all = listed(&*store, &ann(), &everything(), 10).await?;
    equal(&all, &vec![second, first.clone()], "all there is")?;
    equal(&store.history(ann(), first.id).await?.len(), &1, "versions")
}

pub(super) async fn history_has_every_version(store: Store) -> CaseResult {
    let id = stored(&*store, NewMemory { tags: tags(&["a", "ä"])?, ..note("one")? }).await?.id;
    let patterns = Namespace::parse("patterns")?;
    let edit = MemoryEdit {
        content: Some("two".into()),
        tags: Some(Vec::new()),
        namespace: Some(patterns.clone()),
        ..MemoryEdit::default()
    };
    store.update(ann_at(2_001), id.clone(), edit).await?;
    store.delete(ann_at(2_002), id.clone()).await?;
    store.restore(ann_at(2_003), id.clone()).await?;
    store.supersede(ann_at(2_004), vec![id.clone()], note("three")?).await?;
    let first = MemoryVersion {
        version: 1,
        content: "one".into(),
        namespace: Namespace::parse("decisions")?,
        tags: tags(&["a", "ä"])?,
        status: MemoryStatus::Active,
        since: at(0),
        action: "captured".into(),
    };
    let later = |version, action: &str, status, seconds| MemoryVersion {
        version,
        content: "two".into(),
        namespace: patterns.clone(),
        tags: Vec::new(),
        status,
        since: at(seconds),
        action: action.into(),
    };
    let expected = vec![
        first,
        later(2, "updated", MemoryStatus::Active, 2_001),
        later(3, "deleted", MemoryStatus::Deleted, 2_002),
        later(4, "restored", MemoryStatus::Active, 2_003),
        later(5, "superseded", MemoryStatus::Superseded, 2_004),
    ];
    equal(&store.history(ann(), id).await?, &expected, "what it has been")
}

pub(super) async fn history_has_the_latest_hundred(store: Store) -> CaseResult {
    let id = stored(&*store, note("1")?).await?.id;
    for version in 2..=103 {
        let edit = MemoryEdit { content: Some(version.to_string()), ..MemoryEdit::default() };
        store.update(ann(), id.clone(), edit).await?;
    }
    let history = store.history(ann(), id).await?;
    let versions: Vec<u32> = history.iter().map(|past| past.version).collect();
    equal(&versions, &(4..=103).collect(), "versions")?;
    let last = history.last().map(|past| past.content.as_str());
    equal(&last, &Some("103"), "the present")
}
