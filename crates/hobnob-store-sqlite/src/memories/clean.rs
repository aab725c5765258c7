//! Clean-up: gives expired memories the status deleted, and removes the rows of those deleted long
//! ago.
//!
//! The background work and the tool `gc` call it. It writes in small batches.

use super::find::find_number;
use super::save::{MemoryAction, remove, replace};
use crate::SqliteStore;
use hobnob_store::memory::{CleanUpCounts, MemoryStatus};
use hobnob_store::{Owner, StoreError, Time};
use rusqlite::{Connection, Result};

/// Memories per write, so that other writers get their turn in between.
const BATCH_SIZE: u32 = 100;

/// Deletes and purges in batches until nothing is due any more.
pub(super) async fn clean_up(
    store: &SqliteStore,
    of: Option<Owner>,
    now: Time,
    keep_since: Time,
) -> Result<CleanUpCounts, StoreError> {
    let mut gone = CleanUpCounts::default();
    loop {
        let of = of.clone();
        let end = move |connection: &_| Ok(end(connection, of.as_ref(), now)?);
        let ended = store.write::<_, StoreError, _>(end).await?;
        gone.expired += ended;
        if ended < u64::from(BATCH_SIZE) {
            break;
        }
    }
    loop {
        let of = of.clone();
        let purge = move |connection: &_| Ok(purge(connection, of.as_ref(), keep_since)?);
        let purged = store.write::<_, StoreError, _>(purge).await?;
        gone.purged += purged;
        if purged < u64::from(BATCH_SIZE) {
            return Ok(gone);
        }
    }
}

/// Gives some expired memories the status deleted and clears their expiry time; otherwise none
/// could be restored.
fn end(connection: &Connection, of: Option<&Owner>, now: Time) -> Result<u64> {
    let sql = "SELECT number FROM memories WHERE expires <= ?1 AND status <> 'deleted' \
               AND owner = coalesce(?3, owner) LIMIT ?2";
    let due = numbers(connection, sql, of, now)?;
    for number in &due {
        let old = find_number(connection, *number)?;
        let mut new = old.memory.clone();
        new.status = MemoryStatus::Deleted;
        new.expires = None;
        new.updated = now;
        replace(connection, &old, new, MemoryAction::Expired)?;
    }
    Ok(due.len() as u64)
}

/// Removes the rows of some memories that were deleted before `keep_since`.
fn purge(connection: &Connection, of: Option<&Owner>, keep_since: Time) -> Result<u64> {
    let sql = "SELECT number FROM memories WHERE deleted < ?1 \
               AND owner = coalesce(?3, owner) LIMIT ?2";
    let due = numbers(connection, sql, of, keep_since)?;
    for number in &due {
        remove(connection, &find_number(connection, *number)?)?;
    }
    Ok(due.len() as u64)
}

fn numbers(connection: &Connection, sql: &str, of: Option<&Owner>, time: Time) -> Result<Vec<i64>> {
    let given = (time.millis(), BATCH_SIZE, of.map(Owner::as_str));
    connection.prepare_cached(sql)?.query_map(given, |row| row.get(0))?.collect()
}
