//! Usage in the table `usage`, behind the port [`UsageRepository`]: records minutes, rolls old ones
//! up into days, removes old days, and sums records up.
//!
//! Every write does a bounded part of the tidying, so that no other write waits long. What must stay
//! true: a record has the calls of every replica, rolling up loses no call, and a day has a bounded
//! number of records, however many names clients give themselves.

use crate::columns::{count, get, number, owner, text, time, unread};
use crate::error::{Result, TransactionFailure};
use crate::store::PostgresStore;
use crate::transaction::{Scope, Transaction, in_transaction};
use crate::value::{SqlValue, values};
use hobnob_store::usage::{
    CallCounts, CallDurations, MinuteUsage, UsageBucket, UsageGroup, UsageKey, UsageRepository,
    UsageRetention, UsageScope, UsageSumQuery, UsageSums,
};
use hobnob_store::{StoreError, StoreFuture, Time};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap};
use tokio_postgres::Row;

/// The lengths of records. An hour is only ever summed up.
const STORED: [UsageBucket; 2] = [UsageBucket::Minute, UsageBucket::Day];
/// How many minutes one write rolls up.
const BATCH: u32 = 2_000;
/// Records of a day, besides one for each principal's other calls.
const MAX_DAY_RECORDS: u64 = 1_000;

/// The columns that [`counts`] reads, in its order.
const COUNTS: &str = "calls, errors, request_bytes, result_bytes, last, durations";
/// The condition for the record of a place.
const IS_PLACE: &str =
    "seconds = $1 AND start = $2 AND owner = $3 AND server = $4 AND tool = $5 AND client = $6";

impl UsageRepository for PostgresStore {
    fn record_usage(
        &self,
        usage: Vec<MinuteUsage>,
        retention: UsageRetention,
    ) -> StoreFuture<'_, std::result::Result<(), StoreError>> {
        Box::pin(async move {
            let scope = Scope::write_all().locked("usage", "");
            in_transaction!(self, scope, |transaction| {
                for MinuteUsage { minute, key, counts } in &usage {
                    let start = UsageBucket::Minute.start_of(*minute);
                    let place = UsagePlace { bucket: UsageBucket::Minute, start, key };
                    add(&transaction, &place, counts).await?;
                }
                tidy(&transaction, &retention).await?;
                Ok::<_, TransactionFailure>(())
            })
        })
    }

    fn sum_usage(
        &self,
        query: UsageSumQuery,
    ) -> StoreFuture<'_, std::result::Result<UsageSums, StoreError>> {
        Box::pin(async move {
            let scope = match &query.scope {
                UsageScope::Everyone => Scope::read_all(),
                UsageScope::Of(owner) => Scope::read(owner),
            };
            in_transaction!(self, scope, |transaction| Ok::<_, TransactionFailure>(
                sum(&transaction, &query).await?
            ))
        })
    }
}

/// Where a record is: its length, its start and its key.
#[derive(Debug, Clone, Copy)]
struct UsagePlace<'a> {
    bucket: UsageBucket,
    start: Time,
    key: &'a UsageKey,
}

impl UsagePlace<'_> {
    fn values(&self) -> Vec<SqlValue> {
        let UsageKey { owner, server, tool, client } = self.key;
        values![self.bucket.seconds(), self.start, owner, &**server, &**tool, &**client].to_vec()
    }
}

/// Adds calls to a record, and makes it if there is none; returns whether there was one.
async fn add(transaction: &Transaction, place: &UsagePlace<'_>, more: &CallCounts) -> Result<bool> {
    let sql = format!("SELECT {COUNTS} FROM usage WHERE {IS_PLACE}");
    let found = transaction.first(&sql, &place.values(), |row| counts(row, 0)).await?;
    let existed = found.is_some();
    let mut sum = found.unwrap_or_default();
    sum.merge(more);
    let sql = "INSERT INTO usage (seconds, start, owner, server, tool, client, calls, errors, \
               request_bytes, result_bytes, last, durations) \
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) \
               ON CONFLICT (seconds, start, owner, server, tool, client) DO UPDATE SET \
               calls = excluded.calls, errors = excluded.errors, \
               request_bytes = excluded.request_bytes, result_bytes = excluded.result_bytes, \
               last = excluded.last, durations = excluded.durations";
    let mut row = place.values();
    row.extend(values![
        sum.calls,
        sum.errors,
        sum.request_bytes,
        sum.result_bytes,
        sum.last,
        sum.durations.to_bytes(),
    ]);
    transaction.execute(sql, &row).await?;
    Ok(existed)
}

/// Rolls up the oldest minutes and removes the oldest day, if they are old enough.
async fn tidy(transaction: &Transaction, retention: &UsageRetention) -> Result<()> {
    let mut days: BTreeMap<Time, DayRecords> = BTreeMap::new();
    for (minute, key, counts) in old_minutes(transaction, retention.first_minute()).await? {
        let start = UsageBucket::Day.start_of(minute);
        let day = match days.entry(start) {
            Entry::Occupied(day) => day.into_mut(),
            Entry::Vacant(day) => day.insert(DayRecords::of(transaction, start).await?),
        };
        day.add(transaction, &key, &counts).await?;
        let place = UsagePlace { bucket: UsageBucket::Minute, start: minute, key: &key };
        let sql = format!("DELETE FROM usage WHERE {IS_PLACE}");
        transaction.execute(&sql, &place.values()).await?;
    }
    let sql = "DELETE FROM usage WHERE seconds = $1 AND start = \
               (SELECT min(start) FROM usage WHERE seconds = $1 AND start < $2)";
    let oldest = values![UsageBucket::Day.seconds(), retention.first_day()];
    transaction.execute(sql, oldest).await?;
    Ok(())
}

