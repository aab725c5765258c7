//! The bit sets of recent filters: an LRU cache, and counts of the lookups for filters without a set.
//!
//! `passing` fills it. What must stay true: nothing here reads the database.

use hobnob_store::memory::{MemoryAccess, MemoryFilter};
use hobnob_store::search::NumberSet;
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Capacity of the LRU cache, in filters.
const MAX_CACHED_SETS: usize = 16;

/// The cached sets of one store.
#[derive(Debug, Default)]
pub(super) struct PassingSets {
    known: Mutex<VecDeque<KnownSet>>,
    /// For filters without a set: how many memories were looked up one by one.
    looked_up: Mutex<VecDeque<(SetKey, usize)>>,
}

/// What a set is for: an access and a filter, without the time.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SetKey {
    pub(super) access: MemoryAccess,
    pub(super) filter: MemoryFilter,
}

/// A set as it was at one version.
#[derive(Debug, Clone)]
pub(super) struct KnownSet {
    pub(super) key: SetKey,
    /// The last change that the set includes.
    pub(super) version: i64,
    pub(super) numbers: Arc<NumberSet>,
    pub(super) used: Instant,
}

impl PassingSets {
    /// The cached set, which may be out of date.
    pub(super) fn find(&self, key: &SetKey) -> Option<KnownSet> {
        self.known.lock().iter().find(|known| known.key == *key).cloned()
    }

    /// Caches a set as the one that was used last.
    pub(super) fn keep(&self, known: KnownSet) -> Arc<NumberSet> {
        let numbers = Arc::clone(&known.numbers);
        let mut sets = self.known.lock();
        sets.retain(|other| other.key != known.key);
        sets.truncate(MAX_CACHED_SETS - 1);
        sets.push_front(KnownSet { used: Instant::now(), ..known });
        numbers
    }

    /// Adds to the lookups counted for a filter and returns their sum since it had no set.
    pub(super) fn note_lookups(&self, key: &SetKey, more: usize) -> usize {
        let mut looked_up = self.looked_up.lock();
        let place = looked_up.iter().position(|(other, _)| other == key);
        let before = place.and_then(|place| looked_up.remove(place)).map_or(0, |(_, count)| count);
        looked_up.truncate(MAX_CACHED_SETS - 1);
        looked_up.push_front((key.clone(), before + more));
        before + more
    }

    /// Drops the count of lookups for a filter that has a set now.
    pub(super) fn forget_lookups(&self, key: &SetKey) {
        self.looked_up.lock().retain(|(other, _)| other != key);
    }

    /// Frees the sets that no search has used for `idle`.
    pub(super) fn release_idle(&self, idle: Duration) {
        self.known.lock().retain(|known| known.used.elapsed() < idle);
    }
}
