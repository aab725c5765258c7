//! A cache of where frequent words are: they are in many questions, and reading where they are is
//! most of a search. `postings` asks it first. It is true for one state of the index; after a change
//! the words are read again.

use super::posting::PostingList;
use crate::sqlite::change_log::newest;
use rusqlite::{Connection, Result};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How many places make a word worth caching.
const FREQUENT: usize = 64;
/// How many memories all cached words may have together: about 4 MB.
const MAX_MEMORIES: usize = 250_000;

/// Words of one store.
#[derive(Debug, Default)]
pub(super) struct FrequentTerms(Mutex<CachedTerms>);

#[derive(Debug, Default)]
struct CachedTerms {
    version: IndexVersion,
    words: HashMap<String, PostingList>,
    memories: usize,
    used: Option<Instant>,
}

/// What the index was like: the number of the last change, which every change of a memory is
/// written with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct IndexVersion(i64);

impl IndexVersion {
    /// As this reader sees it.
    pub(super) fn read(connection: &Connection) -> Result<Self> {
        newest(connection).map(Self)
    }
}

impl FrequentTerms {
    pub(super) fn get(&self, version: IndexVersion, term: &str) -> Option<PostingList> {
        let mut cached = self.lock();
        if cached.version != version {
            return None;
        }
        cached.used = Some(Instant::now());
        cached.words.get(term).cloned()
    }

    pub(super) fn insert(&self, version: IndexVersion, term: &str, places: &PostingList) {
        let mut cached = self.lock();
        if places.count < FREQUENT || version < cached.version {
            return;
        }
        if cached.version < version {
            *cached = CachedTerms { version, ..CachedTerms::default() };
        }
        // The most frequent words come first, so that it is the others for which no room is left.
        let memories = cached.memories + places.postings.len();
        if memories <= MAX_MEMORIES && !cached.words.contains_key(term) {
            cached.words.insert(term.to_owned(), places.clone());
            cached.memories = memories;
        }
        cached.used = Some(Instant::now());
    }

    /// Gives the memory back of what nobody has asked for so long.
    pub(super) fn release_idle(&self, idle: Duration) {
        let mut cached = self.lock();
        if cached.used.is_some_and(|used| idle <= used.elapsed()) {
            *cached = CachedTerms::default();
        }
    }

    fn lock(&self) -> MutexGuard<'_, CachedTerms> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::super::posting::Posting;
    use super::{Duration, FrequentTerms, IndexVersion, MAX_MEMORIES, PostingList};
    use std::sync::Arc;

    fn places(count: usize) -> PostingList {
        let posting = |memory| Posting { memory, body: 1, labels: 0 };
        let postings = (1..).take(count).map(posting).collect();
        PostingList { postings: Arc::new(postings), count }
    }

    #[test]
    fn only_what_is_true_now_is_found() {
        let frequent = FrequentTerms::default();
        let (old, now) = (IndexVersion(1), IndexVersion(2));
        frequent.insert(now, "word", &places(300));
        frequent.insert(old, "late", &places(300));
        frequent.insert(now, "rare", &places(3));
        let known = |version, term| frequent.get(version, term).map(|places| places.count);
        let found =
            [known(now, "word"), known(old, "word"), known(now, "late"), known(now, "rare")];
        assert_eq!(found, [Some(300), None, None, None]);
        frequent.insert(IndexVersion(3), "other", &places(300));
        assert_eq!((known(now, "word"), known(IndexVersion(3), "word")), (None, None));
        assert_eq!(known(IndexVersion(3), "other"), Some(300));
    }

    #[test]
    fn it_does_not_grow_without_end() {
        let frequent = FrequentTerms::default();
        frequent.insert(IndexVersion(1), "too many", &places(MAX_MEMORIES + 1));
        for number in 0..20 {
            frequent.insert(IndexVersion(1), &number.to_string(), &places(MAX_MEMORIES / 8));
            assert!(frequent.lock().memories <= MAX_MEMORIES);
        }
        let known = |term| frequent.get(IndexVersion(1), term).is_some();
        assert_eq!(
            [known("0"), known("7"), known("8"), known("too many")],
            [true, true, false, false]
        );
        frequent.release_idle(Duration::ZERO);
        assert_eq!(frequent.lock().memories, 0);
    }
}
