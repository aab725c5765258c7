//! Both backends rank alike: the same memories and vectors give the same hits with the same scores,
//! bit for bit.

use crate::server::{Server, Version};
use fastrand::Rng;
use hobnob_store::memory::{
    MemoryAccess, MemoryFilter, MemoryId, MemoryRepository, MemorySearch, NewMemory, NewVector,
    OrgRole, QuestionVectors, QuestionWord,
};
use hobnob_store::suite::{TemporaryFolder, note_in};
use hobnob_store::{Owner, Store, Time};
use hobnob_store_sqlite::SqliteStore;

const WORDS: [&str; 24] = [
    "deploy",
    "database",
    "replica",
    "index",
    "token",
    "search",
    "memory",
    "rollback",
    "cache",
    "login",
    "queue",
    "lease",
    "parser",
    "schema",
    "vector",
    "größer",
    "getUserById",
    "12.5",
    "2026-03-01",
    "latency",
    "budget",
    "retry",
    "socket",
    "palette",
];
const OWNERS: [&str; 3] = ["", "ann", "bob"];
const MODEL: &str = "model";
const DIMENSIONS: usize = 48;
const MEMORIES: usize = 260;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn both_backends_rank_alike() {
    let Some(server) = Server::start(Version::V18) else { return };
    let folder = TemporaryFolder::new().unwrap();
    let sqlite = SqliteStore::open(&folder.file("store.db")).unwrap();
    let postgres = server.fresh().await;
    let ids = fill(&sqlite, &mut Rng::with_seed(37)).await;
    assert_eq!(fill(&postgres, &mut Rng::with_seed(37)).await, ids);
    let mut rng = Rng::with_seed(38);
    for round in 0..60 {
        let query = sentence(&mut rng, 1..6);
        let (access, filter) = (some_reach(&mut rng), some_filter(&mut rng));
        let limit = rng.usize(1..30);
        let vector = direction(&mut rng);
        let words = query.split(' ').map(|word| QuestionWord {
            term: hobnob_store::words::folded(word),
            vector: direction(&mut rng.fork()),
        });
        let question = QuestionVectors { vector: vector.clone(), words: words.collect() };
        let mut found = Vec::new();
        for store in [&sqlite as &dyn Store, &postgres] {
            let (text, near) = (query.clone(), vector.clone());
            let text = store.by_text(access.clone(), filter.clone(), text, limit).await.unwrap();
            let near = store
                .by_vector(access.clone(), filter.clone(), MODEL.into(), near, limit)
                .await
                .unwrap();
            // What a search found, as recall asks.
            let asked: Vec<MemoryId> = text.iter().map(|hit| hit.memory.id.clone()).collect();
            let close = store
                .closeness(access.clone(), MODEL.into(), question.clone(), asked)
                .await
                .unwrap();
            let text: Vec<_> = text
                .into_iter()
                .map(|hit| (hit.memory.id, hit.fit.to_bits(), hit.fit_of_known.to_bits()))
                .collect();
            let near: Vec<_> =
                near.into_iter().map(|hit| (hit.memory.id, hit.cosine.to_bits())).collect();
            found.push((text, near, format!("{close:?}")));
        }
        let [(text, near, close), other] = &found[..] else { panic!() };
        assert_eq!(text, &other.0, "round {round}: {query}");
        assert_eq!(near, &other.1, "round {round}: {query}");
        assert_eq!(close, &other.2, "round {round}: {query}");
    }
}

/// Captures, changes and embeds the same memories in a store; returns the ids of all.
async fn fill<S: MemoryRepository + MemorySearch>(store: &S, rng: &mut Rng) -> Vec<MemoryId> {
    let mut ids = Vec::new();
    for number in 0..MEMORIES {
        let id = MemoryId::parse(&format!("{number:032x}")).unwrap();
        let owner = Owner::named(OWNERS[rng.usize(0..OWNERS.len())]);
        let content = format!("{number} {}", sentence(rng, 3..40));
        let new = NewMemory {
            owner: owner.clone(),
            source: rng.bool().then(|| format!("talk-{}", rng.u8(0..4))),
            created: Time::from_millis(rng.i64(0..4_000_000_000_000)),
            id: Some(id.clone()),
            arrived_micros: Some(1_000_000 + rng.u64(0..50) + number as u64),
            ..note_in("notes", &content).unwrap()
        };
        store.capture(new).await.unwrap();
        let access = MemoryAccess { owner, org: None, project: None, now: now() };
        let version = match rng.u8(0..8) {
            0 => {
                let edit = hobnob_store::memory::MemoryEdit {
                    content: Some(format!("changed {content}")),
                    ..Default::default()
                };
                store.update(access, id.clone(), edit).await.unwrap().version
            }
            1 => store.delete(access, id.clone()).await.unwrap().version,
            2 => {
                store.purge(access, id).await.unwrap();
                continue;
            }
            _ => 1,
        };
        let words = rng.bool().then(|| (0..5).map(|_| direction(rng)).collect());
        let vector = direction(rng);
        let vector = NewVector { id: id.clone(), version, vector, words };
        store.put_vectors(MODEL.into(), vec![vector]).await.unwrap();
        ids.push(id);
    }
    ids
}

fn now() -> Time {
    Time::from_millis(4_100_000_000_000)
}

fn sentence(rng: &mut Rng, words: std::ops::Range<usize>) -> String {
    let words: Vec<&str> =
        (0..rng.usize(words)).map(|_| WORDS[rng.usize(0..WORDS.len())]).collect();
    words.join(" ")
}

fn direction(rng: &mut Rng) -> Vec<f32> {
    (0..DIMENSIONS).map(|_| rng.f32() - 0.5).collect()
}

fn some_reach(rng: &mut Rng) -> MemoryAccess {
    let owner = Owner::named(OWNERS[rng.usize(0..OWNERS.len())]);
    MemoryAccess { owner, org: rng.bool().then_some(OrgRole::Reader), project: None, now: now() }
}

fn some_filter(rng: &mut Rng) -> MemoryFilter {
    let source = (rng.u8(0..4) == 0).then(|| "talk-*".to_owned());
    let since = (rng.u8(0..4) == 0).then(|| Time::from_millis(1_000_000_000_000));
    MemoryFilter { source, since, ..MemoryFilter::default() }
}
