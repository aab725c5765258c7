//! Memories that change, go and come back: only what they are now is found. `list` has the cases.

use super::sample::{
    MODEL, SearchUnderTest, ann, by_vector, embed, finds, is_near, note, placed, say,
};
use crate::memory::{MemoryEdit, MemoryFilter, MemoryStatus, Tag};
use crate::suite::case_result::{CaseResult, equal};

pub(super) async fn what_was_said_before_is_not_found(store: SearchUnderTest) -> CaseResult {
    let first = placed(&store, note("we use Kafka for events")?, &[1.0, 0.0]).await?;
    finds(&store, "kafka", &[&first]).await?;
    let second = say(&store, &first, "we use NATS for events").await?;
    finds(&store, "kafka", &[]).await?;
    finds(&store, "nats events", &[&second]).await?;
    is_near(&store, &[1.0, 0.0], &[]).await?;
    embed(&store, &second, &[0.0, 1.0]).await?;
    is_near(&store, &[0.1, 1.0], &[&second.id]).await?;
    let cosine = by_vector(&store, &[1.0, 0.0]).await?.first().map(|hit| hit.cosine.round());
    equal(&cosine, &Some(0.0), "the old vector has gone")?;

    // Other tags are other words, but mean the same.
    let edit = MemoryEdit { tags: Some(vec![Tag::parse("queue")?]), ..MemoryEdit::default() };
    let third = store.update(ann(), second.id.clone(), edit).await?;
    finds(&store, "queues", &[&third]).await?;
    is_near(&store, &[0.0, 1.0], &[&third.id]).await
}

pub(super) async fn what_is_deleted_is_found_only_by_who_wants_it(
    store: SearchUnderTest,
) -> CaseResult {
    let memory = placed(&store, note("the old gate code")?, &[1.0, 0.0]).await?;
    store.delete(ann(), memory.id.clone()).await?;
    finds(&store, "gate", &[]).await?;
    is_near(&store, &[1.0, 0.0], &[]).await?;
    let deleted = MemoryFilter { statuses: vec![MemoryStatus::Deleted], ..MemoryFilter::default() };
    let hits = store.by_text(ann(), deleted.clone(), "gate".into(), 5).await?;
    equal(&hits.len(), &1, "deleted ones by text")?;
    let hits = store.by_vector(ann(), deleted, MODEL.into(), vec![1.0, 0.0], 5).await?;
    equal(&hits.len(), &1, "deleted ones by vector")?;
    let restored = store.restore(ann(), memory.id).await?;
    finds(&store, "gate", &[&restored]).await?;
    is_near(&store, &[1.0, 0.0], &[&restored.id]).await
}

pub(super) async fn a_purged_one_is_not_found(store: SearchUnderTest) -> CaseResult {
    let gone = placed(&store, note("first thought")?, &[1.0, 0.0]).await?;
    let kept = placed(&store, note("second thought")?, &[0.9, 0.1]).await?;
    is_near(&store, &[1.0, 0.0], &[&gone.id, &kept.id]).await?;
    store.purge(ann(), gone.id).await?;
    finds(&store, "thought", &[&kept]).await?;
    is_near(&store, &[1.0, 0.0], &[&kept.id]).await?;
    let next = placed(&store, note("third thought")?, &[1.0, 0.0]).await?;
    is_near(&store, &[1.0, 0.0], &[&next.id, &kept.id]).await
}
