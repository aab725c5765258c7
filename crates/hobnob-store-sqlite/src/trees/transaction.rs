//! One transaction, one owner and one point in time: the context of every read and write of trees.
//!
//! A tree that is gone at that time is never found, whether its rows still exist or not.

use crate::change_log;
use crate::columns::optional_time;
use crate::convert::WorkError;
use hobnob_store::changes::{ChangedRecord, RecordChange, TreeListing};
use hobnob_store::trees::{TreeAccess, TreeError, TreeRef, TreeState, TreeStateKind, life};
use hobnob_store::{Owner, Time};
use rusqlite::{Connection, OptionalExtension as _, Result};

/// A transaction and the access it runs with.
pub(crate) struct TreeTransaction<'a> {
    pub(crate) connection: &'a Connection,
    pub(crate) access: &'a TreeAccess,
}

/// An existing tree: its row number and its state.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NumberedTree {
    pub(crate) number: i64,
    pub(crate) state: TreeState,
}

impl<'a> TreeTransaction<'a> {
    pub(crate) fn new(connection: &'a Connection, access: &'a TreeAccess) -> Self {
        Self { connection, access }
    }

    /// The owner whose trees are visible.
    pub(crate) fn owner(&self) -> &'a str {
        self.access.owner.as_str()
    }

    /// The time that decides what is scheduled, archived or gone.
    pub(crate) fn now(&self) -> Time {
        self.access.now
    }

    /// The owner's tree of this id or name.
    pub(crate) fn find(&self, tree: &TreeRef) -> Result<NumberedTree, WorkError<TreeError>> {
        let sql = match tree {
            TreeRef::Id(_) => "SELECT number, released FROM trees WHERE id = ?1 AND owner = ?2",
            TreeRef::Name(_) => "SELECT number, released FROM trees WHERE name = ?1 AND owner = ?2",
        };
        let mut statement = self.connection.prepare_cached(sql)?;
        let found: Option<(i64, Option<Time>)> = statement
            .query_row((tree.as_str(), self.owner()), |row| {
                Ok((row.get(0)?, optional_time(row, 1)?))
            })
            .optional()?;
        let there = found.and_then(|(number, released)| {
            Some(NumberedTree { number, state: life::state(released, self.now())? })
        });
        Ok(there.ok_or_else(|| TreeError::NotFound(tree.clone()))?)
    }

    /// The same, for a caller that is about to change the tree's content.
    pub(crate) fn find_active(&self, tree: &TreeRef) -> Result<NumberedTree, WorkError<TreeError>> {
        let found = self.find(tree)?;
        match found.state.kind() {
            TreeStateKind::Active => Ok(found),
            state @ (TreeStateKind::Scheduled | TreeStateKind::Archived) => {
                Err(TreeError::NotActive { tree: tree.clone(), state }.into())
            }
        }
    }

    /// Records that a tree changed, and when.
    pub(crate) fn record_change(&self, number: i64, listing: TreeListing) -> Result<()> {
        let sql = "UPDATE trees SET updated = ?2 WHERE number = ?1 RETURNING id, name";
        let mut statement = self.connection.prepare_cached(sql)?;
        let (id, name) = statement
            .query_row((number, self.now().millis()), |row| Ok((row.get(0)?, row.get(1)?)))?;
        record_tree_change(self.connection, self.access.owner.clone(), id, name, listing)
    }
}

/// Work on an owner's trees, as work on a connection.
pub(crate) fn on_trees<T: 'static, E: 'static>(
    access: TreeAccess,
    work: impl FnOnce(&TreeTransaction<'_>) -> Result<T, WorkError<E>> + Send + 'static,
) -> impl FnOnce(&Connection) -> Result<T, WorkError<E>> + Send + 'static {
    move |connection| work(&TreeTransaction::new(connection, &access))
}

/// Records a change of a tree, in the transaction that makes it.
pub(super) fn record_tree_change(
    connection: &Connection,
    owner: Owner,
    id: String,
    name: Option<String>,
    listing: TreeListing,
) -> Result<()> {
    let what = ChangedRecord::Tree { id, name, listing };
    change_log::record_change(connection, &RecordChange { owner, what })
}
