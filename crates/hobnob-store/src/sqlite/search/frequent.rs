//! Where frequent words are, kept in memory: they are in many questions, and reading where they
//! are is most of a search. True for one state of the index; after a change they are read again.

use super::postings::Posting;
use crate::sqlite::feed::newest;
use rusqlite::{Connection, Result};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Places from which on a word is worth keeping.
const FREQUENT: usize = 64;
/// Memories of all words that are kept: about 4 MB.
const MOST: usize = 250_000;

/// Words of one store.
#[derive(Debug, Default)]
pub(in crate::sqlite) struct FrequentTerms(Mutex<CachedTerms>);

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

/// Everywhere a word is.
#[derive(Debug, Clone, Default)]
pub(super) struct PostingList {
    /// By number, each memory once.
    pub(super) postings: Arc<Vec<Posting>>,
    /// Each time that a memory has it.
    pub(super) count: usize,
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

    pub(super) fn keep(&self, version: IndexVersion, term: &str, places: &PostingList) {
        let mut cached = self.lock();
        if places.count < FREQUENT || version < cached.version {
            return;
        }
        if cached.version < version {
            *cached = CachedTerms { version, ..CachedTerms::default() };
        }
        // The most frequent words come first, so that it is the others for which no room is left.
        let memories = cached.memories + places.postings.len();
        if memories <= MOST && !cached.words.contains_key(term) {
            cached.words.insert(term.to_owned(), places.clone());
            cached.memories = memories;
        }
        cached.used = Some(Instant::now());
    }

    /// Gives the memory back of what nobody has asked for so long.
    pub(in crate::sqlite) fn release_idle(&self, idle: Duration) {
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
    use super::{Arc, Duration, FrequentTerms, IndexVersion, MOST, Posting, PostingList};

    fn places(count: usize) -> PostingList {
        let posting = |memory| Posting { memory, body: 1, labels: 0 };
        let postings = (1..).take(count).map(posting).collect();
        PostingList { postings: Arc::new(postings), count }
    }

    #[test]
    fn only_what_is_true_now_is_told() {
        let frequent = FrequentTerms::default();
        let (old, now) = (IndexVersion(1), IndexVersion(2));
        frequent.keep(now, "word", &places(300));
        frequent.keep(old, "late", &places(300));
        frequent.keep(now, "rare", &places(3));
        let known = |version, term| frequent.get(version, term).map(|places| places.count);
        let told = [known(now, "word"), known(old, "word"), known(now, "late"), known(now, "rare")];
        assert_eq!(told, [Some(300), None, None, None]);
        frequent.keep(IndexVersion(3), "other", &places(300));
        assert_eq!((known(now, "word"), known(IndexVersion(3), "word")), (None, None));
        assert_eq!(known(IndexVersion(3), "other"), Some(300));
    }

    #[test]
    fn it_does_not_grow_without_end() {
        let frequent = FrequentTerms::default();
        frequent.keep(IndexVersion(1), "too many", &places(MOST + 1));
        for number in 0..20 {
            frequent.keep(IndexVersion(1), &number.to_string(), &places(MOST / 8));
            assert!(frequent.lock().memories <= MOST);
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
