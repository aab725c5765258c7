//! Long tool calls that outlive the process which runs them. What is in a record, and whose
//! business it is, the caller knows; here it is text with a name and an end.

use super::store::SqliteStore;
use crate::error::StoreError;
use crate::owner::Owner;
use crate::time::Time;
use rusqlite::{OptionalExtension as _, Result, Row};

/// Calls that are forgotten in one write.
const TOGETHER: u32 = 500;

/// A kept call's name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallId(Box<str>);

impl CallId {
    /// The call of this name.
    pub fn new(id: &str) -> Self {
        Self(id.into())
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A call as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptCall {
    /// Its name, of which there is one in a store.
    pub id: CallId,
    /// Whose it is.
    pub owner: Owner,
    /// When it last changed.
    pub updated: Time,
    /// From when on it may be forgotten.
    pub ends: Option<Time>,
    /// All about it, in JSON.
    pub record: String,
}

impl SqliteStore {
    /// Keeps a call, in place of what was kept under its name.
    pub async fn keep_call(&self, call: KeptCall) -> Result<(), StoreError> {
        self.write(move |connection| {
            let sql = "INSERT INTO kept_calls (id, owner, updated, ends, record) \
                       VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO UPDATE SET \
                       owner = excluded.owner, updated = excluded.updated, \
                       ends = excluded.ends, record = excluded.record";
            let (id, owner) = (call.id.as_str(), call.owner.as_str());
            let row = (id, owner, call.updated, call.ends, &call.record);
            connection.prepare_cached(sql)?.execute(row)?;
            Ok(())
        })
        .await
    }

    /// A call by its name; whether the caller may see it is for the caller to check.
    pub async fn kept_call(&self, id: CallId) -> Result<Option<KeptCall>, StoreError> {
        self.read(move |connection| {
            let sql = "SELECT id, owner, updated, ends, record FROM kept_calls WHERE id = ?1";
            Ok(connection.prepare_cached(sql)?.query_row([id.as_str()], call).optional()?)
        })
        .await
    }

    /// The calls of an owner, by name, from behind one on, at most so many.
    pub async fn kept_calls(
        &self,
        owner: Owner,
        after: Option<CallId>,
        limit: usize,
    ) -> Result<Vec<KeptCall>, StoreError> {
        self.read(move |connection| {
            // No name is before the empty one, and none is the empty one.
            let after = after.as_ref().map_or("", CallId::as_str);
            let sql = "SELECT id, owner, updated, ends, record FROM kept_calls \
                       WHERE owner = ?1 AND ?2 < id ORDER BY id LIMIT ?3";
            let mut statement = connection.prepare_cached(sql)?;
            let limit = i64::try_from(limit).unwrap_or(i64::MAX);
            let calls = statement.query_map((owner.as_str(), after, limit), call)?;
            Ok(calls.collect::<Result<_>>()?)
        })
        .await
    }

    /// Forgets a call; whether it was there.
    pub async fn forget_call(&self, id: CallId) -> Result<bool, StoreError> {
        self.write(move |connection| {
            let sql = "DELETE FROM kept_calls WHERE id = ?1";
            Ok(connection.prepare_cached(sql)?.execute([id.as_str()])? == 1)
        })
        .await
    }

    /// Forgets the calls whose end has come; how many.
    pub async fn forget_ended_calls(&self, now: Time) -> Result<u64, StoreError> {
        let mut forgotten = 0;
        loop {
            let count: usize = self
                .write(move |connection| {
                    let sql = "DELETE FROM kept_calls WHERE id IN \
                               (SELECT id FROM kept_calls WHERE ends <= ?1 LIMIT ?2)";
                    Ok::<_, StoreError>(connection.prepare_cached(sql)?.execute((now, TOGETHER))?)
                })
                .await?;
            forgotten += count as u64;
            if count < TOGETHER as usize {
                return Ok(forgotten);
            }
        }
    }
}

fn call(row: &Row<'_>) -> Result<KeptCall> {
    Ok(KeptCall {
        id: CallId::new(&row.get::<_, String>(0)?),
        owner: Owner::named(&row.get::<_, String>(1)?),
        updated: row.get(2)?,
        ends: row.get(3)?,
        record: row.get(4)?,
    })
}
