//! Stores the cut-off parts of results: bounded in bytes, number and age, each for its owner only.

use super::pages::{RESULTS, SpillContent};
use hobnob_mcp_engine::Principal;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Limits on how much is stored, and for how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpillLimits {
    /// The most bytes of all stored results together.
    pub bytes: usize,
    /// The most results of all clients together.
    pub entries: usize,
    /// The age at which a result is dropped.
    pub age: Duration,
}

impl Default for SpillLimits {
    fn default() -> Self {
        Self { bytes: 64 << 20, entries: 256, age: Duration::from_secs(60 * 60) }
    }
}

/// The cut-off part exceeds the whole store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "{size} bytes cannot be kept, at most {limit} are allowed; raise the limit or ask for less"
)]
pub struct TooBig {
    /// Bytes that would have to be stored.
    pub size: usize,
    /// Bytes that may be stored in all.
    pub limit: usize,
}

/// Why a stored result cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpillError {
    /// The address is not that of a stored result.
    #[error("`hobnob://results/…` addresses end in an id, or in an id and `?page=` with a number")]
    BadAddress,
    /// No result is stored there for this caller.
    #[error("no result is kept here (any more); call the tool again")]
    Unknown,
    /// The result has fewer pages.
    #[error("there is no page {page}; the last one is {pages}")]
    NoSuchPage {
        /// The page that was requested.
        page: usize,
        /// The number of pages.
        pages: usize,
    },
}

/// The size of a stored result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpillInfo {
    /// Its size in bytes of JSON text.
    pub size: usize,
    /// The number of pages; the first page is number 1.
    pub pages: usize,
}

/// The stored results, oldest first.
#[derive(Debug, Default)]
pub struct SpillStore {
    limits: SpillLimits,
    kept: VecDeque<Kept>,
    bytes: usize,
}

#[derive(Debug)]
struct Kept {
    content: SpillContent,
    owner: Principal,
    since: Instant,
}

impl SpillStore {
    /// An empty store with these limits.
    pub fn new(limits: SpillLimits) -> Self {
        Self { limits, kept: VecDeque::new(), bytes: 0 }
    }

    /// Stores the cut-off part of a result; drops the oldest results if there is no room.
    pub fn insert(
        &mut self,
        content: SpillContent,
        owner: Principal,
        now: Instant,
    ) -> Result<(), TooBig> {
        let (size, limit) = (content.weight(), self.limits.bytes);
        if size > limit || self.limits.entries == 0 {
            return Err(TooBig { size, limit });
        }
        self.purge(now);
        while self.bytes + size > limit || self.kept.len() >= self.limits.entries {
            self.drop_oldest();
        }
        self.bytes += size;
        self.kept.push_back(Kept { content, owner, since: now });
        Ok(())
    }

    /// The body of a `resources/read` for the page in the address, by default the first.
    pub fn read(
        &self,
        uri: &str,
        principal: &Principal,
        now: Instant,
    ) -> Result<String, SpillError> {
        let (id, page) = parse(uri).ok_or(SpillError::BadAddress)?;
        let content = self.find(id, principal, now)?;
        let missing = SpillError::NoSuchPage { page, pages: content.pages() };
        content.read(uri, page).ok_or(missing)
    }

    /// The size of the stored result at an address.
    pub fn info(
        &self,
        uri: &str,
        principal: &Principal,
        now: Instant,
    ) -> Result<SpillInfo, SpillError> {
        let (id, _) = parse(uri).ok_or(SpillError::BadAddress)?;
        let content = self.find(id, principal, now)?;
        Ok(SpillInfo { size: content.size(), pages: content.pages() })
    }

    /// Drops results that are too old.
    pub fn purge(&mut self, now: Instant) {
        while self.kept.front().is_some_and(|oldest| self.is_old(oldest, now)) {
            self.drop_oldest();
        }
    }

    /// The number of stored results.
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// Whether the store is empty.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// The limits of the store.
    pub fn limits(&self) -> SpillLimits {
        self.limits
    }

    /// The bytes of all stored results.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    fn find(
        &self,
        id: &str,
        principal: &Principal,
        now: Instant,
    ) -> Result<&SpillContent, SpillError> {
        let found = self.kept.iter().rev().find(|kept| kept.content.id() == id);
        // A result of another principal looks like one that does not exist.
        let readable = found.filter(|kept| kept.owner == *principal && !self.is_old(kept, now));
        readable.map(|kept| &kept.content).ok_or(SpillError::Unknown)
    }

    fn is_old(&self, kept: &Kept, now: Instant) -> bool {
        now.saturating_duration_since(kept.since) >= self.limits.age
    }

    fn drop_oldest(&mut self) {
        if let Some(oldest) = self.kept.pop_front() {
            self.bytes -= oldest.content.weight();
        }
    }
}

/// Splits an address into the id and the page.
fn parse(uri: &str) -> Option<(&str, usize)> {
    let rest = uri.strip_prefix(RESULTS)?;
    let (id, page) = match rest.split_once('?') {
        Some((id, query)) => (id, query.strip_prefix("page=")?.parse().ok()?),
        None => (rest, 1),
    };
    (!id.is_empty() && page > 0).then_some((id, page))
}
