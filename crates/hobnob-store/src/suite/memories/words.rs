//! Namespaces and tags in use. `list` has the cases.

use super::sample::{ann, note, reach_of, stored, tags};
use crate::memory::{
    MemoryFilter, MemoryRepository, MemoryStatus, Namespace, NewMemory, UsageCount,
};
use crate::owner::Owner;
use crate::suite::case_result::{CaseResult, equal};
use std::sync::Arc;

type Store = Arc<dyn MemoryRepository>;

pub(super) async fn namespaces_come_by_use(store: Store) -> CaseResult {
    for (namespace, content) in
        [("config", "1"), ("apis", "2"), ("apis", "3"), ("blockers", "4"), ("testing", "5")]
    {
        let namespace = Namespace::parse(namespace)?;
        stored(&*store, NewMemory { namespace, ..note(content)? }).await?;
    }
    let last = stored(&*store, NewMemory { tags: tags(&["x"])?, ..note("6")? }).await?;
    let all = store.namespaces(ann(), MemoryFilter::default()).await?;
    let expected = [("apis", 2), ("blockers", 1), ("config", 1), ("decisions", 1), ("testing", 1)];
    equal(&all, &counts(&expected), "all, the most used first, then by name")?;
    let filter = MemoryFilter { tags: vec![tags(&["x"])?], ..MemoryFilter::default() };
    let tagged = store.namespaces(ann(), filter).await?;
    equal(&tagged, &counts(&[("decisions", 1)]), "those that fit a filter")?;
    store.delete(ann(), last.id).await?;
    let filter = MemoryFilter { statuses: vec![MemoryStatus::Deleted], ..MemoryFilter::default() };
    let deleted = store.namespaces(ann(), filter).await?;
    equal(&deleted, &counts(&[("decisions", 1)]), "those of deleted ones")?;
    equal(
        &store.namespaces(ann(), MemoryFilter::default()).await?.len(),
        &4,
        "those of active ones",
    )
}

pub(super) async fn tags_come_by_use_and_prefix(store: Store) -> CaseResult {
    for (content, words) in [
        ("1", &["rust", "sqlite"][..]),
        ("2", &["rust", "rustls"]),
        ("3", &["rust", "ruby", "größe"]),
        ("4", &["ruby", "groß", "ru%"]),
    ] {
        stored(&*store, NewMemory { tags: tags(words)?, ..note(content)? }).await?;
    }
    let bobs = NewMemory { owner: Owner::named("bob"), tags: tags(&["rubber"])?, ..note("5")? };
    stored(&*store, bobs).await?;
    let gone = stored(&*store, NewMemory { tags: tags(&["rumour"])?, ..note("6")? }).await?;
    store.delete(ann(), gone.id).await?;
    let cases: &[(&str, usize, Counts<'_>)] = &[
        ("ru", 10, &[("rust", 3), ("ruby", 2), ("ru%", 1), ("rustls", 1)]),
        ("ru", 2, &[("rust", 3), ("ruby", 2)]),
        ("RUST", 10, &[("rust", 3), ("rustls", 1)]),
        ("rustls", 10, &[("rustls", 1)]),
        ("rustlss", 10, &[]),
        ("ru%", 10, &[("ru%", 1)]),
        ("r_", 10, &[]),
        ("GRÖSS", 10, &[]),
        ("grö", 10, &[("größe", 1)]),
        ("ru\0", 10, &[]),
        ("", 1, &[("rust", 3)]),
        ("", 0, &[]),
    ];
    for (prefix, limit, expected) in cases {
        let found = store.tags(ann(), (*prefix).into(), *limit).await?;
        equal(&found, &counts(expected), &format!("tags that begin with {prefix:?}"))?;
    }
    let found = store.tags(reach_of("bob"), "ru".into(), 10).await?;
    equal(&found, &counts(&[("rubber", 1)]), "somebody else's")
}

/// Words with the number of memories that have each.
type Counts<'a> = &'a [(&'a str, u64)];

fn counts(words: Counts<'_>) -> Vec<UsageCount> {
    words.iter().map(|(word, count)| UsageCount { word: (*word).into(), count: *count }).collect()
}
