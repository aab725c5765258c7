//! Every port on PostgreSQL, by the suite that every backend passes.

use crate::server::{Server, Version};
use hobnob_store::suite;
use std::sync::Arc;

/// A test of one port on the newest PostgreSQL.
macro_rules! port {
    ($($name:ident => $suite:path),+ $(,)?) => {
        $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn $name() {
            let Some(server) = Server::start(Version::V18) else { return };
            $suite(async || Arc::new(server.fresh().await) as _).await.unwrap();
        })+
    };
}

port!(
    agents => suite::agents,
    authorizations => suite::authorizations,
    calls => suite::calls,
    changes => suite::changes,
    keys => suite::keys,
    memories => suite::memories,
    model_sessions => suite::model_sessions,
    prompts => suite::prompts,
    search => suite::search,
    tasks => suite::tasks,
    trees => suite::trees,
    usage => suite::usage,
);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_on_16() {
    all_on(Version::V16).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_on_debian() {
    all_on(Version::Debian).await;
}

/// The whole suite on another version.
async fn all_on(version: Version) {
    let Some(server) = Server::start(version) else { return };
    suite::agents(async || Arc::new(server.fresh().await) as _).await.unwrap();
    suite::authorizations(async || Arc::new(server.fresh().await) as _).await.unwrap();
    suite::calls(async || Arc::new(server.fresh().await) as _).await.unwrap();
    suite::changes(async || Arc::new(server.fresh().await) as _).await.unwrap();
    suite::keys(async || Arc::new(server.fresh().await) as _).await.unwrap();
    suite::memories(async || Arc::new(server.fresh().await) as _).await.unwrap();
    suite::model_sessions(async || Arc::new(server.fresh().await) as _).await.unwrap();
    suite::prompts(async || Arc::new(server.fresh().await) as _).await.unwrap();
    suite::search(async || Arc::new(server.fresh().await) as _).await.unwrap();
    suite::tasks(async || Arc::new(server.fresh().await) as _).await.unwrap();
    suite::trees(async || Arc::new(server.fresh().await) as _).await.unwrap();
    suite::usage(async || Arc::new(server.fresh().await) as _).await.unwrap();
}
