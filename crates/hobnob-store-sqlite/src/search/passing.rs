//! Bit sets of the memories that pass a filter, so that a search need not look up each one that
//! fails. An LRU cache keeps the sets of recent filters; after changes only the changed memories
//! are looked up again.
//!
//! Invariant: a set may contain too many memories (for example expired ones) but never too few,
//! because every returned memory is checked against the filter in SQL.

use crate::change_log::newest;
use crate::filter::Clause;
use hobnob_store::Time;
use hobnob_store::memory::{MemoryAccess, MemoryFilter, MemoryStatus};
use hobnob_store::search::NumberSet;
use parking_lot::{Mutex, MutexGuard};
use rusqlite::{Connection, Result, params_from_iter};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Capacity of the LRU cache, in filters.
const MAX_CACHED_SETS: usize = 16;
/// A set that is behind by more changes than this is computed anew instead of updated.
const MAX_FOLLOWED_CHANGES: i64 = 1_000;

/// The cached sets of one store.
#[derive(Debug, Default)]
pub(super) struct PassingSets {
    known: Mutex<VecDeque<KnownSet>>,
    /// For filters without a set: how many memories were looked up one by one.
    looked_up: Mutex<VecDeque<(SetKey, usize)>>,
}

/// What a set is for: an access and a filter, without the time.
#[derive(Debug, Clone, PartialEq)]
struct SetKey {
    access: MemoryAccess,
    filter: MemoryFilter,
}

#[derive(Debug, Clone)]
struct KnownSet {
    key: SetKey,
    /// The last change that the set includes.
    version: i64,
    numbers: Arc<NumberSet>,
    used: Instant,
}

/// One search's access to the sets.
pub(super) struct SetLookup<'c> {
    sets: &'c PassingSets,
    connection: &'c Connection,
    key: SetKey,
    clause: Clause,
}

impl PassingSets {
    /// The lookup for a search with this filter.
    pub(super) fn lookup<'c>(
        &'c self,
        connection: &'c Connection,
        access: &MemoryAccess,
        filter: &MemoryFilter,
    ) -> SetLookup<'c> {
        // Time-dependent parts would need another set each time; SQL checks them later.
        let filter = MemoryFilter { since: None, until: None, ..filter.clone() };
        let access = MemoryAccess { now: Time::default(), ..access.clone() };
        let clause = Clause::wanted(&access, &filter);
        SetLookup { sets: self, connection, key: SetKey { access, filter }, clause }
    }

    /// All memories in any status that a named owner can reach: how rare a word is for that owner
    /// must not reveal what other owners captured. `None` for the unnamed owner of the whole store.
    pub(super) fn within_reach(
        &self,
        connection: &Connection,
        access: &MemoryAccess,
    ) -> Result<Option<Arc<NumberSet>>> {
        if access.owner.as_str().is_empty() {
            return Ok(None);
        }
        let statuses = MemoryStatus::ALL.to_vec();
        let filter = MemoryFilter { statuses, ..MemoryFilter::default() };
        let lookup = self.lookup(connection, access, &filter);
        let known = lookup.known()?;
        known.map_or_else(|| lookup.made(), Ok).map(Some)
    }

    /// Frees the sets that no search has used for `idle`.
    pub(super) fn release_idle(&self, idle: Duration) {
        self.lock().retain(|known| known.used.elapsed() < idle);
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<KnownSet>> {
        self.known.lock()
    }
}

impl SetLookup<'_> {
    /// The cached set, brought up to date, unless it is missing or too far behind.
    pub(super) fn known(&self) -> Result<Option<Arc<NumberSet>>> {
        let known = self.sets.lock().iter().find(|known| known.key == self.key).cloned();
        let Some(mut known) = known else { return Ok(None) };
        let version = newest(self.connection)?;
        if version < known.version || known.version + MAX_FOLLOWED_CHANGES < version {
            return Ok(None);
        }
        if known.version < version {
            let Some(numbers) = self.updated(&known)? else { return Ok(None) };
            known = KnownSet { numbers: Arc::new(numbers), version, ..known };
        }
        Ok(Some(self.keep(known)))
    }

    /// Adds to the lookups counted for this filter and returns their sum since it had no set.
    pub(super) fn note_lookups(&self, more: usize) -> usize {
        let mut looked_up = self.sets.looked_up.lock();
        let place = looked_up.iter().position(|(key, _)| *key == self.key);
        let before = place.and_then(|place| looked_up.remove(place)).map_or(0, |(_, count)| count);
        looked_up.truncate(MAX_CACHED_SETS - 1);
        looked_up.push_front((self.key.clone(), before + more));
        before + more
    }

    /// Computes the set by listing everything that passes, and caches it.
    pub(super) fn made(&self) -> Result<Arc<NumberSet>> {
        let version = newest(self.connection)?;
        let sql = format!("SELECT m.number FROM memories AS m WHERE {}", self.clause.sql);
        let mut statement = self.connection.prepare_cached(&sql)?;
        let mut rows = statement.query(params_from_iter(&self.clause.params))?;
        let mut numbers = NumberSet::default();
        while let Some(row) = rows.next()? {
            numbers.insert(row.get(0)?);
        }
        let mut looked_up = self.sets.looked_up.lock();
        looked_up.retain(|(key, _)| *key != self.key);
        drop(looked_up);
        let (key, numbers) = (self.key.clone(), Arc::new(numbers));
        Ok(self.keep(KnownSet { key, version, numbers, used: Instant::now() }))
    }

    fn keep(&self, known: KnownSet) -> Arc<NumberSet> {
        let numbers = Arc::clone(&known.numbers);
        let mut sets = self.sets.lock();
        sets.retain(|other| other.key != self.key);
        sets.truncate(MAX_CACHED_SETS - 1);
        sets.push_front(KnownSet { used: Instant::now(), ..known });
        numbers
    }

    /// The set updated by the changes since; `None` if some of them are no longer in the table.
    fn updated(&self, known: &KnownSet) -> Result<Option<NumberSet>> {
        let sql = "SELECT count(*) FROM changes WHERE ?1 < number";
        let count: i64 =
            self.connection.prepare_cached(sql)?.query_row([known.version], |row| row.get(0))?;
        if count != newest(self.connection)? - known.version {
            return Ok(None);
        }
        let mut numbers = NumberSet::clone(&known.numbers);
        let sql = "SELECT DISTINCT id FROM changes WHERE ?1 < number AND topic = 'memory'";
        let mut changed = self.connection.prepare_cached(sql)?;
        let mut changed = changed.query([known.version])?;
        let sql =
            format!("SELECT m.number, ({}) FROM memories AS m WHERE m.id = ?", self.clause.sql);
        let mut one = self.connection.prepare_cached(&sql)?;
        for (place, value) in self.clause.params.iter().enumerate() {
            one.raw_bind_parameter(place + 1, value)?;
        }
        let last = self.clause.params.len() + 1;
        while let Some(row) = changed.next()? {
            one.raw_bind_parameter(last, row.get::<_, String>(0)?)?;
            let mut found = one.raw_query();
            // A purged memory may stay in the set, since its number is never used again.
            let Some(row) = found.next()? else { continue };
            let number = row.get(0)?;
            match row.get::<_, Option<bool>>(1)? {
                Some(true) => numbers.insert(number),
                Some(false) | None => numbers.remove(number),
            }
        }
        Ok(Some(numbers))
    }
}
