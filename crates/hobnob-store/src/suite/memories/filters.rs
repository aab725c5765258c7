//! Random memories and random filters, compared with a naive reference implementation. `list` has
//! the cases.

use super::sample::{at, listed, note, org, stored, tags};
use crate::memory::{
    Memory, MemoryAccess, MemoryEdit, MemoryFilter, MemoryRepository, MemoryStatus, Namespace,
    NewMemory, OrgRole, ScopeKind, WritableScope,
};
use crate::owner::{Owner, ProjectKey};
use crate::suite::case_result::{CaseResult, Failed, equal};
use crate::suite::reference::fits;
use fastrand::Rng;
use std::collections::BTreeMap;
use std::sync::Arc;

const OWNERS: [&str; 3] = ["ann", "bob", ""];
const PROJECTS: [&str; 2] = ["alpha", "beta"];
const NAMESPACES: [&str; 3] = ["decisions", "patterns", "own_1"];
const TAGS: [&str; 5] = ["rust", "größe", "決定", "🦀", "a-b"];
const SOURCES: [&str; 6] = ["src/a.rs", "src/b.rs", "src/[x].rs", "größe.md", "🦀", ""];
const GLOBS: [&str; 10] =
    ["src/*", "src/?.rs", "*", "?", "*.rs", "gr??e.*", "src/[x]*", "*[*", "src/a.rs", "**a**"];

pub(super) async fn every_filter_finds_what_fits_and_nothing_else(
    store: Arc<dyn MemoryRepository>,
) -> CaseResult {
    let mut rng = Rng::with_seed(7);
    let mut all = Vec::new();
    for number in 0..160 {
        all.push(some_memory(&*store, &mut rng, number).await?);
    }
    let mut hits = 0;
    for _ in 0..400 {
        let (access, filter) = (some_reach(&mut rng), some_filter(&mut rng)?);
        let limit = rng.usize(1..40);
        hits += agree(&*store, &all, &access, &filter, limit)
            .await
            .map_err(|failed| failed.of(&format!("{access:?} {filter:?}")))?;
    }
    // Filters that match nothing would prove nothing.
    equal(&(4_000 < hits), &true, "enough was found")
}

async fn agree(
    store: &dyn MemoryRepository,
    all: &[Memory],
    access: &MemoryAccess,
    filter: &MemoryFilter,
    limit: usize,
) -> Result<usize, Failed> {
    let mut expected: Vec<Memory> =
        all.iter().rev().filter(|memory| fits(access, filter, memory)).cloned().collect();
    // A stable sort: of memories with the same time, the last captured stays first.
    expected.sort_by_key(|memory| std::cmp::Reverse(memory.created));
    equal(&listed(store, access, filter, limit).await?, &expected, "the list")?;
    let count = store.count(access.clone(), filter.clone()).await?;
    equal(&count, &(expected.len() as u64), "the count")?;
    let mut namespaces = BTreeMap::new();
    for memory in &expected {
        *namespaces.entry(memory.namespace.as_str().to_owned()).or_insert(0) += 1;
    }
    let found = store.namespaces(access.clone(), filter.clone()).await?;
    let found: BTreeMap<_, _> = found.into_iter().map(|count| (count.word, count.count)).collect();
    equal(&found, &namespaces, "the namespaces")?;
    Ok(expected.len())
}

async fn some_memory(
    store: &dyn MemoryRepository,
    rng: &mut Rng,
    number: usize,
) -> Result<Memory, Failed> {
    let new = NewMemory {
        owner: Owner::named(one(rng, &OWNERS)),
        scope: match rng.u8(0..5) {
            0 => org()?,
            1 | 2 => WritableScope::user(),
            _ => WritableScope::project(ProjectKey::new(one(rng, &PROJECTS))),
        },
        namespace: Namespace::parse(one(rng, &NAMESPACES))?,
        tags: tags(&some(rng, &TAGS))?,
        source: rng.bool().then(|| one(rng, &SOURCES).to_owned()),
        created: at(rng.u64(0..20)),
        expires: (rng.u8(0..4) == 0).then(|| at(rng.u64(40..60))),
        ..note(&format!("number {number}"))?
    };
    let memory = stored(store, new).await?;
    let (owner, org) = (memory.owner.clone(), Some(OrgRole::Writer));
    let access = MemoryAccess { owner, org, project: None, now: at(30) };
    Ok(match rng.u8(0..6) {
        0 => store.delete(access, memory.id).await?,
        1 => {
            let edit = MemoryEdit { tags: Some(tags(&some(rng, &TAGS))?), ..MemoryEdit::default() };
            store.update(access, memory.id, edit).await?
        }
        2 => {
            // The replacement belongs to an owner whose memories no case lists.
            let owner = Owner::named("nobody");
            let new = NewMemory { owner, ..note(&format!("instead of {number}"))? };
            store.supersede(access.clone(), vec![memory.id.clone()], new).await?;
            super::sample::there(store, &access, &memory.id).await?
        }
        _ => memory,
    })
}

fn some_reach(rng: &mut Rng) -> MemoryAccess {
    let project = rng.bool().then(|| ProjectKey::new(one(rng, &PROJECTS)));
    let org = [None, Some(OrgRole::Reader), Some(OrgRole::Writer)][rng.usize(0..3)];
    MemoryAccess { owner: Owner::named(one(rng, &OWNERS)), org, project, now: at(rng.u64(35..65)) }
}

fn some_filter(rng: &mut Rng) -> Result<MemoryFilter, Failed> {
    // Most parts of most filters are empty; otherwise nothing would match.
    let mut now_and_then = |of: u8| rng.u8(0..of) == 0;
    let wants: [bool; 8] = [4, 3, 5, 6, 6, 4, 4, 2].map(|of: u8| now_and_then(of));
    let mut filter = MemoryFilter::default();
    if wants[0] {
        let names = some(rng, &NAMESPACES);
        filter.namespaces =
            names.iter().map(|name| Namespace::parse(name)).collect::<Result<_, _>>()?;
    }
    if wants[1] {
        for _ in 0..rng.u8(1..3) {
            filter.tags.push(tags(&some(rng, &TAGS))?);
        }
    }
    if wants[2] {
        filter.without_tags = tags(&some(rng, &TAGS))?;
    }
    filter.since = wants[3].then(|| at(rng.u64(0..20)));
    filter.until = wants[4].then(|| at(rng.u64(0..21)));
    filter.source = wants[5].then(|| one(rng, &GLOBS).to_owned());
    if wants[6] {
        filter.scopes = some(rng, &ScopeKind::ALL);
    }
    if wants[7] {
        filter.statuses = some(rng, &MemoryStatus::ALL);
    }
    Ok(filter)
}

fn one<T: Copy>(rng: &mut Rng, of: &[T]) -> T {
    of[rng.usize(0..of.len())]
}

fn some<T: Copy>(rng: &mut Rng, of: &[T]) -> Vec<T> {
    of.iter().copied().filter(|_| rng.bool()).collect()
}
