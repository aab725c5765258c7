//! Duplicates captured with other labels, and near-duplicates. `list` has the cases.

use super::sample::{ann, note, org, stored, tags, there};
use crate::memory::{
    CaptureOutcome, Captured, Memory, MemoryEdit, MemoryFilter, MemoryRepository, MergedLabels,
    Namespace, NewMemory,
};
use crate::owner::Owner;
use crate::suite::case_result::{CaseResult, Failed, equal, hold};
use std::sync::Arc;

type Store = Arc<dyn MemoryRepository>;

pub(super) async fn the_very_same_again_brings_its_labels(store: Store) -> CaseResult {
    let first = stored(&*store, NewMemory { tags: tags(&["b"])?, ..note("one writer")? }).await?;
    let again = NewMemory {
        tags: tags(&["c", "a", "b"])?,
        source: Some("chat/7".into()),
        ..note("one  writer")?
    };
    let (memory, merged) = same(store.capture_or_merge(again.clone()).await?)?;
    let labels =
        MergedLabels { tags: tags(&["a", "c"])?, source: Some("chat/7".into()), left_out: false };
    equal(&merged, &labels, "what it got")?;
    equal(&(memory.id.clone(), memory.version), &(first.id.clone(), 2), "it is the same")?;
    equal(&memory.tags, &tags(&["a", "b", "c"])?, "tags of both")?;
    equal(&there(&*store, &ann(), &first.id).await?, &memory, "what is there")?;
    for filter in [of_tag("a")?, of_tag("b")?, of_source("chat/7"), of_source("chat/*")] {
        equal(&store.count(ann(), filter.clone()).await?, &1, &format!("{filter:?}"))?;
    }
    // All labels exist already, so no new version is stored.
    let (memory, merged) = same(store.capture_or_merge(again).await?)?;
    equal(&(memory.version, merged), &(2, MergedLabels::default()), "the third time")
}

pub(super) async fn the_very_same_among_many_brings_its_labels(store: Store) -> CaseResult {
    let labelled = |tag: &str, source: &str| -> Result<NewMemory, Failed> {
        let source = Some(source.to_owned());
        Ok(NewMemory { tags: tags(&[tag])?, source, ..note("one writer")? })
    };
    let first = stored(&*store, labelled("a", "chat/1")?).await?;
    let many = vec![labelled("b", "chat/2")?, note("another")?, labelled("c", "chat/1")?];
    let outcomes = store.capture_all(many).await?;
    let merged: Vec<MergedLabels> = outcomes.into_iter().map(|outcome| outcome.merged).collect();
    let expected = [
        MergedLabels { tags: tags(&["b"])?, source: Some("chat/2".into()), left_out: false },
        MergedLabels::default(),
        MergedLabels { tags: tags(&["c"])?, ..MergedLabels::default() },
    ];
    equal(merged.as_slice(), expected.as_slice(), "what it got of each")?;
    let memory = there(&*store, &ann(), &first.id).await?;
    equal(&memory.tags, &tags(&["a", "b", "c"])?, "tags of all")?;
    for filter in [of_tag("b")?, of_tag("c")?, of_source("chat/1"), of_source("chat/2")] {
        equal(&store.count(ann(), filter.clone()).await?, &1, &format!("{filter:?}"))?;
    }
    Ok(())
}

pub(super) async fn the_very_same_has_several_sources(store: Store) -> CaseResult {
    let from = |source: &str| -> Result<NewMemory, Failed> {
        Ok(NewMemory { source: Some(source.into()), ..note("one writer")? })
    };
    let first = stored(&*store, from("chat/1")?).await?;
    for source in ["chat/2", "docs/[3].md", "chat/2"] {
        let (memory, _) = same(store.capture_or_merge(from(source)?).await?)?;
        equal(&memory.source, &first.source, "the first stays the one that is shown")?;
    }
    for source in ["chat/1", "chat/2", "chat/?", "docs/[3].md", "docs/[*"] {
        equal(&store.count(ann(), of_source(source)).await?, &1, source)?;
    }
    equal(&store.count(ann(), of_source("chat/3")).await?, &0, "another source")?;
    store.purge(ann(), first.id).await?;
    stored(&*store, note("one writer")?).await?;
    equal(&store.count(ann(), of_source("chat/2")).await?, &0, "of what has gone")
}

pub(super) async fn what_belongs_to_someone_else_keeps_its_labels(store: Store) -> CaseResult {
    let new = |owner: &str, tag: &str| -> Result<NewMemory, Failed> {
        let (owner, scope) = (Owner::named(owner), org()?);
        Ok(NewMemory { owner, scope, tags: tags(&[tag])?, ..note("for everybody")? })
    };
    let first = stored(&*store, new("ann", "a")?).await?;
    let (memory, merged) = same(store.capture_or_merge(new("bob", "b")?).await?)?;
    equal(&memory, &first, "it is as it was")?;
    hold(merged.left_out && merged.tags.is_empty(), &format!("{merged:?}"))?;
    let (_, merged) = same(store.capture_or_merge(new("bob", "a")?).await?)?;
    equal(&merged, &MergedLabels::default(), "there was nothing to add")
}

pub(super) async fn what_says_nearly_the_same_is_reported(store: Store) -> CaseResult {
    const TEXT: &str = "Use PostgreSQL for the billing database because of its row level locks";
    const NEAR: &str = "We use PostgreSQL for the billing database because of its row level locks!";
    let first = stored(&*store, note(TEXT)?).await?;
    let elsewhere = [
        NewMemory { namespace: Namespace::parse("patterns")?, ..note(TEXT)? },
        NewMemory { owner: Owner::named("bob"), ..note(TEXT)? },
        NewMemory { scope: org()?, ..note(TEXT)? },
        note("Redis holds sessions, and nothing else, for at most a day")?,
    ];
    for other in elsewhere {
        equal(
            &alike(&store, other).await?,
            &Vec::new(),
            "of another place, or about another thing",
        )?;
    }
    equal(&alike(&store, note(NEAR)?).await?, &vec![first.id.to_string()], "nearly the same")?;
    let edit = MemoryEdit { content: Some("Something else".into()), ..MemoryEdit::default() };
    store.update(ann(), first.id.clone(), edit).await?;
    let near = format!("{NEAR} Mostly.");
    let found = alike(&store, note(&near)?).await?;
    hold(!found.contains(&first.id.to_string()), "what it said before does not count")?;
    equal(&found.len(), &1, "the other one does")
}

async fn alike(store: &Store, new: NewMemory) -> Result<Vec<String>, Failed> {
    let outcome = store.capture_or_merge(new).await?;
    hold(matches!(outcome.captured, Captured::New(_)), "it is new")?;
    Ok(outcome.alike.iter().map(|it| it.memory.id.to_string()).collect())
}

fn same(outcome: CaptureOutcome) -> Result<(Memory, MergedLabels), Failed> {
    match outcome.captured {
        Captured::Same(memory) => Ok((memory, outcome.merged)),
        Captured::New(memory) => Err(Failed::because(format!("{memory:?} was stored again"))),
    }
}

fn of_tag(tag: &str) -> Result<MemoryFilter, Failed> {
    Ok(MemoryFilter { tags: vec![tags(&[tag])?], ..MemoryFilter::default() })
}

fn of_source(source: &str) -> MemoryFilter {
    MemoryFilter { source: Some(source.into()), ..MemoryFilter::default() }
}
