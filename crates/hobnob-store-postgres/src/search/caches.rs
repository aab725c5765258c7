//! In-memory caches of search, which live as long as the store is open and in use.
//!
//! The store owns them; all searches share them.

use super::passing_sets::PassingSets;
use hobnob_store::search::{FrequentTerms, LoadedMemories, VectorCache};
use std::time::Duration;

/// All search caches of a store.
#[derive(Debug, Default)]
pub(crate) struct PostgresCaches {
    pub(super) vectors: VectorCache,
    pub(super) frequent: FrequentTerms,
    pub(super) passing: PassingSets,
    pub(super) loaded: LoadedMemories,
}

impl PostgresCaches {
    /// Frees caches that no search has used for `idle`; the next search fills them again.
    pub(crate) fn release_idle(&self, idle: Duration) {
        self.vectors.release_idle(idle);
        self.frequent.release_idle(idle);
        self.passing.release_idle(idle);
        self.loaded.release();
    }
}
