//! The subscriptions of one connection: numbered, counted, and each ended once. A subscription is
//! the stream of events of one running call; resources are subscribed to elsewhere.
//!
//! What must stay true: a subscription leaves the table when it is cancelled, and at the latest
//! when its [`OpenSubscription`] is dropped.

use futures_util::future::{AbortHandle, AbortRegistration};
use parking_lot::{Mutex, MutexGuard};
use std::collections::HashMap;
use std::sync::Arc;

/// The subscriptions of one connection.
#[derive(Debug)]
pub(crate) struct SubscriptionTable {
    limit: usize,
    table: Mutex<Table>,
}

#[derive(Debug, Default)]
struct Table {
    last: u64,
    open: HashMap<u64, AbortHandle>,
    /// Whether the connection is over, so that no subscription may open.
    ended: bool,
}

/// Why a subscription was not opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotSubscribed {
    /// The limit on subscriptions is reached.
    Full,
    /// The connection has ended.
    Ended,
}

/// A subscription that is open while this value exists, unless it is cancelled before.
#[derive(Debug)]
pub(crate) struct OpenSubscription {
    pub(crate) number: u64,
    table: Arc<SubscriptionTable>,
}

impl SubscriptionTable {
    pub(crate) fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self { limit, table: Mutex::default() })
    }

    /// Opens a subscription; cancelling it aborts the registration.
    pub(crate) fn open(
        self: &Arc<Self>,
    ) -> Result<(OpenSubscription, AbortRegistration), NotSubscribed> {
        let mut table = self.table();
        if table.ended {
            return Err(NotSubscribed::Ended);
        }
        if self.limit <= table.open.len() {
            return Err(NotSubscribed::Full);
        }
        table.last += 1;
        let (number, (handle, registration)) = (table.last, AbortHandle::new_pair());
        table.open.insert(number, handle);
        Ok((OpenSubscription { number, table: Arc::clone(self) }, registration))
    }

    /// Cancels a subscription; returns whether it was open.
    pub(crate) fn cancel(&self, number: u64) -> bool {
        let handle = self.table().open.remove(&number);
        if let Some(handle) = &handle {
            handle.abort();
        }
        handle.is_some()
    }

    /// Cancels all subscriptions and prevents new ones.
    pub(crate) fn end_all(&self) {
        let open = {
            let mut table = self.table();
            table.ended = true;
            std::mem::take(&mut table.open)
        };
        open.into_values().for_each(|handle| handle.abort());
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock()
    }
}

impl Drop for OpenSubscription {
    fn drop(&mut self) {
        self.table.table().open.remove(&self.number);
    }
}
