//! The signal to all connections of a listener: begin to stop. The accept loop gives it;
//! connections check the flag on each poll and are woken once.

use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;
use tokio::sync::futures::Notified;

/// Whether the listener has begun to stop, and the tasks to wake when it does.
#[derive(Debug, Default)]
pub(crate) struct Shutdown {
    begun: AtomicBool,
    wake: Notify,
}

impl Shutdown {
    /// Sets the flag and wakes all waiting tasks.
    pub(crate) fn begin(&self) {
        self.begun.store(true, Ordering::Release);
        self.wake.notify_waiters();
    }

    /// Whether the listener has begun to stop.
    pub(crate) fn has_begun(&self) -> bool {
        self.begun.load(Ordering::Acquire)
    }

    /// Ready once the signal is given. Poll it before checking the flag, or a signal in between
    /// would be missed.
    pub(crate) fn wake(&self) -> Notified<'_> {
        self.wake.notified()
    }
}
