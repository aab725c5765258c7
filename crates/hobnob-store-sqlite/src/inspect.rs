//! Checks a database for damage, and counts its records. Read-only.
//!
//! `check` and `restore` call it, each with its own connection.

use super::convert::{WorkError, store_error};
use super::files::size;
use super::migrate::STEPS;
use hobnob_store::StoreError;
use hobnob_store::maintenance::StoreContents;
use rusqlite::{Connection, Row};
use std::collections::BTreeMap;
use std::path::Path;

/// Maximum number of problems listed per kind.
const MAX_PROBLEMS: usize = 20;

/// The first problem of a quick check, which reads every page but skips most index comparisons.
pub(super) fn quickly(connection: &Connection) -> Result<Option<String>, WorkError> {
    let found: String = connection.query_row("PRAGMA quick_check(1)", (), |row| row.get(0))?;
    Ok((found != "ok").then(|| plain(&found)))
}

/// All problems. Damage that aborts a check is one more problem.
pub(super) fn problems(connection: &Connection) -> Result<Vec<String>, StoreError> {
    let mut problems = Vec::new();
    for look in [foreign, damage, dangling, unindexed] {
        match look(connection).map_err(store_error) {
            Ok(found) => problems.extend(found),
            Err(StoreError::Damaged(reason)) => problems.push(reason),
            Err(error) => return Err(error),
        }
    }
    Ok(problems)
}

/// Counts the records in a file.
pub(super) fn contents(connection: &Connection, file: &Path) -> Result<StoreContents, WorkError> {
    let bytes = size(file).map_err(|error| StoreError::Failed(error.to_string()))?;
    Ok(StoreContents {
        bytes: bytes.unwrap_or_default(),
        memories: count(connection, "memories")?,
        tasks: count(connection, "tasks")?,
        trees: count(connection, "trees")?,
        sessions: count(connection, "model_sessions")? + count(connection, "agent_sessions")?,
    })
}

/// The number of rows of a table. A file of an older format may not have the table yet.
fn count(connection: &Connection, table: &str) -> rusqlite::Result<u64> {
    let number = |sql: &str| connection.query_row(sql, (), |row| row.get::<_, i64>(0));
    let exists = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ";
    match number(&format!("{exists}'{table}'"))? {
        0 => Ok(0),
        _ => Ok(number(&format!("SELECT count(*) FROM {table}"))?.unsigned_abs()),
    }
}

/// Triggers and views that differ from those of the file's format: they would run with every later
/// write or read.
fn foreign(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let steps = usize::try_from(version).unwrap_or_default();
    let ours = Connection::open_in_memory()?;
    for sql in STEPS.iter().take(steps) {
        ours.execute_batch(sql)?;
    }
    let active = |connection: &Connection| {
        let sql =
            "SELECT type || ' ' || name, sql FROM sqlite_schema WHERE type IN ('trigger', 'view')";
        let row = |row: &Row<'_>| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?));
        connection.prepare(sql)?.query_map((), row)?.collect::<rusqlite::Result<BTreeMap<_, _>>>()
    };
    let known = active(&ours)?;
    let found = active(connection)?.into_iter();
    let foreign = found.filter(|(name, sql)| known.get(name) != Some(sql));
    let problem = |(name, _)| format!("the {name} is not one of Hobnob's");
    Ok(foreign.map(problem).take(MAX_PROBLEMS).collect())
}

/// SQLite's integrity check, which includes the FTS5 index.
fn damage(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let sql = format!("PRAGMA integrity_check({MAX_PROBLEMS})");
    let found = rows(connection, &sql, |row| row.get(0))?;
    Ok(found.iter().filter(|found| *found != "ok").map(|found| plain(found)).collect())
}

/// A problem in one line, without SQLite's prefix.
fn plain(found: &str) -> String {
    let found = found.strip_prefix("*** in database main ***\n").unwrap_or(found);
    found.replace('\n', "; ")
}

/// Rows with a broken foreign key.
fn dangling(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    rows(connection, "PRAGMA foreign_key_check", |row| {
        let (table, number, parent): (String, Option<i64>, String) =
            (row.get(0)?, row.get(1)?, row.get(2)?);
        let number = number.map_or_else(String::new, |number| format!(" {number}"));
        Ok(format!("row{number} of {table} points to nothing in {parent}"))
    })
}

/// Memories that are missing in the FTS5 index, and the other way round.
fn unindexed(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let sql = "SELECT 'memory ' || number || ' is not in the text index' FROM memories \
               WHERE number NOT IN (SELECT id FROM memory_text_docsize) \
               UNION ALL \
               SELECT 'the text index has memory ' || id || ', which is not there' \
               FROM memory_text_docsize WHERE id NOT IN (SELECT number FROM memories)";
    rows(connection, sql, |row| row.get(0))
}

fn rows(
    connection: &Connection,
    sql: &str,
    read: impl FnMut(&Row<'_>) -> rusqlite::Result<String>,
) -> rusqlite::Result<Vec<String>> {
    connection.prepare(sql)?.query_map((), read)?.take(MAX_PROBLEMS).collect()
}
