//! Test cases for usage, run against every backend.
//!
//! What must stay true: only ports are used, so that every backend can run it.

use super::case::{Case, cases, run};
use super::case_result::{CaseResult, Failed, equal, hold};
use crate::owner::Owner;
use crate::time::Time;
use crate::usage::{
    CallCounts, MinuteUsage, UsageBucket, UsageGroup, UsageKey, UsageRepository, UsageRetention,
    UsageScope, UsageSumQuery, UsageSums,
};
use std::num::NonZeroU16;
use std::sync::Arc;
use std::time::Duration;

type Port = dyn UsageRepository;

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// Runs all cases, each against an empty store that `make` creates.
pub async fn usage(make: impl AsyncFn() -> Arc<dyn UsageRepository>) -> CaseResult {
    run(CASES, make).await
}

const CASES: &[Case<Port>] = cases![
    calls_add_up_under_their_key,
    rows_are_about_what_was_asked,
    a_principal_sees_only_its_own_calls,
    only_the_range_counts_in_buckets,
    minutes_become_days_and_lose_no_call,
    a_day_has_a_bounded_number_of_records,
    old_days_are_removed,
];

async fn calls_add_up_under_their_key(store: Arc<Port>) -> CaseResult {
    equal(&sums(&store, UsageGroup::Tool).await?, &UsageSums::default(), "an empty store")?;
    let (one, other) = (calls(&[100, 200]), CallCounts { errors: 1, ..calls(&[9_000]) });
    record(&store, [used(at(0), "ann", "echo", &one)], at(0)).await?;
    // Another process, or the next write, records calls of the same minute.
    let later = at(0).plus(Duration::from_secs(30));
    record(&store, [used(later, "ann", "echo", &other)], later).await?;
    let mut both = one;
    both.merge(&other);
    let found = sums(&store, UsageGroup::Tool).await?;
    equal(&found.rows, &vec![("echo".into(), both.clone())], "the row")?;
    equal(&found.series, &vec![(at(0), both)], "the series")
}

async fn rows_are_about_what_was_asked(store: Arc<Port>) -> CaseResult {
    let key = |owner: &str, server: &str, tool: &str, client: &str| UsageKey {
        owner: Owner::named(owner),
        server: server.into(),
        tool: tool.into(),
        client: client.into(),
    };
    let usage = [
        (key("", "git", "log", "größer 🦀\0"), 3),
        (key("ann", "git", "diff", ""), 2),
        (key("ann", "", "echo", "cli"), 1),
        (key("bob", "time", "now", "cli"), 2),
    ];
    let usage = usage.map(|(key, count)| MinuteUsage {
        minute: at(0),
        key,
        counts: calls(&vec![7; count]),
    });
    record(&store, usage, at(0)).await?;
    let cases: [(UsageGroup, &[(&str, u64)]); 4] = [
        (UsageGroup::Tool, &[("log", 3), ("diff", 2), ("now", 2), ("echo", 1)]),
        (UsageGroup::Server, &[("git", 5), ("time", 2), ("", 1)]),
        (UsageGroup::Client, &[("cli", 3), ("größer 🦀\0", 3), ("", 2)]),
        (UsageGroup::Principal, &[("", 3), ("ann", 3), ("bob", 2)]),
    ];
    for (by, expected) in cases {
        let found = sums(&store, by).await?;
        equal(named(&found).as_slice(), expected, by.as_str())?;
        equal(&total(&found), &8, "the series has every call")?;
    }
    let few = UsageSumQuery { limit: 2, ..query(UsageGroup::Tool) };
    let few = store.sum_usage(few).await?;
    equal(named(&few).as_slice(), &[("log", 3), ("diff", 2)], "the busiest")?;
    equal(&total(&few), &8, "the series has the others, too")
}

