//! Search within a filter, on random memories, compared with a brute-force search. `list` has the
//! cases.

use super::sample::{MODEL, SearchUnderTest, ann, at, embed, note, org, reach_of, stored};
use crate::memory::{
    Captured, Memory, MemoryAccess, MemoryFilter, MemoryScope, MemoryStatus, Namespace, NewMemory,
    NewVector, OrgRole, QuestionVectors, QuestionWord, ScopeKind, Tag, WritableScope,
};
use crate::owner::{Owner, ProjectKey};
use crate::suite::case_result::{CaseResult, Failed, equal, hold};
use crate::suite::reference::fits;
use fastrand::Rng;
use std::collections::BTreeSet;

const NAMESPACES: [&str; 3] = ["decisions", "patterns", "apis"];
const TAGS: [&str; 4] = ["a", "b", "c", "d"];
const SOURCES: [&str; 3] = ["docs/one.md", "docs/two.md", "chat/1"];
const MEMORIES: usize = 160;
const QUESTIONS: usize = 60;
const DIMENSIONS: usize = 24;
/// The maximum error of a quantized vector.
const TOLERANCE: f32 = 0.02;

/// A memory and its exact vector.
struct IndexedMemory {
    memory: Memory,
    vector: Vec<f32>,
}

pub(super) async fn every_hit_of_every_search_fits(store: SearchUnderTest) -> CaseResult {
    let mut random = Rng::with_seed(11);
    let mut known = Vec::new();
    for number in 0..MEMORIES {
        known.push(capture(&store, &mut random, number).await?);
    }
    for question in 0..QUESTIONS {
        let project = if random.bool() { ann().project } else { None };
        let org = if random.bool() { ann().org } else { None };
        let access = MemoryAccess { org, project, ..ann() };
        let filter = filter(&mut random)?;
        let limit = random.usize(1..40);
        let fitting: Vec<&IndexedMemory> =
            known.iter().filter(|it| fits(&access, &filter, &it.memory)).collect();
        let label = format!("question {question}, {filter:?}, at most {limit}");
        let found = store.by_text(access.clone(), filter.clone(), "word".into(), limit).await?;
        let ids: BTreeSet<_> = found.iter().map(|hit| &hit.memory.id).collect();
        equal(&found.len(), &fitting.len().min(limit), &format!("by text, {label}"))?;
        equal(&ids.len(), &found.len(), &format!("each once, {label}"))?;
        for hit in &found {
            hold(fits(&access, &filter, &hit.memory), &format!("by text, {label}: {hit:?}"))?;
        }
        let wanted = vector(&mut random);
        let found = store.by_vector(access, filter, MODEL.into(), wanted.clone(), limit);
        let found: Vec<_> = found.await?.into_iter().map(|hit| (hit.memory, hit.cosine)).collect();
        compare(&found, &fitting, &wanted, limit).map_err(|failed| failed.of(&label))?;
    }
    Ok(())
}

/// The nearest hits are those of an exact search, except among nearly equal distances.
fn compare(
    found: &[(Memory, f32)],
    fitting: &[&IndexedMemory],
    wanted: &[f32],
    limit: usize,
) -> CaseResult {
    equal(&found.len(), &fitting.len().min(limit), "how many")?;
    for (memory, near) in found {
        let known = fitting.iter().find(|it| it.memory.id == memory.id);
        let known = known.ok_or_else(|| Failed::because(format!("{memory:?} does not fit")))?;
        let exact = cosine(&known.vector, wanted);
        hold((near - exact).abs() < TOLERANCE, &format!("{near} is about {exact}"))?;
    }
    hold(found.is_sorted_by(|one, other| other.1 <= one.1), "the nearest comes first")?;
    let last = found.last().map_or(1.0, |(_, near)| *near);
    let missed =
        fitting.iter().filter(|it| found.iter().all(|(found, _)| found.id != it.memory.id));
    for known in missed {
        hold(cosine(&known.vector, wanted) < last + TOLERANCE, "no nearer one was missed")?;
    }
    Ok(())
}

