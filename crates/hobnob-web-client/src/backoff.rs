//! How long a client waits before it requests a stream again.
//!
//! The first wait is the one the server asked for. Failed tries double it (exponential backoff with
//! jitter), so that many clients do not come back at once.

use std::time::Duration;

use crate::delay::{exponential, jittered};

#[cfg(test)]
mod tests;

/// The first wait if the server asked for none.
const DEFAULT_WAIT: Duration = Duration::from_secs(1);

/// A server may ask for no wait at all; this limits the client to twenty tries a second.
const MIN_WAIT: Duration = Duration::from_millis(50);

/// Jitter added to the first wait, at most.
const MAX_JITTER_MS: u64 = 50;

/// The waits of one stream.
#[derive(Debug)]
pub struct Backoff {
    max_wait: Duration,
    requested: Option<Duration>,
    failures: u32,
}

impl Backoff {
    /// A backoff whose waits are never longer than `max_wait`, even if the server asks for more.
    pub fn new(max_wait: Duration) -> Self {
        Self { max_wait, requested: None, failures: 0 }
    }

    /// Records the wait that the server asks for; `None` keeps its earlier request.
    pub fn ask(&mut self, retry_ms: Option<u64>) {
        self.requested = retry_ms.map(Duration::from_millis).or(self.requested);
    }

    /// Call this when something was received: the next wait is the first one again.
    pub fn reset(&mut self) {
        self.failures = 0;
    }

    /// The wait before the next try. The try counts as failed until [`reset`](Self::reset).
    #[expect(clippy::should_implement_trait, reason = "waits have no end, and are not iterated")]
    pub fn next(&mut self) -> Duration {
        let base = self.requested.unwrap_or(DEFAULT_WAIT).clamp(MIN_WAIT, self.max_wait);
        let wait = if self.failures == 0 {
            let requested = self.requested.unwrap_or(DEFAULT_WAIT).min(self.max_wait);
            let jitter = Duration::from_millis(fastrand::u64(0..=MAX_JITTER_MS));
            (requested + jitter).max(MIN_WAIT)
        } else {
            let doubled = exponential(base, self.failures, self.max_wait);
            // Never sooner than the server asked for.
            jittered(doubled, fastrand::f64()).max(base)
        };
        self.failures = self.failures.saturating_add(1);
        wait
    }
}
