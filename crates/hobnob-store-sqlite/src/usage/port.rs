//! The port of usage: records minutes, and sums records up.
//!
//! Sums of counts are made by reading the records, since histograms have to be added up anyway.

use super::retention;
use super::rows::{COUNTS, UsagePlace, add, counts};
use crate::columns::{integer, time};
use crate::store::SqliteStore;
use hobnob_store::usage::{
    CallCounts, MinuteUsage, UsageBucket, UsageGroup, UsageRepository, UsageRetention, UsageScope,
    UsageSumQuery, UsageSums,
};
use hobnob_store::{StoreError, StoreFuture, Time};
use rusqlite::{Connection, Result};
use std::collections::{BTreeMap, HashMap};

/// The lengths of records. An hour is only ever summed up.
const STORED: [UsageBucket; 2] = [UsageBucket::Minute, UsageBucket::Day];

impl UsageRepository for SqliteStore {
    fn record_usage(
        &self,
        usage: Vec<MinuteUsage>,
        retention: UsageRetention,
    ) -> StoreFuture<'_, Result<(), StoreError>> {
        Box::pin(self.write(move |connection| {
            for MinuteUsage { minute, key, counts } in &usage {
                let start = UsageBucket::Minute.start_of(*minute);
                let place = UsagePlace { bucket: UsageBucket::Minute, start, key };
                add(connection, &place, counts)?;
            }
            retention::tidy(connection, &retention)?;
            Ok(())
        }))
    }

    fn sum_usage(&self, query: UsageSumQuery) -> StoreFuture<'_, Result<UsageSums, StoreError>> {
        Box::pin(self.read(move |connection| Ok(sum(connection, &query)?)))
    }
}

fn sum(connection: &Connection, query: &UsageSumQuery) -> Result<UsageSums> {
    let mut rows: HashMap<Box<str>, CallCounts> =
        busiest(connection, query)?.into_iter().map(|name| (name, CallCounts::default())).collect();
    let mut series: BTreeMap<Time, CallCounts> = BTreeMap::new();
    let sql = format!(
        "SELECT start, {}, {COUNTS} FROM usage \
         WHERE seconds = ?1 AND ?2 <= start AND start < ?3 AND (?4 IS NULL OR owner = ?4)",
        column(query.by)
    );
    let mut statement = connection.prepare_cached(&sql)?;
    for stored in STORED {
        let range = (stored.seconds(), query.from.millis(), query.to.millis(), owner(query));
        let mut found = statement.query(range)?;
        while let Some(row) = found.next()? {
            let counts = counts(row, 2)?;
            series.entry(query.bucket.start_of(time(row, 0)?)).or_default().merge(&counts);
            if let Some(sum) = rows.get_mut(row.get_ref(1)?.as_str()?) {
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
fn busiest(connection: &Connection, query: &UsageSumQuery) -> Result<Vec<Box<str>>> {
    let column = column(query.by);
    let sql = format!(
        "SELECT {column} FROM usage WHERE seconds IN (?1, ?2) AND ?3 <= start AND start < ?4 \
         AND (?5 IS NULL OR owner = ?5) GROUP BY {column} ORDER BY sum(calls) DESC, {column} \
         LIMIT ?6"
    );
    let [minute, day] = STORED.map(UsageBucket::seconds);
    let (from, to) = (query.from.millis(), query.to.millis());
    let range = (minute, day, from, to, owner(query), integer(query.limit));
    connection.prepare_cached(&sql)?.query_map(range, |row| row.get(0))?.collect()
}

/// The only owner whose calls count.
fn owner(query: &UsageSumQuery) -> Option<&str> {
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
