//! Lets the caller of a long action cancel it, watch its progress, and receive hits as they are
//! found. Shared between threads.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::search_hit::SearchHit;

/// Receives hits, from any thread of a search.
type OnHit = Box<dyn Fn(&SearchHit) + Send + Sync>;

/// A handle to a running search: the caller keeps one end, the threads check the other.
#[derive(Default)]
pub struct SearchControl {
    cancelled: AtomicBool,
    files: AtomicU64,
    matches: AtomicU64,
    on_hit: Option<OnHit>,
}

/// The progress of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchProgress {
    /// Entries that were visited.
    pub files: u64,
    /// Entries or lines that matched.
    pub matches: u64,
}

impl SearchControl {
    /// A control that calls `on_hit` for each hit when it is found, in the order of the walk and
    /// from any of its threads. Every hit of the page is among them, and so may be hits that a
    /// smaller path later displaces from it. `on_hit` must not block.
    pub fn with_hits(on_hit: impl Fn(&SearchHit) + Send + Sync + 'static) -> Self {
        Self { on_hit: Some(Box::new(on_hit)), ..Self::default() }
    }

    /// Ends the search within one file's block of bytes; it then fails as cancelled.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// The progress at this moment.
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
