//! The client's retry policy: how long it waits before a retry, and when it gives up.
//!
//! What must stay true: the number of retries and the length of each wait are bounded, even if the
//! server asks for longer waits.

use std::time::Duration;

use hobnob_web_client::RetryPolicy;

#[cfg(test)]
mod tests;

const POLICY: RetryPolicy = RetryPolicy {
    retries: 3,
    first: Duration::from_millis(500),
    longest: Duration::from_secs(30),
    longest_asked: Duration::from_secs(30),
};

/// Waits follow the policy exactly, without jitter.
const NO_JITTER: f64 = 1.0;

/// The wait before the next retry; `None` to give up.
pub(super) fn pause(retries: u32, asked: Option<Duration>) -> Option<Duration> {
    POLICY.pause(retries, asked, NO_JITTER)
}