pub(super) async fn a_page_is_filled_after_filtering(store: SearchUnderTest) -> CaseResult {
    let mut new = Vec::new();
    for number in 0..900 {
        let tags = if number % 300 == 7 { vec![Tag::parse("rare")?] } else { Vec::new() };
        new.push(NewMemory { tags, ..note(&format!("the very same word {number}"))? });
    }
    let (mut wanted, mut vectors) = (BTreeSet::new(), Vec::new());
    for outcome in store.capture_all(new).await? {
        let (Captured::New(memory) | Captured::Same(memory)) = outcome.captured;
        // The memories that pass the filter are the furthest away.
        let near = if memory.tags.is_empty() { 1.0 } else { 0.1 };
        vectors.push(NewVector::of_text(memory.id.clone(), memory.version, vec![near, 1.0]));
        if !memory.tags.is_empty() {
            wanted.insert(memory.id);
        }
    }
    store.put_vectors(MODEL.into(), vectors).await?;
    let filter = MemoryFilter { tags: vec![vec![Tag::parse("rare")?]], ..MemoryFilter::default() };
    let found = store.by_text(ann(), filter.clone(), "very same word".into(), 5).await?;
    let found: BTreeSet<_> = found.into_iter().map(|hit| hit.memory.id).collect();
    equal(&found, &wanted, "by text")?;
    let found = store.by_vector(ann(), filter, MODEL.into(), vec![1.0, 0.0], 5).await?;
    let found: BTreeSet<_> = found.into_iter().map(|hit| hit.memory.id).collect();
    equal(&found, &wanted, "by vector")
}

pub(super) async fn nobody_finds_what_is_not_for_them(store: SearchUnderTest) -> CaseResult {
    let project = |key: &str| MemoryScope::Project(ProjectKey::new(key));
    let places = [
        ("ann", MemoryScope::User),
        ("ann", project("alpha")),
        ("ann", project("beta")),
        ("ann", MemoryScope::Org),
        ("bob", MemoryScope::User),
        ("bob", project("alpha")),
        ("bob", MemoryScope::Org),
    ];
    for (number, (owner, scope)) in places.into_iter().enumerate() {
        // The same source everywhere, so that neighbours must not leak across owners either.
        let new = NewMemory {
            owner: Owner::named(owner),
            scope: WritableScope::new(scope, Some(OrgRole::Writer))?,
            source: Some("talk".into()),
            ..note(&format!("secret word {number}"))?
        };
        let memory = stored(&store, new).await?;
        embed(&store, &memory, &[1.0, 0.0]).await?;
    }
    let cases = [
        (ann(), vec![0, 1, 3, 6]),
        (MemoryAccess { project: None, ..ann() }, vec![0, 1, 2, 3, 6]),
        (MemoryAccess { project: Some(ProjectKey::new("beta")), ..ann() }, vec![0, 2, 3, 6]),
        (reach_of("bob"), vec![3, 4, 5, 6]),
        (reach_of("eve"), vec![3, 6]),
        (reach_of(""), vec![3, 6]),
        (MemoryAccess { org: Some(OrgRole::Reader), ..reach_of("eve") }, vec![3, 6]),
        // Without a role, a caller does not find even its own captures there.
        (MemoryAccess { org: None, ..ann() }, vec![0, 1]),
        (MemoryAccess { org: None, project: None, ..ann() }, vec![0, 1, 2]),
        (MemoryAccess { org: None, ..reach_of("bob") }, vec![4, 5]),
        (MemoryAccess { org: None, ..reach_of("") }, vec![]),
    ];
    for (access, expected) in cases {
        let expected: BTreeSet<String> =
            expected.iter().map(|number| format!("secret word {number}")).collect();
        let hits =
            store.by_text(access.clone(), MemoryFilter::default(), "secret".into(), 20).await?;
        let found: BTreeSet<String> = hits.into_iter().map(|hit| hit.memory.content).collect();
        equal(&found, &expected, &format!("by text, {access:?}"))?;
        let (filter, wanted) = (MemoryFilter::default(), vec![1.0, 0.0]);
        let hits = store.by_vector(access.clone(), filter, MODEL.into(), wanted, 20);
        let found: BTreeSet<String> =
            hits.await?.into_iter().map(|hit| hit.memory.content).collect();
        equal(&found, &expected, &format!("by vector, {access:?}"))?;
    }
    Ok(())
}

