//! Behaviour visible only from inside: group commit, and what a failing write rolls back.

pub(crate) mod step_count;

use super::convert::WorkError;
use super::store::SqliteStore;
use hobnob_store::changes::ChangeSource as _;
use hobnob_store::memory::{
    MemoryAccess, MemoryError, MemoryFilter, MemoryId, MemoryRepository, MemorySearch as _,
    NewMemory, OrgRole,
};
use hobnob_store::suite::{TemporaryFolder, note_in};
use hobnob_store::{Owner, StoreError, Time};
use rusqlite::Connection;
use std::pin::{Pin, pin};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::task::{Context, Waker};

#[tokio::test]
async fn writes_that_wait_share_a_commit() {
    let (_folder, store) = open();
    // A commit takes at most 256 writes, so 300 behind the first write take one more.
    for (waiting, expected) in [(0, 1), (1, 1), (63, 1), (300, 2)] {
        let before = store.commits();
        together(&store, (0..waiting).map(|number| insert(&format!("{waiting}-{number}")))).await;
        assert_eq!(store.commits() - before, expected, "{waiting} waiting");
    }
    assert_eq!(names(&store).await.len(), 364);
}

#[tokio::test]
async fn a_write_that_fails_takes_nothing_else_with_it() {
    let (_folder, store) = open();
    let fails: Job = Box::new(|connection| {
        put(connection, "lost")?;
        Err(StoreError::Failed("on purpose".into()).into())
    });
    let breaks: Job = Box::new(|connection| {
        put(connection, "lost too")?;
        put(connection, "first")
    });
    let panics: Job = Box::new(|connection| {
        put(connection, "lost as well")?;
        panic!("on purpose")
    });
    let jobs = [insert("first"), fails, insert("second"), breaks, panics, insert("third")];
    let done = together(&store, jobs).await;
    let results: Vec<Result<(), String>> =
        done.into_iter().map(|done| done.map_err(|error| error.to_string())).collect();
    assert_eq!(results[1], Err("the store failed: on purpose".into()));
    assert!(results[3].as_ref().is_err_and(|error| error.contains("UNIQUE")), "{:?}", results[3]);
    assert_eq!(results[4], Err("the store failed: a write panicked".into()));
    assert!([0, 2, 5].iter().all(|at: &usize| results[*at].is_ok()));
    assert_eq!(names(&store).await, ["first", "second", "third"]);
    store.write(insert("afterwards")).await.unwrap();
}

#[tokio::test]
async fn a_first_write_that_fails_is_taken_back_and_the_others_are_made() {
    let (_folder, store) = open();
    let (go, gate): (SyncSender<()>, _) = sync_channel(1);
    let first = store.write(move |connection| -> Result<(), WorkError> {
        put(connection, "lost")?;
        gate.recv().map_err(|_| StoreError::Closed)?;
        Err(StoreError::Failed("on purpose".into()).into())
    });
    let (mut first, mut next) = (pin!(first), pin!(store.write(insert("kept"))));
    assert!(begin(first.as_mut()).is_none() && begin(next.as_mut()).is_none());
    go.send(()).unwrap();
    assert_eq!(first.await.unwrap_err().to_string(), "the store failed: on purpose");
    next.await.unwrap();
    assert_eq!(names(&store).await, ["kept"]);
}

