//! The port `MemoryRepository`: each method is one transaction.
//!
//! Nothing is computed here; the sibling files do the work.

use super::{capture, change, clean, find, list, merge, replaced};
use crate::error::TransactionFailure;
use crate::quota;
use crate::store::PostgresStore;
use crate::transaction::{Scope, in_transaction};
use hobnob_store::cursors::ListOwner;
use hobnob_store::memory::{
    CaptureOutcome, Captured, CleanUpCounts, Memory, MemoryAccess, MemoryEdit, MemoryError,
    MemoryFilter, MemoryId, MemoryRepository, MemoryScope, MemoryVersion, NewMemory, Page,
    PageRequest, UsageCount,
};
use hobnob_store::{Owner, StoreError, StoreFuture, StoredKind, Time};
use std::collections::BTreeSet;

/// The scope of a write for these owners: one at a time for each of them, and one at a time in the
/// shared scope. A new model waits for all of them, so that it finds every memory that lacks its
/// vector.
fn write_scope<'a>(owners: &BTreeSet<&'a Owner>, shared: Shared) -> Scope<'a> {
    let scope = match owners.first() {
        Some(owner) if owners.len() == 1 => Scope::write(owner),
        _ => Scope::write_all(),
    };
    let mut scope = scope.shared("models", "");
    if shared == Shared::Yes {
        scope = scope.locked("memories of org", "");
    }
    for owner in owners {
        scope = scope.locked("memories", owner.as_str());
    }
    scope
}

/// Whether a write may reach memories that owners share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shared {
    Yes,
    No,
}

impl Shared {
    fn of_new(new: &NewMemory) -> Self {
        if *new.scope.get() == MemoryScope::Org { Self::Yes } else { Self::No }
    }

    fn of(access: &MemoryAccess) -> Self {
        if access.org.is_some() { Self::Yes } else { Self::No }
    }
}

/// Reads what a caller can reach.
macro_rules! reading {
    ($store:expr, $access:expr, |$transaction:ident| $done:expr) => {
        Box::pin(async move {
            in_transaction!($store, Scope::read(&$access.owner), |$transaction| $done)
        })
    };
}

/// Changes what a caller can reach.
macro_rules! writing {
    ($store:expr, $access:expr, |$transaction:ident| $done:expr) => {
        Box::pin(async move {
            let scope = write_scope(&BTreeSet::from([&$access.owner]), Shared::of(&$access));
            in_transaction!($store, scope, |$transaction| $done)
        })
    };
}

