//! How long the endpoint's client waits before it tries again, and when it gives up. The exchange
//! with the endpoint asks before each further try.
//!
//! What must stay true: the number of tries and the length of each wait are bounded, whatever the
//! server asks for.

use std::time::Duration;

#[cfg(test)]
mod tests;

/// Tries after the first one.
pub(super) const RETRIES: u32 = 3;

/// The first wait; each further one is twice as long.
const FIRST: Duration = Duration::from_millis(500);

/// If the server asks for a longer wait than this, the client gives up instead.
const LONGEST: Duration = Duration::from_secs(30);

/// The wait before the next try, unless there should be none.
pub(super) fn pause(retries: u32, asked: Option<Duration>) -> Option<Duration> {
    if RETRIES <= retries {
        return None;
    }
    let wait = asked.unwrap_or(FIRST * 2_u32.pow(retries));
    (wait <= LONGEST).then_some(wait)
}
