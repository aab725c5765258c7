//! The repository trait of memories: what a backend must do with the records.
//!
//! The test suite that every backend passes defines the behaviour behind the signatures.

use super::filter::{MemoryAccess, MemoryFilter, Page, PageRequest};
use super::record::{
    CaptureOutcome, Captured, Memory, MemoryEdit, MemoryId, MemoryVersion, NewMemory, UsageCount,
};
use super::scope::MissingRole;
use crate::StoreFuture;
use crate::error::StoreError;
use crate::owner::Owner;
use crate::time::Time;

/// Why an operation on a memory failed; nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    /// The caller can reach no memory of this id.
    #[error("memory not found: {0}")]
    NotFound(MemoryId),
    /// Another writer changed it after the caller read it.
    #[error("memory {id} is at version {found}, not {expected}: read it again")]
    Changed {
        /// The memory that was to be changed.
        id: MemoryId,
        /// The version it is at now.
        found: u32,
        /// The version that the caller expected.
        expected: u32,
    },
    /// Another memory of the same scope and namespace has the same content.
    #[error("memory {0} already has this content")]
    Same(MemoryId),
    /// The caller sees it in the scope `org`, but has no role to change it.
    #[error(transparent)]
    Role(#[from] MissingRole),
    /// The link between an older and a newer memory makes no sense.
    #[error(
        "memory {older} cannot be replaced by {newer}: they are one memory, are in different scopes \
         or projects, or the first one already replaces the second"
    )]
    NoReplacement {
        /// The memory that was to be marked as replaced.
        older: MemoryId,
        /// The memory that was to take its place.
        newer: MemoryId,
    },
    /// The cursor was not returned by a list of memories.
    #[error("this cursor is not from a list of memories: list again without it")]
    BadCursor,
    /// The store failed, and nothing was changed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// How many memories a clean-up deleted and purged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CleanUpCounts {
    /// Memories past their expiry time: now deleted, and restorable for a while.
    pub expired: u64,
    /// Memories that had been deleted long enough: now gone for good.
    pub purged: u64,
}

/// Stores, changes, lists and removes memories.
pub trait MemoryRepository: Send + Sync + 'static {
    /// Stores a memory unless a duplicate exists: the same content up to white space, active, in
    /// the same scope and namespace, and of the same owner unless the scope is `org`. Lookup and
    /// insert are one atomic step. If the id in `new` is taken, the memory gets a new id.
    fn capture(&self, new: NewMemory) -> StoreFuture<'_, Result<Captured, StoreError>>;

    /// Like `capture`, but a duplicate of the same owner gets the tags and the source that it
    /// lacks, and near-duplicates are reported.
    fn capture_or_merge(
        &self,
        new: NewMemory,
    ) -> StoreFuture<'_, Result<CaptureOutcome, StoreError>>;

    /// Stores or merges many memories as `capture_or_merge` does, all or none, without the search
    /// for near-duplicates.
    fn capture_all(
        &self,
        new: Vec<NewMemory>,
    ) -> StoreFuture<'_, Result<Vec<CaptureOutcome>, StoreError>>;

    /// A memory by id, in any status; an expired one is not found, unless it was deleted.
    fn get(
        &self,
        access: MemoryAccess,
        id: MemoryId,
    ) -> StoreFuture<'_, Result<Option<Memory>, StoreError>>;

    /// Changes a memory and keeps the old version. An edit that changes nothing adds no version. A
    /// new content removes the mark that another memory replaces it.
    fn update(
        &self,
        access: MemoryAccess,
        id: MemoryId,
        edit: MemoryEdit,
    ) -> StoreFuture<'_, Result<Memory, MemoryError>>;

    /// Deletes a memory so that it can be restored. Deleting a deleted one changes nothing.
    fn delete(
        &self,
        access: MemoryAccess,
        id: MemoryId,
    ) -> StoreFuture<'_, Result<Memory, MemoryError>>;

    /// Undoes a deletion or a replacement, removes the mark of a replaced memory, or revives an expired memory, which then has no expiry.
    /// Restoring an active one changes nothing.
    fn restore(
        &self,
        access: MemoryAccess,
        id: MemoryId,
    ) -> StoreFuture<'_, Result<Memory, MemoryError>>;

    /// Removes a memory and its history for good.
    fn purge(&self, access: MemoryAccess, id: MemoryId)
    -> StoreFuture<'_, Result<(), MemoryError>>;

    /// Captures a memory that replaces others, all in one step. An old memory that is no longer
    /// active keeps its status.
    fn supersede(
        &self,
        access: MemoryAccess,
        old: Vec<MemoryId>,
        new: NewMemory,
    ) -> StoreFuture<'_, Result<Memory, MemoryError>>;

    /// Marks active memories as replaced by a newer one of the same scope and project, all or none.
    /// They stay active; their `superseded_by` names the newer one while that is active, so
    /// deleting the newer one undoes the mark, and `restore` of an older one removes it. Returns
    /// the marked ones; a memory that is not active keeps what it has.
    fn mark_replaced(
        &self,
        access: MemoryAccess,
        newer: MemoryId,
        older: Vec<MemoryId>,
    ) -> StoreFuture<'_, Result<Vec<Memory>, MemoryError>>;

    /// The latest hundred versions of a memory, oldest first, the current one last.
    fn history(
        &self,
        access: MemoryAccess,
        id: MemoryId,
    ) -> StoreFuture<'_, Result<Vec<MemoryVersion>, MemoryError>>;

    /// A page of memories, newest first. Memories captured meanwhile do not shift the pages.
    fn list(
        &self,
        access: MemoryAccess,
        filter: MemoryFilter,
        page: PageRequest,
    ) -> StoreFuture<'_, Result<Page<Memory>, MemoryError>>;

    /// How many memories match.
    fn count(
        &self,
        access: MemoryAccess,
        filter: MemoryFilter,
    ) -> StoreFuture<'_, Result<u64, StoreError>>;

    /// Namespaces in use, most used first.
    fn namespaces(
        &self,
        access: MemoryAccess,
        filter: MemoryFilter,
    ) -> StoreFuture<'_, Result<Vec<UsageCount>, StoreError>>;

    /// At most `limit` tags of active memories that start with `prefix`, most used first.
    fn tags(
        &self,
        access: MemoryAccess,
        prefix: String,
        limit: usize,
    ) -> StoreFuture<'_, Result<Vec<UsageCount>, StoreError>>;

    /// Adds derived data that an older version of the program did not store, a few memories at a
    /// time. If the process is killed, the next call continues where it stopped.
    fn catch_up(&self) -> StoreFuture<'_, Result<(), StoreError>>;

    /// Deletes what has expired by `now` and purges what was deleted before `keep_since`, for one
    /// owner or, without one, for every owner.
    fn clean_up(
        &self,
        of: Option<Owner>,
        now: Time,
        keep_since: Time,
    ) -> StoreFuture<'_, Result<CleanUpCounts, StoreError>>;
}
