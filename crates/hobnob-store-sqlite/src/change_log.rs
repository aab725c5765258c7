//! The table `changes`: every write of a record adds its change in the same transaction.
//!
//! Feeds read it, and caches compare its newest number to detect that they are stale.

use hobnob_store::Owner;
use hobnob_store::changes::{ChangedRecord, FeedEvent, RecordChange, TreeListing};
use hobnob_store::memory::ScopeKind;
use rusqlite::{Connection, Row};

/// Changes per event; a larger number becomes [`FeedEvent::Many`].
const BATCH: u32 = 1_000;
/// Changes kept in the table for slow readers.
const RETAINED: i64 = 10_000;

/// Marks a change of a tree that affects lists of trees.
const LISTED: &str = "listed";

/// The number of the newest change that this reader's snapshot has.
pub(super) fn newest(connection: &Connection) -> rusqlite::Result<i64> {
    let sql = "SELECT coalesce(max(number), 0) FROM changes";
    connection.prepare_cached(sql)?.query_row((), |row| row.get(0))
}

/// The changes after `last`, and the number to continue from.
pub(super) fn since(
    connection: &Connection,
    last: i64,
) -> rusqlite::Result<(Option<FeedEvent>, i64)> {
    let sql = "SELECT number, topic, owner, scope, place, namespace, id FROM changes \
               WHERE ?1 < number ORDER BY number LIMIT ?2";
    let mut statement = connection.prepare_cached(sql)?;
    let rows: Vec<(i64, RecordChange)> = statement
        .query_map((last, BATCH), |row| Ok((row.get(0)?, changed(row)?)))?
        .collect::<Result<_, _>>()?;
    let Some((first, _)) = rows.first() else { return Ok((None, last)) };
    if last + 1 < *first {
        return Ok((Some(FeedEvent::Everything), newest(connection)?));
    }
    if rows.len() == BATCH as usize {
        return Ok((Some(FeedEvent::Many(kinds(connection, last)?)), newest(connection)?));
    }
    let end = rows.last().map_or(last, |(number, _)| *number);
    let changes = rows.into_iter().map(|(_, change)| change).collect();
    Ok((Some(FeedEvent::Changes(changes)), end))
}

/// One change of each kind, owner and scope after `last`.
fn kinds(connection: &Connection, last: i64) -> rusqlite::Result<Vec<RecordChange>> {
    let sql = "SELECT max(number), topic, owner, scope, place, namespace, id FROM changes \
               WHERE ?1 < number GROUP BY topic, owner, scope";
    connection.prepare_cached(sql)?.query_map([last], changed)?.collect()
}

fn changed(row: &Row<'_>) -> rusqlite::Result<RecordChange> {
    let (topic, place, id): (String, String, String) = (row.get(1)?, row.get(4)?, row.get(6)?);
    let what = match topic.as_str() {
        "task" => ChangedRecord::Task { list: place, id },
        "prompt" => ChangedRecord::Prompt { name: id },
        "model_session" => ChangedRecord::ModelSession { name: id },
        "tree" => ChangedRecord::Tree {
            id,
            name: Some(place).filter(|name| !name.is_empty()),
            listing: match row.get::<_, String>(5)?.as_str() {
                LISTED => TreeListing::Changed,
                _ => TreeListing::Same,
            },
        },
        _ => ChangedRecord::Memory {
            scope: ScopeKind::parse(&row.get::<_, String>(3)?).unwrap_or(ScopeKind::User),
            project: place,
            namespace: row.get(5)?,
            id,
        },
    };
    Ok(RecordChange { owner: Owner::named(&row.get::<_, String>(2)?), what })
}

/// Records a change, in the transaction that makes it.
pub(super) fn record_change(
    connection: &Connection,
    changed: &RecordChange,
) -> rusqlite::Result<()> {
    let (topic, scope, place, namespace, id) = match &changed.what {
        ChangedRecord::Memory { scope, project, namespace, id } => {
            ("memory", scope.as_str(), project.as_str(), namespace.as_str(), id)
        }
        ChangedRecord::Prompt { name } => ("prompt", "", "", "", name),
        ChangedRecord::ModelSession { name } => ("model_session", "", "", "", name),
        ChangedRecord::Task { list, id } => ("task", "", list.as_str(), "", id),
        ChangedRecord::Tree { id, name, listing } => {
            let listed = match listing {
                TreeListing::Changed => LISTED,
                TreeListing::Same => "",
            };
            ("tree", "", name.as_deref().unwrap_or_default(), listed, id)
        }
    };
    let sql = "INSERT INTO changes (topic, owner, scope, place, namespace, id) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let row = (topic, changed.owner.as_str(), scope, place, namespace, id);
    connection.prepare_cached(sql)?.execute(row)?;
    let number = connection.last_insert_rowid();
    if number % 1_000 == 0 {
        let sql = "DELETE FROM changes WHERE number <= ?1";
        connection.prepare_cached(sql)?.execute([number - RETAINED])?;
    }
    Ok(())
}
