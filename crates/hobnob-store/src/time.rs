//! A moment in milliseconds, as records have it.
//!
//! Callers bring the time with them, so that backends and tests need no clock.

use std::time::{Duration, SystemTime};

/// Milliseconds since 1970, UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Time(i64);

impl Time {
    /// The clock on the wall.
    pub fn now() -> Self {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        Self(i64::try_from(since.unwrap_or_default().as_millis()).unwrap_or(i64::MAX))
    }

    /// From milliseconds since 1970.
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// Milliseconds since 1970, UTC; negative before.
    pub fn millis(self) -> i64 {
        self.0
    }

    /// That much later; the end of time at the latest.
    #[must_use]
    pub fn plus(self, time: Duration) -> Self {
        Self(self.0.saturating_add(i64::try_from(time.as_millis()).unwrap_or(i64::MAX)))
    }

    /// That much earlier; the beginning of time at the earliest.
    #[must_use]
    pub fn minus(self, time: Duration) -> Self {
        Self(self.0.saturating_sub(i64::try_from(time.as_millis()).unwrap_or(i64::MAX)))
    }
}
