//! Expiry, deletion and clean-up over time. `list` has the cases.

use super::sample::{ann, ann_at, at, everything, listed, note, reach_of, refused, stored, there};
use crate::memory::{
    CleanUpCounts, Memory, MemoryAccess, MemoryEdit, MemoryError, MemoryFilter, MemoryRepository,
    MemoryStatus, NewMemory,
};
use crate::owner::Owner;
use crate::suite::case_result::{CaseResult, equal};
use std::sync::Arc;

type Store = Arc<dyn MemoryRepository>;

pub(super) async fn what_has_expired_is_not_there(store: Store) -> CaseResult {
    let memory = stored(&*store, NewMemory { expires: Some(at(2_000)), ..note("short")? }).await?;
    let before =
        MemoryAccess { now: at(2_000).minus(std::time::Duration::from_millis(1)), ..ann() };
    equal(&there(&*store, &before, &memory.id).await?, &memory, "just before its end")?;
    equal(&store.count(before, MemoryFilter::default()).await?, &1, "how many just before")?;
    for after in [ann_at(2_000), ann_at(2_001)] {
        equal(&store.get(after.clone(), memory.id.clone()).await?, &None, "after its end")?;
        equal(&store.count(after.clone(), everything()).await?, &0, "how many after")?;
        equal(&listed(&*store, &after, &everything(), 10).await?, &vec![], "the list after")?;
        let missing = MemoryError::NotFound(memory.id.clone());
        refused(
            store.update(after.clone(), memory.id.clone(), MemoryEdit::default()).await,
            &missing,
        )?;
        refused(store.delete(after, memory.id.clone()).await, &missing)?;
    }
    Ok(())
}

pub(super) async fn what_has_expired_can_be_restored_after_a_clean_up(store: Store) -> CaseResult {
    let short = stored(&*store, NewMemory { expires: Some(at(2_000)), ..note("short")? }).await?;
    let long = stored(&*store, NewMemory { expires: Some(at(2_001)), ..note("long")? }).await?;
    let gone = store.clean_up(None, at(2_000), at(0)).await?;
    equal(&gone, &CleanUpCounts { expired: 1, purged: 0 }, "what the clean-up says")?;
    let expected = Memory {
        status: MemoryStatus::Deleted,
        expires: None,
        version: 2,
        updated: at(2_000),
        ..short.clone()
    };
    equal(&there(&*store, &ann_at(3_000), &short.id).await?, &expected, "what has expired")?;
    equal(&there(&*store, &ann_at(2_000), &long.id).await?, &long, "what has not")?;
    let history = store.history(ann_at(3_000), short.id.clone()).await?;
    let action = history.last().map(|past| past.action.as_str());
    equal(&action, &Some("expired"), "what made it so")?;
    let restored = store.restore(ann_at(3_000), short.id).await?;
    equal(&restored.status, &MemoryStatus::Active, "what was restored")?;
    let again = store.clean_up(None, at(2_000), at(0)).await?;
    equal(&again, &CleanUpCounts::default(), "the same clean-up again")
}

pub(super) async fn what_has_expired_can_be_restored_before_a_clean_up(store: Store) -> CaseResult {
    let end = Some(at(2_000));
    let active = stored(&*store, NewMemory { expires: end, ..note("active")? }).await?;
    let old = stored(&*store, NewMemory { expires: end, ..note("superseded")? }).await?;
    store.supersede(ann_at(1_500), vec![old.id.clone()], note("instead")?).await?;
    for id in [active.id, old.id] {
        equal(&store.get(ann_at(2_000), id.clone()).await?, &None, "before it is restored")?;
        let missing = MemoryError::NotFound(id.clone());
        let bob = MemoryAccess { now: at(2_000), ..reach_of("bob") };
        refused(store.restore(bob, id.clone()).await, &missing)?;
        let restored = store.restore(ann_at(2_000), id.clone()).await?;
        equal(
            &(restored.status, restored.expires),
            &(MemoryStatus::Active, None),
            "what is restored",
        )?;
        equal(&restored.updated, &at(2_000), "when")?;
        equal(&there(&*store, &ann_at(9_000), &id).await?, &restored, "what is there then")?;
        equal(&store.restore(ann_at(3_000), id).await?, &restored, "restored once more")?;
    }
    let active = listed(&*store, &ann_at(9_000), &MemoryFilter::default(), 10).await?;
    equal(&active.len(), &3, "what is found again")?;
    equal(
        &store.clean_up(None, at(9_000), at(0)).await?,
        &CleanUpCounts::default(),
        "what is left to clean up",
    )
}

pub(super) async fn what_was_deleted_can_be_restored_after_its_end(store: Store) -> CaseResult {
    let deleted = MemoryFilter { statuses: vec![MemoryStatus::Deleted], ..MemoryFilter::default() };
    let end = Some(at(2_000));
    // When it is restored, and which expiry time it has then.
    for (content, seconds, expires) in
        [("before", 1_999, end), ("at its end", 2_000, None), ("after", 3_000, None)]
    {
        let memory = stored(&*store, NewMemory { expires: end, ..note(content)? }).await?;
        let gone = store.delete(ann_at(1_500), memory.id.clone()).await?;
        let access = ann_at(seconds);
        equal(&there(&*store, &access, &memory.id).await?, &gone, content)?;
        let found = listed(&*store, &access, &deleted, 10).await?;
        equal(&found, &vec![gone], "what is listed as deleted")?;
        equal(&store.count(access.clone(), deleted.clone()).await?, &1, "how many")?;
        equal(&store.history(access.clone(), memory.id.clone()).await?.len(), &2, "versions")?;
        equal(
            &store.count(access.clone(), MemoryFilter::default()).await?,
            &0,
            "how many are active",
        )?;
        let restored = store.restore(access.clone(), memory.id.clone()).await?;
        equal(&(restored.status, restored.expires), &(MemoryStatus::Active, expires), content)?;
        equal(&there(&*store, &access, &memory.id).await?, &restored, "what is there then")?;
        store.purge(access, memory.id).await?;
    }
    Ok(())
}

