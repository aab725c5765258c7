//! Lets the caller of a query or of a running tail cancel it. Shared between threads.

use parking_lot::{Condvar, Mutex};
use std::time::Instant;

use super::problem::LogError;

/// A handle to a running action: the caller keeps one end, the working thread checks the other.
#[derive(Debug, Default)]
pub struct LogControl {
    cancelled: Mutex<bool>,
    changed: Condvar,
}

impl LogControl {
    /// Ends the action within one block of bytes, and its program at once.
    pub fn cancel(&self) {
        *self.cancelled.lock() = true;
        self.changed.notify_all();
    }

    /// Fails once the action is cancelled.
    pub(crate) fn check(&self) -> Result<(), LogError> {
        match *self.cancelled.lock() {
            true => Err(LogError::Cancelled),
            false => Ok(()),
        }
    }

    /// Waits until `moment`, or fails as soon as the action is cancelled.
    pub(crate) fn wait_until(&self, moment: Instant) -> Result<(), LogError> {
        let mut cancelled = self.cancelled.lock();
        loop {
            if *cancelled {
                return Err(LogError::Cancelled);
            }
            if self.changed.wait_until(&mut cancelled, moment).timed_out() {
                return Ok(());
            }
        }
    }
}
