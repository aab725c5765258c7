//! A timestamp in milliseconds, as records store it.
//!
//! Callers pass the current time in, so backends and tests need no clock.

use std::time::{Duration, SystemTime};

/// Milliseconds since 1970, UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Time(i64);

impl Time {
    /// The current time of the system clock.
    pub fn now() -> Self {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        Self(i64::try_from(since.unwrap_or_default().as_millis()).unwrap_or(i64::MAX))
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
