//! The index terms and vectors of a memory, updated by the code that writes its row. Neighbours are
//! computed at search time, so a change touches only the memory itself.

use super::columns::time;
use hobnob_store::memory::{Memory, Tag};
use hobnob_store::search::IndexedTexts;
use rusqlite::{Connection, OptionalExtension as _, Result, Row};

/// Creates a staging table for the terms of new memories. FTS5 writes a segment for each savepoint
/// and merges segments later; staged rows are indexed together at the end of the transaction, so
/// all captures that share one make one segment.
pub(super) fn prepare(connection: &Connection) -> Result<()> {
    connection.execute_batch(
        "CREATE TEMP TABLE waiting_text \
         (number INTEGER PRIMARY KEY, body TEXT NOT NULL, labels TEXT NOT NULL) STRICT",
    )
}

/// Indexes the staged rows: at the end of a transaction, and before an indexed row changes.
pub(super) fn write_waiting(connection: &Connection) -> Result<()> {
    if !connection.prepare_cached("SELECT 1 FROM temp.waiting_text")?.exists(())? {
        return Ok(());
    }
    let sql = "INSERT INTO memory_text (rowid, body, labels) \
               SELECT number, body, labels FROM temp.waiting_text ORDER BY number";
    connection.prepare_cached(sql)?.execute(())?;
    connection.prepare_cached("DELETE FROM temp.waiting_text")?.execute(()).map(drop)
}

/// Indexes the current state of a memory, in any status, after it or its tags were written.
pub(super) fn put(connection: &Connection, number: i64) -> Result<()> {
    let sql = "SELECT m.content, m.namespace, m.source, m.created, \
                      (SELECT group_concat(t.tag, ' ') FROM memory_tags AS t \
                       WHERE t.memory = m.number), \
                      (SELECT group_concat(s.source, ' ') FROM memory_sources AS s \
                       WHERE s.memory = m.number) \
               FROM memories AS m WHERE m.number = ?1";
    let terms = connection.prepare_cached(sql)?.query_row([number], terms_of_row).optional()?;
    let Some((body, labels)) = terms else { return remove(connection, number) };
    write_waiting(connection)?;
    let sql = "INSERT OR REPLACE INTO memory_text (rowid, body, labels) VALUES (?1, ?2, ?3)";
    connection.prepare_cached(sql)?.execute((number, body, labels))?;
    renew_vectors(connection, number)
}

/// Indexes a new memory, without reading or removing an old entry.
pub(super) fn put_new(connection: &Connection, number: i64, memory: &Memory) -> Result<()> {
    let tags: Vec<&str> = memory.tags.iter().map(Tag::as_str).collect();
    let texts = IndexedTexts {
        content: &memory.content,
        namespace: memory.namespace.as_str(),
        tags: &tags.join(" "),
        sources: memory.source.as_deref().unwrap_or_default(),
        created: memory.created,
    };
    let (body, labels) = texts.terms();
    let sql = "INSERT INTO temp.waiting_text (number, body, labels) VALUES (?1, ?2, ?3)";
    connection.prepare_cached(sql)?.execute((number, body, labels))?;
    let sql = "INSERT INTO memory_pending (model, memory) SELECT model, ?1 FROM memory_models";
    connection.prepare_cached(sql)?.execute([number]).map(drop)
}

/// Removes a memory from the index, before or after its row is deleted.
pub(super) fn remove(connection: &Connection, number: i64) -> Result<()> {
    write_waiting(connection)?;
    let sql = "DELETE FROM memory_text WHERE rowid = ?1";
    connection.prepare_cached(sql)?.execute([number]).map(drop)
}

fn terms_of_row(row: &Row<'_>) -> Result<(String, String)> {
    let (content, namespace): (String, String) = (row.get(0)?, row.get(1)?);
    let (source, tags): (Option<String>, Option<String>) = (row.get(2)?, row.get(4)?);
    let further_sources: Option<String> = row.get(5)?;
    let sources = [source.unwrap_or_default(), further_sources.unwrap_or_default()].join(" ");
    let texts = IndexedTexts {
        content: &content,
        namespace: &namespace,
        tags: &tags.unwrap_or_default(),
        sources: &sources,
        created: time(row, 3)?,
    };
    Ok(texts.terms())
}

/// Deletes vectors of an older content, and queues the memory for every model without a vector.
fn renew_vectors(connection: &Connection, number: i64) -> Result<()> {
    let steps = [
        "DELETE FROM memory_vectors WHERE memory = ?1 \
         AND digest <> (SELECT digest FROM memories WHERE number = ?1)",
        "DELETE FROM memory_pending WHERE memory = ?1",
        "INSERT INTO memory_pending (model, memory) \
         SELECT d.model, m.number FROM memory_models AS d, memories AS m \
         WHERE m.number = ?1 AND m.status = 'active' AND NOT EXISTS \
             (SELECT 1 FROM memory_vectors AS v WHERE v.memory = m.number AND v.model = d.model)",
    ];
    for sql in steps {
        connection.prepare_cached(sql)?.execute([number])?;
    }
    Ok(())
}
