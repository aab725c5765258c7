//! Change feeds over the table `changes`, behind the port [`ChangeSource`].
//!
//! A feed reads the table when the listener or a commit of this process wakes it, and polls it even
//! if neither does.

use crate::change_log::{ChangePosition, NewChanges, newest, remove_old, since};
use crate::error::TransactionFailure;
use crate::store::PostgresStore;
use crate::transaction::{Scope, in_transaction};
use hobnob_store::changes::{ChangeFeed, ChangeSource, FeedEvent};
use hobnob_store::{StoreError, StoreFuture};
use std::time::Duration;
use tokio::sync::watch;

/// How often a feed reads the table although nothing woke it.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// The same while changes wait for an older transaction, whose end wakes nothing.
const UNSETTLED_INTERVAL: Duration = Duration::from_millis(20);
/// Events after which a feed looks for old changes to remove.
const EVENTS_PER_REMOVAL: u32 = 500;

#[derive(Debug)]
struct PostgresFeed {
    store: PostgresStore,
    commits: watch::Receiver<u64>,
    /// Behind the newest reported change.
    position: ChangePosition,
    events: u32,
}

impl ChangeSource for PostgresStore {
    fn commits(&self) -> u64 {
        *self.commit_counter().borrow()
    }

    fn feed(&self) -> StoreFuture<'_, Result<Box<dyn ChangeFeed>, StoreError>> {
        Box::pin(async {
            let commits = self.commit_counter();
            let position: Result<ChangePosition, StoreError> = in_transaction!(
                self,
                Scope::read_all(),
                |transaction| Ok::<_, TransactionFailure>(newest(&transaction).await?)
            );
            let (store, position) = (self.clone(), position?);
            let feed: Box<dyn ChangeFeed> =
                Box::new(PostgresFeed { store, commits, position, events: 0 });
            Ok(feed)
        })
    }
}

impl ChangeFeed for PostgresFeed {
    fn next(&mut self) -> StoreFuture<'_, Result<FeedEvent, StoreError>> {
        Box::pin(async {
            loop {
                self.commits.mark_unchanged();
                let position = self.position;
                let found: Result<NewChanges, StoreError> =
                    in_transaction!(&self.store, Scope::read_all(), |transaction| Ok::<
                        _,
                        TransactionFailure,
                    >(
                        since(&transaction, position).await?
                    ));
                let NewChanges { event, position, unsettled } = found?;
                self.position = position;
                if let Some(event) = event {
                    self.tidy().await;
                    return Ok(event);
                }
                let interval = if unsettled { UNSETTLED_INTERVAL } else { POLL_INTERVAL };
                // The store holds a sender too, so only a commit ends the wait early.
                drop(tokio::time::timeout(interval, self.commits.changed()).await);
            }
        })
    }
}

impl PostgresFeed {
    /// Now and then removes old changes; any replica may, and the next one tries again if it fails.
    async fn tidy(&mut self) {
        self.events += 1;
        if !self.events.is_multiple_of(EVENTS_PER_REMOVAL) {
            return;
        }
        let scope = Scope::write_all().locked("changes", "removal");
        let removed: Result<(), StoreError> =
            in_transaction!(&self.store, scope, |transaction| Ok::<_, TransactionFailure>(
                remove_old(&transaction).await?
            ));
        if let Err(error) = removed {
            tracing::debug!(%error, "old changes were not removed");
        }
    }
}
