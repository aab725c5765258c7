//! The record store of the authorization server, on top of Hobnob's store.
//!
//! What must stay true: a record is read back exactly as it was stored, and a conflict is reported
//! as one.

use hobnob_mcp_auth::authorization_server::{
    AuthorizationRecord, AuthorizationStore, Committed, FoundRecord, RecordKind, RecordStoreError,
    StoredChange,
};
use hobnob_mcp_engine::BoxFuture;
use hobnob_store::authorizations::{
    AuthorizationEntry, AuthorizationRepository, EntryChange, EntryChangeError, VersionedEntry,
};
use hobnob_store::{Owner, StoreError, Time};
use std::fmt;
use std::sync::Arc;

/// Records in one of Hobnob's stores.
pub struct StoredRecords(Arc<dyn AuthorizationRepository>);

impl StoredRecords {
    /// Uses this store, which the caller has opened.
    pub fn new(store: Arc<dyn AuthorizationRepository>) -> Self {
        Self(store)
    }
}

impl AuthorizationStore for StoredRecords {
    fn find<'a>(
        &'a self,
        kind: RecordKind,
        key: &'a str,
    ) -> BoxFuture<'a, Result<Option<FoundRecord>, RecordStoreError>> {
        Box::pin(async move {
            let found = self.0.find_entry(kind.name(), key.to_owned()).await.map_err(failed)?;
            Ok(found.map(|found| record(kind, found)))
        })
    }

    fn list<'a>(
        &'a self,
        kind: RecordKind,
        after: Option<&'a str>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<FoundRecord>, RecordStoreError>> {
        Box::pin(async move {
            let after = after.map(str::to_owned);
            let found = self.0.list_entries(kind.name(), after, limit).await.map_err(failed)?;
            Ok(found.into_iter().map(|found| record(kind, found)).collect())
        })
    }

    fn count(&self, kind: RecordKind) -> BoxFuture<'_, Result<usize, RecordStoreError>> {
        Box::pin(async move { self.0.count_entries(kind.name()).await.map_err(failed) })
    }

    fn commit(
        &self,
        changes: Vec<StoredChange>,
    ) -> BoxFuture<'_, Result<Committed, RecordStoreError>> {
        Box::pin(async move {
            let changes = changes.into_iter().map(stored_change).collect();
            match self.0.change_entries(changes).await {
                Ok(()) => Ok(Committed::Done),
                Err(EntryChangeError::Conflict) => Ok(Committed::Conflict),
                Err(EntryChangeError::Store(error)) => Err(failed(error)),
            }
        })
    }

    fn purge(&self, now: u64) -> BoxFuture<'_, Result<usize, RecordStoreError>> {
        Box::pin(async move { self.0.purge_entries(time(now)).await.map_err(failed) })
    }
}

fn failed(error: StoreError) -> RecordStoreError {
    RecordStoreError(error.to_string().into())
}

fn time(seconds: u64) -> Time {
    Time::from_millis(i64::try_from(seconds).unwrap_or(i64::MAX).saturating_mul(1000))
}

fn seconds(time: Time) -> u64 {
    u64::try_from(time.millis()).unwrap_or_default() / 1000
}

fn entry(record: AuthorizationRecord) -> AuthorizationEntry {
    AuthorizationEntry {
        kind: record.kind.name(),
        key: record.key.into(),
        owner: Owner::named(&record.user),
        grant: record.grant.into(),
        expires: record.expires_at.map(time),
        body: record.body.into(),
    }
}

fn record(kind: RecordKind, found: VersionedEntry) -> FoundRecord {
    let VersionedEntry { entry, version } = found;
    let record = AuthorizationRecord {
        kind,
        key: entry.key.into(),
        user: entry.owner.as_str().into(),
        grant: entry.grant.into(),
        expires_at: entry.expires.map(seconds),
        body: entry.body.into(),
    };
    FoundRecord { record, version }
}

fn stored_change(change: StoredChange) -> EntryChange {
    match change {
        StoredChange::Insert(record) => EntryChange::Insert(entry(record)),
        StoredChange::Replace { record, version } => {
            EntryChange::Replace(VersionedEntry { entry: entry(record), version })
        }
        StoredChange::Remove { kind, key, version } => {
            EntryChange::Remove { kind: kind.name(), key: key.into(), version }
        }
        StoredChange::RemoveGrant(grant) => EntryChange::RemoveGrant(grant.into()),
        StoredChange::RemoveLogins(user) => EntryChange::RemoveOwnerExcept {
            owner: Owner::named(&user),
            kind: RecordKind::User.name(),
        },
        StoredChange::RemoveUser(user) => EntryChange::RemoveOwner(Owner::named(&user)),
    }
}

impl fmt::Debug for StoredRecords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StoredRecords")
    }
}