async fn old_minutes(
    transaction: &Transaction,
    before: Time,
) -> Result<Vec<(Time, UsageKey, CallCounts)>> {
    let sql = format!(
        "SELECT start, owner, server, tool, client, {COUNTS} FROM usage \
         WHERE seconds = $1 AND start < $2 ORDER BY start LIMIT $3"
    );
    let range = values![UsageBucket::Minute.seconds(), before, BATCH];
    transaction.all(&sql, range, |row| Ok((time(row, 0)?, key(row, 1)?, counts(row, 5)?))).await
}

/// The records of a day, while minutes are added to them.
struct DayRecords {
    start: Time,
    count: u64,
}

impl DayRecords {
    async fn of(transaction: &Transaction, start: Time) -> Result<Self> {
        let sql = "SELECT count(*) FROM usage WHERE seconds = $1 AND start = $2";
        let day = values![UsageBucket::Day.seconds(), start];
        Ok(Self { start, count: transaction.one(sql, day, |row| count(row, 0)).await? })
    }

    async fn add(
        &mut self,
        transaction: &Transaction,
        key: &UsageKey,
        counts: &CallCounts,
    ) -> Result<()> {
        let mut place = UsagePlace { bucket: UsageBucket::Day, start: self.start, key };
        let other = UsageKey::other(key.owner.clone());
        let sql = format!("SELECT 1 FROM usage WHERE {IS_PLACE}");
        if MAX_DAY_RECORDS <= self.count && !transaction.exists(&sql, &place.values()).await? {
            place.key = &other;
        }
        self.count += u64::from(!add(transaction, &place, counts).await?);
        Ok(())
    }
}

async fn sum(transaction: &Transaction, query: &UsageSumQuery) -> Result<UsageSums> {
    let names = busiest(transaction, query).await?;
    let mut rows: HashMap<Box<str>, CallCounts> =
        names.into_iter().map(|name| (name.into(), CallCounts::default())).collect();
    let mut series: BTreeMap<Time, CallCounts> = BTreeMap::new();
    let sql = format!(
        "SELECT start, {}, {COUNTS} FROM usage \
         WHERE seconds = $1 AND $2 <= start AND start < $3 AND ($4 IS NULL OR owner = $4)",
        column(query.by)
    );
    for stored in STORED {
        let range = values![stored.seconds(), query.from, query.to, owner_of(query)];
        let found = transaction
            .all(&sql, range, |row| Ok((time(row, 0)?, text(row, 1)?, counts(row, 2)?)))
            .await?;
        for (start, name, counts) in found {
            series.entry(query.bucket.start_of(start)).or_default().merge(&counts);
            if let Some(sum) = rows.get_mut(name.as_str()) {
                sum.merge(&counts);
            }
        }
    }
    let mut rows: Vec<_> = rows.into_iter().collect();
    rows.sort_by(|(name, sum), (other, more)| more.calls.cmp(&sum.calls).then(name.cmp(other)));
    Ok(UsageSums { rows, series: series.into_iter().collect() })
}

/// The names with the most calls, up to the limit: a hostile client could make more names than there
/// is memory for histograms.
async fn busiest(transaction: &Transaction, query: &UsageSumQuery) -> Result<Vec<String>> {
    let column = column(query.by);
    let sql = format!(
        "SELECT {column} FROM usage WHERE seconds IN ($1, $2) AND $3 <= start AND start < $4 \
         AND ($5 IS NULL OR owner = $5) GROUP BY {column} ORDER BY sum(calls) DESC, {column} \
         LIMIT $6"
    );
    let [minute, day] = STORED.map(UsageBucket::seconds);
    let range = values![minute, day, query.from, query.to, owner_of(query), query.limit];
    transaction.all(&sql, range, |row| text(row, 0)).await
}

/// The only owner whose calls count.
fn owner_of(query: &UsageSumQuery) -> Option<&str> {
    match &query.scope {
        UsageScope::Everyone => None,
        UsageScope::Of(owner) => Some(owner.as_str()),
    }
}

fn column(by: UsageGroup) -> &'static str {
    match by {
        UsageGroup::Tool => "tool",
        UsageGroup::Server => "server",
        UsageGroup::Client => "client",
        UsageGroup::Principal => "owner",
    }
}

/// Reads the columns [`COUNTS`], from this one on.
fn counts(row: &Row, first: usize) -> Result<CallCounts> {
    Ok(CallCounts {
        calls: count(row, first)?,
        errors: count(row, first + 1)?,
        request_bytes: count(row, first + 2)?,
        result_bytes: count(row, first + 3)?,
        last: Time::from_millis(number(row, first + 4)?),
        durations: CallDurations::from_bytes(get(row, first + 5)?)
            .ok_or_else(|| unread(first + 5))?,
    })
}

/// Reads the columns `owner, server, tool, client`, from this one on.
fn key(row: &Row, first: usize) -> Result<UsageKey> {
    Ok(UsageKey {
        owner: owner(row, first)?,
        server: text(row, first + 1)?.into(),
        tool: text(row, first + 2)?.into(),
        client: text(row, first + 3)?.into(),
    })
}
