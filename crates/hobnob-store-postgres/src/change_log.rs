//! The table `changes`: every write of a record adds its change in the same transaction.
//!
//! Feeds read it, and caches take its newest transaction as their version. What must stay true:
//! transactions become visible in another order than their changes were numbered, so a reader goes
//! by (transaction, number) and never beyond the oldest transaction that is still running.

use crate::columns::{number, owner, text, word};
use crate::error::Result;
use crate::transaction::Transaction;
use crate::value::values;
use hobnob_store::changes::{ChangedRecord, FeedEvent, RecordChange, TreeListing};
use hobnob_store::memory::ScopeKind;
use tokio_postgres::Row;

/// Changes per event; a larger number becomes [`FeedEvent::Many`].
const BATCH: usize = 1_000;
/// Changes kept in the table for slow readers.
const RETAINED: i64 = 10_000;

/// Marks a change of a tree that affects lists of trees.
const LISTED: &str = "listed";

/// The position of a reader: the transaction and the number of the last change that it has read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ChangePosition {
    xid: i64,
    number: i64,
}

/// What a reader finds behind its position.
#[derive(Debug)]
pub(crate) struct NewChanges {
    pub(crate) event: Option<FeedEvent>,
    pub(crate) position: ChangePosition,
    /// Whether there are more that wait for an older transaction to end.
    pub(crate) unsettled: bool,
}

/// The position behind everything that is settled now.
pub(crate) async fn newest(transaction: &Transaction) -> Result<ChangePosition> {
    let sql = "SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint - 1";
    let xid = transaction.one(sql, values![], |row| number(row, 0)).await?;
    Ok(ChangePosition { xid, number: i64::MAX })
}

/// The settled changes behind a position.
pub(crate) async fn since(transaction: &Transaction, last: ChangePosition) -> Result<NewChanges> {
    let sql = "SELECT xid, number, topic, owner, scope, place, namespace, id FROM changes \
               WHERE ($1, $2) < (xid, number) \
               AND xid < pg_snapshot_xmin(pg_current_snapshot())::text::bigint \
               ORDER BY xid, number LIMIT $3";
    let rows = transaction
        .all(sql, values![last.xid, last.number, BATCH], |row| {
            Ok((ChangePosition { xid: number(row, 0)?, number: number(row, 1)? }, changed(row, 2)?))
        })
        .await?;
    if removed_behind(transaction, last).await? {
        let position = newest(transaction).await?;
        return Ok(NewChanges { event: Some(FeedEvent::Everything), position, unsettled: false });
    }
    if rows.len() == BATCH {
        let position = newest(transaction).await?;
        let event = Some(FeedEvent::Many(kinds(transaction, last).await?));
        return Ok(NewChanges { event, position, unsettled: false });
    }
    let position = rows.last().map_or(last, |(position, _)| *position);
    let changes: Vec<RecordChange> = rows.into_iter().map(|(_, change)| change).collect();
    let event = Some(FeedEvent::Changes(changes)).filter(|_| position != last);
    let sql = "SELECT 1 FROM changes WHERE ($1, $2) < (xid, number) LIMIT 1";
    let unsettled =
        event.is_none() && transaction.exists(sql, values![position.xid, position.number]).await?;
    Ok(NewChanges { event, position, unsettled })
}

/// Whether changes behind a position were removed before they were read.
async fn removed_behind(transaction: &Transaction, last: ChangePosition) -> Result<bool> {
    let sql = "SELECT 1 FROM changes_removed WHERE ($1, $2) < (xid, number)";
    transaction.exists(sql, values![last.xid, last.number]).await
}

/// One change of each kind, owner and scope behind a position.
async fn kinds(transaction: &Transaction, last: ChangePosition) -> Result<Vec<RecordChange>> {
    let sql = "SELECT DISTINCT ON (topic, owner, scope) topic, owner, scope, place, namespace, id \
               FROM changes WHERE ($1, $2) < (xid, number) \
               AND xid < pg_snapshot_xmin(pg_current_snapshot())::text::bigint \
               ORDER BY topic, owner, scope, xid DESC, number DESC";
    transaction.all(sql, values![last.xid, last.number], |row| changed(row, 0)).await
}

/// The columns `topic, owner, scope, place, namespace, id`, from this one on.
fn changed(row: &Row, first: usize) -> Result<RecordChange> {
    let (place, id) = (text(row, first + 3)?, text(row, first + 5)?);
    let what = match text(row, first)?.as_str() {
        "task" => ChangedRecord::Task { list: place, id },
        "prompt" => ChangedRecord::Prompt { name: id },
        "model_session" => ChangedRecord::ModelSession { name: id },
        "tree" => ChangedRecord::Tree {
            id,
            name: Some(place).filter(|name| !name.is_empty()),
            listing: match text(row, first + 4)?.as_str() {
                LISTED => TreeListing::Changed,
                _ => TreeListing::Same,
            },
        },
        _ => ChangedRecord::Memory {
            scope: word(row, first + 2, ScopeKind::parse)?,
            project: place,
            namespace: text(row, first + 4)?,
            id,
        },
    };
    Ok(RecordChange { owner: owner(row, first + 1)?, what })
}

/// Records a change, in the transaction that makes it.
pub(crate) async fn record_change(transaction: &Transaction, changed: &RecordChange) -> Result<()> {
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
    // The role may see only its own changes, so the number comes from the sequence.
    let sql = "INSERT INTO changes (topic, owner, scope, place, namespace, id) \
               VALUES ($1, $2, $3, $4, $5, $6)";
    let row = values![topic, &changed.owner, scope, place, namespace, id];
    transaction.execute(sql, row).await?;
    Ok(())
}

/// Removes the oldest changes if there are many more than slow readers need; the last transaction
/// that is still running keeps its own.
pub(crate) async fn remove_old(transaction: &Transaction) -> Result<()> {
    let sql = "SELECT max(number) - min(number) FROM changes";
    let count = transaction.first(sql, values![], |row| Ok(row.try_get::<_, Option<i64>>(0)?));
    if count.await?.flatten().unwrap_or_default() < RETAINED + RETAINED / 10 {
        return Ok(());
    }
    let sql = "WITH gone AS (DELETE FROM changes WHERE number <= \
                   (SELECT max(number) FROM changes) - $1 \
                   AND xid < pg_snapshot_xmin(pg_current_snapshot())::text::bigint \
                   RETURNING xid, number), \
               last AS (SELECT xid, number FROM gone ORDER BY xid DESC, number DESC LIMIT 1) \
               UPDATE changes_removed AS r SET xid = last.xid, number = last.number FROM last \
               WHERE (r.xid, r.number) < (last.xid, last.number)";
    transaction.execute(sql, values![RETAINED]).await?;
    Ok(())
}

/// The version of what this snapshot shows: its newest transaction with a change. `None` while an
/// older one is still running, since another snapshot with the same newest one may show more.
pub(crate) async fn version(transaction: &Transaction) -> Result<Option<i64>> {
    let sql = "SELECT xid, settled FROM newest_change()";
    let found = transaction.one(sql, values![], |row| Ok((number(row, 0)?, row.try_get(1)?)));
    let (xid, settled): (i64, bool) = found.await?;
    Ok(settled.then_some(xid))
}
