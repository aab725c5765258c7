//! The memories that the same source captured just before and after one: the context of a turn.
//!
//! Both searches count them a little. Neighbours are ordered by arrival of the captures, which need
//! not be the order of the writes.

use hobnob_store::Time;
use hobnob_store::memory::MemoryAccess;
use rusqlite::{CachedStatement, Connection, Result};

/// Finds the active memories just before and after one, with the same source, scope and owner, and
/// not many captures (of all owners) away. A caller who can reach the one reaches the others.
pub(super) struct Neighbours<'c> {
    /// Prepared once per search, which asks for the neighbours of a hundred memories.
    before: CachedStatement<'c>,
    after: CachedStatement<'c>,
    now: Time,
}

impl<'c> Neighbours<'c> {
    pub(super) fn new(connection: &'c Connection, access: &MemoryAccess) -> Result<Self> {
        let (before, after) =
            (connection.prepare_cached(BEFORE)?, connection.prepare_cached(AFTER)?);
        Ok(Self { before, after, now: access.now })
    }

    /// The memory just before, and the one just after.
    pub(super) fn of(&mut self, number: i64) -> Result<[Option<i64>; 2]> {
        let mut found = [None, None];
        for (place, statement) in found.iter_mut().zip([&mut self.before, &mut self.after]) {
            *place = match statement.query((number, self.now.millis(), 1))?.next()? {
                Some(row) => Some(row.get(0)?),
                None => None,
            };
        }
        Ok(found)
    }

    /// Up to two memories before, and up to two after, the nearest first.
    pub(super) fn two_steps_of(&mut self, number: i64) -> Result<[Vec<i64>; 2]> {
        let mut found = [Vec::new(), Vec::new()];
        for (place, statement) in found.iter_mut().zip([&mut self.before, &mut self.after]) {
            let mut rows = statement.query((number, self.now.millis(), 2))?;
            while let Some(row) = rows.next()? {
                place.push(row.get(0)?);
            }
        }
        Ok(found)
    }
}

/// The source is not a parameter, since SQLite would plan the query anew for each value. The inner
/// query stops after a few rows, even if they are inactive or too far away.
macro_rules! beside {
    ($earlier_or_later:literal, $order:literal) => {
        concat!(
            "SELECT number FROM (SELECT n.number AS number, n.status AS status, \
             n.expires AS expires FROM memories AS m CROSS JOIN memories AS n \
             INDEXED BY memories_by_source ON n.source = m.source AND n.owner = m.owner \
             AND n.scope = m.scope AND n.project = m.project AND ",
            $earlier_or_later,
            " WHERE m.number = ?1 ORDER BY coalesce(n.arrived, n.number) ",
            $order,
            ", n.number ",
            $order,
            " LIMIT 64) WHERE status = 'active' AND (expires IS NULL OR ?2 < expires) \
             AND number BETWEEN ?1 - 256 AND ?1 + 256 LIMIT ?3"
        )
    };
}

/// Of two captures that arrived at the same moment, the one written first is the earlier one.
const BEFORE: &str = beside!(
    "coalesce(n.arrived, n.number) <= coalesce(m.arrived, m.number) \
     AND (coalesce(n.arrived, n.number) < coalesce(m.arrived, m.number) OR n.number < m.number)",
    "DESC"
);
const AFTER: &str = beside!(
    "coalesce(m.arrived, m.number) <= coalesce(n.arrived, n.number) \
     AND (coalesce(m.arrived, m.number) < coalesce(n.arrived, n.number) OR m.number < n.number)",
    "ASC"
);
