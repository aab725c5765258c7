//! One page of hits: the smallest ones after the cursor, while the walk finds them in any order.
//!
//! Memory is bounded by the size of the page, not by the number of hits.

use parking_lot::Mutex;
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, Ordering as Memory};

use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, percent_encode};

use crate::files::content_hash::content_hash;

/// The sort key of a hit: the bytes of its path, then its line.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct HitKey {
    pub(super) path: Box<[u8]>,
    /// The line, from 1; 0 for a hit that is an entry.
    pub(super) line: u64,
}

/// The search and its last hit, after which the next page begins. To callers it is an opaque text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchCursor {
    search: SearchDigest,
    after: HitKey,
}

impl SearchCursor {
    pub(super) fn new(search: SearchDigest, after: HitKey) -> Self {
        Self { search, after }
    }

    /// The hit that it points to, if it belongs to this search.
    pub(super) fn after(&self, search: &SearchDigest) -> Option<&HitKey> {
        (self.search == *search).then_some(&self.after)
    }
}

impl fmt::Display for SearchCursor {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = percent_encode(&self.after.path, NON_ALPHANUMERIC);
        write!(out, "{}-{}-{path}", self.search.0, self.after.line)
    }
}

/// The text is not a cursor of this search.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a cursor of this search: begin again without one")]
pub struct BadSearchCursor(pub(super) String);

impl FromStr for SearchCursor {
    type Err = BadSearchCursor;

    fn from_str(text: &str) -> Result<Self, BadSearchCursor> {
        let read = || {
            let (search, rest) = text.split_once('-')?;
            let (line, path) = rest.split_once('-')?;
            let path: Vec<u8> = percent_decode_str(path).collect();
            let after = HitKey { path: path.into(), line: line.parse().ok()? };
            Some(Self { search: SearchDigest(search.to_owned()), after })
        };
        read().ok_or_else(|| BadSearchCursor(text.to_owned()))
    }
}

/// A digest of a search's parameters and start folder: a cursor is valid only for its search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SearchDigest(String);

impl SearchDigest {
    pub(super) fn of(words: &str) -> Self {
        let mut digits = content_hash(words.as_bytes()).to_string();
        digits.truncate(16);
        Self(digits)
    }
}

/// Which lines of one file can be on the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// No line: they are only counted.
    Count,
    /// The lines after this one, which come in order.
    After(u64),
}

/// Which keys can still be on the page, for a search that skips all others; threads share it.
pub(super) struct PageBound {
    limit: usize,
    after: Option<HitKey>,
    /// The smallest keys that any thread has found, at most as many as the page has.
    keys: Mutex<BinaryHeap<HitKey>>,
    /// Whether anything was skipped.
    pruned: AtomicBool,
}

impl PageBound {
    pub(super) fn new(limit: usize, after: Option<HitKey>) -> Self {
        Self { limit, after, keys: Mutex::default(), pruned: AtomicBool::new(false) }
    }

    /// Records a hit that can be on the page.
    pub(super) fn add(&self, key: &HitKey) {
        let mut keys = self.keys.lock();
        if self.limit <= keys.len() && keys.peek().is_some_and(|last| last <= key) {
            return;
        }
        keys.push(key.clone());
        if self.limit < keys.len() {
            keys.pop();
        }
    }

    /// Whether no hit at this path can be on the page.
    pub(super) fn excludes_entry(&self, path: &[u8]) -> bool {
        let before = self.after.as_ref().is_some_and(|after| *path < *after.path);
        let excluded = before || self.ends_before(path);
        if excluded {
            self.leave_out();
        }
        excluded
    }

    /// Whether no hit in this folder can be on the page; its path ends with a slash.
    pub(super) fn excludes_below(&self, folder: &[u8]) -> bool {
        let before = self
            .after
            .as_ref()
            .is_some_and(|after| *folder < *after.path && !after.path.starts_with(folder));
        let excluded = before || self.ends_before(folder);
        if excluded {
            self.leave_out();
        }
        excluded
    }

    /// Records that some hits are skipped.
    pub(super) fn leave_out(&self) {
        self.pruned.store(true, Memory::Relaxed);
    }

    /// Whether nothing was skipped.
    pub(super) fn saw_all(&self) -> bool {
        !self.pruned.load(Memory::Relaxed)
    }

    fn ends_before(&self, path: &[u8]) -> bool {
        let keys = self.keys.lock();
        self.limit <= keys.len() && keys.peek().is_some_and(|last| *last.path < *path)
    }
}

/// The hits of a page that one thread has found.
pub(super) struct PageHits<T> {
    limit: usize,
    after: Option<HitKey>,
    heap: BinaryHeap<Kept<T>>,
}

struct Kept<T> {
    key: HitKey,
    hit: T,
}

impl<T> PageHits<T> {
    pub(super) fn new(limit: usize, after: Option<HitKey>) -> Self {
        Self { limit, after, heap: BinaryHeap::new() }
    }

    /// Which hits at a path can still be on the page.
    pub(super) fn wanted(&self, path: &[u8]) -> Wanted {
        let full = self.limit <= self.heap.len();
        if full && self.heap.peek().is_none_or(|last| *last.key.path < *path) {
            return Wanted::Count;
        }
        match self.after.as_ref().map(|after| (path.cmp(&after.path), after.line)) {
            None | Some((Ordering::Greater, _)) => Wanted::After(0),
            Some((Ordering::Equal, line)) => Wanted::After(line),
            Some((Ordering::Less, _)) => Wanted::Count,
        }
    }

    /// Whether a hit that is an entry can still be on the page.
    pub(super) fn wants_entry(&self, path: &[u8]) -> bool {
        match self.wanted(path) {
            Wanted::Count => false,
            Wanted::After(_) => self.after.as_ref().is_none_or(|after| *after.path < *path),
        }
    }

    pub(super) fn limit(&self) -> usize {
        self.limit
    }

    /// Adds a hit if it is among the first ones.
    pub(super) fn push(&mut self, key: HitKey, hit: T) {
        self.heap.push(Kept { key, hit });
        if self.limit < self.heap.len() {
            self.heap.pop();
        }
    }

    /// Merges the first hits of all threads, in order.
    pub(super) fn merge(all: Vec<Self>, limit: usize) -> Vec<(HitKey, T)> {
        let mut kept: Vec<_> = all.into_iter().flat_map(|it| it.heap).collect();
        kept.sort_unstable();
        kept.truncate(limit);
        kept.into_iter().map(|it| (it.key, it.hit)).collect()
    }
}

impl<T> PartialEq for Kept<T> {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl<T> Eq for Kept<T> {}

impl<T> PartialOrd for Kept<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Kept<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key.cmp(&other.key)
    }
}
