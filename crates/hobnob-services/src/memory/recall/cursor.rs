//! Page cursors: how many hits the caller has seen, and a hash of the question.
//!
//! A cursor is refused for any other question, since the hits would have another order.

use super::request::{RecallError, RecallRequest};
use hobnob_store::memory::{MemoryAccess, MemoryFilter};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// A position in the hits of one question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cursor {
    pub(super) seen: usize,
    question: u64,
}

impl Cursor {
    /// The position at which a request starts. `depth` is how many hits are fetched for it.
    pub(super) fn of(
        access: &MemoryAccess,
        request: &RecallRequest,
        depth: usize,
    ) -> Result<Self, RecallError> {
        let mut hasher = DefaultHasher::new();
        let RecallRequest { query, filter, mode, limit: _, after } = request;
        // Times that count back from now differ on each page.
        let filter = MemoryFilter { since: None, until: None, ..filter.clone() };
        let rest = format!(
            "{:?}",
            (filter, mode, depth, &access.owner, &access.project, access.org.is_some())
        );
        (query, rest).hash(&mut hasher);
        let question = hasher.finish();
        let Some(after) = after else { return Ok(Self { seen: 0, question }) };
        let cursor = Self::parse(after).ok_or(RecallError::Cursor)?;
        if cursor.question == question { Ok(cursor) } else { Err(RecallError::Cursor) }
    }

    /// The cursor for the page after `more` hits.
    pub(super) fn next(self, more: usize) -> String {
        format!("{}.{:016x}", self.seen.saturating_add(more), self.question)
    }

    fn parse(raw: &str) -> Option<Self> {
        let (seen, question) = raw.split_once('.')?;
        Some(Self { seen: seen.parse().ok()?, question: u64::from_str_radix(question, 16).ok()? })
    }
}
