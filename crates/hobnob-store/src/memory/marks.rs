//! The port of marks: what was last exchanged with a project's remote, so that a change here can
//! be distinguished from a change there.

use super::record::MemoryId;
use crate::StoreFuture;
use crate::error::StoreError;
use crate::owner::{Owner, ProjectKey};

/// A memory as it was when it was last exchanged: its digest.
pub type SyncMark = (MemoryId, Vec<u8>);

/// What was last exchanged.
pub trait SyncMarkRepository: Send + Sync + 'static {
    /// All marks of a project.
    fn marks(
        &self,
        owner: Owner,
        project: ProjectKey,
    ) -> StoreFuture<'_, Result<Vec<SyncMark>, StoreError>>;

    /// Puts these in place of the project's marks of the same ids.
    fn mark(
        &self,
        owner: Owner,
        project: ProjectKey,
        marks: Vec<SyncMark>,
    ) -> StoreFuture<'_, Result<(), StoreError>>;
}
