//! A timestamp in milliseconds, as records store it.
//!
//! Callers pass the current time in, so backends and tests need no clock.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime};

/// How far the clock that all replicas share is ahead of this machine's, in milliseconds.
static CLOCK_AHEAD: AtomicI64 = AtomicI64::new(0);

/// Milliseconds since 1970, UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Time(i64);

impl Time {
    /// The current time: of the system clock, or of the clock that [`Self::set_clock_ahead`] names.
    pub fn now() -> Self {
        let here = Self::here().0;
        Self(here.saturating_add(CLOCK_AHEAD.load(Ordering::Relaxed)))
    }

    /// The current time of this machine's clock, which may differ from that of others.
    pub fn here() -> Self {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        Self(i64::try_from(since.unwrap_or_default().as_millis()).unwrap_or(i64::MAX))
    }

    /// From now on `now` follows a clock that is `millis` ahead of this machine's. A
    /// backend that several machines share sets it, so that leases end for all at the same moment.
    pub fn set_clock_ahead(millis: i64) {
        CLOCK_AHEAD.store(millis, Ordering::Relaxed);
    }

    /// From milliseconds since 1970.
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// Milliseconds since 1970, UTC; negative for earlier times.
    pub fn millis(self) -> i64 {
        self.0
    }

    /// Adds a duration; saturates at the largest value.
    #[must_use]
    pub fn plus(self, time: Duration) -> Self {
        Self(self.0.saturating_add(i64::try_from(time.as_millis()).unwrap_or(i64::MAX)))
    }

    /// Subtracts a duration; saturates at the smallest value.
    #[must_use]
    pub fn minus(self, time: Duration) -> Self {
        Self(self.0.saturating_sub(i64::try_from(time.as_millis()).unwrap_or(i64::MAX)))
    }
}
