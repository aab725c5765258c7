//! The repository of sync marks: the version of each memory that was last exchanged with a
//! project's remote, so that sync can tell a local change from a remote one.

use super::record::MemoryId;
use crate::StoreFuture;
use crate::error::StoreError;
use crate::owner::{Owner, ProjectKey};

/// A memory's id and its digest when it was last exchanged.
pub type SyncMark = (MemoryId, Vec<u8>);

/// Stores the sync marks of each project.
pub trait SyncMarkRepository: Send + Sync + 'static {
    /// All marks of a project.
    fn marks(
        &self,
        owner: Owner,
        project: ProjectKey,
    ) -> StoreFuture<'_, Result<Vec<SyncMark>, StoreError>>;

    /// Inserts or replaces the marks of these ids.
    fn mark(
        &self,
        owner: Owner,
        project: ProjectKey,
        marks: Vec<SyncMark>,
    ) -> StoreFuture<'_, Result<(), StoreError>>;
}
