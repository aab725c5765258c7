//! What the same source said just before and after a memory: the context in which a turn was said.
//!
//! Both searches count it a little.

use crate::memory::MemoryAccess;
use rusqlite::{Connection, OptionalExtension as _, Result};

/// The active memories just before and after one, of the same source, place and owner, and not far
/// away, counted in captures of everybody. Whoever reaches the one reaches the others.
pub(super) fn neighbours(
    connection: &Connection,
    access: &MemoryAccess,
    number: i64,
) -> Result<[Option<i64>; 2]> {
    let found = connection
        .prepare_cached(BESIDE)?
        .query_row((number, access.now), |row| Ok([row.get(0)?, row.get(1)?]))
        .optional()?;
    Ok(found.unwrap_or_default())
}

/// The same two steps each way: how many steps it is, and which memory.
pub(super) fn around(
    connection: &Connection,
    access: &MemoryAccess,
    number: i64,
) -> Result<Vec<(u8, i64)>> {
    let mut found = Vec::with_capacity(4);
    for sql in [BEFORE, AFTER] {
        let mut statement = connection.prepare_cached(sql)?;
        let mut rows = statement.query((number, access.now))?;
        let mut steps = 0;
        while let Some(row) = rows.next()? {
            steps += 1;
            found.push((steps, row.get(0)?));
        }
    }
    Ok(found)
}

const BEFORE: &str = "SELECT n.number FROM memories AS m CROSS JOIN memories AS n \
    INDEXED BY memories_by_source ON n.source = m.source AND n.owner = m.owner \
    AND n.scope = m.scope AND n.project = m.project AND n.status = 'active' \
    AND (n.expires IS NULL OR ?2 < n.expires) \
    AND n.number BETWEEN m.number - 256 AND m.number - 1 \
    WHERE m.number = ?1 ORDER BY n.number DESC LIMIT 2";
const AFTER: &str = "SELECT n.number FROM memories AS m CROSS JOIN memories AS n \
    INDEXED BY memories_by_source ON n.source = m.source AND n.owner = m.owner \
    AND n.scope = m.scope AND n.project = m.project AND n.status = 'active' \
    AND (n.expires IS NULL OR ?2 < n.expires) \
    AND n.number BETWEEN m.number + 1 AND m.number + 256 \
    WHERE m.number = ?1 ORDER BY n.number LIMIT 2";

/// The source is not a parameter, since SQLite would plan the query anew for each.
const BESIDE: &str = "SELECT \
    (SELECT n.number FROM memories AS n INDEXED BY memories_by_source \
     WHERE n.source = m.source AND n.owner = m.owner AND n.scope = m.scope \
     AND n.project = m.project AND n.status = 'active' \
     AND (n.expires IS NULL OR ?2 < n.expires) \
     AND n.number BETWEEN m.number - 256 AND m.number - 1 ORDER BY n.number DESC LIMIT 1), \
    (SELECT n.number FROM memories AS n INDEXED BY memories_by_source \
     WHERE n.source = m.source AND n.owner = m.owner AND n.scope = m.scope \
     AND n.project = m.project AND n.status = 'active' \
     AND (n.expires IS NULL OR ?2 < n.expires) \
     AND n.number BETWEEN m.number + 1 AND m.number + 256 ORDER BY n.number LIMIT 1) \
    FROM memories AS m WHERE m.number = ?1 AND m.source IS NOT NULL";
