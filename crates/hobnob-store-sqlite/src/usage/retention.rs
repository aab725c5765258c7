//! What becomes of old usage: minutes become a part of their day, and old days are removed.
//!
//! Every write of usage does a bounded part of it, so that no other write waits long. What must stay
//! true: rolling up loses no call, and a day has a bounded number of records, however many names
//! clients give themselves.

use super::rows::{AddedTo, COUNTS, KEY, UsagePlace, add, counts, exists, key, remove};
use crate::columns::time;
use hobnob_store::Time;
use hobnob_store::usage::{CallCounts, UsageBucket, UsageKey, UsageRetention};
use rusqlite::{Connection, Result};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// How many minutes one write rolls up.
const BATCH: u32 = 2_000;

/// Records of a day, besides one for each principal's other calls.
const MAX_DAY_RECORDS: usize = 1_000;

/// Rolls up the oldest minutes and removes the oldest day, if they are old enough.
pub(super) fn tidy(connection: &Connection, retention: &UsageRetention) -> Result<()> {
    let mut days: BTreeMap<Time, DayRecords> = BTreeMap::new();
    for (minute, key, counts) in old_minutes(connection, retention.first_minute())? {
        let start = UsageBucket::Day.start_of(minute);
        let day = match days.entry(start) {
            Entry::Occupied(day) => day.into_mut(),
            Entry::Vacant(day) => day.insert(DayRecords::of(connection, start)?),
        };
        day.add(connection, &key, &counts)?;
        remove(connection, &UsagePlace { bucket: UsageBucket::Minute, start: minute, key: &key })?;
    }
    remove_oldest_day(connection, retention.first_day())
}

fn old_minutes(connection: &Connection, before: Time) -> Result<Vec<(Time, UsageKey, CallCounts)>> {
    let sql = format!(
        "SELECT start, {KEY}, {COUNTS} FROM usage WHERE seconds = ?1 AND start < ?2 \
         ORDER BY start LIMIT ?3"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let range = (UsageBucket::Minute.seconds(), before.millis(), BATCH);
    let rows =
        statement.query_map(range, |row| Ok((time(row, 0)?, key(row, 1)?, counts(row, 5)?)))?;
    rows.collect()
}

/// The records of a day, while minutes are added to them.
struct DayRecords {
    start: Time,
    count: usize,
}

impl DayRecords {
    fn of(connection: &Connection, start: Time) -> Result<Self> {
        let sql = "SELECT count(*) FROM usage WHERE seconds = ?1 AND start = ?2";
        let day = (UsageBucket::Day.seconds(), start.millis());
        let count: i64 = connection.prepare_cached(sql)?.query_row(day, |row| row.get(0))?;
        Ok(Self { start, count: usize::try_from(count).unwrap_or(usize::MAX) })
    }

    fn add(&mut self, connection: &Connection, key: &UsageKey, counts: &CallCounts) -> Result<()> {
        let mut place = UsagePlace { bucket: UsageBucket::Day, start: self.start, key };
        let other = UsageKey::other(key.owner.clone());
        if MAX_DAY_RECORDS <= self.count && !exists(connection, &place)? {
            place.key = &other;
        }
        match add(connection, &place, counts)? {
            AddedTo::New => self.count += 1,
            AddedTo::Existing => {}
        }
        Ok(())
    }
}

fn remove_oldest_day(connection: &Connection, before: Time) -> Result<()> {
    let sql = "DELETE FROM usage WHERE seconds = ?1 AND start = \
               (SELECT min(start) FROM usage WHERE seconds = ?1 AND start < ?2)";
    let range = (UsageBucket::Day.seconds(), before.millis());
    connection.prepare_cached(sql)?.execute(range).map(drop)
}
