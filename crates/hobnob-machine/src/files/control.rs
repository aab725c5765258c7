//! How the caller of a long action stops it and sees how far it is. Shared between threads.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// A running search from outside: the caller keeps one end, the threads look at the other.
#[derive(Debug, Default)]
pub struct SearchControl {
    cancelled: AtomicBool,
    files: AtomicU64,
    matches: AtomicU64,
}

/// How far a search is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchProgress {
    /// Entries that were looked at.
    pub files: u64,
    /// Entries or lines that were found.
    pub matches: u64,
}

impl SearchControl {
    /// Ends the search within one file's block of bytes; it then fails as cancelled.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// How far the search is at this moment.
    pub fn progress(&self) -> SearchProgress {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        SearchProgress { files: read(&self.files), matches: read(&self.matches) }
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    pub(crate) fn count(&self, files: u64, matches: u64) {
        self.files.fetch_add(files, Ordering::Relaxed);
        self.matches.fetch_add(matches, Ordering::Relaxed);
    }
}
