//! Which candidates satisfy a filter: each is looked up with it, unless it is known which ones pass.
//! When so many fail that it would take long to find enough, now or in all searches with this filter so
//! far, what the filter lets through is listed once, and known from then on.

use super::passing::{PassingSets, SetLookup};
use crate::filter::Clause;
use hobnob_store::memory::{MemoryAccess, MemoryFilter};
use hobnob_store::search::NumberSet;
use rusqlite::{CachedStatement, Connection, Result, Row};
use std::sync::Arc;

/// How often it is looked whether to go on like this.
const LOOK_AFTER: usize = 64;
/// Rows that can be listed in the time that it takes to look up one.
const AS_FAST: usize = 8;

/// A memory that passed.
#[derive(Debug, Clone, Copy)]
pub(super) struct FilteredMemory {
    /// How much it says.
    pub(super) bytes: usize,
    /// Only what has a source has neighbours.
    pub(super) has_source: bool,
}

fn passed(row: &Row<'_>) -> Result<FilteredMemory> {
    let bytes: i64 = row.get(0)?;
    Ok(FilteredMemory {
        bytes: usize::try_from(bytes).unwrap_or_default(),
        has_source: row.get(1)?,
    })
}

/// Lets memories through that satisfy a filter.
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
    /// A sieve for what fits a filter: so many are wanted of so many candidates.
    pub(super) fn new(
        connection: &'c Connection,
        sets: &'c PassingSets,
        (access, filter): (&MemoryAccess, &MemoryFilter),
        wanted: usize,
        candidates: usize,
    ) -> Result<Self> {
        let clause = Clause::wanted(access, filter);
        // The length is known without reading the content.
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

    /// Whether it may pass, as far as that is known without looking it up.
    pub(super) fn may_pass(&self, number: i64) -> bool {
        self.passing.as_ref().is_none_or(|passing| passing.contains(number))
    }

    /// What must be known of the memory of this number, if it passes.
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
        if self.passing.is_none() && self.tried.is_multiple_of(LOOK_AFTER) && self.is_slow()? {
            self.passing = Some(self.lookup.made()?);
        }
        Ok(found)
    }

    /// How many can pass, if that is known.
    pub(super) fn passing(&self) -> Option<usize> {
        self.passing.as_ref().map(|passing| passing.len())
    }

    fn is_slow(&self) -> Result<bool> {
        let before = self.lookup.note_lookups(LOOK_AFTER);
        let missing = self.wanted.saturating_sub(self.passed);
        let more = missing.saturating_mul(self.tried) / self.passed.max(1);
        let more = more.min(self.candidates.saturating_sub(self.tried));
        let sql = "SELECT coalesce(max(number), 0) FROM memories";
        let all: i64 = self.connection.prepare_cached(sql)?.query_row((), |row| row.get(0))?;
        Ok(usize::try_from(all).unwrap_or_default() / AS_FAST < before + more)
    }
}
