//! Tracks the models in use and the memories that lack a vector of each; stores new vectors and
//! deletes those of unused models.
//!
//! A vector of an older version of a memory is not stored.

use crate::filter::Clause;
use hobnob_store::Time;
use hobnob_store::memory::{MemoryAccess, MemoryFilter, MemoryId, Unembedded, WantedWords};
use hobnob_store::search::QuantizedVector;
use rusqlite::types::FromSqlError;
use rusqlite::{Connection, Error, OptionalExtension as _, Result, params_from_iter};
use std::time::Duration;

/// Vectors deleted per write, so that other writes need not wait for long.
const VECTORS_PER_DELETE: u32 = 2_000;
/// How long a model counts as in use before the use is recorded again.
const USE_INTERVAL: Duration = Duration::from_secs(3_600);

/// Whether the model's use is recorded, and so the memories that lack a vector of it are tracked.
pub(super) fn is_noted(
    connection: &Connection,
    model: &str,
    words: WantedWords,
    now: Time,
) -> Result<bool> {
    let sql = "SELECT 1 FROM memory_models WHERE model = ?1 AND ?2 <= used AND ?3 <= words";
    connection.prepare_cached(sql)?.exists((
        model,
        now.minus(USE_INTERVAL).millis(),
        words == WantedWords::Yes,
    ))
}

/// Records that a model is in use. On first use, also queues the memories that lack a vector of it,
/// or word vectors.
pub(super) fn note(
    connection: &Connection,
    model: &str,
    words: WantedWords,
    now: Time,
) -> Result<()> {
    note_texts(connection, model, now)?;
    let sql = "UPDATE memory_models SET words = 1 WHERE model = ?1 AND words = 0";
    if words == WantedWords::Yes && connection.execute(sql, [model])? == 1 {
        // Vectors that were stored without word vectors stay until they are replaced.
        let sql = "INSERT OR IGNORE INTO memory_pending (model, memory) \
                   SELECT ?1, m.number FROM memories AS m \
                   JOIN memory_vectors AS v ON v.memory = m.number AND v.model = ?1 \
                   WHERE m.status = 'active' AND NOT EXISTS \
                   (SELECT 1 FROM memory_word_vectors AS w WHERE w.vector = v.number)";
        connection.execute(sql, [model])?;
    }
    Ok(())
}

fn note_texts(connection: &Connection, model: &str, now: Time) -> Result<()> {
    let sql = "UPDATE memory_models SET used = max(used, ?2) WHERE model = ?1";
    if connection.execute(sql, (model, now.millis()))? == 1 {
        return Ok(());
    }
    connection.execute(
        "INSERT INTO memory_models (model, used) VALUES (?1, ?2)",
        (model, now.millis()),
    )?;
    let sql = "INSERT INTO memory_pending (model, memory) \
               SELECT ?1, m.number FROM memories AS m WHERE m.status = 'active' AND NOT EXISTS \
               (SELECT 1 FROM memory_vectors AS v WHERE v.memory = m.number AND v.model = ?1)";
    connection.execute(sql, [model]).map(drop)
}

fn is_known(connection: &Connection, model: &str) -> Result<bool> {
    connection.prepare_cached("SELECT 1 FROM memory_models WHERE model = ?1")?.exists([model])
}

/// Memories without a vector, newest first.
pub(super) fn pending(
    connection: &Connection,
    model: &str,
    limit: usize,
) -> Result<Vec<Unembedded>> {
    let sql = "SELECT m.id, m.version, m.content \
               FROM memory_pending AS p JOIN memories AS m ON m.number = p.memory \
               WHERE p.model = ?1 ORDER BY p.memory DESC LIMIT ?2";
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map((model, limit), |row| {
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
    (id, version): (&MemoryId, u32),
    vector: &QuantizedVector,
    words: Option<&[u8]>,
) -> Result<()> {
    let sql = "INSERT OR REPLACE INTO memory_vectors (memory, model, digest, scale, vector) \
               SELECT number, ?1, digest, ?4, ?5 FROM memories WHERE id = ?2 AND version = ?3";
    let parts: Vec<u8> = vector.parts.iter().map(|part| part.cast_unsigned()).collect();
    let row = (model, id.as_str(), version, f64::from(vector.scale), parts);
    if connection.prepare_cached(sql)?.execute(row)? == 1 {
        if let Some(words) = words {
            let sql = "INSERT INTO memory_word_vectors (vector, words) VALUES (?1, ?2)";
            let vector = connection.last_insert_rowid();
            connection.prepare_cached(sql)?.execute((vector, words))?;
        }
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

/// The same two counts over what a caller can reach.
pub(super) fn count_within(
    connection: &Connection,
    access: &MemoryAccess,
    model: &str,
) -> Result<(u64, u64)> {
    let number = |clause: &Clause| {
        let sql = format!("SELECT count(*) FROM memories AS m WHERE {}", clause.sql);
        let mut statement = connection.prepare_cached(&sql)?;
        statement.query_row(params_from_iter(&clause.params), |row| row.get::<_, i64>(0))
    };
    let mut clause = Clause::wanted(access, &MemoryFilter::default());
    let all = number(&clause)?;
    let term = match is_known(connection, model)? {
        true => {
            "NOT EXISTS (SELECT 1 FROM memory_pending AS p \
             WHERE p.memory = m.number AND p.model = ?)"
        }
        false => {
            "EXISTS (SELECT 1 FROM memory_vectors AS v \
             WHERE v.memory = m.number AND v.model = ?)"
        }
    };
    clause.and(term, [model.to_owned().into()]);
    Ok((number(&clause)?.unsigned_abs(), all.unsigned_abs()))
}

/// Whether there are models that were not used since `since`, or vectors of such models.
pub(super) fn any_unused(connection: &Connection, since: Time) -> Result<bool> {
    let sql = "SELECT 1 FROM memory_models WHERE used < ?1";
    Ok(connection.prepare_cached(sql)?.exists([since.millis()])? || unwanted(connection)?.is_some())
}

/// Removes models that were not used since `since`, and some vectors of one of them.
pub(super) fn forget_some(connection: &Connection, since: Time) -> Result<()> {
    connection.execute("DELETE FROM memory_models WHERE used < ?1", [since.millis()])?;
    let Some(model) = unwanted(connection)? else { return Ok(()) };
    let sql = "DELETE FROM memory_vectors WHERE number IN \
               (SELECT number FROM memory_vectors WHERE model = ?1 LIMIT ?2)";
    connection.execute(sql, (model, VECTORS_PER_DELETE)).map(drop)
}

/// A model with vectors that is not in use. The recursive query skips from one model to the next,
/// since each may have very many vectors.
fn unwanted(connection: &Connection) -> Result<Option<String>> {
    let sql = "WITH RECURSIVE had (model) AS ( \
                   SELECT min(model) FROM memory_vectors UNION ALL \
                   SELECT (SELECT min(v.model) FROM memory_vectors AS v \
                           WHERE had.model < v.model) FROM had WHERE had.model IS NOT NULL) \
               SELECT model FROM had WHERE model IS NOT NULL \
               AND model NOT IN (SELECT model FROM memory_models) LIMIT 1";
    connection.prepare_cached(sql)?.query_row((), |row| row.get(0)).optional()
}
