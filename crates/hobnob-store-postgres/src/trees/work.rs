//! One transaction, one owner and one point in time: the context of every read and write of trees.
//!
//! A tree that is gone at that time is never found, whether its rows still exist or not.

use crate::change_log;
use crate::columns::{number, optional_text, optional_time, text};
use crate::error::{Result, TransactionFailure};
use crate::transaction::{Scope, Transaction};
use crate::value::values;
use hobnob_store::changes::{ChangedRecord, RecordChange, TreeListing};
use hobnob_store::trees::{TreeAccess, TreeError, TreeRef, TreeState, TreeStateKind, life};
use hobnob_store::{Owner, Time};

/// The result of work on trees.
pub(crate) type Worked<T> = std::result::Result<T, TransactionFailure<TreeError>>;

/// A transaction and the access it runs with.
pub(crate) struct TreeWork<'a> {
    pub(crate) transaction: &'a Transaction,
    pub(crate) access: &'a TreeAccess,
}

/// An existing tree: its row number and its state.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FoundTree {
    pub(crate) number: i64,
    pub(crate) state: TreeState,
}

impl<'a> TreeWork<'a> {
    pub(crate) fn new(transaction: &'a Transaction, access: &'a TreeAccess) -> Self {
        Self { transaction, access }
    }

    /// The scope of a write: one at a time for each owner.
    pub(crate) fn write_scope(access: &'a TreeAccess) -> Scope<'a> {
        Scope::write(&access.owner).locked("trees", access.owner.as_str())
    }

    /// The owner whose trees are visible.
    pub(crate) fn owner(&self) -> &'a Owner {
        &self.access.owner
    }

    /// The time that decides what is scheduled, archived or gone.
    pub(crate) fn now(&self) -> Time {
        self.access.now
    }

    /// The owner's tree of this id or name.
    pub(crate) async fn find(&self, tree: &TreeRef) -> Worked<FoundTree> {
        let sql = match tree {
            TreeRef::Id(_) => "SELECT number, released FROM trees WHERE id = $1 AND owner = $2",
            TreeRef::Name(_) => "SELECT number, released FROM trees WHERE name = $1 AND owner = $2",
        };
        let found = self.transaction.first(sql, values![tree.as_str(), self.owner()], |row| {
            Ok((number(row, 0)?, optional_time(row, 1)?))
        });
        let there = found.await?.and_then(|(number, released)| {
            Some(FoundTree { number, state: life::state(released, self.now())? })
        });
        Ok(there.ok_or_else(|| TreeError::NotFound(tree.clone()))?)
    }

    /// The same, for a caller that is about to change the tree's content.
    pub(crate) async fn find_active(&self, tree: &TreeRef) -> Worked<FoundTree> {
        let found = self.find(tree).await?;
        match found.state.kind() {
            TreeStateKind::Active => Ok(found),
            state @ (TreeStateKind::Scheduled | TreeStateKind::Archived) => {
                Err(TreeError::NotActive { tree: tree.clone(), state }.into())
            }
        }
    }

    /// Records that a tree changed, and when.
    pub(crate) async fn record_change(&self, tree: i64, listing: TreeListing) -> Result<()> {
        let sql = "UPDATE trees SET updated = $2 WHERE number = $1 RETURNING id, name";
        let changed = self
            .transaction
            .one(sql, values![tree, self.now()], |row| Ok((text(row, 0)?, optional_text(row, 1)?)));
        let (id, name) = changed.await?;
        record_tree_change(self.transaction, self.owner().clone(), (id, name), listing).await
    }
}

/// Records a change of a tree, in the transaction that makes it.
pub(super) async fn record_tree_change(
    transaction: &Transaction,
    owner: Owner,
    (id, name): (String, Option<String>),
    listing: TreeListing,
) -> Result<()> {
    let what = ChangedRecord::Tree { id, name, listing };
    change_log::record_change(transaction, &RecordChange { owner, what }).await
}
