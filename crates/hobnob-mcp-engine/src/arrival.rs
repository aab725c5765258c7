//! When a call came in, so that services can keep the order of calls that run at the same time.
//!
//! The edge takes one for each call before the call runs. Each is greater than all before it in this
//! process.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// The place of a call among all calls of this process.
///
/// It is a time, so that it is also greater than those of processes that ended before, unless
/// somebody turned the clock back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Arrival(u64);

impl Arrival {
    /// That of a call which comes in now.
    pub fn next() -> Self {
        static LAST: AtomicU64 = AtomicU64::new(0);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        // Each call passes here, and this costs less than a division of 128 bits.
        let now = now.as_secs().saturating_mul(1_000_000) + u64::from(now.subsec_micros());
        let next = |last: u64| now.max(last.saturating_add(1));
        let last = LAST.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| Some(next(last)));
        Self(next(last.unwrap_or_else(|last| last)))
    }

    /// Microseconds since 1970; more where several calls came in within one.
    pub fn micros(self) -> u64 {
        self.0
    }
}
