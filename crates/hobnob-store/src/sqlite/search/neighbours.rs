//! What the same source said just before and after: the context in which a captured turn was said.

use crate::memory::{Memory, Reach};
use rusqlite::{Connection, OptionalExtension as _, Result};

/// How far away a neighbour may be, counted in captures of everybody.
const REACH: i64 = 256;

/// The active memories just before and after one, of the same source, place and owner. Whoever
/// reaches the one reaches the others.
pub(super) fn neighbours(
    connection: &Connection,
    reach: &Reach,
    number: i64,
    memory: &Memory,
) -> Result<[Option<i64>; 2]> {
    let Some(source) = &memory.source else { return Ok([None, None]) };
    let look = |sql: &str, from: i64, to: i64| {
        let mut statement = connection.prepare_cached(sql)?;
        let (owner, scope) = (memory.owner.as_str(), &memory.scope);
        let of = (source, owner, scope.kind().as_str(), scope.project(), reach.now, from, to);
        statement.query_row(of, |row| row.get(0)).optional()
    };
    Ok([
        look(&beside("DESC"), number - REACH, number - 1)?,
        look(&beside("ASC"), number + 1, number + REACH)?,
    ])
}

fn beside(order: &str) -> String {
    format!(
        "SELECT number FROM memories INDEXED BY memories_by_source \
         WHERE source = ?1 AND owner = ?2 AND number BETWEEN ?6 AND ?7 \
         AND scope = ?3 AND project = ?4 AND status = 'active' \
         AND (expires IS NULL OR ?5 < expires) ORDER BY number {order} LIMIT 1"
    )
}
