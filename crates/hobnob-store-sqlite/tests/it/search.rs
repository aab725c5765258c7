//! Search on SQLite: the suite, and several stores on one file, like several processes.

use hobnob_store::memory::{
    Captured, Memory, MemoryAccess, MemoryEdit, MemoryFilter, MemoryRepository, MemorySearch,
    NewMemory, NewVector, OrgRole,
};
use hobnob_store::suite::{self, TemporaryFolder, note_in};
use hobnob_store::{Owner, Time};
use hobnob_store_sqlite::SqliteStore;
use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;

#[tokio::test]
async fn search_passes_the_suite() {
    let (folder, count) = (TemporaryFolder::new().unwrap(), Cell::new(0));
    let make = async || {
        count.set(count.get() + 1);
        let store = SqliteStore::open(&folder.file(&format!("{}.db", count.get()))).unwrap();
        Arc::new(store) as Arc<dyn suite::SearchableStore>
    };
    suite::search(make).await.unwrap();
}

#[tokio::test]
async fn stores_on_one_file_see_each_others_vectors() {
    let folder = TemporaryFolder::new().unwrap();
    let open = || SqliteStore::open(&folder.file("store.db")).unwrap();
    let (one, other) = (open(), open());
    let mut expected = Vec::new();
    for round in 0..40_u16 {
        let (writer, reader) = if round % 2 == 0 { (&one, &other) } else { (&other, &one) };
        let memory = capture(writer, &format!("memory {round}")).await;
        put(writer, &memory, vec![1.0, f32::from(round) / 100.0]).await;
        expected.push(memory);
        assert_eq!(near(reader).await, contents(&expected), "round {round}: one more");
        if round % 3 == 2 {
            let gone = expected.remove(usize::from(round) % expected.len());
            writer.purge(access(), gone.id).await.unwrap();
            assert_eq!(near(reader).await, contents(&expected), "round {round}: one less");
            assert_eq!(near(writer).await, contents(&expected), "round {round}: one less");
        }
        if round % 5 == 4 {
            reader.release_idle(Duration::ZERO);
        }
    }
}

/// The cache of frequent words must never be stale.
#[tokio::test]
async fn frequent_words_are_found_as_they_are_now() {
    let folder = TemporaryFolder::new().unwrap();
    let open = || SqliteStore::open(&folder.file("store.db")).unwrap();
    let (one, other) = (open(), open());
    let mut there = Vec::new();
    for number in 0..80 {
        there.push(capture(&one, &format!("lantern {number}")).await);
    }
    for round in 0..12 {
        let (writer, reader) = if round % 2 == 0 { (&one, &other) } else { (&other, &one) };
        for store in [writer, reader, reader] {
            assert_eq!(named(store).await, there.len(), "round {round}");
        }
        match round % 3 {
            0 => there.push(capture(writer, &format!("lantern of round {round}")).await),
            1 => {
                let changed = there.swap_remove(round);
                let content = Some(format!("a lamp of round {round}"));
                let edit = MemoryEdit { content, ..MemoryEdit::default() };
                writer.update(access(), changed.id, edit).await.unwrap();
            }
            _ => writer.purge(access(), there.swap_remove(round).id).await.unwrap(),
        }
        for store in [writer, reader] {
            assert_eq!(named(store).await, there.len(), "after round {round}");
        }
    }
}

/// How many memories a search for the most frequent word finds.
async fn named(store: &SqliteStore) -> usize {
    store.by_text(access(), MemoryFilter::default(), "lantern".into(), 500).await.unwrap().len()
}

/// A reader with an older snapshot must neither find newer vectors nor drop them.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_at_once_find_no_more_and_no_less() {
    let folder = TemporaryFolder::new().unwrap();
    let stores: Vec<_> =
        (0..2).map(|_| SqliteStore::open(&folder.file("store.db")).unwrap()).collect();
    let mut kept = Vec::new();
    for number in 0..20 {
        let memory = capture(&stores[0], &format!("kept {number}")).await;
        put(&stores[0], &memory, vec![1.0, 0.0]).await;
        kept.push(memory.content);
    }
    kept.sort();
    let mut work = JoinSet::new();
    for worker in 0..6_usize {
        let (store, kept) = (stores[worker % 2].clone(), kept.clone());
        work.spawn(async move {
            for round in 0..15 {
                let passing = capture(&store, &format!("passing {worker} {round}")).await;
                put(&store, &passing, vec![1.0, 0.01]).await;
                let found = near(&store).await;
                assert!(found.contains(&passing.content), "what this one has put");
                assert!(kept.iter().all(|content| found.contains(content)), "what stays");
                store.purge(access(), passing.id).await.unwrap();
                assert!(!near(&store).await.contains(&passing.content), "what this one removed");
            }
        });
    }
    work.join_all().await;
    for store in &stores {
        let mut found = near(store).await;
        found.sort();
        assert_eq!(found, kept);
    }
}

async fn capture(store: &SqliteStore, content: &str) -> Memory {
    let new = NewMemory {
        owner: Owner::default(),
        created: Time::from_millis(0),
        ..note_in("notes", content).unwrap()
    };
    match store.capture(new).await.unwrap() {
        Captured::New(memory) => memory,
        Captured::Same(memory) => panic!("{memory:?} was there already"),
    }
}

async fn put(store: &SqliteStore, memory: &Memory, vector: Vec<f32>) {
    let vectors = vec![NewVector::of_text(memory.id.clone(), memory.version, vector)];
    store.put_vectors("model".into(), vectors).await.unwrap();
}

/// All contents, nearest first.
async fn near(store: &SqliteStore) -> Vec<String> {
    let filter = MemoryFilter::default();
    let hits = store.by_vector(access(), filter, "model".into(), vec![1.0, 0.0], 1_000).await;
    hits.unwrap().into_iter().map(|hit| hit.memory.content).collect()
}

fn contents(memories: &[Memory]) -> Vec<String> {
    memories.iter().map(|memory| memory.content.clone()).collect()
}

fn access() -> MemoryAccess {
    MemoryAccess {
        owner: Owner::default(),
        org: Some(OrgRole::Writer),
        project: None,
        now: Time::from_millis(1),
    }
}
