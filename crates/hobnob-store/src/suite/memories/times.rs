//! What time does to memories.

use super::sample::{ann, ann_at, at, everything, listed, note, refused, stored, there};
use crate::memory::{Edit, Filter, Gone, Memories, Memory, MemoryError, NewMemory, Reach, Status};
use crate::owner::Owner;
use crate::suite::verdict::{Verdict, equal};
use std::sync::Arc;

type Store = Arc<dyn Memories>;

pub(super) async fn what_has_expired_is_not_there(store: Store) -> Verdict {
    let memory = stored(&*store, NewMemory { expires: Some(at(2_000)), ..note("short")? }).await?;
    let before = Reach { now: at(2_000).minus(std::time::Duration::from_millis(1)), ..ann() };
    equal(&there(&*store, &before, &memory.id).await?, &memory, "just before its end")?;
    equal(&store.count(before, Filter::default()).await?, &1, "how many just before")?;
    for after in [ann_at(2_000), ann_at(2_001)] {
        equal(&store.get(after.clone(), memory.id.clone()).await?, &None, "after its end")?;
        equal(&store.count(after.clone(), everything()).await?, &0, "how many after")?;
        equal(&listed(&*store, &after, &everything(), 10).await?, &vec![], "the list after")?;
        let missing = MemoryError::NotFound(memory.id.clone());
        refused(store.update(after.clone(), memory.id.clone(), Edit::default()).await, &missing)?;
        refused(store.delete(after, memory.id.clone()).await, &missing)?;
    }
    Ok(())
}

pub(super) async fn what_has_expired_can_be_restored_after_a_clean_up(store: Store) -> Verdict {
    let short = stored(&*store, NewMemory { expires: Some(at(2_000)), ..note("short")? }).await?;
    let long = stored(&*store, NewMemory { expires: Some(at(2_001)), ..note("long")? }).await?;
    let gone = store.clean_up(at(2_000), at(0)).await?;
    equal(&gone, &Gone { expired: 1, purged: 0 }, "what the clean-up says")?;
    let expected = Memory {
        status: Status::Deleted,
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
    equal(&restored.status, &Status::Active, "what was restored")?;
    let again = store.clean_up(at(2_000), at(0)).await?;
    equal(&again, &Gone::default(), "the same clean-up again")
}

pub(super) async fn what_was_deleted_long_ago_goes_for_good(store: Store) -> Verdict {
    let mut ids = Vec::new();
    for (content, seconds) in [("long ago", 2_000), ("then", 2_001), ("later", 2_002)] {
        let id = stored(&*store, note(content)?).await?.id;
        store.delete(ann_at(seconds), id.clone()).await?;
        ids.push(id);
    }
    // A change of a deleted one does not make its deletion younger.
    let edit = Edit { content: Some("changed".into()), ..Edit::default() };
    store.update(ann_at(2_500), ids[0].clone(), edit).await?;
    let active = stored(&*store, note("active")?).await?;
    let gone = store.clean_up(at(3_000), at(2_001)).await?;
    equal(&gone, &Gone { expired: 0, purged: 1 }, "what the clean-up says")?;
    let missing = MemoryError::NotFound(ids[0].clone());
    refused(store.restore(ann_at(3_000), ids[0].clone()).await, &missing)?;
    store.restore(ann_at(3_000), ids[1].clone()).await?;
    let gone = store.clean_up(at(4_000), at(4_000)).await?;
    equal(&gone, &Gone { expired: 0, purged: 1 }, "what the last clean-up says")?;
    let all = listed(&*store, &ann(), &everything(), 10).await?;
    equal(&all.len(), &2, "what is left")?;
    equal(&all[0], &active, "what was never deleted")
}

pub(super) async fn a_clean_up_is_for_all_and_for_many(store: Store) -> Verdict {
    let mut new = Vec::new();
    for number in 0..250_u64 {
        let owner = Owner::named(if number % 2 == 0 { "ann" } else { "bob" });
        let expires = Some(at(number + 1));
        new.push(NewMemory { owner, expires, ..note(&number.to_string())? });
    }
    store.capture_all(new).await?;
    let gone = store.clean_up(at(240), at(0)).await?;
    equal(&gone, &Gone { expired: 240, purged: 0 }, "those that have expired")?;
    let gone = store.clean_up(at(240), at(241)).await?;
    equal(&gone, &Gone { expired: 0, purged: 240 }, "those that go for good")?;
    for owner in ["ann", "bob"] {
        let reach = Reach { now: at(240), ..super::sample::reach_of(owner) };
        equal(&store.count(reach, everything()).await?, &5, "what is left")?;
    }
    Ok(())
}
