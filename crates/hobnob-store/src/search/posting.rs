//! Posting lists: which memories have a term, and how often. Read from the index and cached.
//!
//! Invariant: a list is sorted by row number and has each memory once.

use super::number_set::NumberSet;
use std::sync::Arc;

/// How often one memory has a term.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TermPosting {
    /// The row number of the memory.
    pub memory: i64,
    /// Occurrences in its content.
    pub body: u16,
    /// Occurrences in its labels.
    pub labels: u16,
}

/// The posting list of a term.
#[derive(Debug, Clone, Default)]
pub struct PostingList {
    /// Sorted by row number, each memory once.
    pub postings: Arc<Vec<TermPosting>>,
    /// The number of occurrences read, over all memories.
    pub count: usize,
}

impl PostingList {
    /// Keeps the postings of memories within reach; `count` stays what was read.
    #[must_use]
    pub fn within(self, reach: Option<&NumberSet>) -> Self {
        let Some(reach) = reach else { return self };
        let reached = self.postings.iter().filter(|posting| reach.contains(posting.memory));
        Self { postings: Arc::new(reached.copied().collect()), count: self.count }
    }
}