impl MemoryRepository for PostgresStore {
    fn capture(&self, new: NewMemory) -> StoreFuture<'_, Result<Captured, StoreError>> {
        Box::pin(async move {
            let scope = write_scope(&BTreeSet::from([&new.owner]), Shared::of_new(&new));
            in_transaction!(self, scope, |transaction| {
                let records = (&new.owner, StoredKind::Memories);
                quota::check(&transaction, &self.quotas(), records, 1).await?;
                Ok::<_, TransactionFailure>(capture::capture(&transaction, new.clone()).await?)
            })
        })
    }

    fn capture_or_merge(
        &self,
        new: NewMemory,
    ) -> StoreFuture<'_, Result<CaptureOutcome, StoreError>> {
        Box::pin(async move {
            let scope = write_scope(&BTreeSet::from([&new.owner]), Shared::of_new(&new));
            in_transaction!(self, scope, |transaction| {
                let records = (&new.owner, StoredKind::Memories);
                quota::check(&transaction, &self.quotas(), records, 1).await?;
                Ok::<_, TransactionFailure>(
                    merge::capture_or_merge(&transaction, new.clone()).await?,
                )
            })
        })
    }

    fn capture_all(
        &self,
        new: Vec<NewMemory>,
    ) -> StoreFuture<'_, Result<Vec<CaptureOutcome>, StoreError>> {
        Box::pin(async move {
            let owners: BTreeSet<&Owner> = new.iter().map(|new| &new.owner).collect();
            let shared = new.iter().any(|new| Shared::of_new(new) == Shared::Yes);
            let scope = write_scope(&owners, if shared { Shared::Yes } else { Shared::No });
            in_transaction!(self, scope, |transaction| {
                for owner in &owners {
                    let records = (*owner, StoredKind::Memories);
                    let count = new.iter().filter(|new| new.owner == **owner).count();
                    quota::check(&transaction, &self.quotas(), records, count).await?;
                }
                let mut outcomes = Vec::with_capacity(new.len());
                for new in &new {
                    outcomes.push(merge::capture_of_many(&transaction, new.clone()).await?);
                }
                Ok::<_, TransactionFailure>(outcomes)
            })
        })
    }

    fn get(
        &self,
        access: MemoryAccess,
        id: MemoryId,
    ) -> StoreFuture<'_, Result<Option<Memory>, StoreError>> {
        reading!(self, access, |transaction| {
            match find::find(&transaction, &access, &id).await {
                Ok(numbered) => Ok(Some(numbered.memory)),
                Err(TransactionFailure::Database(error)) => Err(TransactionFailure::from(error)),
                Err(TransactionFailure::Port(MemoryError::Store(error))) => {
                    Err(TransactionFailure::Port(error))
                }
                Err(TransactionFailure::Port(_)) => Ok(None),
            }
        })
    }

    fn update(
        &self,
        access: MemoryAccess,
        id: MemoryId,
        edit: MemoryEdit,
    ) -> StoreFuture<'_, Result<Memory, MemoryError>> {
        writing!(self, access, |transaction| {
            change::update(&transaction, &access, &id, edit.clone()).await
        })
    }

    fn delete(
        &self,
        access: MemoryAccess,
        id: MemoryId,
    ) -> StoreFuture<'_, Result<Memory, MemoryError>> {
        writing!(self, access, |transaction| change::delete(&transaction, &access, &id).await)
    }

    fn restore(
        &self,
        access: MemoryAccess,
        id: MemoryId,
    ) -> StoreFuture<'_, Result<Memory, MemoryError>> {
        writing!(self, access, |transaction| change::restore(&transaction, &access, &id).await)
    }

    fn purge(
        &self,
        access: MemoryAccess,
        id: MemoryId,
    ) -> StoreFuture<'_, Result<(), MemoryError>> {
        writing!(self, access, |transaction| change::purge(&transaction, &access, &id).await)
    }

    fn supersede(
        &self,
        access: MemoryAccess,
        old: Vec<MemoryId>,
        new: NewMemory,
    ) -> StoreFuture<'_, Result<Memory, MemoryError>> {
        Box::pin(async move {
            let owners = BTreeSet::from([&access.owner, &new.owner]);
            in_transaction!(self, write_scope(&owners, Shared::of(&access)), |transaction| {
                let records = (&new.owner, StoredKind::Memories);
                quota::check(&transaction, &self.quotas(), records, 1).await?;
                capture::supersede(&transaction, &access, &old, new.clone()).await
            })
        })
    }

    fn mark_replaced(
        &self,
        access: MemoryAccess,
        newer: MemoryId,
        older: Vec<MemoryId>,
    ) -> StoreFuture<'_, Result<Vec<Memory>, MemoryError>> {
        writing!(self, access, |transaction| {
            replaced::mark_replaced(&transaction, &access, &newer, &older).await
        })
    }

    fn history(
        &self,
        access: MemoryAccess,
        id: MemoryId,
    ) -> StoreFuture<'_, Result<Vec<MemoryVersion>, MemoryError>> {
        reading!(self, access, |transaction| change::history(&transaction, &access, &id).await)
    }

    fn list(
        &self,
        access: MemoryAccess,
        filter: MemoryFilter,
        page: PageRequest,
    ) -> StoreFuture<'_, Result<Page<Memory>, MemoryError>> {
        Box::pin(async move {
            let of = ListOwner { owner: access.owner.clone(), list: "memories" };
            let page = self.open_cursor::<MemoryError>(&of, page).await?;
            let part = in_transaction!(self, Scope::read(&access.owner), |transaction| {
                list::list(&transaction, &access, &filter, &page).await
            });
            self.seal_cursor(&of, part).await
        })
    }

    fn count(
        &self,
        access: MemoryAccess,
        filter: MemoryFilter,
    ) -> StoreFuture<'_, Result<u64, StoreError>> {
        reading!(self, access, |transaction| Ok::<_, TransactionFailure>(
            list::count(&transaction, &access, &filter).await?
        ))
    }

    fn namespaces(
        &self,
        access: MemoryAccess,
        filter: MemoryFilter,
    ) -> StoreFuture<'_, Result<Vec<UsageCount>, StoreError>> {
        reading!(self, access, |transaction| Ok::<_, TransactionFailure>(
            list::namespaces(&transaction, &access, &filter).await?
        ))
    }

    fn tags(
        &self,
        access: MemoryAccess,
        prefix: String,
        limit: usize,
    ) -> StoreFuture<'_, Result<Vec<UsageCount>, StoreError>> {
        reading!(self, access, |transaction| Ok::<_, TransactionFailure>(
            list::tags(&transaction, &access, &prefix, limit).await?
        ))
    }

    /// Every memory was stored with all that is derived from it.
    fn catch_up(&self) -> StoreFuture<'_, Result<(), StoreError>> {
        Box::pin(async { Ok(()) })
    }

    fn clean_up(
        &self,
        of: Option<Owner>,
        now: Time,
        keep_since: Time,
    ) -> StoreFuture<'_, Result<CleanUpCounts, StoreError>> {
        Box::pin(clean::clean_up(self, of, now, keep_since))
    }
}
