//! Row numbers of memories that a search has just loaded. The caller asks for their closeness by id
//! right after the search, and this cache saves the lookup of each number.

use crate::memory::{Memory, MemoryId};
use parking_lot::Mutex;
use std::collections::HashMap;

/// Capacity; a full map is cleared.
const MAX_LOADED: usize = 4_096;

/// A map from the ids of loaded memories to their row numbers.
#[derive(Debug, Default)]
pub struct LoadedMemories(Mutex<HashMap<MemoryId, LoadedMemory>>);

/// The row of a memory at the time a search loaded it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoadedMemory {
    /// Its row number, which never changes.
    pub number: i64,
    /// Whether it has a source; a memory without one has no neighbours.
    pub has_source: bool,
}

impl LoadedMemories {
    /// The row that a search has loaded under this id, if the map still has it.
    pub fn get(&self, id: &MemoryId) -> Option<LoadedMemory> {
        self.0.lock().get(id).copied()
    }

    /// Records the row number of a memory that was just loaded.
    pub fn insert(&self, number: i64, memory: &Memory) {
        let loaded = LoadedMemory { number, has_source: memory.source.is_some() };
        let mut known = self.0.lock();
        if MAX_LOADED <= known.len() {
            known.clear();
        }
        known.insert(memory.id.clone(), loaded);
    }

    /// Frees all entries and their storage.
    pub fn release(&self) {
        *self.0.lock() = HashMap::new();
    }
}
