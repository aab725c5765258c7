//! Where a word is in the index: what is read from it, and what is cached.
//!
//! Lists are in the order of the memories' numbers, each memory once.

use super::number_set::NumberSet;
use std::sync::Arc;

/// How often a memory has a term.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TermPosting {
    /// The row number of the memory.
    pub memory: i64,
    /// How often its content has it.
    pub body: u16,
    /// How often what is said about it does.
    pub labels: u16,
}

/// Everywhere a word is.
#[derive(Debug, Clone, Default)]
pub struct PostingList {
    /// By number, each memory once.
    pub postings: Arc<Vec<TermPosting>>,
    /// Each time that a memory has it.
    pub count: usize,
}

impl PostingList {
    /// Those places that are within reach. How often the word was read is left as it is.
    #[must_use]
    pub fn within(self, reach: Option<&NumberSet>) -> Self {
        let Some(reach) = reach else { return self };
        let reached = self.postings.iter().filter(|posting| reach.contains(posting.memory));
        Self { postings: Arc::new(reached.copied().collect()), count: self.count }
    }
}
