//! The port of usage: what recorders write and what readers ask for.
//!
//! Every query says whose calls it is about. What must stay true: only the owner of the hub may ask
//! about everyone; the caller decides who that is.

use super::record::{CallCounts, MinuteUsage, UsageGroup};
use super::time_span::{UsageBucket, UsageRetention};
use crate::StoreFuture;
use crate::error::StoreError;
use crate::owner::Owner;
use crate::time::Time;

/// Whose calls are summed up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UsageScope {
    /// Everyone's; for the owner of the hub.
    Everyone,
    /// Those of one principal.
    Of(Owner),
}

/// What to sum up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsageSumQuery {
    /// One principal, or everyone if the owner of the hub asks.
    pub scope: UsageScope,
    /// Calls in records that begin at this time or later.
    pub from: Time,
    /// Calls in records that begin before this time.
    pub to: Time,
    /// What the rows are about.
    pub by: UsageGroup,
    /// How long the buckets of the series are. Calls of a longer record count where it begins.
    pub bucket: UsageBucket,
    /// How many rows to return at most.
    pub limit: usize,
}

/// The sums of a query.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UsageSums {
    /// The rows with the most calls, busiest first. The empty name stands for built-in tools,
    /// clients without a name, or callers without a name.
    pub rows: Vec<(Box<str>, CallCounts)>,
    /// The buckets that have calls, oldest first; also calls that no row counts.
    pub series: Vec<(Time, CallCounts)>,
}

/// Keeps usage: minutes for about two days, and days for as long as the caller says.
pub trait UsageRepository: Send + Sync + 'static {
    /// Adds calls to their minutes. The same write rolls a part of the old minutes up into days, of
    /// which each has a bounded number of records, and removes old days.
    fn record_usage(
        &self,
        usage: Vec<MinuteUsage>,
        retention: UsageRetention,
    ) -> StoreFuture<'_, Result<(), StoreError>>;

    /// Adds up the records that a query is about, in rows and in buckets.
    fn sum_usage(&self, query: UsageSumQuery) -> StoreFuture<'_, Result<UsageSums, StoreError>>;
}
