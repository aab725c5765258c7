//! Lets the caller of a query or of a running tail cancel it. Shared between threads.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

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
        *self.cancelled.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.changed.notify_all();
    }

    /// Fails once the action is cancelled.
    pub(crate) fn check(&self) -> Result<(), LogError> {
        match *self.cancelled.lock().unwrap_or_else(PoisonError::into_inner) {
            true => Err(LogError::Cancelled),
            false => Ok(()),
        }
    }

    /// Waits until `moment`, or fails as soon as the action is cancelled.
    pub(crate) fn wait_until(&self, moment: Instant) -> Result<(), LogError> {
        let mut cancelled = self.cancelled.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if *cancelled {
                return Err(LogError::Cancelled);
            }
            let left = moment.saturating_duration_since(Instant::now());
            if left == Duration::ZERO {
                return Ok(());
            }
            let woken = self.changed.wait_timeout(cancelled, left);
            cancelled = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}
