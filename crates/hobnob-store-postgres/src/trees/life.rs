//! Claims, releases and the life cycle of unclaimed trees. Runs inside a write transaction.
//!
//! Invariant: only an active tree has claims.

use super::rows::load_tree;
use super::work::{FoundTree, TreeWork, Worked, record_tree_change};
use crate::columns::{get, number, optional_text, owner, text};
use crate::error::Result;
use crate::transaction::Transaction;
use crate::value::values;
use hobnob_store::changes::TreeListing;
use hobnob_store::trees::{Claimant, StoredTree, TreeError, TreeRef, TreeStateKind, life};
use hobnob_store::{Owner, Time};
use std::num::NonZeroU32;
use tokio_postgres::Row;

/// How many trees that are gone are removed before a new one is created.
const REMOVED_AT_ONCE: usize = 20;

/// Replaces the metadata of an active tree.
pub(super) async fn set_metadata(
    work: &TreeWork<'_>,
    tree: &TreeRef,
    metadata: Option<&str>,
) -> Worked<StoredTree> {
    let found = work.find_active(tree).await?;
    let sql = "UPDATE trees SET metadata = $2 WHERE number = $1";
    work.transaction.execute(sql, values![found.number, metadata]).await?;
    work.record_change(found.number, TreeListing::Same).await?;
    Ok(load_tree(work, found).await?)
}

/// Adds claims, which make a tree active again.
pub(super) async fn claim(
    work: &TreeWork<'_>,
    tree: &TreeRef,
    claimant: &Claimant,
    count: NonZeroU32,
) -> Worked<StoredTree> {
    let found = work.find(tree).await?;
    let sql = "INSERT INTO tree_claims AS held (tree, claimant, count) VALUES ($1, $2, $3) \
               ON CONFLICT (tree, claimant) DO UPDATE SET count = held.count + excluded.count";
    let row = values![found.number, claimant.as_str(), count.get()];
    work.transaction.execute(sql, row).await?;
    move_to(work, found, TreeStateKind::Active).await
}

/// Removes claims; without any left, the tree is scheduled for deletion.
pub(crate) async fn release(
    work: &TreeWork<'_>,
    tree: &TreeRef,
    claimant: &Claimant,
    count: NonZeroU32,
) -> Worked<StoredTree> {
    let found = work.find(tree).await?;
    let sql = "SELECT count FROM tree_claims WHERE tree = $1 AND claimant = $2";
    let held = values![found.number, claimant.as_str()];
    let held = work.transaction.first(sql, held, |row| number(row, 0)).await?.unwrap_or_default();
    match held - i64::from(count.get()) {
        rest if rest < 0 => {
            return Err(TreeError::NotClaimed {
                tree: tree.clone(),
                claimant: claimant.clone(),
                found: held.unsigned_abs(),
                wanted: count.get(),
            }
            .into());
        }
        0 => {
            let sql = "DELETE FROM tree_claims WHERE tree = $1 AND claimant = $2";
            work.transaction.execute(sql, values![found.number, claimant.as_str()]).await?;
        }
        _ => {
            let sql = "UPDATE tree_claims SET count = count - $3 WHERE tree = $1 AND claimant = $2";
            let row = values![found.number, claimant.as_str(), count.get()];
            work.transaction.execute(sql, row).await?;
        }
    }
    let sql = "SELECT EXISTS (SELECT 1 FROM tree_claims WHERE tree = $1)";
    let claimed: bool = work.transaction.one(sql, values![found.number], |row| get(row, 0)).await?;
    let state = if claimed { TreeStateKind::Active } else { TreeStateKind::Scheduled };
    move_to(work, found, state).await
}

/// Puts a tree into a state, regardless of its claims.
pub(super) async fn set_state(
    work: &TreeWork<'_>,
    tree: &TreeRef,
    state: TreeStateKind,
) -> Worked<StoredTree> {
    let found = work.find(tree).await?;
    move_to(work, found, state).await
}

async fn move_to(
    work: &TreeWork<'_>,
    found: FoundTree,
    state: TreeStateKind,
) -> Worked<StoredTree> {
    let released = match state {
        TreeStateKind::Active => None,
        TreeStateKind::Scheduled => Some(work.now()),
        TreeStateKind::Archived => Some(life::archived_since(work.now())),
    };
    let sql = "UPDATE trees SET released = $2 WHERE number = $1";
    work.transaction.execute(sql, values![found.number, released]).await?;
    if state != TreeStateKind::Active {
        let sql = "DELETE FROM tree_claims WHERE tree = $1";
        work.transaction.execute(sql, values![found.number]).await?;
    }
    let was_active = found.state.kind() == TreeStateKind::Active;
    let listing = match was_active == (state == TreeStateKind::Active) {
        true => TreeListing::Same,
        false => TreeListing::Changed,
    };
    work.record_change(found.number, listing).await?;
    let now = life::state(released, work.now()).unwrap_or(found.state);
    Ok(load_tree(work, FoundTree { state: now, ..found }).await?)
}

/// Removes trees of this owner that are gone by now.
pub(super) async fn remove_gone_of(work: &TreeWork<'_>) -> Result<()> {
    let sql = "SELECT number, id, owner, name FROM trees WHERE released <= $1 AND owner = $2 \
               LIMIT $3 FOR UPDATE SKIP LOCKED";
    let given = values![life::gone_since(work.now()), work.owner(), REMOVED_AT_ONCE];
    let gone = work.transaction.all(sql, given, gone_tree).await?;
    remove(work.transaction, gone).await.map(drop)
}

/// Removes trees of any owner that are gone by `now`; returns how many.
pub(super) async fn remove_gone(
    transaction: &Transaction,
    now: Time,
    limit: usize,
) -> Result<usize> {
    let sql = "SELECT number, id, owner, name FROM trees WHERE released <= $1 LIMIT $2 \
               FOR UPDATE SKIP LOCKED";
    let gone = transaction.all(sql, values![life::gone_since(now), limit], gone_tree).await?;
    remove(transaction, gone).await
}

/// The number, owner, id and name of a tree that is gone.
type GoneTree = (i64, Owner, (String, Option<String>));

fn gone_tree(row: &Row) -> Result<GoneTree> {
    Ok((number(row, 0)?, owner(row, 2)?, (text(row, 1)?, optional_text(row, 3)?)))
}

async fn remove(transaction: &Transaction, gone: Vec<GoneTree>) -> Result<usize> {
    let count = gone.len();
    for (number, owner, name) in gone {
        transaction.execute("DELETE FROM trees WHERE number = $1", values![number]).await?;
        record_tree_change(transaction, owner, name, TreeListing::Changed).await?;
    }
    Ok(count)
}
