//! What goes wrong while work runs: lost connections, deadlocks and restarts.

use crate::server::{Server, Version};
use hobnob_store::memory::{MemoryAccess, MemoryFilter, MemoryRepository as _};
use hobnob_store::suite::note_in;
use hobnob_store::{Owner, StoreError, Time};
use tokio::task::JoinSet;
use tokio_postgres::Client;

/// Takes the lock that Ann's captures need, until the transaction ends.
const LOCK: &str = "BEGIN; SELECT pg_advisory_xact_lock(hashtextextended('s0/memories/ann', 0))";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_whose_connection_is_lost_before_its_commit_is_made_once() {
    let Some(server) = Server::start(Version::V18) else { return };
    let store = server.fresh().await;
    let (other, _tasks) = server.connect("postgres").await;
    other.batch_execute(LOCK).await.unwrap();
    let (writer, mut write) = (store.clone(), JoinSet::new());
    write.spawn(async move { writer.capture(note_in("notes", "kept").unwrap()).await });
    let waiting = wait_for_waiter(&other).await;
    let kill = format!("SELECT pg_terminate_backend({waiting})");
    other.batch_execute(&kill).await.unwrap();
    // The next try waits for the same lock, on another connection.
    assert_ne!(wait_for_waiter(&other).await, waiting);
    other.batch_execute("COMMIT").await.unwrap();
    write.join_next().await.unwrap().unwrap().unwrap();
    assert_eq!(store.count(ann(), MemoryFilter::default()).await.unwrap(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_that_loses_a_deadlock_is_made_again() {
    let Some(server) = Server::start(Version::V18) else { return };
    let store = server.fresh().await;
    let (other, _tasks) = server.connect("postgres").await;
    // The other session never gives up, so the store's transaction does.
    other.batch_execute("SET deadlock_timeout = '60s'").await.unwrap();
    other.batch_execute(LOCK).await.unwrap();
    let (writer, mut write) = (store.clone(), JoinSet::new());
    write.spawn(async move { writer.capture(note_in("notes", "kept").unwrap()).await });
    wait_for_waiter(&other).await;
    let models = "SELECT pg_advisory_xact_lock(hashtextextended('s0/models/', 0))";
    other.batch_execute(models).await.unwrap();
    other.batch_execute("COMMIT").await.unwrap();
    write.join_next().await.unwrap().unwrap().unwrap();
    assert_eq!(store.count(ann(), MemoryFilter::default()).await.unwrap(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_outlives_a_restart_of_its_server() {
    let Some(mut server) = Server::start(Version::V18) else { return };
    let store = server.fresh().await;
    store.capture(note_in("notes", "before").unwrap()).await.unwrap();
    server.command("stop");
    let refused = store.count(ann(), MemoryFilter::default()).await.unwrap_err();
    assert!(matches!(refused, StoreError::Unavailable(_)), "{refused}");
    assert!(refused.to_string().contains("start the database"), "{refused}");
    server.command("start");
    store.capture(note_in("notes", "after").unwrap()).await.unwrap();
    assert_eq!(store.count(ann(), MemoryFilter::default()).await.unwrap(), 2);
}

/// The process of a session that waits for an advisory lock, as soon as there is one.
async fn wait_for_waiter(client: &Client) -> i32 {
    let sql = "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted";
    loop {
        if let Some(row) = client.query(sql, &[]).await.unwrap().first() {
            return row.get(0);
        }
        tokio::task::yield_now().await;
    }
}

fn ann() -> MemoryAccess {
    let now = Time::from_millis(4_000_000_000_000);
    MemoryAccess { owner: Owner::named("ann"), org: None, project: None, now }
}
