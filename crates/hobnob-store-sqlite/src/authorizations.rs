//! Records of the authorization server in the table `authorizations`, behind the port
//! [`AuthorizationRepository`].
//!
//! All changes of one call are one transaction: a conflict rolls back the earlier ones.

use super::columns::{integer, optional_time};
use super::convert::WorkError;
use super::store::SqliteStore;
use hobnob_store::authorizations::{
    AuthorizationEntry, AuthorizationRepository, EntryChange, EntryChangeError, VersionedEntry,
};
use hobnob_store::{Owner, StoreError, StoreFuture, Time};
use rusqlite::{Connection, OptionalExtension as _, Result, Row};

/// Every column except the kind, in the order in which [`entry`] reads them.
const COLUMNS: &str = "key, owner, grant_id, expires, body, version";

impl AuthorizationRepository for SqliteStore {
    fn find_entry(
        &self,
        kind: &'static str,
        key: String,
    ) -> StoreFuture<'_, Result<Option<VersionedEntry>, StoreError>> {
        Box::pin(self.read(move |connection| {
            let sql = format!("SELECT {COLUMNS} FROM authorizations WHERE kind = ?1 AND key = ?2");
            let mut statement = connection.prepare_cached(&sql)?;
            let found = statement.query_row((kind, key), |row| entry(kind, row)).optional();
            Ok(found?)
        }))
    }

    fn list_entries(
        &self,
        kind: &'static str,
        after: Option<String>,
        limit: usize,
    ) -> StoreFuture<'_, Result<Vec<VersionedEntry>, StoreError>> {
        Box::pin(self.read(move |connection| {
            let sql = format!(
                "SELECT {COLUMNS} FROM authorizations \
                 WHERE kind = ?1 AND (?2 IS NULL OR ?2 < key) ORDER BY key LIMIT ?3"
            );
            let mut statement = connection.prepare_cached(&sql)?;
            let found =
                statement.query_map((kind, after, integer(limit)), |row| entry(kind, row))?;
            Ok(found.collect::<Result<_>>()?)
        }))
    }

    fn count_entries(&self, kind: &'static str) -> StoreFuture<'_, Result<usize, StoreError>> {
        Box::pin(self.read(move |connection| {
            let sql = "SELECT count(*) FROM authorizations WHERE kind = ?1";
            let count: i64 = connection.prepare_cached(sql)?.query_row([kind], |row| row.get(0))?;
            Ok(usize::try_from(count).unwrap_or_default())
        }))
    }

    fn change_entries(
        &self,
        changes: Vec<EntryChange>,
    ) -> StoreFuture<'_, Result<(), EntryChangeError>> {
        Box::pin(self.write(move |connection| {
            changes.into_iter().try_for_each(|change| apply(connection, change))
        }))
    }

    fn purge_entries(&self, now: Time) -> StoreFuture<'_, Result<usize, StoreError>> {
        Box::pin(self.write(move |connection| {
            let sql = "DELETE FROM authorizations WHERE expires <= ?1";
            Ok(connection.prepare_cached(sql)?.execute([now.millis()])?)
        }))
    }
}

fn apply(connection: &Connection, change: EntryChange) -> Result<(), WorkError<EntryChangeError>> {
    let changed = match change {
        EntryChange::Insert(entry) => {
            let sql = "INSERT INTO authorizations (kind, key, owner, grant_id, expires, body, version) \
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6, 1) ON CONFLICT DO NOTHING";
            let AuthorizationEntry { kind, key, owner, grant, expires, body } = entry;
            let row = (kind, key, owner.as_str(), grant, expires.map(Time::millis), body);
            connection.prepare_cached(sql)?.execute(row)?
        }
        EntryChange::Replace(VersionedEntry { entry, version }) => {
            let sql = "UPDATE authorizations SET owner = ?3, grant_id = ?4, expires = ?5, body = ?6, \
                       version = version + 1 WHERE kind = ?1 AND key = ?2 AND version = ?7";
            let AuthorizationEntry { kind, key, owner, grant, expires, body } = entry;
            let row = (
                kind,
                key,
                owner.as_str(),
                grant,
                expires.map(Time::millis),
                body,
                number(version),
            );
            connection.prepare_cached(sql)?.execute(row)?
        }
        EntryChange::Remove { kind, key, version } => {
            let sql = "DELETE FROM authorizations WHERE kind = ?1 AND key = ?2 AND version = ?3";
            connection.prepare_cached(sql)?.execute((kind, key, number(version)))?
        }
        EntryChange::RemoveGrant(grant) => {
            let sql = "DELETE FROM authorizations WHERE grant_id = ?1 AND grant_id <> ''";
            connection.prepare_cached(sql)?.execute([grant])?;
            return Ok(());
        }
        EntryChange::RemoveOwnerExcept { owner, kind } => {
            let sql = "DELETE FROM authorizations WHERE owner = ?1 AND owner <> '' AND kind <> ?2";
            connection.prepare_cached(sql)?.execute((owner.as_str(), kind))?;
            return Ok(());
        }
        EntryChange::RemoveOwner(owner) => {
            let sql = "DELETE FROM authorizations WHERE owner = ?1 AND owner <> ''";
            connection.prepare_cached(sql)?.execute([owner.as_str()])?;
            return Ok(());
        }
    };
    match changed {
        1 => Ok(()),
        _ => Err(EntryChangeError::Conflict.into()),
    }
}

fn number(version: u64) -> i64 {
    i64::try_from(version).unwrap_or(i64::MAX)
}

fn entry(kind: &'static str, row: &Row<'_>) -> Result<VersionedEntry> {
    let entry = AuthorizationEntry {
        kind,
        key: row.get(0)?,
        owner: Owner::named(&row.get::<_, String>(1)?),
        grant: row.get(2)?,
        expires: optional_time(row, 3)?,
        body: row.get(4)?,
    };
    Ok(VersionedEntry { entry, version: row.get::<_, i64>(5)?.unsigned_abs() })
}
