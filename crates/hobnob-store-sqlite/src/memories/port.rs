//! The port `MemoryRepository`: each method is one job for the writer or a reader.
//!
//! Nothing is computed here; the sibling files do the work inside the transaction.

use super::{capture, change, clean, find, list, merge, replaced, sketch};
use crate::SqliteStore;
use crate::convert::WorkError;
use hobnob_store::cursors::ListOwner;
use hobnob_store::memory::{
    CaptureOutcome, Captured, CleanUpCounts, Memory, MemoryAccess, MemoryEdit, MemoryError,
    MemoryFilter, MemoryId, MemoryRepository, MemoryVersion, NewMemory, Page, PageRequest,
    UsageCount,
};
use hobnob_store::{NewRecords, Owner, StoreError, StoreFuture, StoredKind, Time};

fn memories(owner: &Owner, count: usize) -> NewRecords {
    NewRecords { owner: owner.clone(), kind: StoredKind::Memories, count }
}

impl MemoryRepository for SqliteStore {
    fn capture(&self, new: NewMemory) -> StoreFuture<'_, Result<Captured, StoreError>> {
        let more = memories(&new.owner, 1);
        Box::pin(self.write_more(more, move |connection| Ok(capture::capture(connection, new)?)))
    }

    fn capture_or_merge(
        &self,
        new: NewMemory,
    ) -> StoreFuture<'_, Result<CaptureOutcome, StoreError>> {
        let more = memories(&new.owner, 1);
        Box::pin(
            self.write_more(more, move |connection| Ok(merge::capture_or_merge(connection, new)?)),
        )
    }

    fn capture_all(
        &self,
        new: Vec<NewMemory>,
    ) -> StoreFuture<'_, Result<Vec<CaptureOutcome>, StoreError>> {
        // All memories of one call belong to the same owner.
        let owner = new.first().map_or_else(Owner::default, |first| first.owner.clone());
        Box::pin(self.write_more(memories(&owner, new.len()), move |connection| {
            new.into_iter().map(|new| Ok(merge::capture_of_many(connection, new)?)).collect()
        }))
    }

    fn get(
        &self,
        access: MemoryAccess,
        id: MemoryId,
    ) -> StoreFuture<'_, Result<Option<Memory>, StoreError>> {
        Box::pin(self.read(move |connection| match find::find(connection, &access, &id) {
            Ok(numbered) => Ok(Some(numbered.memory)),
            Err(WorkError::Sqlite(error)) => Err(error.into()),
            Err(WorkError::Port(MemoryError::Store(error))) => Err(error.into()),
            Err(WorkError::Port(_)) => Ok(None),
        }))
    }

    fn update(
        &self,
        access: MemoryAccess,
        id: MemoryId,
        edit: MemoryEdit,
    ) -> StoreFuture<'_, Result<Memory, MemoryError>> {
        Box::pin(self.write(move |connection| change::update(connection, &access, &id, edit)))
    }

    fn delete(
        &self,
        access: MemoryAccess,
        id: MemoryId,
    ) -> StoreFuture<'_, Result<Memory, MemoryError>> {
        Box::pin(self.write(move |connection| change::delete(connection, &access, &id)))
    }

    fn restore(
        &self,
        access: MemoryAccess,
        id: MemoryId,
    ) -> StoreFuture<'_, Result<Memory, MemoryError>> {
        Box::pin(self.write(move |connection| change::restore(connection, &access, &id)))
    }

    fn purge(
        &self,
        access: MemoryAccess,
        id: MemoryId,
    ) -> StoreFuture<'_, Result<(), MemoryError>> {
        Box::pin(self.write(move |connection| change::purge(connection, &access, &id)))
    }

    fn supersede(
        &self,
        access: MemoryAccess,
        old: Vec<MemoryId>,
        new: NewMemory,
    ) -> StoreFuture<'_, Result<Memory, MemoryError>> {
        let more = memories(&new.owner, 1);
        Box::pin(
            self.write_more(more, move |connection| {
                capture::supersede(connection, &access, &old, new)
            }),
        )
    }

    fn mark_replaced(
        &self,
        access: MemoryAccess,
        newer: MemoryId,
        older: Vec<MemoryId>,
    ) -> StoreFuture<'_, Result<Vec<Memory>, MemoryError>> {
        Box::pin(
            self.write(move |connection| {
                replaced::mark_replaced(connection, &access, &newer, &older)
            }),
        )
    }

    fn history(
        &self,
        access: MemoryAccess,
        id: MemoryId,
    ) -> StoreFuture<'_, Result<Vec<MemoryVersion>, MemoryError>> {
        Box::pin(self.read(move |connection| change::history(connection, &access, &id)))
    }

    fn list(
        &self,
        access: MemoryAccess,
        filter: MemoryFilter,
        page: PageRequest,
    ) -> StoreFuture<'_, Result<Page<Memory>, MemoryError>> {
        let of = ListOwner { owner: access.owner.clone(), list: "memories" };
        self.read_part(of, page, move |connection, page| {
            list::list(connection, &access, &filter, page)
        })
    }

    fn count(
        &self,
        access: MemoryAccess,
        filter: MemoryFilter,
    ) -> StoreFuture<'_, Result<u64, StoreError>> {
        Box::pin(self.read(move |connection| Ok(list::count(connection, &access, &filter)?)))
    }

    fn namespaces(
        &self,
        access: MemoryAccess,
        filter: MemoryFilter,
    ) -> StoreFuture<'_, Result<Vec<UsageCount>, StoreError>> {
        Box::pin(self.read(move |connection| Ok(list::namespaces(connection, &access, &filter)?)))
    }

    fn tags(
        &self,
        access: MemoryAccess,
        prefix: String,
        limit: usize,
    ) -> StoreFuture<'_, Result<Vec<UsageCount>, StoreError>> {
        Box::pin(self.read(move |connection| Ok(list::tags(connection, &access, &prefix, limit)?)))
    }

    fn catch_up(&self) -> StoreFuture<'_, Result<(), StoreError>> {
        Box::pin(sketch::sketch_all(self))
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
