//! A cache of posting lists of frequent words, which a backend asks before the index: such words
//! are in many queries, and reading their postings takes most of a search. A list is valid for one
//! version of the index; after a change the backend reads it again.

use super::posting::PostingList;
use parking_lot::{Mutex, MutexGuard};
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// A word with at least this many occurrences is worth caching.
const MIN_OCCURRENCES: usize = 64;
/// Upper bound for all cached postings together: about 4 MB.
const MAX_POSTINGS: usize = 250_000;
/// How many document frequencies are cached, and how many memories it takes to tolerate a change.
const MAX_COUNTS: usize = 20_000;
const MEMORIES_PER_CHANGE: i64 = 100;
/// What a cached word costs beside its postings, in postings.
const OVERHEAD: usize = 8;

/// The cached words of one store.
#[derive(Debug, Default)]
pub struct FrequentTerms(Mutex<CachedTerms>);

#[derive(Debug, Default)]
struct CachedTerms {
    version: IndexVersion,
    words: HashMap<String, PostingList>,
    /// The first postings of words: enough to estimate how rare a word is.
    samples: HashMap<String, PostingList>,
    memories: usize,
    counts: TermCounts,
    used: Option<Instant>,
}

/// Document frequencies over the whole store. One change hardly moves how rare a word is, so these
/// counts outlive a few index versions.
#[derive(Debug, Default)]
struct TermCounts {
    since: IndexVersion,
    words: HashMap<String, usize>,
}

impl TermCounts {
    /// Whether the counts are still accurate enough.
    fn holds(&self, version: IndexVersion, all: i64) -> bool {
        (self.since.0..=self.since.0.saturating_add(all / MEMORIES_PER_CHANGE)).contains(&version.0)
    }
}

/// The version of the index: the number of the newest change, which is written in the same
/// transaction as every change of a memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct IndexVersion(i64);

impl IndexVersion {
    /// The version after this change, the newest one that the reader sees.
    pub fn after_change(number: i64) -> Self {
        Self(number)
    }
}

impl FrequentTerms {
    /// The complete posting list of a word, if it is cached for this version.
    pub fn get(&self, version: IndexVersion, term: &str) -> Option<PostingList> {
        let mut cached = self.lock();
        if cached.version != version {
            return None;
        }
        cached.used = Some(Instant::now());
        cached.words.get(term).cloned()
    }

    /// The posting list of a word, or the first part of it.
    pub fn sample(&self, version: IndexVersion, term: &str) -> Option<PostingList> {
        self.get(version, term).or_else(|| {
            let cached = self.lock();
            cached.samples.get(term).filter(|_| cached.version == version).cloned()
        })
    }

    /// The approximate document frequency of a word in a store of `all` memories.
    pub fn count(&self, version: IndexVersion, all: i64, term: &str) -> Option<usize> {
        let mut cached = self.lock();
        cached.used = Some(Instant::now());
        cached.counts.words.get(term).copied().filter(|_| cached.counts.holds(version, all))
    }

    /// Caches the document frequency of a word in a store of `all` memories.
    pub fn insert_count(&self, version: IndexVersion, all: i64, term: &str, count: usize) {
        let counts = &mut self.lock().counts;
        if !counts.holds(version, all) || MAX_COUNTS <= counts.words.len() {
            *counts = TermCounts { since: version, words: HashMap::new() };
        }
        counts.words.insert(term.to_owned(), count);
    }

    /// Caches the complete posting list of a word if the word is frequent.
    pub fn insert(&self, version: IndexVersion, term: &str, places: &PostingList) {
        if MIN_OCCURRENCES <= places.count {
            self.lock().insert(version, term, places, |cached| &mut cached.words);
        }
    }

    /// Caches the first postings of a word; rare words too, since each costs a lookup in the file.
    pub fn insert_sample(&self, version: IndexVersion, term: &str, places: &PostingList) {
        self.lock().insert(version, term, places, |cached| &mut cached.samples);
    }

