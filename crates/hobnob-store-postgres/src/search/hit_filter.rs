//! Tests candidates against a filter, many at once. Each one is looked up in SQL until lookups
//! become too slow, in this search or over all searches with the filter; then the set of all passing
//! memories is computed once and cached.

use super::passing::SetLookup;
use super::passing_sets::PassingSets;
use super::work::SearchWork;
use crate::columns::{get, number};
use crate::error::Result;
use crate::memories::MemoryClause;
use crate::value::SqlValue;
use hobnob_store::memory::{MemoryAccess, MemoryFilter};
use hobnob_store::search::NumberSet;
use std::collections::HashMap;
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

/// Passes memories that satisfy a filter.
pub(super) struct HitFilter<'c> {
    work: &'c SearchWork<'c>,
    lookup: SetLookup<'c>,
    wanted_memories: (&'c MemoryAccess, &'c MemoryFilter),
    wanted: usize,
    candidates: usize,
    tried: usize,
    passed: usize,
    passing: Option<Arc<NumberSet>>,
}

impl<'c> HitFilter<'c> {
    /// A filter for a search that wants `wanted` hits out of `candidates` candidates.
    pub(super) async fn new(
        work: &'c SearchWork<'c>,
        sets: &'c PassingSets,
        (access, filter): (&'c MemoryAccess, &'c MemoryFilter),
        wanted: usize,
        candidates: usize,
    ) -> Result<Self> {
        let lookup = SetLookup::new(sets, work, access, filter);
        let (passing, tried, passed) = (lookup.known().await?, 0, 0);
        let wanted_memories = (access, filter);
        Ok(Self { work, lookup, wanted_memories, wanted, candidates, tried, passed, passing })
    }

    /// The cached set of what may pass, if there is one.
    pub(super) fn passing(&self) -> Option<Arc<NumberSet>> {
        self.passing.clone()
    }

    /// The data of those of these memories that pass.
    pub(super) async fn pass(&mut self, numbers: &[i64]) -> Result<HashMap<i64, FilteredMemory>> {
        let passing = self.passing.as_ref();
        let may_pass = |number: &i64| passing.is_none_or(|passing| passing.contains(*number));
        let numbers: Vec<i64> = numbers.iter().copied().filter(may_pass).collect();
        if numbers.is_empty() {
            return Ok(HashMap::new());
        }
        let count = numbers.len();
        let (access, filter) = self.wanted_memories;
        let MemoryClause(clause) =
            MemoryClause::wanted_behind(&[SqlValue::from(numbers)], access, filter);
        let sql = format!(
            "SELECT m.number, m.bytes, m.source IS NOT NULL FROM memories AS m \
             WHERE m.number = ANY($1) AND {}",
            clause.sql
        );
        let found = self.work.transaction.all(&sql, &clause.values, |row| {
            let bytes = usize::try_from(number(row, 1)?).unwrap_or_default();
            Ok((number(row, 0)?, FilteredMemory { bytes, has_source: get(row, 2)? }))
        });
        let found: HashMap<i64, FilteredMemory> = found.await?.into_iter().collect();
        let checks_before = self.tried / LOOKUPS_PER_CHECK;
        self.tried += count;
        self.passed += found.len();
        let checks = self.tried / LOOKUPS_PER_CHECK - checks_before;
        if self.passing.is_none() && 0 < checks && self.is_slow(checks * LOOKUPS_PER_CHECK) {
            self.passing = Some(self.lookup.made().await?);
        }
        Ok(found)
    }

    fn is_slow(&self, lookups: usize) -> bool {
        let before = self.lookup.note_lookups(lookups);
        let missing = self.wanted.saturating_sub(self.passed);
        let more = missing.saturating_mul(self.tried) / self.passed.max(1);
        let more = more.min(self.candidates.saturating_sub(self.tried));
        usize::try_from(self.work.all).unwrap_or_default() / ROWS_PER_LOOKUP < before + more
    }
}
