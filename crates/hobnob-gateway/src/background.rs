//! The background tasks of the gateway: who joins them, and what stops them.
//!
//! Every part that spawns tasks gets a clone. A task ends soon after `stop` is cancelled;
//! `shut_down` waits for all of them.

use std::time::Duration;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Upper bound for the end of all servers: each has its own grace period before it is killed.
const SHUTDOWN_WAIT: Duration = Duration::from_secs(12);

/// Where a part of the gateway spawns its tasks. Clones share everything.
#[derive(Debug, Clone, Default)]
pub(crate) struct BackgroundTasks {
    pub(crate) tracker: TaskTracker,
    /// Cancelled when the gateway stops.
    pub(crate) stop: CancellationToken,
}

impl BackgroundTasks {
    /// Waits until all tasks have ended, for a bounded time.
    pub(crate) async fn join(&self) {
        self.tracker.close();
        // A server that hangs beyond this is ended by its supervisor once Hobnob is gone.
        if tokio::time::timeout(SHUTDOWN_WAIT, self.tracker.wait()).await.is_err() {
            tracing::warn!("some servers did not end in time");
        }
    }
}
