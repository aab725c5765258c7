//! How long to wait before a stream is asked for again.
//!
//! The first wait is what the server asked for; fruitless tries double it, with some chance in it,
//! so that many clients do not come back at once.

use std::time::Duration;

use crate::delay::{exponential, jittered};

#[cfg(test)]
mod tests;

/// The first wait where the server asked for none.
const USUAL: Duration = Duration::from_secs(1);

/// A server may ask for no wait at all; this keeps it at twenty tries a second.
const SHORTEST: Duration = Duration::from_millis(50);

/// The most a first wait exceeds what the server asked for.
const SLACK_MS: u64 = 50;

/// The waits of one stream.
#[derive(Debug)]
pub struct Backoff {
    longest: Duration,
    asked: Option<Duration>,
    fruitless: u32,
}

impl Backoff {
    /// No wait is longer than `longest`, whatever the server asks for.
    pub fn new(longest: Duration) -> Self {
        Self { longest, asked: None, fruitless: 0 }
    }

    /// The server asks for this wait from now on.
    pub fn ask(&mut self, retry_ms: Option<u64>) {
        self.asked = retry_ms.map(Duration::from_millis).or(self.asked);
    }

    /// Something came: the next wait is the first again.
    pub fn reset(&mut self) {
        self.fruitless = 0;
    }

    /// The wait before the next try. It counts as fruitless until something comes.
    #[expect(clippy::should_implement_trait, reason = "waits have no end, and are not iterated")]
    pub fn next(&mut self) -> Duration {
        let base = self.asked.unwrap_or(USUAL).clamp(SHORTEST, self.longest);
        let wait = if self.fruitless == 0 {
            let asked = self.asked.unwrap_or(USUAL).min(self.longest);
            let slack = Duration::from_millis(fastrand::u64(0..=SLACK_MS));
            (asked + slack).max(SHORTEST)
        } else {
            let doubled = exponential(base, self.fruitless, self.longest);
            // Never sooner than the server wants.
            jittered(doubled, fastrand::f64()).max(base)
        };
        self.fruitless = self.fruitless.saturating_add(1);
        wait
    }
}