#[tokio::test]
async fn captures_that_share_a_transaction_are_found_as_they_are_in_the_end() {
    let (_folder, store) = open();
    let (go, gate): (SyncSender<()>, _) = sync_channel(1);
    let mut first =
        pin!(store.write(move |_| gate.recv().map_err(|_| WorkError::Port(StoreError::Closed))));
    assert!(begin(first.as_mut()).is_none());
    fn waits<T>(future: impl Future<Output = T>) -> Pin<Box<impl Future<Output = T>>> {
        let mut future = Box::pin(future);
        assert!(begin(future.as_mut()).is_none());
        future
    }
    let before = store.commits();
    let id = MemoryId::random().unwrap();
    let apples = waits(store.capture(NewMemory { id: Some(id.clone()), ..note("apples") }));
    let fails = waits(store.write(|connection| -> Result<(), WorkError> {
        put(connection, "lost")?;
        Err(StoreError::Failed("on purpose".into()).into())
    }));
    let pears = waits(store.capture(note("pears")));
    let quinces = waits(store.supersede(access(), vec![id], note("quinces")));
    let plums = waits(store.capture(note("plums")));
    go.send(()).unwrap();
    first.await.unwrap();
    fails.await.unwrap_err();
    apples.await.unwrap();
    pears.await.unwrap();
    quinces.await.unwrap();
    plums.await.unwrap();
    assert_eq!(store.commits() - before, 1);
    for (word, expected) in [("apples", 0), ("pears", 1), ("quinces", 1), ("plums", 1)] {
        let found = store.by_text(access(), MemoryFilter::default(), word.into(), 5).await.unwrap();
        assert_eq!(found.len(), expected, "{word}");
    }
}

#[tokio::test]
async fn a_read_that_panics_fails_alone() {
    let (_folder, store) = open();
    let read = store.read(|_| -> Result<(), WorkError> { panic!("on purpose") }).await;
    assert_eq!(read.unwrap_err().to_string(), "the store failed: a read panicked");
    assert!(names(&store).await.is_empty());
}

#[tokio::test]
async fn foreign_keys_are_on() {
    let (_folder, store) = open();
    let dangling = |connection: &Connection| -> Result<(), WorkError> {
        connection.execute("INSERT INTO memory_tags (memory, tag) VALUES (77, 'x')", ())?;
        Ok(())
    };
    let refused = store.write(dangling).await.unwrap_err();
    assert_eq!(refused.to_string(), "the store failed: FOREIGN KEY constraint failed");
}

#[tokio::test]
async fn readers_cannot_write() {
    let (_folder, store) = open();
    let refused = store.read(insert("by a reader")).await.unwrap_err();
    assert!(matches!(refused, StoreError::Unwritable(_)), "{refused}");
}

#[tokio::test]
async fn an_idle_reader_gives_its_pages_back() {
    let (_folder, store) = open();
    let mark = |connection: &Connection| -> Result<(), WorkError> {
        Ok(connection.pragma_update(None, "cache_size", 7)?)
    };
    let marked = |connection: &Connection| -> Result<bool, WorkError> {
        Ok(connection.pragma_query_value(None, "cache_size", |row| row.get::<_, i64>(0))? == 7)
    };
    store.read(mark).await.unwrap();
    store.release_idle_memory(std::time::Duration::from_secs(3600));
    assert!(store.read(marked).await.unwrap(), "it was in use just now");
    store.release_idle_memory(std::time::Duration::ZERO);
    assert!(!store.read(marked).await.unwrap(), "another connection reads");
}

#[tokio::test]
async fn many_are_captured_or_none() {
    let (_folder, store) = open();
    fail_at(&store, "INSERT ON memories", "new.content = 'bad'").await;
    let failed = store.capture_all(vec![note("good"), note("bad"), note("later")]).await;
    assert_eq!(failed.unwrap_err().to_string(), "the store failed: on purpose");
    nothing_was_written(&store).await;
    store.capture_all(vec![note("good"), note("later")]).await.unwrap();
}

#[tokio::test]
async fn a_capture_is_whole_or_not_at_all() {
    for last_step in ["memory_tags", "memory_history", "changes"] {
        let (_folder, store) = open();
        fail_at(&store, &format!("INSERT ON {last_step}"), "true").await;
        store.capture(note("unlucky")).await.unwrap_err();
        nothing_was_written(&store).await;
    }
}

#[tokio::test]
async fn a_replacement_is_whole_or_not_at_all() {
    let (_folder, store) = open();
    let mut ids: Vec<MemoryId> = Vec::new();
    for content in ["one", "two"] {
        let id = MemoryId::random().unwrap();
        store.capture(NewMemory { id: Some(id.clone()), ..note(content) }).await.unwrap();
        ids.push(id);
    }
    fail_at(&store, "INSERT ON memories", "new.content = 'bad'").await;
    let failed = store.supersede(access(), ids.clone(), note("bad")).await;
    assert!(matches!(failed, Err(MemoryError::Store(_))), "{failed:?}");
    assert_eq!(store.count(access(), MemoryFilter::default()).await.unwrap(), 2);
    for id in ids {
        assert_eq!(store.history(access(), id).await.unwrap().len(), 1);
    }
}

