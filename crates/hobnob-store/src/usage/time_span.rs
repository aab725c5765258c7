//! How long a bucket of usage is, and how long buckets are kept.
//!
//! Recorders, backends and readers use it. Buckets begin at whole minutes, hours and days of UTC.

use crate::time::Time;
use std::num::NonZeroU16;
use std::time::Duration;

/// Minutes are kept for this many whole days before they become a part of their day.
const MINUTES_KEPT_DAYS: u16 = 2;

const DAY_SECONDS: u32 = 24 * 60 * 60;

/// The length of a bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UsageBucket {
    /// What is recorded first.
    Minute,
    /// Only summed up from minutes, never stored.
    Hour,
    /// What minutes become a part of.
    Day,
}

impl UsageBucket {
    /// Its length in seconds, by which the database tells buckets apart.
    pub fn seconds(self) -> u32 {
        match self {
            Self::Minute => 60,
            Self::Hour => 60 * 60,
            Self::Day => DAY_SECONDS,
        }
    }

    /// Its length, for arithmetic with times.
    pub fn length(self) -> Duration {
        Duration::from_secs(self.seconds().into())
    }

    /// The start of the bucket that has this time.
    pub fn start_of(self, time: Time) -> Time {
        let length = i64::from(self.seconds()) * 1_000;
        Time::from_millis(time.millis().div_euclid(length).saturating_mul(length))
    }
}

/// How long usage is kept, and from when on that counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UsageRetention {
    /// The time from which ages count.
    pub now: Time,
    /// How many days before today are kept.
    pub keep_days: NonZeroU16,
}

impl UsageRetention {
    /// Minutes before this time become a part of their day.
    pub fn first_minute(&self) -> Time {
        self.days_ago(self.keep_days.get().min(MINUTES_KEPT_DAYS))
    }

    /// Days before this one are removed.
    pub fn first_day(&self) -> Time {
        self.days_ago(self.keep_days.get())
    }

    fn days_ago(&self, days: u16) -> Time {
        let seconds = u64::from(days) * u64::from(DAY_SECONDS);
        UsageBucket::Day.start_of(self.now.minus(Duration::from_secs(seconds)))
    }
}
