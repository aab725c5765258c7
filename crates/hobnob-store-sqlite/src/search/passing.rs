//! Which memories pass a filter, as a set of bits, so that a search need not look up each one that
//! does not. Sets are kept for the filters that were used last, and after a change only the memories
//! are looked at that changed.
//!
//! A set only saves work: whatever is returned has passed the filter in SQL. So a set may have too
//! many, such as what has expired, and never too few.

use crate::change_log::newest;
use crate::filter::Clause;
use hobnob_store::Time;
use hobnob_store::memory::{MemoryAccess, MemoryFilter, MemoryStatus};
use hobnob_store::search::NumberSet;
use rusqlite::{Connection, Result, params_from_iter};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Filters whose sets are kept.
const CACHED: usize = 16;
/// Changes that are followed one by one; after more of them, a set is made again when it is needed.
const FOLLOWED: i64 = 1_000;

/// The sets of one store.
#[derive(Debug, Default)]
pub(super) struct PassingSets {
    known: Mutex<VecDeque<KnownSet>>,
    /// How many memories were looked up one by one for filters that have no set.
    looked_up: Mutex<VecDeque<(SetKey, usize)>>,
}

/// What a set is for: whose question it is, and what is wanted, whenever.
#[derive(Debug, Clone, PartialEq)]
struct SetKey {
    access: MemoryAccess,
    filter: MemoryFilter,
}

#[derive(Debug, Clone)]
struct KnownSet {
    key: SetKey,
    /// The number of the last change that it knows of.
    version: i64,
    numbers: Arc<NumberSet>,
    used: Instant,
}

/// One search's way to the sets.
pub(super) struct SetLookup<'c> {
    sets: &'c PassingSets,
    connection: &'c Connection,
    key: SetKey,
    clause: Clause,
}

impl PassingSets {
    /// For a search with this filter.
    pub(super) fn lookup<'c>(
        &'c self,
        connection: &'c Connection,
        access: &MemoryAccess,
        filter: &MemoryFilter,
    ) -> SetLookup<'c> {
        // What depends on the time is another set each time; SQL looks at it later.
        let filter = MemoryFilter { since: None, until: None, ..filter.clone() };
        let access = MemoryAccess { now: Time::default(), ..access.clone() };
        let clause = Clause::wanted(&access, &filter);
        SetLookup { sets: self, connection, key: SetKey { access, filter }, clause }
    }

    /// Everything that a named owner can reach, whatever its status: how rare a word is for them must
    /// not say what others captured. `None` for the person, whose store it is.
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

    /// Gives the memory back of what nobody has used for so long.
    pub(super) fn release_idle(&self, idle: Duration) {
        self.lock().retain(|known| known.used.elapsed() < idle);
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<KnownSet>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SetLookup<'_> {
    /// The set, if it is known or soon brought up to date.
    pub(super) fn known(&self) -> Result<Option<Arc<NumberSet>>> {
        let known = self.sets.lock().iter().find(|known| known.key == self.key).cloned();
        let Some(mut known) = known else { return Ok(None) };
        let version = newest(self.connection)?;
        if version < known.version || known.version + FOLLOWED < version {
            return Ok(None);
        }
        if known.version < version {
            let Some(numbers) = self.followed(&known)? else { return Ok(None) };
            known = KnownSet { numbers: Arc::new(numbers), version, ..known };
        }
        Ok(Some(self.keep(known)))
    }

    /// Notes that so many more were looked up one by one; how many it were since there was no set.
    pub(super) fn note_lookups(&self, more: usize) -> usize {
        let mut looked_up = self.sets.looked_up.lock().unwrap_or_else(PoisonError::into_inner);
        let place = looked_up.iter().position(|(key, _)| *key == self.key);
        let before = place.and_then(|place| looked_up.remove(place)).map_or(0, |(_, count)| count);
        looked_up.truncate(CACHED - 1);
        looked_up.push_front((self.key.clone(), before + more));
        before + more
    }

    /// The set, made by listing everything that passes.
    pub(super) fn made(&self) -> Result<Arc<NumberSet>> {
        let version = newest(self.connection)?;
        let sql = format!("SELECT m.number FROM memories AS m WHERE {}", self.clause.sql);
        let mut statement = self.connection.prepare_cached(&sql)?;
        let mut rows = statement.query(params_from_iter(&self.clause.params))?;
        let mut numbers = NumberSet::default();
        while let Some(row) = rows.next()? {
            numbers.insert(row.get(0)?);
        }
        let mut looked_up = self.sets.looked_up.lock().unwrap_or_else(PoisonError::into_inner);
        looked_up.retain(|(key, _)| *key != self.key);
        drop(looked_up);
        let (key, numbers) = (self.key.clone(), Arc::new(numbers));
        Ok(self.keep(KnownSet { key, version, numbers, used: Instant::now() }))
    }

    fn keep(&self, known: KnownSet) -> Arc<NumberSet> {
        let numbers = Arc::clone(&known.numbers);
        let mut sets = self.sets.lock();
        sets.retain(|other| other.key != self.key);
        sets.truncate(CACHED - 1);
        sets.push_front(KnownSet { used: Instant::now(), ..known });
        numbers
    }

    /// The set after the changes since; `None` if not all of them are in the table any more.
    fn followed(&self, known: &KnownSet) -> Result<Option<NumberSet>> {
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
            // What has gone for good may stay in the set: nothing has its number.
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
