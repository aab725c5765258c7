//! Bit sets of the memories that pass a filter, so that a search need not look up each one that
//! fails. An LRU cache keeps the sets of recent filters; after changes only the changed memories
//! are looked up again.
//!
//! Invariant: a set may contain too many memories (for example expired ones) but never too few,
//! because every returned memory is checked against the filter in SQL.

use super::passing_sets::{KnownSet, PassingSets, SetKey};
use super::work::SearchWork;
use crate::columns::{get, number, text};
use crate::error::Result;
use crate::memories::MemoryClause;
use crate::value::{SqlValue, values};
use hobnob_store::Time;
use hobnob_store::memory::{MemoryAccess, MemoryFilter, MemoryStatus};
use hobnob_store::search::NumberSet;
use std::sync::Arc;
use std::time::Instant;

/// A set that more memories have changed since is computed anew instead of updated.
const MAX_FOLLOWED_CHANGES: usize = 1_000;

/// One search's access to the sets.
pub(super) struct SetLookup<'c> {
    sets: &'c PassingSets,
    work: &'c SearchWork<'c>,
    key: SetKey,
}

/// All memories in any status that a named owner can reach: how rare a word is for that owner must
/// not reveal what other owners captured. `None` for the unnamed owner of the whole store.
pub(super) async fn within_reach(
    sets: &PassingSets,
    work: &SearchWork<'_>,
    access: &MemoryAccess,
) -> Result<Option<Arc<NumberSet>>> {
    if access.owner.as_str().is_empty() {
        return Ok(None);
    }
    let statuses = MemoryStatus::ALL.to_vec();
    let filter = MemoryFilter { statuses, ..MemoryFilter::default() };
    let lookup = SetLookup::new(sets, work, access, &filter);
    match lookup.known().await? {
        Some(known) => Ok(Some(known)),
        None => lookup.made().await.map(Some),
    }
}

impl<'c> SetLookup<'c> {
    /// The lookup for a search with this filter.
    pub(super) fn new(
        sets: &'c PassingSets,
        work: &'c SearchWork<'c>,
        access: &MemoryAccess,
        filter: &MemoryFilter,
    ) -> Self {
        // Time-dependent parts would need another set each time; SQL checks them later.
        let filter = MemoryFilter { since: None, until: None, ..filter.clone() };
        let access = MemoryAccess { now: Time::default(), ..access.clone() };
        Self { sets, work, key: SetKey { access, filter } }
    }

    /// The cached set, brought up to date, unless it is missing or too far behind.
    pub(super) async fn known(&self) -> Result<Option<Arc<NumberSet>>> {
        let known = self.sets.find(&self.key);
        let (Some(mut known), Some(version)) = (known, self.work.version) else { return Ok(None) };
        if version < known.version {
            return Ok(None);
        }
        if known.version < version {
            let Some(numbers) = self.updated(&known).await? else { return Ok(None) };
            known = KnownSet { numbers: Arc::new(numbers), version, ..known };
        }
        Ok(Some(self.sets.keep(known)))
    }

    /// Adds to the lookups counted for this filter and returns their sum since it had no set.
    pub(super) fn note_lookups(&self, more: usize) -> usize {
        self.sets.note_lookups(&self.key, more)
    }

    /// Computes the set by listing everything that passes, and caches it.
    pub(super) async fn made(&self) -> Result<Arc<NumberSet>> {
        let MemoryClause(clause) = MemoryClause::wanted(&self.key.access, &self.key.filter);
        let sql = format!(
            "SELECT coalesce(array_agg(m.number), '{{}}') FROM memories AS m WHERE {}",
            clause.sql
        );
        let passing =
            self.work.transaction.one(&sql, &clause.values, |row| get::<Vec<i64>>(row, 0));
        let mut numbers = NumberSet::default();
        for number in passing.await? {
            numbers.insert(number);
        }
        self.sets.forget_lookups(&self.key);
        let (key, numbers) = (self.key.clone(), Arc::new(numbers));
        match self.work.version {
            Some(version) => {
                Ok(self.sets.keep(KnownSet { key, version, numbers, used: Instant::now() }))
            }
            None => Ok(numbers),
        }
    }

    /// The set updated by the changes since; `None` if some of them are no longer in the table, or
    /// if there are too many.
    async fn updated(&self, known: &KnownSet) -> Result<Option<NumberSet>> {
        let transaction = self.work.transaction;
        let removed = "SELECT 1 FROM changes_removed WHERE $1 < xid";
        if transaction.exists(removed, values![known.version]).await? {
            return Ok(None);
        }
        let sql = "SELECT id FROM memories_changed_since($1) AS c (id) LIMIT $2";
        let given = values![known.version, MAX_FOLLOWED_CHANGES + 1];
        let changed = transaction.all(sql, given, |row| text(row, 0)).await?;
        if MAX_FOLLOWED_CHANGES < changed.len() {
            return Ok(None);
        }
        let mut numbers = NumberSet::clone(&known.numbers);
        let ids = SqlValue::texts(changed.iter().map(String::as_str));
        let (access, filter) = (&self.key.access, &self.key.filter);
        let MemoryClause(clause) = MemoryClause::wanted_behind(&[ids], access, filter);
        let sql = format!(
            "SELECT m.number, coalesce({}, false) FROM memories AS m WHERE m.id = ANY($1)",
            clause.sql
        );
        let found = transaction
            .all(&sql, &clause.values, |row| Ok((number(row, 0)?, get::<bool>(row, 1)?)));
        // A purged memory may stay in the set, since its number is never used again.
        for (number, passes) in found.await? {
            if passes {
                numbers.insert(number);
            } else {
                numbers.remove(number);
            }
        }
        Ok(Some(numbers))
    }
}
