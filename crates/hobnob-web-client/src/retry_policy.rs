//! How long to wait before a request is sent again, and when to give up.
//!
//! What must stay true: the number of tries and the length of each wait are bounded, even if the
//! server asks for more; the policy's own waits have jitter, so that clients do not retry in step.

use std::time::Duration;

use crate::delay::{exponential, jittered};

#[cfg(test)]
mod tests;

/// When and how often a failed request is sent again: exponential backoff with equal jitter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Tries after the first one.
    pub retries: u32,
    /// The longest first wait. The bound doubles for each further try.
    pub first: Duration,
    /// The longest wait that the policy chooses itself.
    pub longest: Duration,
    /// The longest wait that a server may ask for. If it asks for more, there is no further try.
    pub longest_asked: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            retries: 3,
            first: Duration::from_secs(1),
            longest: Duration::from_secs(20),
            longest_asked: Duration::from_secs(60),
        }
    }
}

impl RetryPolicy {
    /// The wait before the next try, or `None` if there must not be one. `retries` counts the
    /// retries so far, and `asked` is the wait that the server asked for. Without it the wait is
    /// between half of its bound and all of it; `chance`, from 0 to 1, says where.
    pub fn pause(&self, retries: u32, asked: Option<Duration>, chance: f64) -> Option<Duration> {
        if self.retries <= retries {
            return None;
        }
        if let Some(asked) = asked {
            return (asked <= self.longest_asked).then_some(asked);
        }
        Some(jittered(exponential(self.first, retries, self.longest), chance))
    }
}