pub(super) async fn what_was_deleted_goes_by_its_deletion_and_not_by_its_end(
    store: Store,
) -> CaseResult {
    let mut ids = Vec::new();
    for (content, seconds) in [("one", 1_500), ("two", 1_600), ("three", 1_600)] {
        let new = NewMemory { expires: Some(at(2_000)), ..note(content)? };
        let id = stored(&*store, new).await?.id;
        store.delete(ann_at(seconds), id.clone()).await?;
        ids.push(id);
    }
    for (keep_since, purged, left) in [(1_500, 0, 3), (1_501, 1, 2), (1_600, 0, 2)] {
        let gone = store.clean_up(None, at(3_000), at(keep_since)).await?;
        equal(&gone, &CleanUpCounts { expired: 0, purged }, &format!("kept since {keep_since}"))?;
        equal(&store.count(ann_at(3_000), everything()).await?, &left, "what is left")?;
    }
    store.purge(ann_at(3_000), ids[1].clone()).await?;
    equal(&store.count(ann_at(3_000), everything()).await?, &1, "what is left by hand")?;
    let gone = store.clean_up(None, at(3_000), at(1_601)).await?;
    equal(&gone, &CleanUpCounts { expired: 0, purged: 1 }, "the last")
}

pub(super) async fn what_was_deleted_long_ago_goes_for_good(store: Store) -> CaseResult {
    let mut ids = Vec::new();
    for (content, seconds) in [("long ago", 2_000), ("then", 2_001), ("later", 2_002)] {
        let id = stored(&*store, note(content)?).await?.id;
        store.delete(ann_at(seconds), id.clone()).await?;
        ids.push(id);
    }
    // Changing a deleted memory does not restart the time until it is purged.
    let edit = MemoryEdit { content: Some("changed".into()), ..MemoryEdit::default() };
    store.update(ann_at(2_500), ids[0].clone(), edit).await?;
    let active = stored(&*store, note("active")?).await?;
    let gone = store.clean_up(None, at(3_000), at(2_001)).await?;
    equal(&gone, &CleanUpCounts { expired: 0, purged: 1 }, "what the clean-up says")?;
    let missing = MemoryError::NotFound(ids[0].clone());
    refused(store.restore(ann_at(3_000), ids[0].clone()).await, &missing)?;
    store.restore(ann_at(3_000), ids[1].clone()).await?;
    let gone = store.clean_up(None, at(4_000), at(4_000)).await?;
    equal(&gone, &CleanUpCounts { expired: 0, purged: 1 }, "what the last clean-up says")?;
    let all = listed(&*store, &ann(), &everything(), 10).await?;
    equal(&all.len(), &2, "what is left")?;
    equal(&all[0], &active, "what was never deleted")
}

pub(super) async fn a_clean_up_is_for_all_and_for_many(store: Store) -> CaseResult {
    let mut new = Vec::new();
    for number in 0..250_u64 {
        let owner = Owner::named(if number % 2 == 0 { "ann" } else { "bob" });
        let expires = Some(at(number + 1));
        new.push(NewMemory { owner, expires, ..note(&number.to_string())? });
    }
    store.capture_all(new).await?;
    let gone = store.clean_up(None, at(240), at(0)).await?;
    equal(&gone, &CleanUpCounts { expired: 240, purged: 0 }, "those that have expired")?;
    let gone = store.clean_up(None, at(240), at(241)).await?;
    equal(&gone, &CleanUpCounts { expired: 0, purged: 240 }, "those that go for good")?;
    for owner in ["ann", "bob"] {
        let access = MemoryAccess { now: at(240), ..reach_of(owner) };
        equal(&store.count(access, everything()).await?, &5, "what is left")?;
    }
    Ok(())
}

pub(super) async fn a_clean_up_of_one_owner_leaves_the_others(store: Store) -> CaseResult {
    for owner in ["ann", "bob"] {
        let owner = Owner::named(owner);
        let expired = NewMemory { expires: Some(at(100)), ..note("expired")? };
        stored(&*store, NewMemory { owner: owner.clone(), ..expired }).await?;
        let deleted = stored(&*store, NewMemory { owner: owner.clone(), ..note("deleted")? });
        let access = MemoryAccess { now: at(50), ..reach_of(owner.as_str()) };
        store.delete(access, deleted.await?.id).await?;
    }
    let bob = Some(Owner::named("bob"));
    let both = CleanUpCounts { expired: 1, purged: 1 };
    equal(&store.clean_up(bob.clone(), at(200), at(60)).await?, &both, "Bob's")?;
    equal(&store.clean_up(bob, at(200), at(60)).await?, &CleanUpCounts::default(), "once more")?;
    equal(&store.clean_up(None, at(200), at(60)).await?, &both, "everybody else's")
}