async fn a_principal_sees_only_its_own_calls(store: Arc<Port>) -> CaseResult {
    for owner in ["ann", "bob", "", "ann\0"] {
        let count = owner.len() + 1;
        let tool = format!("tool-{count}");
        record(&store, [used(at(0), owner, &tool, &calls(&vec![1; count]))], at(0)).await?;
    }
    let cases: [(&str, &[(&str, u64)]); 4] = [
        ("ann", &[("tool-4", 4)]),
        ("", &[("tool-1", 1)]),
        ("ann\0", &[("tool-5", 5)]),
        ("eve", &[]),
    ];
    for (owner, expected) in cases {
        let scope = UsageScope::Of(Owner::named(owner));
        let own = UsageSumQuery { scope, ..query(UsageGroup::Tool) };
        let found = store.sum_usage(own).await?;
        equal(named(&found).as_slice(), expected, owner)?;
        equal(&total(&found), &expected.iter().map(|(_, calls)| calls).sum(), owner)?;
    }
    equal(&total(&sums(&store, UsageGroup::Tool).await?), &14, "everyone's")
}

async fn only_the_range_counts_in_buckets(store: Arc<Port>) -> CaseResult {
    for minutes in [0, 1, 59, 60, 61, 24 * 60] {
        let minute = at(minutes * MINUTE);
        record(&store, [used(minute, "ann", "echo", &calls(&[5]))], minute).await?;
    }
    let cases: [BucketCase; 5] = [
        (0, 2 * DAY, UsageBucket::Day, &[(0, 5), (DAY, 1)]),
        (0, 2 * DAY, UsageBucket::Hour, &[(0, 3), (HOUR, 2), (DAY, 1)]),
        (MINUTE, HOUR, UsageBucket::Minute, &[(MINUTE, 1), (59 * MINUTE, 1)]),
        (HOUR, HOUR + 1, UsageBucket::Hour, &[(HOUR, 1)]),
        (2 * HOUR, DAY, UsageBucket::Hour, &[]),
    ];
    for (from, to, bucket, expected) in cases {
        let query = UsageSumQuery { from: at(from), to: at(to), bucket, ..query(UsageGroup::Tool) };
        let found = store.sum_usage(query).await?;
        let series: Vec<(Time, u64)> =
            found.series.iter().map(|(start, sum)| (*start, sum.calls)).collect();
        let expected: Vec<(Time, u64)> =
            expected.iter().map(|(start, calls)| (at(*start), *calls)).collect();
        equal(&series, &expected, &format!("from {from} to {to}"))?;
        let rows: u64 = found.rows.iter().map(|(_, sum)| sum.calls).sum();
        equal(&rows, &total(&found), "rows have the same calls")?;
    }
    Ok(())
}

async fn minutes_become_days_and_lose_no_call(store: Arc<Port>) -> CaseResult {
    const MINUTES: u64 = 5_000;
    let minutes = (0..MINUTES).map(|it| used(at(it * MINUTE), "ann", "echo", &calls(&[it + 20])));
    record(&store, minutes, at(0)).await?;
    let query = UsageSumQuery { bucket: UsageBucket::Minute, ..query(UsageGroup::Tool) };
    let before = store.sum_usage(query.clone()).await?;
    equal(&before.series.len(), &5_000, "each minute has its record")?;
    // Three of the days are old enough then; each write rolls up a part of them.
    let now = at(5 * DAY + HOUR);
    for _ in 0..5 {
        record(&store, [], now).await?;
        let rows = store.sum_usage(query.clone()).await?.rows;
        equal(&rows, &before.rows, "the sum stays the same")?;
    }
    let after = store.sum_usage(query).await?;
    let days: Vec<(Time, u64)> =
        after.series.iter().take(3).map(|(start, sum)| (*start, sum.calls)).collect();
    equal(&days, &vec![(at(0), 1_440), (at(DAY), 1_440), (at(2 * DAY), 1_440)], "days")?;
    equal(&after.series.len(), &(3 + 5_000 - 3 * 1_440), "and minutes")?;
    // A process that was asleep may still have minutes of such a day.
    record(&store, [used(at(MINUTE), "ann", "echo", &calls(&[20]))], now).await?;
    equal(&sums(&store, UsageGroup::Tool).await?.series[0].1.calls, &1_441, "a late minute")
}

