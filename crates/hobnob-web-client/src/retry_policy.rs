//! How long to wait before a server is asked again, and when to give up.
//!
//! What must stay true: the number of tries and the length of each wait are bounded, whatever the
//! server asks for; waits of our own have chance in them, so that many clients do not come back at
//! once.

use std::time::Duration;

use crate::delay::{exponential, jittered};

#[cfg(test)]
mod tests;

/// When a server is asked again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Tries after the first one.
    pub retries: u32,
    /// The longest first wait; each further one is twice as long.
    pub first: Duration,
    /// The longest wait of our own.
    pub longest: Duration,
    /// If the server asks for a longer wait than this, it is not asked again.
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
    /// The wait before the next try, unless there should be none. `chance` is from 0 to 1: a wait of
    /// our own is between half of its length and all of it.
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
