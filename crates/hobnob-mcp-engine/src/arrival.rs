//! The order in which calls came in, for services that must keep it while calls run concurrently.
//!
//! The edge takes an `Arrival` for each call before the call runs. Each is greater than every
//! earlier one in this process.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// The place of a call among all calls of this process.
///
/// It is a timestamp, so it also exceeds the arrivals of earlier processes, unless the clock was
/// set back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Arrival(u64);

impl Arrival {
    /// The arrival of a call that comes in now.
    pub fn next() -> Self {
        static LAST: AtomicU64 = AtomicU64::new(0);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        // Not `Duration::as_micros`: that divides 128-bit numbers, and every call comes by here.
        let now = now.as_secs().saturating_mul(1_000_000) + u64::from(now.subsec_micros());
        let next = |last: u64| now.max(last.saturating_add(1));
        let last = LAST.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| Some(next(last)));
        Self(next(last.unwrap_or_else(|last| last)))
    }

    /// Microseconds since 1970, rounded up where several calls came in within one microsecond.
    pub fn micros(self) -> u64 {
        self.0
    }
}