type Job = Box<dyn FnOnce(&Connection) -> Result<(), WorkError> + Send>;

fn open() -> (TemporaryFolder, SqliteStore) {
    let folder = TemporaryFolder::new().unwrap();
    let store = SqliteStore::open(&folder.file("store.db")).unwrap();
    (folder, store)
}

/// Makes writes that all, except the first, queue up until the writer is free.
async fn together(
    store: &SqliteStore,
    jobs: impl IntoIterator<Item = Job>,
) -> Vec<Result<(), StoreError>> {
    let (go, gate): (SyncSender<()>, _) = sync_channel(1);
    let first = store.write(move |_| gate.recv().map_err(|_| WorkError::Port(StoreError::Closed)));
    let mut first = pin!(first);
    assert!(begin(first.as_mut()).is_none());
    // Without `unconstrained`, Tokio's cooperative budget would make later writes yield.
    let write = |job| Box::pin(tokio::task::unconstrained(store.write(job)));
    let mut waiting: Vec<_> = jobs.into_iter().map(write).collect();
    assert!(waiting.iter_mut().all(|job| begin(job.as_mut()).is_none()));
    go.send(()).unwrap();
    first.await.unwrap();
    let mut done = Vec::new();
    for job in waiting {
        done.push(job.await);
    }
    done
}

/// Submits a write to the writer, which happens on the first poll.
fn begin<T>(future: Pin<&mut impl Future<Output = T>>) -> Option<T> {
    match future.poll(&mut Context::from_waker(Waker::noop())) {
        std::task::Poll::Ready(done) => Some(done),
        std::task::Poll::Pending => None,
    }
}

/// A table with a unique name column; the tests do not care which.
fn put(connection: &Connection, name: &str) -> Result<(), WorkError> {
    connection.execute("INSERT INTO keys (name, bytes) VALUES (?1, x'00')", [name])?;
    Ok(())
}

fn insert(name: &str) -> Job {
    let name = name.to_owned();
    Box::new(move |connection| put(connection, &name))
}

async fn names(store: &SqliteStore) -> Vec<String> {
    let names = store.read(|connection| {
        let mut statement = connection.prepare("SELECT name FROM keys ORDER BY name")?;
        let names = statement.query_map((), |row| row.get(0))?.collect::<Result<_, _>>();
        Ok::<_, WorkError>(names?)
    });
    names.await.unwrap()
}

/// Makes this SQL operation fail from now on for the rows that match.
async fn fail_at(store: &SqliteStore, step: &str, rows: &str) {
    let sql = format!(
        "CREATE TRIGGER unlucky BEFORE {step} WHEN {rows} \
         BEGIN SELECT RAISE(ABORT, 'on purpose'); END"
    );
    let make = move |connection: &Connection| -> Result<(), WorkError> {
        Ok(connection.execute_batch(&sql)?)
    };
    store.write(make).await.unwrap();
}

async fn nothing_was_written(store: &SqliteStore) {
    for table in ["memories", "memory_tags", "memory_history", "memory_text", "changes"] {
        let count = move |connection: &Connection| -> Result<i64, WorkError> {
            let sql = format!("SELECT count(*) FROM {table}");
            Ok(connection.query_row(&sql, (), |row| row.get(0))?)
        };
        assert_eq!(store.read(count).await.unwrap(), 0, "{table}");
    }
}

fn access() -> MemoryAccess {
    MemoryAccess {
        owner: Owner::default(),
        org: Some(OrgRole::Writer),
        project: None,
        now: Time::from_millis(1_000),
    }
}

fn note(content: &str) -> NewMemory {
    NewMemory {
        owner: Owner::default(),
        tags: vec![hobnob_store::memory::Tag::parse("tag").unwrap()],
        created: Time::from_millis(1),
        ..note_in("decisions", content).unwrap()
    }
}
