//! Long tool calls in the table `kept_calls`, behind the port [`CallRepository`]. Expired calls are
//! removed in small writes, so that no other write waits long for them.

use super::columns::{integer, optional_time, time};
use super::convert::WorkError;
use super::store::SqliteStore;
use hobnob_store::calls::{CallId, CallRepository, PersistedCall};
use hobnob_store::{Owner, StoreError, StoreFuture, Time};
use rusqlite::{OptionalExtension as _, Result, Row};

/// How many expired calls one write removes.
const BATCH: u32 = 500;

impl CallRepository for SqliteStore {
    fn save(&self, call: PersistedCall) -> StoreFuture<'_, Result<(), StoreError>> {
        Box::pin(self.write(move |connection| {
            let sql = "INSERT INTO kept_calls (id, owner, updated, ends, record) \
                       VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO UPDATE SET \
                       owner = excluded.owner, updated = excluded.updated, \
                       ends = excluded.ends, record = excluded.record";
            let (id, owner) = (call.id.as_str(), call.owner.as_str());
            let expires = call.expires.map(Time::millis);
            let row = (id, owner, call.updated.millis(), expires, &call.record);
            connection.prepare_cached(sql)?.execute(row)?;
            Ok(())
        }))
    }

    fn load(&self, id: CallId) -> StoreFuture<'_, Result<Option<PersistedCall>, StoreError>> {
        Box::pin(self.read(move |connection| {
            let sql = "SELECT id, owner, updated, ends, record FROM kept_calls WHERE id = ?1";
            Ok(connection.prepare_cached(sql)?.query_row([id.as_str()], call).optional()?)
        }))
    }

    fn calls_of(
        &self,
        owner: Owner,
        after: Option<CallId>,
        limit: usize,
    ) -> StoreFuture<'_, Result<Vec<PersistedCall>, StoreError>> {
        Box::pin(self.read(move |connection| {
            // The empty id sorts before every other id, and no call has it.
            let after = after.as_ref().map_or("", CallId::as_str);
            let sql = "SELECT id, owner, updated, ends, record FROM kept_calls \
                       WHERE owner = ?1 AND ?2 < id ORDER BY id LIMIT ?3";
            let mut statement = connection.prepare_cached(sql)?;
            let calls = statement.query_map((owner.as_str(), after, integer(limit)), call)?;
            Ok(calls.collect::<Result<_>>()?)
        }))
    }

    fn forget(&self, id: CallId) -> StoreFuture<'_, Result<bool, StoreError>> {
        Box::pin(self.write(move |connection| {
            let sql = "DELETE FROM kept_calls WHERE id = ?1";
            Ok(connection.prepare_cached(sql)?.execute([id.as_str()])? == 1)
        }))
    }

    fn forget_expired(&self, now: Time) -> StoreFuture<'_, Result<u64, StoreError>> {
        Box::pin(async move {
            let mut removed = 0;
            loop {
                let count: usize = self
                    .write(move |connection| {
                        let sql = "DELETE FROM kept_calls WHERE id IN \
                                   (SELECT id FROM kept_calls WHERE ends <= ?1 LIMIT ?2)";
                        Ok::<_, WorkError>(
                            connection.prepare_cached(sql)?.execute((now.millis(), BATCH))?,
                        )
                    })
                    .await?;
                removed += count as u64;
                if count < BATCH as usize {
                    return Ok(removed);
                }
            }
        })
    }
}

fn call(row: &Row<'_>) -> Result<PersistedCall> {
    Ok(PersistedCall {
        id: CallId::new(&row.get::<_, String>(0)?),
        owner: Owner::named(&row.get::<_, String>(1)?),
        updated: time(row, 2)?,
        expires: optional_time(row, 3)?,
        record: row.get(4)?,
    })
}
