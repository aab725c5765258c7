//! Which number a memory has that a search has loaded: whoever asks how near it is asks by its id, and
//! right after.

use crate::memory::{Memory, MemoryId};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// How many are kept.
const MAX_LOADED: usize = 4_096;

/// The memories that searches have loaded.
#[derive(Debug, Default)]
pub struct LoadedMemories(Mutex<HashMap<MemoryId, LoadedMemory>>);

/// A memory as it was when it was loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoadedMemory {
    /// Its number, which never changes.
    pub number: i64,
    /// Only what has a source has neighbours.
    pub has_source: bool,
}

impl LoadedMemories {
    /// What a search has loaded under this id, if it still knows.
    pub fn get(&self, id: &MemoryId) -> Option<LoadedMemory> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(id).copied()
    }

    /// Notes the number of a memory that was just loaded.
    pub fn insert(&self, number: i64, memory: &Memory) {
        let loaded = LoadedMemory { number, has_source: memory.source.is_some() };
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if MAX_LOADED <= known.len() {
            known.clear();
        }
        known.insert(memory.id.clone(), loaded);
    }

    /// Gives the memory back.
    pub fn release(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = HashMap::new();
    }
}
