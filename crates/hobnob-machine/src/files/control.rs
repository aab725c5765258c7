//! How the caller of a long action stops it, sees how far it is, and hears of hits as they are found.
//! Shared between threads.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::search_hit::SearchHit;

/// Hears of hits, from any thread of a search.
type OnHit = Box<dyn Fn(&SearchHit) + Send + Sync>;

/// A running search from outside: the caller keeps one end, the threads look at the other.
#[derive(Default)]
pub struct SearchControl {
    cancelled: AtomicBool,
    files: AtomicU64,
    matches: AtomicU64,
    on_hit: Option<OnHit>,
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
    /// A control whose owner hears of each hit when it is found, in the order of the walk and from
    /// any of its threads. Every hit of the page is among them; one that a smaller path displaces
    /// from the page may be too. It must not wait.
    pub fn with_hits(on_hit: impl Fn(&SearchHit) + Send + Sync + 'static) -> Self {
        Self { on_hit: Some(Box::new(on_hit)), ..Self::default() }
    }

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

    pub(crate) fn found(&self, hit: &SearchHit) {
        if let Some(on_hit) = &self.on_hit {
            on_hit(hit);
        }
    }
}

impl fmt::Debug for SearchControl {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("SearchControl")
            .field("cancelled", &self.is_cancelled())
            .field("progress", &self.progress())
            .finish_non_exhaustive()
    }
}
