//! How much waits for the reader of one connection, and who waits until it has read on.
//!
//! Every event counts from the moment it is queued until its frame is written or thrown away. A call
//! whose connection is full waits; one that waits too long is cut, so that memory and time are bounded.

use hobnob_mcp_transport::{FrameCounter, FrameHold};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::Notify;

/// How much one connection may use.
#[derive(Debug, Clone)]
pub struct RpcLimits {
    /// Bytes of events that wait for the reader; then calls wait too.
    pub queued_bytes: usize,
    /// How long a call waits for a reader that does not read before it is cut.
    pub slow_reader: Duration,
    /// Subscriptions that may be open at once.
    pub subscriptions: usize,
    /// Bytes of events in one response, for a caller that reads no stream.
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

/// What an event takes beside its text, roughly.
const EVENT_WEIGHT: usize = 128;

/// The events that wait for one reader.
#[derive(Debug)]
pub(crate) struct Flow {
    limit: usize,
    queued: AtomicUsize,
    waiting: AtomicUsize,
    /// Little waits: whoever waits for room may look again.
    drained: Notify,
}

impl Flow {
    pub(crate) fn new(limit: usize) -> Arc<Self> {
        let (queued, waiting) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Arc::new(Self { limit: limit.max(2), queued, waiting, drained: Notify::new() })
    }

    /// Whether an event may be queued now. Nobody overtakes those who wait.
    pub(crate) fn has_room(&self) -> bool {
        self.waiting.load(Ordering::Acquire) == 0
            && self.queued.load(Ordering::Acquire) < self.limit
    }

    /// Waits until the reader has taken half of what may wait, so that whoever waits is not woken for
    /// every single frame.
    pub(crate) async fn room(&self) {
        let _waiting = Waiting::new(&self.waiting);
        let mut drained = pin!(self.drained.notified());
        loop {
            drained.as_mut().enable();
            if self.queued.load(Ordering::Acquire) < self.low_mark() {
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

    fn low_mark(&self) -> usize {
        self.limit / 2
    }
}

impl FrameCounter for Flow {
    fn held(&self, bytes: usize) {
        self.queued.fetch_add(bytes, Ordering::AcqRel);
    }

    fn taken(&self, bytes: usize) {
        let before = self.queued.fetch_sub(bytes, Ordering::AcqRel);
        if self.low_mark() <= before && before - bytes < self.low_mark() {
            self.drained.notify_waiters();
        }
    }
}

/// One that waits, for as long as it does.
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
