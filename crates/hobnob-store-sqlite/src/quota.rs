//! Checks an owner's quota before a write adds records. Ports that add records write through it;
//! triggers in the database keep the counts.

use super::convert::WorkError;
use super::store::SqliteStore;
use hobnob_store::{
    NewRecords, Owner, QuotaCount, QuotaCounts, StoreError, StoreFuture, StoreQuotas, StoredKind,
};
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

impl QuotaCounts for SqliteStore {
    fn nearest_quotas(&self) -> StoreFuture<'_, Result<Vec<QuotaCount>, StoreError>> {
        let quotas = self.quotas();
        Box::pin(self.read(move |connection| {
            let mut nearest = Vec::new();
            for kind in StoredKind::ALL {
                nearest.extend(nearest_of(connection, &quotas, kind)?);
            }
            Ok::<_, WorkError>(nearest)
        }))
    }
}

/// The owner who uses most of the quota for this kind. All named owners have the same quota, and the
/// user of this machine may have another.
fn nearest_of(
    connection: &Connection,
    quotas: &StoreQuotas,
    kind: StoredKind,
) -> rusqlite::Result<Option<QuotaCount>> {
    let mut found = Vec::new();
    for is_named in [true, false] {
        let sql = "SELECT owner, items FROM stored_counts WHERE kind = ?1 AND (owner <> '') = ?2 \
                   AND 0 < items ORDER BY items DESC, owner LIMIT 1";
        let row = connection.prepare_cached(sql)?.query_row((kind.as_str(), is_named), |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?))
        });
        let Some((owner, stored)) = row.optional()? else { continue };
        let (owner, stored) = (Owner::named(&owner), u64::try_from(stored).unwrap_or_default());
        if let Some(limit) = quotas.limit(&owner, kind) {
            found.push(QuotaCount { kind, owner, stored, limit });
        }
    }
    // Cross-multiplied shares, so that no quota of 0 is divided by.
    let share = |one: &QuotaCount, other: &QuotaCount| {
        let (left, right) = (u128::from(one.stored), u128::from(other.stored));
        (left * u128::from(other.limit)).cmp(&(right * u128::from(one.limit)))
    };
    Ok(found.into_iter().max_by(share))
}
