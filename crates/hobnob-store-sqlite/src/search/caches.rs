//! What searches keep in memory, as long as the store is open and as long as it is used.
//!
//! The store owns it; every search of any thread shares it.

use super::passing::PassingSets;
use hobnob_store::search::{FrequentTerms, LoadedMemories, VectorCache};
use std::time::Duration;

/// All caches of a store.
#[derive(Debug, Default)]
pub(crate) struct SearchCaches {
    pub(super) vectors: VectorCache,
    pub(super) frequent: FrequentTerms,
    pub(super) passing: PassingSets,
    pub(super) loaded: LoadedMemories,
}

impl SearchCaches {
    /// Gives the memory back of what nobody has used for so long; it is read again when needed.
    pub(crate) fn release_idle(&self, idle: Duration) {
        self.vectors.release_idle(idle);
        self.frequent.release_idle(idle);
        self.passing.release_idle(idle);
        self.loaded.release();
    }
}
