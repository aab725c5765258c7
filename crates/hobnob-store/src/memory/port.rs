//! The port of memories: what a backend must do with the records.
//!
//! The behaviour that goes with the signatures is in the suite that every backend passes.

use super::filter::{Filter, Page, Part, Reach};
use super::record::{Captured, Count, Edit, Memory, MemoryId, NewMemory, Past};
use crate::Work;
use crate::error::StoreError;
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
        /// Which.
        id: MemoryId,
        /// Its version now.
        found: u32,
        /// The version the change was made for.
        expected: u32,
    },
    /// Another memory of the same scope and namespace says the very same.
    #[error("memory {0} says the same already")]
    Same(MemoryId),
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<rusqlite::Error> for MemoryError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Store(error.into())
    }
}

/// What a clean-up removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Gone {
    /// Their time was over; they are deleted now, and can be restored for a while.
    pub expired: u64,
    /// Deleted long enough; they are gone.
    pub purged: u64,
}

/// The records of memories.
pub trait Memories: Send + Sync + 'static {
    /// Stores one, unless the very same is there. Both are one step that nobody can come between.
    fn capture(&self, new: NewMemory) -> Work<'_, Result<Captured, StoreError>>;

    /// The same for many, all or none.
    fn capture_all(&self, new: Vec<NewMemory>) -> Work<'_, Result<Vec<Captured>, StoreError>>;

    /// One, whatever its status; expired ones are not there.
    fn get(&self, reach: Reach, id: MemoryId) -> Work<'_, Result<Option<Memory>, StoreError>>;

    /// Changes one and keeps what it was.
    fn update(
        &self,
        reach: Reach,
        id: MemoryId,
        edit: Edit,
    ) -> Work<'_, Result<Memory, MemoryError>>;

    /// Deletes one so that it can be restored. Deleting a deleted one changes nothing.
    fn delete(&self, reach: Reach, id: MemoryId) -> Work<'_, Result<Memory, MemoryError>>;

    /// Takes a deletion or a replacement back.
    fn restore(&self, reach: Reach, id: MemoryId) -> Work<'_, Result<Memory, MemoryError>>;

    /// Removes one with its history, for good.
    fn purge(&self, reach: Reach, id: MemoryId) -> Work<'_, Result<(), MemoryError>>;

    /// Captures one that takes the place of others, all in one step.
    fn supersede(
        &self,
        reach: Reach,
        old: Vec<MemoryId>,
        new: NewMemory,
    ) -> Work<'_, Result<Memory, MemoryError>>;

    /// What one has been, oldest first, the present last.
    fn history(&self, reach: Reach, id: MemoryId) -> Work<'_, Result<Vec<Past>, MemoryError>>;

    /// Newest first, and where to go on if there are more.
    fn list(
        &self,
        reach: Reach,
        filter: Filter,
        page: Page,
    ) -> Work<'_, Result<Part<Memory>, StoreError>>;

    /// How many there are.
    fn count(&self, reach: Reach, filter: Filter) -> Work<'_, Result<u64, StoreError>>;

    /// Namespaces in use, most used first.
    fn namespaces(&self, reach: Reach, filter: Filter) -> Work<'_, Result<Vec<Count>, StoreError>>;

    /// Tags in use that begin like this, most used first, at most so many.
    fn tags(
        &self,
        reach: Reach,
        prefix: String,
        most: usize,
    ) -> Work<'_, Result<Vec<Count>, StoreError>>;

    /// Ends what has expired by `now`, and purges what was deleted before `keep_since`.
    fn clean_up(&self, now: Time, keep_since: Time) -> Work<'_, Result<Gone, StoreError>>;
}