async fn a_day_has_a_bounded_number_of_records(store: Arc<Port>) -> CaseResult {
    const CLIENTS: u64 = 1_500;
    let client = |number: u64, owner: &str| {
        let mut usage = used(at(0), owner, "echo", &calls(&[5]));
        usage.key.client = format!("client-{number:04}").into();
        usage
    };
    record(&store, (0..CLIENTS).map(|it| client(it, "ann")), at(0)).await?;
    record(&store, [client(9_999, "bob")], at(4 * DAY)).await?;
    record(&store, [client(9_999, "bob"), client(0, "ann")], at(4 * DAY)).await?;
    let found = sums(&store, UsageGroup::Client).await?;
    hold(found.rows.len() <= 1_002, "there are few records")?;
    equal(&total(&found), &(CLIENTS + 3), "no call is lost")?;
    let (name, others) = found.rows.first().ok_or_else(|| Failed::because("no rows"))?;
    equal(&**name, UsageKey::OTHER, "the rest")?;
    hold(CLIENTS - 1_001 <= others.calls, "the rest has the calls of the others")?;
    let bob = UsageScope::Of(Owner::named("bob"));
    let bob = store.sum_usage(UsageSumQuery { scope: bob, ..query(UsageGroup::Client) }).await?;
    equal(&total(&bob), &2, "what others have does not count as Bob's")
}

async fn old_days_are_removed(store: Arc<Port>) -> CaseResult {
    for day in 0..4 {
        let start = at(day * DAY);
        record(&store, [used(start, "ann", "echo", &calls(&[1]))], start).await?;
    }
    let kept = |now: Time, keep_days: u16| {
        let store = Arc::clone(&store);
        async move {
            let keep_days = NonZeroU16::new(keep_days).unwrap_or(NonZeroU16::MIN);
            for _ in 0..4 {
                store.record_usage(vec![], UsageRetention { now, keep_days }).await?;
            }
            Ok::<_, Failed>(total(&sums(&store, UsageGroup::Tool).await?))
        }
    };
    for (day, keep_days, expected) in [(3, 3, 4), (4, 3, 3), (5, 400, 3), (5, 1, 0)] {
        let found = kept(at(day * DAY + HOUR), keep_days).await?;
        equal(&found, &expected, &format!("day {day}, {keep_days} days kept"))?;
    }
    Ok(())
}

/// A range, the buckets in it, and the calls of each bucket that has some; all times are seconds.
type BucketCase = (u64, u64, UsageBucket, &'static [(u64, u64)]);

/// A time after midnight of a day.
fn at(seconds: u64) -> Time {
    Time::from_millis(20_000 * 86_400_000).plus(Duration::from_secs(seconds))
}

fn calls(durations: &[u64]) -> CallCounts {
    let mut counts = CallCounts { last: at(0), ..CallCounts::default() };
    for micros in durations {
        counts.calls += 1;
        counts.request_bytes += 10;
        counts.result_bytes += 1_000;
        counts.durations.add(*micros);
    }
    counts
}

fn used(minute: Time, owner: &str, tool: &str, counts: &CallCounts) -> MinuteUsage {
    let key = UsageKey {
        owner: Owner::named(owner),
        server: "server".into(),
        tool: tool.into(),
        client: "client".into(),
    };
    MinuteUsage { minute, key, counts: counts.clone() }
}

async fn record(
    store: &Arc<Port>,
    usage: impl IntoIterator<Item = MinuteUsage>,
    now: Time,
) -> CaseResult {
    let retention = UsageRetention { now, keep_days: NonZeroU16::MAX };
    Ok(store.record_usage(usage.into_iter().collect(), retention).await?)
}

/// Everyone's calls of all the time that the cases use.
fn query(by: UsageGroup) -> UsageSumQuery {
    UsageSumQuery {
        scope: UsageScope::Everyone,
        from: at(0),
        to: at(100 * DAY),
        by,
        bucket: UsageBucket::Day,
        limit: 10_000,
    }
}

async fn sums(store: &Arc<Port>, by: UsageGroup) -> Result<UsageSums, Failed> {
    Ok(store.sum_usage(query(by)).await?)
}

fn named(sums: &UsageSums) -> Vec<(&str, u64)> {
    sums.rows.iter().map(|(name, sum)| (&**name, sum.calls)).collect()
}

fn total(sums: &UsageSums) -> u64 {
    sums.series.iter().map(|(_, sum)| sum.calls).sum()
}
