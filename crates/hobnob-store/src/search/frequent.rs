//! A cache of where frequent words are: they are in many questions, and reading where they are is
//! most of a search. A backend asks it first. It is true for one state of the index; after a change
//! the words are read again.

use super::posting::PostingList;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How many places make a word worth caching.
const FREQUENT: usize = 64;
/// How many memories all cached words may have together: about 4 MB.
const MAX_MEMORIES: usize = 250_000;
/// How many words are counted, and that fewer than this part of all memories may have changed since.
const MAX_COUNTS: usize = 20_000;
const FEW_CHANGES: i64 = 100;
/// What a word takes beside its memories, in as many of them.
const WORD: usize = 8;

/// Words of one store.
#[derive(Debug, Default)]
pub struct FrequentTerms(Mutex<CachedTerms>);

#[derive(Debug, Default)]
struct CachedTerms {
    version: IndexVersion,
    words: HashMap<String, PostingList>,
    /// The first places of words, enough to tell how rare they are.
    samples: HashMap<String, PostingList>,
    memories: usize,
    counts: TermCounts,
    used: Option<Instant>,
}

/// In how many memories words are, in the whole store. One change more or less says nothing of how rare a
/// word is, so these are kept over some changes.
#[derive(Debug, Default)]
struct TermCounts {
    since: IndexVersion,
    words: HashMap<String, usize>,
}

impl TermCounts {
    /// Whether what was counted then is still about right.
    fn holds(&self, version: IndexVersion, all: i64) -> bool {
        (self.since.0..=self.since.0.saturating_add(all / FEW_CHANGES)).contains(&version.0)
    }
}

/// What the index was like: the number of the last change, which every change of a memory is
/// written with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct IndexVersion(i64);

impl IndexVersion {
    /// The state after this change, the newest that the reader sees.
    pub fn after_change(number: i64) -> Self {
        Self(number)
    }
}

impl FrequentTerms {
    /// Everywhere a word is, if that is cached for this state of the index.
    pub fn get(&self, version: IndexVersion, term: &str) -> Option<PostingList> {
        let mut cached = self.lock();
        if cached.version != version {
            return None;
        }
        cached.used = Some(Instant::now());
        cached.words.get(term).cloned()
    }

    /// Where a word is, or the first places of it.
    pub fn sample(&self, version: IndexVersion, term: &str) -> Option<PostingList> {
        self.get(version, term).or_else(|| {
            let cached = self.lock();
            cached.samples.get(term).filter(|_| cached.version == version).cloned()
        })
    }

    /// About how many of so many memories have a word.
    pub fn count(&self, version: IndexVersion, all: i64, term: &str) -> Option<usize> {
        let mut cached = self.lock();
        cached.used = Some(Instant::now());
        cached.counts.words.get(term).copied().filter(|_| cached.counts.holds(version, all))
    }

    /// Keeps how many of so many memories have a word.
    pub fn insert_count(&self, version: IndexVersion, all: i64, term: &str, count: usize) {
        let counts = &mut self.lock().counts;
        if !counts.holds(version, all) || MAX_COUNTS <= counts.words.len() {
            *counts = TermCounts { since: version, words: HashMap::new() };
        }
        counts.words.insert(term.to_owned(), count);
    }

    /// Caches everywhere a word is.
    pub fn insert(&self, version: IndexVersion, term: &str, places: &PostingList) {
        if FREQUENT <= places.count {
            self.lock().insert(version, term, places, |cached| &mut cached.words);
        }
    }

    /// Caches the first places of a word; rare ones too, as each is a search in the file.
    pub fn insert_sample(&self, version: IndexVersion, term: &str, places: &PostingList) {
        self.lock().insert(version, term, places, |cached| &mut cached.samples);
    }

    /// Gives the memory back of what nobody has asked for so long.
    pub fn release_idle(&self, idle: Duration) {
        let mut cached = self.lock();
        if cached.used.is_some_and(|used| idle <= used.elapsed()) {
            *cached = CachedTerms::default();
        }
    }

    fn lock(&self) -> MutexGuard<'_, CachedTerms> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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
        // The most frequent words come first, so that it is the others for which no room is left.
        let memories = self.memories + places.postings.len() + WORD;
        if memories <= MAX_MEMORIES && !lists(self).contains_key(term) {
            lists(self).insert(term.to_owned(), places.clone());
            self.memories = memories;
        }
        self.used = Some(Instant::now());
    }
}

#[cfg(test)]
mod tests {
    use super::super::posting::TermPosting;
    use super::{Duration, FrequentTerms, IndexVersion, MAX_MEMORIES, PostingList, WORD};
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
        // What is cached for one state only goes without them.
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
        frequent.insert(IndexVersion(1), "too many", &places(MAX_MEMORIES + 1));
        for number in 0..20 {
            frequent.insert(IndexVersion(1), &number.to_string(), &places(MAX_MEMORIES / 8 - WORD));
            assert!(frequent.lock().memories <= MAX_MEMORIES);
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
