//! What changed, from whichever process: read from the file after each commit of our own, and every
//! now and then for those of others.

use super::store::SqliteStore;
use crate::changes::{ChangedRecord, RecordChange};
use crate::error::StoreError;
use crate::memory::ScopeKind;
use crate::owner::Owner;
use rusqlite::{Connection, Row};
use std::time::Duration;
use tokio::sync::watch;

/// How often the file is looked at: nothing but looking tells of the writes of others.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// Changes that are told at once.
const AT_ONCE: u32 = 1_000;
/// Changes that are kept for slow readers.
const KEPT: i64 = 10_000;

/// Changes, one after the other, from when it was opened.
#[derive(Debug)]
pub struct Feed {
    store: SqliteStore,
    commits: watch::Receiver<u64>,
    last: i64,
}

/// What a feed hears.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Heard {
    /// These changed.
    Changes(Vec<RecordChange>),
    /// So much changed that nobody knows what: everything may have.
    Everything,
}

impl SqliteStore {
    /// Listens from now on.
    pub async fn feed(&self) -> Result<Feed, StoreError> {
        let commits = self.commits();
        let last = self.read(|connection| Ok::<_, StoreError>(newest(connection)?)).await?;
        Ok(Feed { store: self.clone(), commits, last })
    }
}

impl Feed {
    /// Waits for the next changes. May be dropped and called again.
    pub async fn next(&mut self) -> Result<Heard, StoreError> {
        loop {
            let last = self.last;
            let (heard, newest) =
                self.store.read(move |connection| since(connection, last)).await?;
            self.last = newest;
            match heard {
                Heard::Changes(changes) if changes.is_empty() => {}
                heard => return Ok(heard),
            }
            // Whoever holds the store also holds the sender, so only a change ends the wait early.
            drop(tokio::time::timeout(LOOK_EVERY, self.commits.changed()).await);
        }
    }
}

/// The number of the newest change that this reader sees.
pub(super) fn newest(connection: &Connection) -> rusqlite::Result<i64> {
    let sql = "SELECT coalesce(max(number), 0) FROM changes";
    connection.prepare_cached(sql)?.query_row((), |row| row.get(0))
}

fn since(connection: &Connection, last: i64) -> Result<(Heard, i64), StoreError> {
    let sql = "SELECT number, topic, owner, scope, place, namespace, id FROM changes \
               WHERE ?1 < number ORDER BY number LIMIT ?2";
    let mut statement = connection.prepare_cached(sql)?;
    let rows: Vec<(i64, RecordChange)> = statement
        .query_map((last, AT_ONCE), |row| Ok((row.get(0)?, changed(row)?)))?
        .collect::<Result<_, _>>()?;
    let Some((first, _)) = rows.first() else { return Ok((Heard::Changes(Vec::new()), last)) };
    if last + 1 < *first || rows.len() == AT_ONCE as usize {
        return Ok((Heard::Everything, newest(connection)?));
    }
    let end = rows.last().map_or(last, |(number, _)| *number);
    Ok((Heard::Changes(rows.into_iter().map(|(_, changed)| changed).collect()), end))
}

fn changed(row: &Row<'_>) -> rusqlite::Result<RecordChange> {
    let (topic, place, id): (String, String, String) = (row.get(1)?, row.get(4)?, row.get(6)?);
    let what = match topic.as_str() {
        "task" => ChangedRecord::Task { list: place, id },
        "prompt" => ChangedRecord::Prompt { name: id },
        _ => ChangedRecord::Memory {
            scope: ScopeKind::parse(&row.get::<_, String>(3)?).unwrap_or(ScopeKind::User),
            project: place,
            namespace: row.get(5)?,
            id,
        },
    };
    Ok(RecordChange { owner: Owner::named(&row.get::<_, String>(2)?), what })
}

/// Says that something changed, in the transaction that changes it.
pub(super) fn tell(connection: &Connection, changed: &RecordChange) -> rusqlite::Result<()> {
    let (topic, scope, place, namespace, id) = match &changed.what {
        ChangedRecord::Memory { scope, project, namespace, id } => {
            ("memory", scope.as_str(), project.as_str(), namespace.as_str(), id)
        }
        ChangedRecord::Prompt { name } => ("prompt", "", "", "", name),
        ChangedRecord::Task { list, id } => ("task", "", list.as_str(), "", id),
    };
    let sql = "INSERT INTO changes (topic, owner, scope, place, namespace, id) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let row = (topic, changed.owner.as_str(), scope, place, namespace, id);
    connection.prepare_cached(sql)?.execute(row)?;
    let number = connection.last_insert_rowid();
    if number % 1_000 == 0 {
        let sql = "DELETE FROM changes WHERE number <= ?1";
        connection.prepare_cached(sql)?.execute([number - KEPT])?;
    }
    Ok(())
}