    /// Frees the cache if no search has used it for `idle`.
    pub fn release_idle(&self, idle: Duration) {
        let mut cached = self.lock();
        if cached.used.is_some_and(|used| idle <= used.elapsed()) {
            *cached = CachedTerms::default();
        }
    }

    fn lock(&self) -> MutexGuard<'_, CachedTerms> {
        self.0.lock()
    }
}

impl CachedTerms {
    fn insert(
        &mut self,
        version: IndexVersion,
        term: &str,
        places: &PostingList,
        lists: fn(&mut Self) -> &mut HashMap<String, PostingList>,
    ) {
        if version < self.version {
            return;
        }
        if self.version < version {
            *self = Self { version, counts: std::mem::take(&mut self.counts), ..Self::default() };
        }
        // Searches insert frequent words first, so a full cache turns away the rarer ones.
        let memories = self.memories + places.postings.len() + OVERHEAD;
        if memories <= MAX_POSTINGS && !lists(self).contains_key(term) {
            lists(self).insert(term.to_owned(), places.clone());
            self.memories = memories;
        }
        self.used = Some(Instant::now());
    }
}

#[cfg(test)]
mod tests {
    use super::super::posting::TermPosting;
    use super::{Duration, FrequentTerms, IndexVersion, MAX_POSTINGS, OVERHEAD, PostingList};
    use std::sync::Arc;

    fn places(count: usize) -> PostingList {
        let posting = |memory| TermPosting { memory, body: 1, labels: 0 };
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
    fn a_sample_is_not_taken_for_everything() {
        let frequent = FrequentTerms::default();
        let (old, now) = (IndexVersion(1), IndexVersion(2));
        frequent.insert_sample(now, "often", &places(300));
        frequent.insert_sample(now, "rare", &places(1));
        frequent.insert(now, "whole", &places(90));
        let sampled = |version, term| frequent.sample(version, term).map(|places| places.count);
        assert_eq!(
            ["often", "rare", "whole"].map(|term| sampled(now, term)),
            [Some(300), Some(1), Some(90)]
        );
        assert_eq!(sampled(old, "often"), None);
        assert!(frequent.get(now, "often").is_none());
    }

    #[test]
    fn counts_stay_over_few_changes() {
        let frequent = FrequentTerms::default();
        frequent.insert_count(IndexVersion(50), 1_000, "word", 7);
        // Caching for one version drops lists but keeps the counts.
        frequent.insert(IndexVersion(55), "other", &places(300));
        let known = |version, all| frequent.count(IndexVersion(version), all, "word");
        let cases = [(49, 1_000), (50, 0), (50, 1_000), (60, 1_000), (61, 1_000), (61, 1_100)];
        assert_eq!(
            cases.map(|(version, all)| known(version, all)),
            [None, Some(7), Some(7), Some(7), None, Some(7)]
        );
        frequent.insert_count(IndexVersion(61), 1_000, "later", 8);
        assert_eq!((known(61, 1_000), known(50, 1_000)), (None, None));
    }

    #[test]
    fn it_does_not_grow_without_end() {
        let frequent = FrequentTerms::default();
        frequent.insert(IndexVersion(1), "too many", &places(MAX_POSTINGS + 1));
        for number in 0..20 {
            frequent.insert(
                IndexVersion(1),
                &number.to_string(),
                &places(MAX_POSTINGS / 8 - OVERHEAD),
            );
            assert!(frequent.lock().memories <= MAX_POSTINGS);
        }
        let known = |term| frequent.get(IndexVersion(1), term).is_some();
        assert_eq!(
            [known("0"), known("7"), known("8"), known("too many")],
            [true, true, false, false]
        );
        frequent.insert_sample(IndexVersion(1), "one more", &places(1));
        assert!(frequent.sample(IndexVersion(1), "one more").is_none());
        frequent.release_idle(Duration::ZERO);
        assert_eq!(frequent.lock().memories, 0);
    }
}
