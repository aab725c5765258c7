//! How long the endpoint's client waits before it tries again, and when it gives up. The exchange
//! with the endpoint asks before each further try.
//!
//! What must stay true: the number of tries and the length of each wait are bounded, whatever the
//! server asks for.

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

/// A wait of our own is as long as the policy says, without jitter.
const NO_JITTER: f64 = 1.0;

/// The wait before the next try, unless there should be none.
pub(super) fn pause(retries: u32, asked: Option<Duration>) -> Option<Duration> {
    POLICY.pause(retries, asked, NO_JITTER)
}
