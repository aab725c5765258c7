//! The one connection that listens for the commits of other replicas and tells them of ours.
//!
//! The store runs it in the background. A notification only says that something changed: readers
//! look into the table, and poll it even if no notification comes. What must stay true: nothing is
//! notified inside a writing transaction, since that takes a lock of the whole server at its commit.

use crate::clock::follow_clock;
use crate::settings::StoreUrl;
use std::future::poll_fn;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Notify, watch};
use tokio_postgres::AsyncMessage;

/// Commits of this time share one notification.
const COALESCED: Duration = Duration::from_millis(20);
/// How long after a failure the next connection is tried.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// What the listener shares with the store.
#[derive(Debug, Clone)]
pub(crate) struct ListenerPort {
    /// Counts the commits that this process knows of.
    pub(crate) commits: watch::Sender<u64>,
    /// Asks for a notification.
    pub(crate) changed: Arc<Notify>,
}

/// Listens until it is aborted; connects again after each failure.
pub(crate) async fn listen(url: StoreUrl, port: ListenerPort) {
    loop {
        if let Err(error) = listen_once(&url, &port).await {
            tracing::debug!(%error, "listening for changes of other replicas failed");
        }
        // What was committed meanwhile was not notified.
        port.commits.send_modify(|count| *count += 1);
        tokio::time::sleep(RETRY_AFTER).await;
    }
}

async fn listen_once(
    url: &StoreUrl,
    port: &ListenerPort,
) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let (client, mut connection) = url.config.connect(url.connector()?).await?;
    let channel = format!("hobnob_{}", url.schema);
    let received = async {
        while let Some(message) = poll_fn(|context| connection.poll_message(context)).await {
            if let AsyncMessage::Notification(_) = message? {
                port.commits.send_modify(|count| *count += 1);
            }
        }
        Ok::<_, tokio_postgres::Error>(())
    };
    let sent = async {
        client.batch_execute(&format!("LISTEN {channel}")).await?;
        port.commits.send_modify(|count| *count += 1);
        follow_clock(&client).await?;
        loop {
            port.changed.notified().await;
            tokio::time::sleep(COALESCED).await;
            client.batch_execute(&format!("NOTIFY {channel}")).await?;
        }
    };
    tokio::select! {
        end = received => Ok(end?),
        end = sent => end,
    }
}
