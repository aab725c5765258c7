//! Memories that change: a search finds only their current version. `list` has the cases.

use super::sample::{
    MODEL, SearchUnderTest, ann, by_vector, embed, finds, is_near, note, placed, reach_of, say,
    stored,
};
use crate::memory::{MemoryEdit, MemoryFilter, MemoryId, MemoryStatus, NewMemory, Tag};
use crate::suite::case_result::{CaseResult, Failed, equal};

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

    // Other tags are other words, but the meaning (the vector) stays.
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

pub(super) async fn by_ids_returns_what_the_filter_allows(store: SearchUnderTest) -> CaseResult {
    let first = stored(&store, note("first thought")?).await?;
    let tagged = NewMemory { tags: vec![Tag::parse("rare")?], ..note("second thought")? };
    let second = stored(&store, tagged).await?;
    let deleted = stored(&store, note("third thought")?).await?;
    store.delete(ann(), deleted.id.clone()).await?;
    let ids = vec![second.id.clone(), deleted.id, MemoryId::random()?, first.id.clone()];
    let found = store.by_ids(ann(), MemoryFilter::default(), ids.clone()).await?;
    equal(&found, &vec![second.clone(), first], "active ones, in the given order")?;
    let rare = MemoryFilter { tags: vec![second.tags.clone()], ..MemoryFilter::default() };
    equal(&store.by_ids(ann(), rare, ids.clone()).await?, &vec![second], "with a tag")?;
    let found = store.by_ids(reach_of("bob"), MemoryFilter::default(), ids).await?;
    equal(&found, &Vec::new(), "what another owner sees")
}

/// A backend that caches which memories pass a filter must follow every change.
pub(super) async fn a_filter_that_was_used_follows_changes(store: SearchUnderTest) -> CaseResult {
    let tagged = |tag: &str| -> Result<Vec<Tag>, Failed> { Ok(vec![Tag::parse(tag)?]) };
    let mut all = Vec::new();
    for number in 0..240 {
        let tag = if number % 60 == 0 { "rare" } else { "common" };
        let new = NewMemory { tags: tagged(tag)?, ..note(&format!("lantern {number}"))? };
        all.push(placed(&store, new, &[1.0, number as f32 / 240.0]).await?);
    }
    let rare = MemoryFilter { tags: vec![tagged("rare")?], ..MemoryFilter::default() };
    let found = async || -> Result<[Vec<MemoryId>; 2], Failed> {
        let words = store.by_text(ann(), rare.clone(), "lantern".into(), 20).await?;
        let near = store.by_vector(ann(), rare.clone(), MODEL.into(), vec![1.0, 0.0], 20).await?;
        let mut ids = [
            words.into_iter().map(|hit| hit.memory.id).collect::<Vec<_>>(),
            near.into_iter().map(|hit| hit.memory.id).collect(),
        ];
        ids.iter_mut().for_each(|ids| ids.sort());
        Ok(ids)
    };
    let expect = async |places: &[usize], when: &str| -> CaseResult {
        let mut ids: Vec<MemoryId> = places.iter().map(|place| all[*place].id.clone()).collect();
        ids.sort();
        equal(&found().await?, &[ids.clone(), ids], when)
    };
    expect(&[0, 60, 120, 180], "at first").await?;
    expect(&[0, 60, 120, 180], "again").await?;
    let edit = |tag: &str| -> Result<MemoryEdit, Failed> {
        Ok(MemoryEdit { tags: Some(tagged(tag)?), ..MemoryEdit::default() })
    };
    store.update(ann(), all[7].id.clone(), edit("rare")?).await?;
    store.update(ann(), all[60].id.clone(), edit("common")?).await?;
    expect(&[0, 7, 120, 180], "after other tags").await?;
    store.delete(ann(), all[0].id.clone()).await?;
    store.purge(ann(), all[120].id.clone()).await?;
    expect(&[7, 180], "after deletions").await?;
    store.restore(ann(), all[0].id.clone()).await?;
    expect(&[0, 7, 180], "after a restoration").await
}
