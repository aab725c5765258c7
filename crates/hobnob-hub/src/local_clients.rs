//! How many connections a hub's local socket serves.
//!
//! The socket counts; a hub in the background ends when it has been zero for a while.

use tokio::sync::watch;

/// The count, shared by whoever changes it and whoever waits for it.
#[derive(Debug, Clone)]
pub(crate) struct LocalClients(watch::Sender<usize>);

/// One connection, until it is dropped.
pub(crate) struct LocalClient(LocalClients);

impl LocalClients {
    pub(crate) fn none() -> Self {
        Self(watch::Sender::new(0))
    }

    /// Counts a connection for as long as the caller keeps what is returned.
    pub(crate) fn add(&self) -> LocalClient {
        self.0.send_modify(|count| *count += 1);
        LocalClient(self.clone())
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        *self.0.borrow()
    }

    /// Waits until there is none.
    pub(crate) async fn left(&self) {
        // The sender is ours, so it cannot be gone.
        drop(self.0.subscribe().wait_for(|count| *count == 0).await);
    }

    /// Waits until there is one.
    pub(crate) async fn came(&self) {
        drop(self.0.subscribe().wait_for(|count| 0 < *count).await);
    }
}

impl Drop for LocalClient {
    fn drop(&mut self) {
        self.0.0.send_modify(|count| *count -= 1);
    }
}
