//! Records of the authorization server in the table `authorizations`, behind the port
//! [`AuthorizationRepository`].
//!
//! All changes of one call are one transaction: a conflict rolls back the earlier ones. A change
//! names the version that it replaces, so of two replicas exactly one wins.

use crate::columns::{count, optional_time, owner, text};
use crate::error::{Result, TransactionFailure};
use crate::store::PostgresStore;
use crate::transaction::{Scope, Transaction, in_transaction};
use crate::value::values;
use hobnob_store::authorizations::{
    AuthorizationEntry, AuthorizationRepository, EntryChange, EntryChangeError, VersionedEntry,
};
use hobnob_store::{StoreError, StoreFuture, Time};
use tokio_postgres::Row;

/// Every column except the kind, in the order in which [`entry`] reads them.
const COLUMNS: &str = "key, owner, grant_id, expires, body, version";

impl AuthorizationRepository for PostgresStore {
    fn find_entry(
        &self,
        kind: &'static str,
        key: String,
    ) -> StoreFuture<'_, std::result::Result<Option<VersionedEntry>, StoreError>> {
        Box::pin(async move {
            in_transaction!(self, Scope::read_all(), |transaction| {
                let sql =
                    format!("SELECT {COLUMNS} FROM authorizations WHERE kind = $1 AND key = $2");
                let found = transaction.first(&sql, values![kind, &key], |row| entry(kind, row));
                Ok::<_, TransactionFailure>(found.await?)
            })
        })
    }

    fn list_entries(
        &self,
        kind: &'static str,
        after: Option<String>,
        limit: usize,
    ) -> StoreFuture<'_, std::result::Result<Vec<VersionedEntry>, StoreError>> {
        Box::pin(async move {
            in_transaction!(self, Scope::read_all(), |transaction| {
                let sql = format!(
                    "SELECT {COLUMNS} FROM authorizations \
                     WHERE kind = $1 AND ($2 IS NULL OR $2 < key) ORDER BY key LIMIT $3"
                );
                let given = values![kind, &after, limit];
                Ok::<_, TransactionFailure>(
                    transaction.all(&sql, given, |row| entry(kind, row)).await?,
                )
            })
        })
    }

    fn count_entries(
        &self,
        kind: &'static str,
    ) -> StoreFuture<'_, std::result::Result<usize, StoreError>> {
        Box::pin(async move {
            in_transaction!(self, Scope::read_all(), |transaction| {
                let sql = "SELECT count(*) FROM authorizations WHERE kind = $1";
                let found = transaction.one(sql, values![kind], |row| count(row, 0)).await?;
                Ok::<_, TransactionFailure>(usize::try_from(found).unwrap_or(usize::MAX))
            })
        })
    }

    fn change_entries(
        &self,
        changes: Vec<EntryChange>,
    ) -> StoreFuture<'_, std::result::Result<(), EntryChangeError>> {
        Box::pin(async move {
            in_transaction!(self, Scope::write_all(), |transaction| {
                for change in &changes {
                    apply(&transaction, change).await?;
                }
                Ok(())
            })
        })
    }

    fn purge_entries(&self, now: Time) -> StoreFuture<'_, std::result::Result<usize, StoreError>> {
        Box::pin(async move {
            in_transaction!(self, Scope::write_all(), |transaction| {
                let sql = "DELETE FROM authorizations WHERE expires <= $1";
                let removed = transaction.execute(sql, values![now]).await?;
                Ok::<_, TransactionFailure>(usize::try_from(removed).unwrap_or(usize::MAX))
            })
        })
    }
}

async fn apply(
    transaction: &Transaction,
    change: &EntryChange,
) -> std::result::Result<(), TransactionFailure<EntryChangeError>> {
    let changed = match change {
        EntryChange::Insert(entry) => {
            let sql = "INSERT INTO authorizations (kind, key, owner, grant_id, expires, body, version) \
                       VALUES ($1, $2, $3, $4, $5, $6, 1) ON CONFLICT DO NOTHING";
            let AuthorizationEntry { kind, key, owner, grant, expires, body } = entry;
            transaction.execute(sql, values![*kind, key, owner, grant, *expires, body]).await?
        }
        EntryChange::Replace(VersionedEntry { entry, version }) => {
            let sql = "UPDATE authorizations SET owner = $3, grant_id = $4, expires = $5, body = $6, \
                       version = version + 1 WHERE kind = $1 AND key = $2 AND version = $7";
            let AuthorizationEntry { kind, key, owner, grant, expires, body } = entry;
            let row = values![*kind, key, owner, grant, *expires, body, *version];
            transaction.execute(sql, row).await?
        }
        EntryChange::Remove { kind, key, version } => {
            let sql = "DELETE FROM authorizations WHERE kind = $1 AND key = $2 AND version = $3";
            transaction.execute(sql, values![*kind, key, *version]).await?
        }
        EntryChange::RemoveGrant(grant) => {
            let sql = "DELETE FROM authorizations WHERE grant_id = $1 AND grant_id <> ''";
            transaction.execute(sql, values![grant]).await?;
            return Ok(());
        }
        EntryChange::RemoveOwnerExcept { owner, kind } => {
            let sql = "DELETE FROM authorizations WHERE owner = $1 AND owner <> '' AND kind <> $2";
            transaction.execute(sql, values![owner, *kind]).await?;
            return Ok(());
        }
        EntryChange::RemoveOwner(owner) => {
            let sql = "DELETE FROM authorizations WHERE owner = $1 AND owner <> ''";
            transaction.execute(sql, values![owner]).await?;
            return Ok(());
        }
    };
    match changed {
        1 => Ok(()),
        _ => Err(EntryChangeError::Conflict.into()),
    }
}

fn entry(kind: &'static str, row: &Row) -> Result<VersionedEntry> {
    let entry = AuthorizationEntry {
        kind,
        key: text(row, 0)?,
        owner: owner(row, 1)?,
        grant: text(row, 2)?,
        expires: optional_time(row, 3)?,
        body: text(row, 4)?,
    };
    Ok(VersionedEntry { entry, version: count(row, 5)? })
}
