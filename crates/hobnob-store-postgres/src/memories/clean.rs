//! Clean-up: gives expired memories the status deleted, and removes the rows of those deleted long
//! ago.
//!
//! The background work and the tool `gc` call it. It writes in small batches, and leaves out what
//! another write is changing.

use super::find::find_number;
use super::save::{MemoryAction, remove, replace};
use crate::columns::number;
use crate::error::{Result, TransactionFailure};
use crate::store::PostgresStore;
use crate::transaction::{Scope, Transaction, in_transaction};
use crate::value::values;
use hobnob_store::memory::{CleanUpCounts, MemoryStatus};
use hobnob_store::{Owner, StoreError, Time};

/// Memories per write, so that other writers get their turn in between.
const BATCH_SIZE: u32 = 100;

/// Deletes and purges in batches until nothing is due any more.
pub(super) async fn clean_up(
    store: &PostgresStore,
    of: Option<Owner>,
    now: Time,
    keep_since: Time,
) -> std::result::Result<CleanUpCounts, StoreError> {
    let of = of.as_ref();
    let mut gone = CleanUpCounts::default();
    loop {
        let ended: std::result::Result<u64, StoreError> =
            in_transaction!(store, scope(of), |transaction| Ok::<_, TransactionFailure>(
                end(&transaction, of, now).await?
            ));
        let ended = ended?;
        gone.expired += ended;
        if ended < u64::from(BATCH_SIZE) {
            break;
        }
    }
    loop {
        let purged: std::result::Result<u64, StoreError> =
            in_transaction!(store, scope(of), |transaction| Ok::<_, TransactionFailure>(
                purge(&transaction, of, keep_since).await?
            ));
        let purged = purged?;
        gone.purged += purged;
        if purged < u64::from(BATCH_SIZE) {
            return Ok(gone);
        }
    }
}

fn scope(of: Option<&Owner>) -> Scope<'_> {
    of.map_or_else(Scope::write_all, Scope::write).shared("models", "")
}

/// Gives some expired memories the status deleted and clears their expiry time; otherwise none
/// could be restored.
async fn end(transaction: &Transaction, of: Option<&Owner>, now: Time) -> Result<u64> {
    let sql = "SELECT number FROM memories WHERE expires <= $1 AND status <> 'deleted' \
               AND owner = coalesce($3, owner) LIMIT $2 FOR UPDATE SKIP LOCKED";
    let due = numbers(transaction, sql, of, now).await?;
    for number in &due {
        let old = find_number(transaction, *number).await?;
        let mut new = old.memory.clone();
        new.status = MemoryStatus::Deleted;
        new.expires = None;
        new.updated = now;
        replace(transaction, &old, new, MemoryAction::Expired).await?;
    }
    Ok(due.len() as u64)
}

/// Removes the rows of some memories that were deleted before `keep_since`.
async fn purge(transaction: &Transaction, of: Option<&Owner>, keep_since: Time) -> Result<u64> {
    let sql = "SELECT number FROM memories WHERE deleted < $1 \
               AND owner = coalesce($3, owner) LIMIT $2 FOR UPDATE SKIP LOCKED";
    let due = numbers(transaction, sql, of, keep_since).await?;
    for number in &due {
        remove(transaction, &find_number(transaction, *number).await?).await?;
    }
    Ok(due.len() as u64)
}

async fn numbers(
    transaction: &Transaction,
    sql: &str,
    of: Option<&Owner>,
    time: Time,
) -> Result<Vec<i64>> {
    let given = values![time, BATCH_SIZE, of.map(Owner::as_str)];
    transaction.all(sql, given, |row| number(row, 0)).await
}
