//! Which memories have no vector yet, and the vectors they get.

use super::scan::Small;
use crate::memory::{MemoryId, Unembedded};
use rusqlite::types::FromSqlError;
use rusqlite::{Connection, Error, Result};

/// Vectors that are removed at once, so that other writes need not wait for long.
const AT_ONCE: u32 = 2_000;

/// Whether the store keeps account of what has no vector of this model.
pub(super) fn is_known(connection: &Connection, model: &str) -> Result<bool> {
    connection.prepare_cached("SELECT 1 FROM memory_models WHERE model = ?1")?.exists([model])
}

/// Begins to keep account.
pub(super) fn begin(connection: &Connection, model: &str) -> Result<()> {
    if is_known(connection, model)? {
        return Ok(());
    }
    connection.execute("INSERT INTO memory_models (model) VALUES (?1)", [model])?;
    let sql = "INSERT INTO memory_pending (model, memory) \
               SELECT ?1, m.number FROM memories AS m WHERE m.status = 'active' AND NOT EXISTS \
               (SELECT 1 FROM memory_vectors AS v WHERE v.memory = m.number AND v.model = ?1)";
    connection.execute(sql, [model]).map(drop)
}

/// What has no vector, newest first.
pub(super) fn pending(
    connection: &Connection,
    model: &str,
    most: usize,
) -> Result<Vec<Unembedded>> {
    let sql = "SELECT m.id, m.version, m.content \
               FROM memory_pending AS p JOIN memories AS m ON m.number = p.memory \
               WHERE p.model = ?1 ORDER BY p.memory DESC LIMIT ?2";
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map((model, most), |row| {
        let unread = || Error::from(FromSqlError::InvalidType);
        let id = MemoryId::parse(&row.get::<_, String>(0)?).ok_or_else(unread)?;
        Ok(Unembedded { id, version: row.get(1)?, text: row.get(2)? })
    })?;
    rows.collect()
}

/// Stores a vector, unless the memory is at another version.
pub(super) fn put(
    connection: &Connection,
    model: &str,
    id: &MemoryId,
    version: u32,
    vector: &Small,
) -> Result<()> {
    let sql = "INSERT OR REPLACE INTO memory_vectors (memory, model, digest, scale, vector) \
               SELECT number, ?1, digest, ?4, ?5 FROM memories WHERE id = ?2 AND version = ?3";
    let parts: Vec<u8> = vector.parts.iter().map(|part| part.cast_unsigned()).collect();
    let row = (model, id.as_str(), version, f64::from(vector.scale), parts);
    if connection.prepare_cached(sql)?.execute(row)? == 1 {
        let sql = "DELETE FROM memory_pending WHERE model = ?1 \
                   AND memory = (SELECT number FROM memories WHERE id = ?2)";
        connection.prepare_cached(sql)?.execute((model, id.as_str()))?;
    }
    Ok(())
}

/// How many active memories have a vector, and how many there are.
pub(super) fn count(connection: &Connection, model: &str) -> Result<(u64, u64)> {
    let number = |sql: &str| {
        let mut statement = connection.prepare_cached(sql)?;
        let given: &[&dyn rusqlite::ToSql] =
            if statement.parameter_count() == 0 { &[] } else { &[&model] };
        statement.query_row(given, |row| row.get::<_, i64>(0))
    };
    let all = number("SELECT count(*) FROM memories WHERE status = 'active'")?;
    let having = if is_known(connection, model)? {
        all - number("SELECT count(*) FROM memory_pending WHERE model = ?1")?
    } else {
        number(
            "SELECT count(*) FROM memory_vectors AS v JOIN memories AS m ON m.number = v.memory \
             WHERE v.model = ?1 AND m.status = 'active'",
        )?
    };
    Ok((having.unsigned_abs(), all.unsigned_abs()))
}

/// Removes some vectors of other models. Returns how many.
pub(super) fn forget_some(connection: &Connection, model: &str) -> Result<usize> {
    connection.execute("DELETE FROM memory_models WHERE model <> ?1", [model])?;
    let sql = "DELETE FROM memory_vectors WHERE number IN \
               (SELECT number FROM memory_vectors WHERE model <> ?1 LIMIT ?2)";
    connection.execute(sql, (model, AT_ONCE))
}
