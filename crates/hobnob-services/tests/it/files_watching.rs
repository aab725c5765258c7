//! Changes of files reach the binary as events about the URIs that clients watch.

use crate::files_server::{FileServer, grants};
use hobnob_mcp_engine::Interest;
use hobnob_services::{BuiltInService as _, ServiceEvent};
use std::fs;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

/// Longest wait for an event on a busy machine; it usually takes a tenth of a second.
const SOON: Duration = Duration::from_secs(30);

#[tokio::test]
async fn watched_files_report_changes() {
    let files = FileServer::new();
    files.write("file", "one");
    let mut events = files.service.events().expect("taken once");
    assert!(files.service.events().is_none());
    let stop = CancellationToken::new();
    let service = files.service.clone();
    let until = stop.clone();
    let mut running = JoinSet::new();
    running.spawn(async move { service.run(until).await });
    let uri = |name: &str| format!("file://{}/{name}", files.inside.display());
    let outside = format!("file://{}/outside/secret.txt", files.above.display());
    for watched in [uri("file"), uri("file"), outside.clone(), "memory://x".to_owned()] {
        files.service.interest(&watched, Interest::Wanted);
    }
    fs::write(files.above.join("outside/secret.txt"), "changed").unwrap();
    fs::write(files.inside.join("file"), "two").unwrap();
    let event = timeout(SOON, events.recv()).await.unwrap().unwrap();
    assert_eq!(event, ServiceEvent::Contents(uri("file").into()), "and nothing about the other");
    // One of two views stops watching, then the grant is revoked and granted again.
    files.service.interest(&uri("file"), Interest::Unwanted);
    files.grants.set(&grants("disabled", &[]));
    files.service.grants_changed();
    fs::write(files.inside.join("file"), "unseen").unwrap();
    files.grants.set(&grants("read-only", &[(&files.above, "read", None)]));
    files.service.grants_changed();
    // A wider grant covers an earlier subscription.
    fs::write(files.above.join("outside/secret.txt"), "changed again").unwrap();
    let event = timeout(SOON, events.recv()).await.unwrap().unwrap();
    assert_eq!(event, ServiceEvent::Contents(outside.into()));
    files.service.interest(&uri("file"), Interest::Unwanted);
    stop.cancel();
    running.join_next().await.unwrap().unwrap();
    assert!(events.is_empty());
}
