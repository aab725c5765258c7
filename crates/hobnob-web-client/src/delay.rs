//! The arithmetic of exponential backoff, which retries and reconnecting streams share.

use std::time::Duration;

/// `first`, doubled once for each of `failures`, and at most `longest`.
pub(crate) fn exponential(first: Duration, failures: u32, longest: Duration) -> Duration {
    first.saturating_mul(2_u32.saturating_pow(failures)).min(longest)
}

/// Equal jitter: between half of `delay` and all of it. `chance` is from 0 to 1.
pub(crate) fn jittered(delay: Duration, chance: f64) -> Duration {
    let half = delay / 2;
    half + half.mul_f64(chance.clamp(0.0, 1.0))
}
