//! Change feeds over the table `changes`, behind the port [`ChangeSource`].
//!
//! A feed reads the table after each commit of this process, and polls for those of others.

use super::change_log::{newest, since};
use super::convert::WorkError;
use super::store::SqliteStore;
use hobnob_store::changes::{ChangeFeed, ChangeSource, FeedEvent};
use hobnob_store::{StoreError, StoreFuture};
use std::time::Duration;
use tokio::sync::watch;

/// How often a feed polls for the writes of other processes, which send no notification.
const POLL_INTERVAL: Duration = Duration::from_millis(250);

#[derive(Debug)]
struct SqliteFeed {
    store: SqliteStore,
    commits: watch::Receiver<u64>,
    /// The number of the newest reported change.
    last: i64,
}

impl ChangeSource for SqliteStore {
    fn commits(&self) -> u64 {
        *self.commit_counter().borrow()
    }

    fn feed(&self) -> StoreFuture<'_, Result<Box<dyn ChangeFeed>, StoreError>> {
        Box::pin(async {
            let commits = self.commit_counter();
            let last = self.read(|connection| Ok::<_, WorkError>(newest(connection)?)).await?;
            let feed: Box<dyn ChangeFeed> =
                Box::new(SqliteFeed { store: self.clone(), commits, last });
            Ok(feed)
        })
    }
}

impl ChangeFeed for SqliteFeed {
    fn next(&mut self) -> StoreFuture<'_, Result<FeedEvent, StoreError>> {
        Box::pin(async {
            loop {
                let last = self.last;
                let (event, newest) = self
                    .store
                    .read(move |connection| Ok::<_, WorkError>(since(connection, last)?))
                    .await?;
                self.last = newest;
                if let Some(event) = event {
                    return Ok(event);
                }
                // The store holds a sender too, so only a commit ends the wait early.
                drop(tokio::time::timeout(POLL_INTERVAL, self.commits.changed()).await);
            }
        })
    }
}
