//! Two replicas on one PostgreSQL: the cases that every backend passes, and commits in another order
//! than their changes were numbered.

use crate::server::{Server, Version};
use hobnob_store::changes::{ChangeSource as _, ChangedRecord, FeedEvent};
use hobnob_store::memory::{PromptRepository as _, StoredPrompt};
use hobnob_store::suite::{self, StoreHandles};
use hobnob_store::{Owner, Time};
use hobnob_store_postgres::PostgresStore;
use std::sync::Arc;
use std::time::Duration;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replicas_do_what_the_suite_says() {
    let Some(server) = Server::start(Version::V18) else { return };
    suite::replicas(async || {
        let url = server.fresh_url();
        let open = async || PostgresStore::open(url.clone()).await.unwrap();
        let handles: StoreHandles = [Arc::new(open().await), Arc::new(open().await)];
        Arc::new(handles)
    })
    .await
    .unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_late_commit_is_reported_before_what_it_delayed() {
    let Some(server) = Server::start(Version::V18) else { return };
    let store = server.fresh().await;
    let mut feed = store.feed().await.unwrap();
    let (slow, _tasks) = server.connect("postgres").await;
    // The slow writer has its transaction and its number before the fast one.
    slow.batch_execute(
        "BEGIN; SET LOCAL search_path = s0; INSERT INTO changes \
         (topic, owner, scope, place, namespace, id) VALUES ('prompt', 'ann', '', '', '', 'slow')",
    )
    .await
    .unwrap();
    store.save(prompt("fast")).await.unwrap();
    let early = tokio::time::timeout(Duration::from_millis(300), feed.next()).await;
    assert!(early.is_err(), "nothing behind a running transaction is settled: {early:?}");
    slow.batch_execute("COMMIT").await.unwrap();
    let mut names = Vec::new();
    while names.len() < 2 {
        let FeedEvent::Changes(changes) = feed.next().await.unwrap() else { panic!() };
        names.extend(changes.into_iter().map(|change| match change.what {
            ChangedRecord::Prompt { name } => name,
            other => panic!("{other:?}"),
        }));
    }
    assert_eq!(names, ["slow", "fast"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_feed_that_is_too_slow_is_told_so() {
    let Some(server) = Server::start(Version::V18) else { return };
    let store = server.fresh().await;
    let mut feed = store.feed().await.unwrap();
    store.save(prompt("removed")).await.unwrap();
    let (other, _tasks) = server.connect("postgres").await;
    other
        .batch_execute(
            "WITH gone AS (DELETE FROM s0.changes RETURNING xid, number) \
             UPDATE s0.changes_removed AS r SET xid = gone.xid, number = gone.number FROM gone",
        )
        .await
        .unwrap();
    assert_eq!(feed.next().await.unwrap(), FeedEvent::Everything);
    store.save(prompt("next")).await.unwrap();
    assert!(matches!(feed.next().await.unwrap(), FeedEvent::Changes(_)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pooler_that_moves_transactions_gets_unnamed_statements() {
    let Some(server) = Server::start(Version::V18) else { return };
    let url = server.url("postgres", "?statements=unnamed");
    let url = hobnob_store_postgres::StoreUrl::parse(&url).unwrap();
    let store = PostgresStore::open(url).await.unwrap();
    store.save(prompt("name")).await.unwrap();
    let (other, _tasks) = server.connect("postgres").await;
    // What other sessions prepared is not visible, so the store is asked for its own.
    assert_eq!(store.all(Owner::named("ann")).await.unwrap().len(), 1);
    let named = other.query("SELECT 1 FROM pg_prepared_statements", &[]).await.unwrap();
    assert!(named.len() <= 1, "only this query itself");
}

fn prompt(name: &str) -> StoredPrompt {
    StoredPrompt {
        owner: Owner::named("ann"),
        name: name.into(),
        description: None,
        template: "text".into(),
        updated: Time::from_millis(7),
    }
}
