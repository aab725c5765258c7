//! Keeps the records of an authorization server (clients, users, sessions, grants, tokens) in
//! memory only: for tests, and for servers that may forget them when the process ends.
//!
//! What must stay true: it fulfils the contract of [`AuthorizationStore`], as every store does.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::ops::Bound;

use hobnob_mcp_engine::BoxFuture;

use super::record_store::{
    AuthorizationRecord, AuthorizationStore, Committed, FoundRecord, RecordKind, RecordStoreError,
    StoredChange,
};

type Records = BTreeMap<(RecordKind, Box<str>), FoundRecord>;

/// Keeps records in memory until it is dropped.
#[derive(Default)]
pub struct MemoryAuthorizationStore(Mutex<Records>);

impl AuthorizationStore for MemoryAuthorizationStore {
    fn find<'a>(
        &'a self,
        kind: RecordKind,
        key: &'a str,
    ) -> BoxFuture<'a, Result<Option<FoundRecord>, RecordStoreError>> {
        Box::pin(async move { Ok(self.0.lock().get(&(kind, key.into())).cloned()) })
    }

    fn list<'a>(
        &'a self,
        kind: RecordKind,
        after: Option<&'a str>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<FoundRecord>, RecordStoreError>> {
        Box::pin(async move {
            let records = self.0.lock();
            let from = match after {
                Some(key) => Bound::Excluded((kind, key.into())),
                None => Bound::Included((kind, "".into())),
            };
            let of_kind = records.range((from, Bound::Unbounded));
            let of_kind = of_kind.take_while(|((of, _), _)| *of == kind);
            Ok(of_kind.take(limit).map(|(_, found)| found.clone()).collect())
        })
    }

    fn count(&self, kind: RecordKind) -> BoxFuture<'_, Result<usize, RecordStoreError>> {
        Box::pin(async move { Ok(self.0.lock().keys().filter(|(of, _)| *of == kind).count()) })
    }

    fn commit(
        &self,
        changes: Vec<StoredChange>,
    ) -> BoxFuture<'_, Result<Committed, RecordStoreError>> {
        Box::pin(async move {
            let mut records = self.0.lock();
            let mut changed = records.clone();
            if !changes.into_iter().all(|change| apply(&mut changed, change)) {
                return Ok(Committed::Conflict);
            }
            *records = changed;
            Ok(Committed::Done)
        })
    }

    fn purge(&self, now: u64) -> BoxFuture<'_, Result<usize, RecordStoreError>> {
        Box::pin(async move {
            let mut records = self.0.lock();
            let before = records.len();
            records.retain(|_, found| found.record.expires_at.is_none_or(|end| now < end));
            Ok(before - records.len())
        })
    }
}

/// Makes one change; returns whether the records were in the state that it expects.
fn apply(records: &mut Records, change: StoredChange) -> bool {
    let place = |record: &AuthorizationRecord| (record.kind, record.key.clone());
    let is_at = |records: &Records, place: &(RecordKind, Box<str>), version: u64| {
        records.get(place).is_some_and(|found| found.version == version)
    };
    match change {
        StoredChange::Insert(record) => {
            let place = place(&record);
            let free = !records.contains_key(&place);
            if free {
                records.insert(place, FoundRecord { record, version: 1 });
            }
            free
        }
        StoredChange::Replace { record, version } => {
            let place = place(&record);
            let same = is_at(records, &place, version);
            records.insert(place, FoundRecord { record, version: version + 1 });
            same
        }
        StoredChange::Remove { kind, key, version } => {
            let place = (kind, key);
            let same = is_at(records, &place, version);
            records.remove(&place);
            same
        }
        StoredChange::RemoveGrant(grant) => {
            // An empty id means that the record belongs to no grant; such records stay.
            records.retain(|_, found| grant.is_empty() || found.record.grant != grant);
            true
        }
        StoredChange::RemoveLogins(user) => {
            let is_login = |found: &FoundRecord| {
                found.record.user == user && found.record.kind != RecordKind::User
            };
            records.retain(|_, found| user.is_empty() || !is_login(found));
            true
        }
        StoredChange::RemoveUser(user) => {
            records.retain(|_, found| user.is_empty() || found.record.user != user);
            true
        }
    }
}

impl std::fmt::Debug for MemoryAuthorizationStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "MemoryAuthorizationStore({} records)", self.0.lock().len())
    }
}
