//! Claims, releases and the life cycle of unclaimed trees. Runs inside a write transaction.
//!
//! Invariant: only an active tree has claims.

use super::rows::load_tree;
use super::transaction::{NumberedTree, TreeTransaction, record_tree_change};
use crate::convert::WorkError;
use hobnob_store::changes::TreeListing;
use hobnob_store::trees::{Claimant, StoredTree, TreeError, TreeRef, TreeStateKind, life};
use hobnob_store::{Owner, Time};
use rusqlite::{Connection, OptionalExtension as _, Result};
use std::num::NonZeroU32;

/// How many trees that are gone are removed before a new one is created.
const REMOVED_AT_ONCE: i64 = 20;

/// Replaces the metadata of an active tree.
pub(super) fn set_metadata(
    transaction: &TreeTransaction<'_>,
    tree: &TreeRef,
    metadata: Option<String>,
) -> Result<StoredTree, WorkError<TreeError>> {
    let found = transaction.find_active(tree)?;
    let sql = "UPDATE trees SET metadata = ?2 WHERE number = ?1";
    transaction.connection.prepare_cached(sql)?.execute((found.number, metadata))?;
    transaction.record_change(found.number, TreeListing::Same)?;
    Ok(load_tree(transaction, found)?)
}

/// Adds claims, which make a tree active again.
pub(super) fn claim(
    transaction: &TreeTransaction<'_>,
    tree: &TreeRef,
    claimant: &Claimant,
    count: NonZeroU32,
) -> Result<StoredTree, WorkError<TreeError>> {
    let found = transaction.find(tree)?;
    let sql = "INSERT INTO tree_claims (tree, claimant, count) VALUES (?1, ?2, ?3) \
               ON CONFLICT DO UPDATE SET count = count + excluded.count";
    let row = (found.number, claimant.as_str(), count.get());
    transaction.connection.prepare_cached(sql)?.execute(row)?;
    move_to(transaction, found, TreeStateKind::Active)
}

/// Removes claims; without any left, the tree is scheduled for deletion.
pub(crate) fn release(
    transaction: &TreeTransaction<'_>,
    tree: &TreeRef,
    claimant: &Claimant,
    count: NonZeroU32,
) -> Result<StoredTree, WorkError<TreeError>> {
    let found = transaction.find(tree)?;
    let sql = "SELECT count FROM tree_claims WHERE tree = ?1 AND claimant = ?2";
    let mut statement = transaction.connection.prepare_cached(sql)?;
    let held: Option<i64> =
        statement.query_row((found.number, claimant.as_str()), |row| row.get(0)).optional()?;
    let held = held.unwrap_or_default();
    let row = (found.number, claimant.as_str(), count.get());
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
            let sql = "DELETE FROM tree_claims WHERE tree = ?1 AND claimant = ?2";
            transaction.connection.prepare_cached(sql)?.execute((row.0, row.1))?;
        }
        _ => {
            let sql = "UPDATE tree_claims SET count = count - ?3 WHERE tree = ?1 AND claimant = ?2";
            transaction.connection.prepare_cached(sql)?.execute(row)?;
        }
    }
    let sql = "SELECT EXISTS (SELECT 1 FROM tree_claims WHERE tree = ?1)";
    let mut statement = transaction.connection.prepare_cached(sql)?;
    let claimed: bool = statement.query_row([found.number], |row| row.get(0))?;
    let state = if claimed { TreeStateKind::Active } else { TreeStateKind::Scheduled };
    move_to(transaction, found, state)
}

/// Puts a tree into a state, regardless of its claims.
pub(super) fn set_state(
    transaction: &TreeTransaction<'_>,
    tree: &TreeRef,
    state: TreeStateKind,
) -> Result<StoredTree, WorkError<TreeError>> {
    move_to(transaction, transaction.find(tree)?, state)
}

fn move_to(
    transaction: &TreeTransaction<'_>,
    found: NumberedTree,
    state: TreeStateKind,
) -> Result<StoredTree, WorkError<TreeError>> {
    let released = match state {
        TreeStateKind::Active => None,
        TreeStateKind::Scheduled => Some(transaction.now()),
        TreeStateKind::Archived => Some(life::archived_since(transaction.now())),
    };
    let sql = "UPDATE trees SET released = ?2 WHERE number = ?1";
    transaction
        .connection
        .prepare_cached(sql)?
        .execute((found.number, released.map(Time::millis)))?;
    if state != TreeStateKind::Active {
        let sql = "DELETE FROM tree_claims WHERE tree = ?1";
        transaction.connection.prepare_cached(sql)?.execute([found.number])?;
    }
    let was_active = found.state.kind() == TreeStateKind::Active;
    let listing = match was_active == (state == TreeStateKind::Active) {
        true => TreeListing::Same,
        false => TreeListing::Changed,
    };
    transaction.record_change(found.number, listing)?;
    let now = life::state(released, transaction.now()).unwrap_or(found.state);
    Ok(load_tree(transaction, NumberedTree { state: now, ..found })?)
}

/// Removes trees of this owner that are gone by now.
pub(super) fn remove_gone_of(transaction: &TreeTransaction<'_>) -> Result<()> {
    let sql = "SELECT number, id, owner, name FROM trees INDEXED BY trees_by_release \
               WHERE released <= ?1 AND owner = ?2 LIMIT ?3";
    let mut statement = transaction.connection.prepare_cached(sql)?;
    let gone = life::gone_since(transaction.now()).millis();
    let rows = statement.query_map((gone, transaction.owner(), REMOVED_AT_ONCE), gone_tree)?;
    remove(transaction.connection, rows.collect::<Result<_>>()?).map(drop)
}

/// Removes trees of any owner that are gone by `now`; returns how many.
pub(super) fn remove_gone(connection: &Connection, now: Time, limit: usize) -> Result<usize> {
    let sql = "SELECT number, id, owner, name FROM trees INDEXED BY trees_by_release \
               WHERE released <= ?1 LIMIT ?2";
    let mut statement = connection.prepare_cached(sql)?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let rows = statement.query_map((life::gone_since(now).millis(), limit), gone_tree)?;
    remove(connection, rows.collect::<Result<_>>()?)
}

/// The number, id, owner and name of a tree that is gone.
type GoneTree = (i64, String, String, Option<String>);

fn gone_tree(row: &rusqlite::Row<'_>) -> Result<GoneTree> {
    Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
}

fn remove(connection: &Connection, gone: Vec<GoneTree>) -> Result<usize> {
    let count = gone.len();
    for (number, id, owner, name) in gone {
        connection.prepare_cached("DELETE FROM trees WHERE number = ?1")?.execute([number])?;
        let owner = Owner::named(&owner);
        record_tree_change(connection, owner, id, name, TreeListing::Changed)?;
    }
    Ok(count)
}
