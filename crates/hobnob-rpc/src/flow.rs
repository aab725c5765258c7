//! Backpressure for one connection: the bytes queued for its reader, and calls waiting for room.
//!
//! An event counts from when it is queued until its frame is written or dropped. While a connection
//! is full, its calls wait here; `stream_call` limits the wait and cuts a call that waits too long.

use hobnob_mcp_transport::{FrameCounter, FrameHold};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::Notify;

/// Limits for one connection.
#[derive(Debug, Clone)]
pub struct RpcLimits {
    /// Bytes of events queued for the reader; beyond that, calls wait.
    pub queued_bytes: usize,
    /// How long a call waits for a slow reader before it is cut.
    pub slow_reader: Duration,
    /// The most subscriptions open at once.
    pub subscriptions: usize,
    /// The most bytes of events in one response, for a caller that does not read a stream.
    pub collected_bytes: usize,
}

impl Default for RpcLimits {
    fn default() -> Self {
        Self {
            queued_bytes: 256 << 10,
            slow_reader: Duration::from_secs(20),
            subscriptions: 1024,
            collected_bytes: 4 << 20,
        }
    }
}

/// Estimated bytes of an event besides its text.
const EVENT_WEIGHT: usize = 128;

/// The events queued for one reader.
#[derive(Debug)]
pub(crate) struct Flow {
    limit: usize,
    queued: AtomicUsize,
    waiting: AtomicUsize,
    /// Notified when the queue falls below the low-water mark.
    drained: Notify,
}

impl Flow {
    pub(crate) fn new(limit: usize) -> Arc<Self> {
        let (queued, waiting) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Arc::new(Self { limit: limit.max(2), queued, waiting, drained: Notify::new() })
    }

    /// Whether an event may be queued now. Waiting calls go first.
    pub(crate) fn has_room(&self) -> bool {
        self.waiting.load(Ordering::Acquire) == 0
            && self.queued.load(Ordering::Acquire) < self.limit
    }

    /// Waits until the queue is below the low-water mark, half the limit: waking the waiting calls
    /// for each single frame would be wasteful.
    pub(crate) async fn room(&self) {
        let _waiting = Waiting::new(&self.waiting);
        let mut drained = pin!(self.drained.notified());
        loop {
            drained.as_mut().enable();
            if self.queued.load(Ordering::Acquire) < self.low_water_mark() {
                return;
            }
            drained.as_mut().await;
            drained.set(self.drained.notified());
        }
    }

    /// Counts an event that is about to be queued.
    pub(crate) fn hold(self: &Arc<Self>, bytes: usize) -> FrameHold {
        FrameHold::new(Arc::clone(self) as Arc<dyn FrameCounter>, bytes + EVENT_WEIGHT)
    }

    fn low_water_mark(&self) -> usize {
        self.limit / 2
    }
}

impl FrameCounter for Flow {
    fn held(&self, bytes: usize) {
        self.queued.fetch_add(bytes, Ordering::AcqRel);
    }

    fn taken(&self, bytes: usize) {
        let before = self.queued.fetch_sub(bytes, Ordering::AcqRel);
        if self.low_water_mark() <= before && before - bytes < self.low_water_mark() {
            self.drained.notify_waiters();
        }
    }
}

/// Counts one waiting call while it exists.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn new(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::AcqRel);
        Self(count)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests;
