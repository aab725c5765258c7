//! The time of a request's last sign of life.
//!
//! The inbox records progress and questions; the exchange reads it to extend the call's deadline.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::time::Instant;

/// The last sign of life of one request, shared by the code that sees it and the code that waits.
#[derive(Debug)]
pub(crate) struct Activity {
    begun: Instant,
    last_ms: AtomicU64,
}

impl Activity {
    /// Begins with the request, which counts as a sign of life.
    pub(crate) fn begin() -> Arc<Self> {
        Arc::new(Self { begun: Instant::now(), last_ms: AtomicU64::new(0) })
    }

    /// Records a sign of life from the server.
    pub(crate) fn record(&self) {
        let since = self.begun.elapsed().as_millis();
        self.last_ms.store(u64::try_from(since).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    pub(crate) fn begun(&self) -> Instant {
        self.begun
    }

    /// The time of the last sign of life, to the millisecond.
    pub(crate) fn last(&self) -> Instant {
        self.begun + Duration::from_millis(self.last_ms.load(Ordering::Relaxed))
    }
}
