//! Vectors of models: which memory and version they belong to, and which are missing. `list` has
//! the cases.

use super::sample::{
    MODEL, SearchUnderTest, ann, embed, is_near, note, placed, reach_of, say, stored,
};
use crate::memory::{MemoryFilter, MemoryId, NewVector, WantedWords};
use crate::suite::case_result::{CaseResult, equal};
use crate::time::Time;

const NOW: Time = Time::from_millis(1_700_000_000_000);
const HOUR: i64 = 3_600_000;

pub(super) async fn a_vector_is_taken_only_for_what_it_was_made_of(
    store: SearchUnderTest,
) -> CaseResult {
    let first = stored(&store, note("one thing")?).await?;
    let second = say(&store, &first, "another thing").await?;
    embed(&store, &first, &[1.0, 0.0]).await?;
    is_near(&store, &[1.0, 0.0], &[]).await?;
    embed(&store, &second, &[1.0, 0.0]).await?;
    is_near(&store, &[1.0, 0.0], &[&second.id]).await?;
    // A vector for an unknown memory is not kept for later.
    let unknown = vec![NewVector::of_text(MemoryId::random()?, 1, vec![1.0, 0.0])];
    store.put_vectors(MODEL.into(), unknown).await?;
    is_near(&store, &[1.0, 0.0], &[&second.id]).await?;
    // A second vector replaces the first one.
    embed(&store, &second, &[0.0, 1.0]).await?;
    let hits =
        store.by_vector(ann(), MemoryFilter::default(), MODEL.into(), vec![0.0, 1.0], 5).await?;
    equal(&hits.len(), &1, "one memory, one hit")
}

pub(super) async fn what_has_no_vector_is_known(store: SearchUnderTest) -> CaseResult {
    let old = placed(&store, note("has one")?, &[1.0, 0.0]).await?;
    let first = stored(&store, note("has none")?).await?;
    missing(&store, &[(&first.id, 1, "has none")]).await?;
    let second = stored(&store, note("came later")?).await?;
    missing(&store, &[(&second.id, 1, "came later"), (&first.id, 1, "has none")]).await?;
    equal(&store.embedded(MODEL.into()).await?, &(1, 3), "how many have one")?;
    for (access, expected) in [(ann(), (1, 3)), (reach_of("bob"), (0, 0))] {
        let found = store.embedded_within(access, MODEL.into()).await?;
        equal(&found, &expected, "how many of what is within reach")?;
    }
    embed(&store, &first, &[0.0, 1.0]).await?;
    let third = say(&store, &second, "says more").await?;
    missing(&store, &[(&third.id, 2, "says more")]).await?;
    store.delete(ann(), second.id.clone()).await?;
    missing(&store, &[]).await?;
    equal(&store.embedded(MODEL.into()).await?, &(2, 2), "deleted ones do not count")?;
    let restored = store.restore(ann(), second.id).await?;
    missing(&store, &[(&restored.id, restored.version, "says more")]).await?;
    store.purge(ann(), restored.id).await?;
    let changed = say(&store, &old, "says something else").await?;
    missing(&store, &[(&changed.id, 2, "says something else")]).await?;
    equal(&store.unembedded(MODEL.into(), WantedWords::No, NOW, 0).await?.len(), &0, "at most none")
}

pub(super) async fn models_do_not_meet(store: SearchUnderTest) -> CaseResult {
    let memory = placed(&store, note("of one model")?, &[1.0, 0.0]).await?;
    let search = async |model: &str, vector: &[f32]| {
        store.by_vector(ann(), MemoryFilter::default(), model.into(), vector.to_vec(), 5).await
    };
    equal(&search(MODEL, &[1.0, 0.0]).await?.len(), &1, "its own")?;
    equal(&search("other", &[1.0, 0.0]).await?.len(), &0, "another model")?;
    equal(&search(MODEL, &[1.0, 0.0, 0.0]).await?.len(), &0, "other dimensions")?;
    equal(
        &store.unembedded("other".into(), WantedWords::No, NOW, 5).await?.len(),
        &1,
        "missing in the other",
    )?;
    let vectors = vec![NewVector::of_text(memory.id, memory.version, vec![0.0, 1.0, 0.0])];
    store.put_vectors("other".into(), vectors).await?;
    equal(&search("other", &[0.0, 1.0, 0.0]).await?.len(), &1, "both have one")?;
    equal(&search(MODEL, &[1.0, 0.0]).await?.len(), &1, "and the first still has")
}

pub(super) async fn models_that_nobody_uses_are_forgotten(store: SearchUnderTest) -> CaseResult {
    let memory = placed(&store, note("of two models")?, &[1.0, 0.0]).await?;
    let later = Time::from_millis(NOW.millis() + 2 * HOUR);
    let use_both = async |other: Time| -> CaseResult {
        let vectors = vec![NewVector::of_text(memory.id.clone(), 1, vec![1.0, 0.0])];
        store.put_vectors("other".into(), vectors).await?;
        equal(
            &store.unembedded("other".into(), WantedWords::No, other, 5).await?.len(),
            &0,
            "all have one",
        )?;
        equal(
            &store.unembedded(MODEL.into(), WantedWords::No, NOW, 5).await?.len(),
            &0,
            "all have one",
        )
    };
    use_both(NOW).await?;
    store.forget_models(NOW).await?;
    is_near(&store, &[1.0, 0.0], &[&memory.id]).await?;
    use_both(later).await?;
    store.forget_models(later).await?;
    is_near(&store, &[1.0, 0.0], &[]).await?;
    let search = store.by_vector(ann(), MemoryFilter::default(), "other".into(), vec![1.0, 0.0], 5);
    equal(&search.await?.len(), &1, "the one that is used")?;
    equal(&store.embedded(MODEL.into()).await?, &(0, 1), "of the one that was forgotten")?;
    missing(&store, &[(&memory.id, 1, "of two models")]).await
}

async fn missing(store: &SearchUnderTest, expected: &[(&MemoryId, u32, &str)]) -> CaseResult {
    let found = store.unembedded(MODEL.into(), WantedWords::No, NOW, 10).await?;
    let found: Vec<_> = found.iter().map(|it| (&it.id, it.version, it.text.as_str())).collect();
    equal(&*found, expected, "what has no vector")
}
