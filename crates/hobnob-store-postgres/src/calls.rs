//! Long tool calls in the table `kept_calls`, behind the port [`CallRepository`]. A call is found by
//! its unguessable id alone, so these transactions see the calls of every owner.

use crate::columns::{optional_time, owner, text, time};
use crate::error::{Result, TransactionFailure};
use crate::store::PostgresStore;
use crate::transaction::{Scope, in_transaction};
use crate::value::values;
use hobnob_store::calls::{CallId, CallRepository, PersistedCall};
use hobnob_store::{Owner, StoreError, StoreFuture, Time};
use tokio_postgres::Row;

/// How many expired calls one write removes.
const BATCH: u32 = 500;

impl CallRepository for PostgresStore {
    fn save(&self, call: PersistedCall) -> StoreFuture<'_, std::result::Result<(), StoreError>> {
        Box::pin(async move {
            in_transaction!(self, Scope::write_all(), |transaction| {
                let sql = "INSERT INTO kept_calls (id, owner, updated, ends, record) \
                           VALUES ($1, $2, $3, $4, $5) ON CONFLICT (id) DO UPDATE SET \
                           owner = excluded.owner, updated = excluded.updated, \
                           ends = excluded.ends, record = excluded.record";
                let PersistedCall { id, owner, updated, expires, record } = &call;
                let row = values![id.as_str(), owner, *updated, *expires, record];
                transaction.execute(sql, row).await?;
                Ok::<_, TransactionFailure>(())
            })
        })
    }

    fn load(
        &self,
        id: CallId,
    ) -> StoreFuture<'_, std::result::Result<Option<PersistedCall>, StoreError>> {
        Box::pin(async move {
            in_transaction!(self, Scope::read_all(), |transaction| {
                let sql = "SELECT id, owner, updated, ends, record FROM kept_calls WHERE id = $1";
                Ok::<_, TransactionFailure>(
                    transaction.first(sql, values![id.as_str()], call).await?,
                )
            })
        })
    }

    fn calls_of(
        &self,
        owner: Owner,
        after: Option<CallId>,
        limit: usize,
    ) -> StoreFuture<'_, std::result::Result<Vec<PersistedCall>, StoreError>> {
        Box::pin(async move {
            in_transaction!(self, Scope::read(&owner), |transaction| {
                // The empty id sorts before every other id, and no call has it.
                let after = after.as_ref().map_or("", CallId::as_str);
                let sql = "SELECT id, owner, updated, ends, record FROM kept_calls \
                           WHERE owner = $1 AND $2 < id ORDER BY id LIMIT $3";
                Ok::<_, TransactionFailure>(
                    transaction.all(sql, values![&owner, after, limit], call).await?,
                )
            })
        })
    }

    fn forget(&self, id: CallId) -> StoreFuture<'_, std::result::Result<bool, StoreError>> {
        Box::pin(async move {
            in_transaction!(self, Scope::write_all(), |transaction| {
                let sql = "DELETE FROM kept_calls WHERE id = $1";
                Ok::<_, TransactionFailure>(
                    transaction.execute(sql, values![id.as_str()]).await? == 1,
                )
            })
        })
    }

    fn forget_expired(&self, now: Time) -> StoreFuture<'_, std::result::Result<u64, StoreError>> {
        Box::pin(async move {
            let mut removed = 0;
            loop {
                let count: std::result::Result<u64, StoreError> =
                    in_transaction!(self, Scope::write_all(), |transaction| {
                        let sql = "DELETE FROM kept_calls WHERE id IN (SELECT id FROM kept_calls \
                                   WHERE ends <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED)";
                        Ok::<_, TransactionFailure>(
                            transaction.execute(sql, values![now, BATCH]).await?,
                        )
                    });
                let count = count?;
                removed += count;
                if count < u64::from(BATCH) {
                    return Ok(removed);
                }
            }
        })
    }
}

fn call(row: &Row) -> Result<PersistedCall> {
    Ok(PersistedCall {
        id: CallId::new(&text(row, 0)?),
        owner: owner(row, 1)?,
        updated: time(row, 2)?,
        expires: optional_time(row, 3)?,
        record: text(row, 4)?,
    })
}
