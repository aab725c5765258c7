//! The port of memories: what a backend must do with the records.
//!
//! The behaviour that goes with the signatures is in the suite that every backend passes.

use super::filter::{MemoryAccess, MemoryFilter, Page, PageRequest};
use super::record::{
    CaptureOutcome, Captured, Memory, MemoryEdit, MemoryId, MemoryVersion, NewMemory, UsageCount,
};
use super::scope::MissingRole;
use crate::StoreFuture;
use crate::error::StoreError;
use crate::owner::Owner;
use crate::time::Time;

/// Why nothing was done with a memory.
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    /// There is none of this id within reach.
    #[error("memory not found: {0}")]
    NotFound(MemoryId),
    /// Somebody else changed it in the meantime.
    #[error("memory {id} is at version {found}, not {expected}: read it again")]
    Changed {
        /// The memory that was to be changed.
        id: MemoryId,
        /// The version it is at now.
        found: u32,
        /// The version the change was made for.
        expected: u32,
    },
    /// Another memory of the same scope and namespace says the very same.
    #[error("memory {0} says the same already")]
    Same(MemoryId),
    /// The caller sees it in the scope `org`, but has no role to change it.
    #[error(transparent)]
    Role(#[from] MissingRole),
    /// A page was asked for after something that no page has ended with.
    #[error("this cursor is not from a list of memories: list again without it")]
    BadCursor,
    /// The store failed, and nothing was changed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What a clean-up removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CleanUpCounts {
    /// Their time was over; they are deleted now, and can be restored for a while.
    pub expired: u64,
    /// Deleted long enough; they are gone.
    pub purged: u64,
}

/// The records of memories.
pub trait MemoryRepository: Send + Sync + 'static {
    /// Stores one, unless the very same is there: the same content but for white space, active, in
    /// the same scope and namespace, and with the same owner unless its scope is `org`. Both are
    /// one step that nobody can come between. Where the id it brings is taken, it gets a new one.
    fn capture(&self, new: NewMemory) -> StoreFuture<'_, Result<Captured, StoreError>>;

    /// The same, but what is there already gets the tags and the source that it does not have, if
    /// it is the same owner's; and what says nearly the same is reported.
    fn capture_or_merge(
        &self,
        new: NewMemory,
    ) -> StoreFuture<'_, Result<CaptureOutcome, StoreError>>;

    /// Stores or merges many as `capture_or_merge` does, all or none. They are not compared with what
    /// says nearly the same.
    fn capture_all(
        &self,
        new: Vec<NewMemory>,
    ) -> StoreFuture<'_, Result<Vec<CaptureOutcome>, StoreError>>;

    /// One, whatever its status; expired ones are not there, unless they were deleted.
    fn get(
        &self,
        access: MemoryAccess,
        id: MemoryId,
    ) -> StoreFuture<'_, Result<Option<Memory>, StoreError>>;

    /// Changes one and keeps what it was. What is so already changes nothing.
    fn update(
        &self,
        access: MemoryAccess,
        id: MemoryId,
        edit: MemoryEdit,
    ) -> StoreFuture<'_, Result<Memory, MemoryError>>;

    /// Deletes one so that it can be restored. Deleting a deleted one changes nothing.
    fn delete(
        &self,
        access: MemoryAccess,
        id: MemoryId,
    ) -> StoreFuture<'_, Result<Memory, MemoryError>>;

    /// Takes a deletion or a replacement back, or an end that is past: a restored one has none
    /// then. Restoring an active one changes nothing.
    fn restore(
        &self,
        access: MemoryAccess,
        id: MemoryId,
    ) -> StoreFuture<'_, Result<Memory, MemoryError>>;

    /// Removes one with its history, for good.
    fn purge(&self, access: MemoryAccess, id: MemoryId)
    -> StoreFuture<'_, Result<(), MemoryError>>;

    /// Captures one that takes the place of others, all in one step. Those that are not active
    /// any more stay what they are.
    fn supersede(
        &self,
        access: MemoryAccess,
        old: Vec<MemoryId>,
        new: NewMemory,
    ) -> StoreFuture<'_, Result<Memory, MemoryError>>;

    /// What one has been, oldest first, the present last: the latest hundred versions.
    fn history(
        &self,
        access: MemoryAccess,
        id: MemoryId,
    ) -> StoreFuture<'_, Result<Vec<MemoryVersion>, MemoryError>>;

    /// Newest first, and where to go on if there are more. What comes meanwhile moves no page.
    fn list(
        &self,
        access: MemoryAccess,
        filter: MemoryFilter,
        page: PageRequest,
    ) -> StoreFuture<'_, Result<Page<Memory>, MemoryError>>;

    /// How many there are.
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

    /// Tags of active memories that begin like this, most used first, at most so many.
    fn tags(
        &self,
        access: MemoryAccess,
        prefix: String,
        limit: usize,
    ) -> StoreFuture<'_, Result<Vec<UsageCount>, StoreError>>;

    /// Adds what memories lack that an older version stored, a few at a time. Killed, it goes on
    /// where it was the next time.
    fn catch_up(&self) -> StoreFuture<'_, Result<(), StoreError>>;

    /// Ends what has expired by `now`, and purges what was deleted before `keep_since`: what is one
    /// owner's, or without one, everybody's.
    fn clean_up(
        &self,
        of: Option<Owner>,
        now: Time,
        keep_since: Time,
    ) -> StoreFuture<'_, Result<CleanUpCounts, StoreError>>;
}