/// Captures of other owners change neither what an owner finds nor the scores.
pub(super) async fn no_score_says_what_others_captured(store: SearchUnderTest) -> CaseResult {
    let texts = ["a lantern in the harbour", "the harbour at night", "a lantern"];
    for text in texts {
        let memory = stored(&store, note(text)?).await?;
        embed(&store, &memory, &[1.0, 0.0]).await?;
    }
    let word = |term: &str| QuestionWord { term: term.into(), vector: vec![0.5, 1.0] };
    let question = QuestionVectors {
        vector: vec![1.0, 0.5],
        words: vec![word("lantern"), word("zebra"), word("harbour")],
    };
    let scores = async || {
        let (nothing, query) = (MemoryFilter::default(), "lantern zebra harbour");
        let alone = MemoryAccess { org: None, ..ann() };
        let hits = store.by_text(alone.clone(), nothing, query.into(), 9).await?;
        let ids: Vec<_> = hits.iter().map(|hit| hit.memory.id.clone()).collect();
        let fits: Vec<_> = hits.iter().map(|hit| (hit.fit, hit.fit_of_known)).collect();
        let near = store.closeness(alone, MODEL.into(), question.clone(), ids.clone()).await?;
        Ok::<_, Failed>((ids, fits, near))
    };
    let before = scores().await?;
    equal(&before.0.len(), &3, "what Ann finds")?;
    let of_bob = |number: usize| {
        let owner = Owner::named("bob");
        let scope = if number.is_multiple_of(2) { WritableScope::user() } else { org()? };
        let content = format!("zebra {number} and a lantern");
        Ok::<_, Failed>(NewMemory { owner, scope, ..note(&content)? })
    };
    let of_bob = (0..1_100).map(of_bob).collect::<Result<_, _>>()?;
    store.capture_all(of_bob).await?;
    let without = MemoryAccess { org: None, ..ann() };
    let hits = store.by_text(without, MemoryFilter::default(), "zebra".into(), 9).await?;
    equal(&hits.len(), &0, "what she finds of Bob's")?;
    equal(&scores().await?, &before, "ids, fits and closeness, after Bob captured")
}

async fn capture(
    store: &SearchUnderTest,
    random: &mut Rng,
    number: usize,
) -> Result<IndexedMemory, Failed> {
    let scope = match random.u8(0..4) {
        0 => MemoryScope::Org,
        1 => MemoryScope::Project(ProjectKey::new("alpha")),
        2 => MemoryScope::Project(ProjectKey::new("beta")),
        _ => MemoryScope::User,
    };
    let new = NewMemory {
        owner: Owner::named(if random.u8(0..5) == 0 { "bob" } else { "ann" }),
        scope: WritableScope::new(scope, Some(OrgRole::Writer))?,
        namespace: Namespace::parse(one(random, &NAMESPACES))?,
        tags: some(random, &TAGS)?,
        source: random.bool().then(|| one(random, &SOURCES).to_owned()),
        created: at(random.u64(0..100)),
        expires: (random.u8(0..8) == 0).then(|| at(random.u64(500..1_500))),
        ..note(&format!("word {number}"))?
    };
    let owner = new.owner.clone();
    let mut memory = stored(store, new).await?;
    let vector = vector(random);
    embed(store, &memory, &vector).await?;
    if random.u8(0..6) == 0 {
        let org = Some(OrgRole::Writer);
        let access = MemoryAccess { owner, org, project: None, now: at(0) };
        memory = store.delete(access, memory.id).await?;
    }
    Ok(IndexedMemory { memory, vector })
}

fn filter(random: &mut Rng) -> Result<MemoryFilter, Failed> {
    let mut filter = MemoryFilter::default();
    if random.u8(0..3) == 0 {
        filter.namespaces = vec![Namespace::parse(one(random, &NAMESPACES))?];
    }
    if random.u8(0..3) == 0 {
        filter.tags = vec![some(random, &TAGS)?];
        filter.tags.retain(|group| !group.is_empty());
    }
    if random.u8(0..4) == 0 {
        filter.without_tags = vec![Tag::parse(one(random, &TAGS))?];
    }
    if random.u8(0..4) == 0 {
        filter.since = Some(at(random.u64(0..60)));
    }
    if random.u8(0..4) == 0 {
        filter.until = Some(at(random.u64(40..100)));
    }
    if random.u8(0..4) == 0 {
        filter.source = Some(one(random, &["docs/*", "docs/one.md", "*1"]).to_owned());
    }
    if random.u8(0..4) == 0 {
        filter.scopes = vec![ScopeKind::ALL[random.usize(0..3)]];
    }
    if random.u8(0..4) == 0 {
        filter.statuses = vec![MemoryStatus::Active, MemoryStatus::Deleted];
    }
    Ok(filter)
}

fn one<'a>(random: &mut Rng, words: &[&'a str]) -> &'a str {
    words[random.usize(0..words.len())]
}

fn some(random: &mut Rng, words: &[&str]) -> Result<Vec<Tag>, Failed> {
    let chosen = words.iter().filter(|_| random.u8(0..3) == 0);
    chosen.map(|word| Ok(Tag::parse(word)?)).collect()
}

fn vector(random: &mut Rng) -> Vec<f32> {
    (0..DIMENSIONS).map(|_| random.f32() * 2.0 - 1.0).collect()
}

fn cosine(one: &[f32], other: &[f32]) -> f32 {
    let product = |left: &[f32], right: &[f32]| -> f32 {
        left.iter().zip(right).map(|(left, right)| left * right).sum()
    };
    product(one, other) / (product(one, one) * product(other, other)).sqrt()
}
