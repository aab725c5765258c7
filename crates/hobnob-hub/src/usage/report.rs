//! Sums of usage as `hobnob usage --json` prints them and the page shows them.
//!
//! The recorder reads them for the page, and the command reads them without a hub. What must stay
//! true: a series has no gaps, so that it can be drawn as it is.

use super::pending::OTHERS;
use hobnob_store::usage::{
    CallCounts, UsageBucket, UsageGroup, UsageKey, UsageRepository, UsageScope, UsageSumQuery,
};
use hobnob_store::{StoreError, Time};
use jiff::Timestamp;
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Duration;

/// Rows of a sum, the busiest first.
const MAX_ROWS: usize = 1_000;

/// Up to this many days, a series has a point for each hour.
const MAX_HOURLY_DAYS: u16 = 2;

/// Bytes per ten tokens of a result: an estimate, as for the definitions of tools in
/// `hobnob-gateway`, since models count differently.
const BYTES_PER_TEN_TOKENS: u64 = 43;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// What to sum up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UsageRequest {
    /// How far back the sum goes; today is one of the days.
    pub days: UsageDays,
    /// What the rows are about.
    pub by: UsageGroup,
}

/// How many days to look back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UsageDays(u16);

impl UsageDays {
    /// The most days of one sum.
    pub const MAX: u16 = 3_660;

    /// From 1 to [`Self::MAX`] days.
    pub fn new(days: u16) -> Option<Self> {
        (1..=Self::MAX).contains(&days).then_some(Self(days))
    }

    /// The length of a point in the series.
    fn bucket(self) -> UsageBucket {
        if self.0 <= MAX_HOURLY_DAYS { UsageBucket::Hour } else { UsageBucket::Day }
    }

    /// The start of the first bucket; the last one has the present. The length of all buckets
    /// together is this many days.
    fn first(self, now: Time) -> Time {
        let bucket = self.bucket();
        let earlier = (DAY * self.0.into()).saturating_sub(bucket.length());
        bucket.start_of(now).minus(earlier)
    }
}

/// Sums of usage. Serialized, it is what the page gets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Usage {
    /// The start of the first bucket.
    pub from: String,
    /// When the sum was made.
    pub to: String,
    /// What the rows are about.
    pub by: &'static str,
    /// The names with the most calls, the busiest first.
    pub rows: Vec<UsageRow>,
    /// All buckets, also those without calls.
    pub series: Vec<UsagePoint>,
    /// The length of a bucket.
    pub bucket_seconds: u32,
}

/// The calls under one name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UsageRow {
    /// The tool, server, client or principal.
    pub name: String,
    /// Calls that have ended.
    pub calls: u64,
    /// Those of them that failed.
    pub errors: u64,
    /// The median duration, roughly.
    pub p50_us: Option<u64>,
    /// The duration that 95 % of the calls did not exceed, roughly.
    pub p95_us: Option<u64>,
    /// Estimated tokens of the parameters.
    pub request_tokens: u64,
    /// Estimated tokens of the results.
    pub result_tokens: u64,
    /// When the last call ended.
    pub last: String,
}

/// The calls of one bucket.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UsagePoint {
    /// The start of the bucket.
    pub at: String,
    /// Calls that have ended.
    pub calls: u64,
    /// Those of them that failed.
    pub errors: u64,
    /// The median duration, roughly.
    pub p50_us: Option<u64>,
    /// The duration that 95 % of the calls did not exceed, roughly.
    pub p95_us: Option<u64>,
    /// Estimated tokens of the parameters.
    pub request_tokens: u64,
    /// Estimated tokens of the results.
    pub result_tokens: u64,
}

impl Usage {
    /// What a store answers that has no usage.
    pub fn empty(request: UsageRequest, now: Time) -> Self {
        let bucket = request.days.bucket();
        let (from, length) = (request.days.first(now), bucket.length());
        let starts = std::iter::successors(Some(from), |start| Some(start.plus(length)));
        let point = |start| point(start, &CallCounts::default());
        Self {
            from: text(from),
            to: text(now),
            by: request.by.as_str(),
            rows: Vec::new(),
            series: starts.take_while(|start| *start <= now).map(point).collect(),
            bucket_seconds: bucket.seconds(),
        }
    }
}

/// Reads what the page shows, for a range that ends at `now`.
pub async fn read(
    store: &dyn UsageRepository,
    scope: UsageScope,
    request: UsageRequest,
    now: Time,
) -> Result<Usage, StoreError> {
    let (from, bucket) = (request.days.first(now), request.days.bucket());
    // Calls of the last millisecond count, too.
    let to = now.plus(Duration::from_millis(1));
    let query = UsageSumQuery { scope, from, to, by: request.by, bucket, limit: MAX_ROWS };
    let sums = store.sum_usage(query).await?;
    let empty = Usage::empty(request, now);
    let mut found: BTreeMap<String, UsagePoint> =
        sums.series.iter().map(|(start, sum)| (text(*start), point(*start, sum))).collect();
    let series = empty.series.into_iter().map(|none| found.remove(&none.at).unwrap_or(none));
    let rows = sums.rows.iter().map(|(name, sum)| row(shown_name(request.by, name), sum));
    Ok(Usage { rows: rows.collect(), series: series.collect(), ..empty })
}

fn row(name: String, sum: &CallCounts) -> UsageRow {
    UsageRow {
        name,
        calls: sum.calls,
        errors: sum.errors,
        p50_us: sum.durations.percentile(50),
        p95_us: sum.durations.percentile(95),
        request_tokens: tokens(sum.request_bytes),
        result_tokens: tokens(sum.result_bytes),
        last: text(sum.last),
    }
}

fn point(start: Time, sum: &CallCounts) -> UsagePoint {
    UsagePoint {
        at: text(start),
        calls: sum.calls,
        errors: sum.errors,
        p50_us: sum.durations.percentile(50),
        p95_us: sum.durations.percentile(95),
        request_tokens: tokens(sum.request_bytes),
        result_tokens: tokens(sum.result_bytes),
    }
}

/// The name of a row, in words where the store has none.
fn shown_name(by: UsageGroup, name: &str) -> String {
    let in_words = match (by, name) {
        (UsageGroup::Server, "") => "(built-in)",
        (UsageGroup::Client | UsageGroup::Principal, "") => "(no name)",
        (UsageGroup::Principal, OTHERS) => UsageKey::OTHER,
        _ => name,
    };
    in_words.to_owned()
}

fn tokens(bytes: u64) -> u64 {
    bytes.saturating_mul(10).div_ceil(BYTES_PER_TEN_TOKENS)
}

fn text(time: Time) -> String {
    Timestamp::from_millisecond(time.millis()).unwrap_or_default().to_string()
}
