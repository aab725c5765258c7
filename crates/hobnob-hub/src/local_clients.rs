//! How many connections a hub's local socket serves; the listener of its page counts as one.
//!
//! A background hub ends when the count has been zero for a while.

use tokio::sync::watch;

/// The count; clones share it.
#[derive(Debug, Clone)]
pub(crate) struct LocalClients(watch::Sender<usize>);

/// One counted connection, until it is dropped.
pub(crate) struct LocalClient(LocalClients);

impl LocalClients {
    pub(crate) fn none() -> Self {
        Self(watch::Sender::new(0))
    }

    /// Counts a connection for as long as the caller keeps the returned value.
    pub(crate) fn add(&self) -> LocalClient {
        self.0.send_modify(|count| *count += 1);
        LocalClient(self.clone())
    }

    /// The number of open connections.
    pub(crate) fn count(&self) -> usize {
        *self.0.borrow()
    }

    /// Waits until there are no connections.
    pub(crate) async fn left(&self) {
        // `self` owns the sender, so `wait_for` cannot fail.
        drop(self.0.subscribe().wait_for(|count| *count == 0).await);
    }

    /// Waits until there is a connection.
    pub(crate) async fn came(&self) {
        drop(self.0.subscribe().wait_for(|count| 0 < *count).await);
    }
}

impl Drop for LocalClient {
    fn drop(&mut self) {
        self.0.0.send_modify(|count| *count -= 1);
    }
}
