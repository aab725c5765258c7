//! The one order that every connection of a listener must obey: begin to stop.
//! The accept loop gives it; connections look at the flag on each poll and are woken once.

use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;
use tokio::sync::futures::Notified;

/// Whether the listener has begun to stop, and who wants to be woken when it does.
#[derive(Debug, Default)]
pub(crate) struct Shutdown {
    begun: AtomicBool,
    wake: Notify,
}

impl Shutdown {
    /// Gives the order and wakes everyone who waits for it.
    pub(crate) fn begin(&self) {
        self.begun.store(true, Ordering::Release);
        self.wake.notify_waiters();
    }

    /// Whether the order was given.
    pub(crate) fn has_begun(&self) -> bool {
        self.begun.load(Ordering::Acquire)
    }

    /// Ready once the order is given. Poll it before looking at the flag, or the order can slip
    /// through in between.
    pub(crate) fn wake(&self) -> Notified<'_> {
        self.wake.notified()
    }
}
