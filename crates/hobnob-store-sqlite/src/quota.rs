//! Checks an owner's quota before a write adds records. Ports that add records write through it;
//! triggers in the database keep the counts.

use super::convert::WorkError;
use super::store::SqliteStore;
use hobnob_store::{NewRecords, StoreError};
use rusqlite::{Connection, OptionalExtension as _};

#[cfg(test)]
mod tests;

impl SqliteStore {
    /// Runs a write that adds records if the owner's quota allows it. Check and write are one
    /// transaction.
    pub(super) async fn write_more<T, E, F>(&self, records: NewRecords, work: F) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
        F: FnOnce(&Connection) -> Result<T, WorkError<E>> + Send + 'static,
    {
        let limit = self.quotas().limit(&records.owner, records.kind);
        self.write(move |connection| {
            if let Some(limit) = limit {
                check(connection, &records, limit)
                    .map_err(|error| WorkError::Port(error.into_port().into()))?;
            }
            work(connection)
        })
        .await
    }
}

fn check(connection: &Connection, records: &NewRecords, limit: u64) -> Result<(), WorkError> {
    let sql = "SELECT items FROM stored_counts WHERE owner = ?1 AND kind = ?2";
    let stored: Option<i64> = connection
        .prepare_cached(sql)?
        .query_row((records.owner.as_str(), records.kind.as_str()), |row| row.get(0))
        .optional()?;
    let stored = stored.map_or(0, |stored| u64::try_from(stored).unwrap_or_default());
    Ok(records.check(stored, limit)?)
}
