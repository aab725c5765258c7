//! Tests candidates against a filter. Each one is looked up in SQL until lookups become too slow,
//! in this search or over all searches with the filter; then the set of all passing memories is
//! computed once and cached.

use super::passing::{PassingSets, SetLookup};
use crate::filter::Clause;
use hobnob_store::memory::{MemoryAccess, MemoryFilter};
use hobnob_store::search::NumberSet;
use rusqlite::{CachedStatement, Connection, Result, Row};
use std::sync::Arc;

/// How many lookups to do before deciding again whether they are too slow.
const LOOKUPS_PER_CHECK: usize = 64;
/// How many rows a scan lists in the time of one lookup.
const ROWS_PER_LOOKUP: usize = 8;

/// A memory that passed the filter.
#[derive(Debug, Clone, Copy)]
pub(super) struct FilteredMemory {
    /// The length of its content.
    pub(super) bytes: usize,
    /// Whether it has a source; a memory without one has no neighbours.
    pub(super) has_source: bool,
}

fn passed(row: &Row<'_>) -> Result<FilteredMemory> {
    let bytes: i64 = row.get(0)?;
    Ok(FilteredMemory {
        bytes: usize::try_from(bytes).unwrap_or_default(),
        has_source: row.get(1)?,
    })
}

/// Passes memories that satisfy a filter.
pub(super) struct HitFilter<'c> {
    connection: &'c Connection,
    lookup: SetLookup<'c>,
    one: CachedStatement<'c>,
    wanted: usize,
    candidates: usize,
    tried: usize,
    passed: usize,
    passing: Option<Arc<NumberSet>>,
}

impl<'c> HitFilter<'c> {
    /// A filter for a search that wants `wanted` hits out of `candidates` candidates.
    pub(super) fn new(
        connection: &'c Connection,
        sets: &'c PassingSets,
        (access, filter): (&MemoryAccess, &MemoryFilter),
        wanted: usize,
        candidates: usize,
    ) -> Result<Self> {
        let clause = Clause::wanted(access, filter);
        // `octet_length` does not read the content.
        let sql = format!(
            "SELECT octet_length(m.content), m.source IS NOT NULL \
             FROM memories AS m WHERE m.number = ? AND {}",
            clause.sql
        );
        let mut one = connection.prepare_cached(&sql)?;
        for (place, value) in clause.params.iter().enumerate() {
            one.raw_bind_parameter(place + 2, value)?;
        }
        let lookup = sets.lookup(connection, access, filter);
        let (passing, tried, passed) = (lookup.known()?, 0, 0);
        Ok(Self { connection, lookup, one, wanted, candidates, tried, passed, passing })
    }

    /// Whether the memory may pass: false only if the cached set says that it does not.
    pub(super) fn may_pass(&self, number: i64) -> bool {
        self.passing.as_ref().is_none_or(|passing| passing.contains(number))
    }

    /// The data of the memory of this number, if it passes.
    pub(super) fn pass(&mut self, number: i64) -> Result<Option<FilteredMemory>> {
        if !self.may_pass(number) {
            return Ok(None);
        }
        self.one.raw_bind_parameter(1, number)?;
        let mut rows = self.one.raw_query();
        let found = rows.next()?.map(passed).transpose()?;
        drop(rows);
        self.tried += 1;
        self.passed += usize::from(found.is_some());
        if self.passing.is_none()
            && self.tried.is_multiple_of(LOOKUPS_PER_CHECK)
            && self.is_slow()?
        {
            self.passing = Some(self.lookup.made()?);
        }
        Ok(found)
    }

    /// The number of memories that can pass, if the set is cached.
    pub(super) fn passing(&self) -> Option<usize> {
        self.passing.as_ref().map(|passing| passing.len())
    }

    fn is_slow(&self) -> Result<bool> {
        let before = self.lookup.note_lookups(LOOKUPS_PER_CHECK);
        let missing = self.wanted.saturating_sub(self.passed);
        let more = missing.saturating_mul(self.tried) / self.passed.max(1);
        let more = more.min(self.candidates.saturating_sub(self.tried));
        let sql = "SELECT coalesce(max(number), 0) FROM memories";
        let all: i64 = self.connection.prepare_cached(sql)?.query_row((), |row| row.get(0))?;
        Ok(usize::try_from(all).unwrap_or_default() / ROWS_PER_LOOKUP < before + more)
    }
}
