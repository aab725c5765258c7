//! The context of one search: its transaction, and the version of the index that it sees.

use crate::change_log;
use crate::columns::number;
use crate::error::Result;
use crate::transaction::Transaction;
use crate::value::values;

/// A search's transaction and what it sees.
pub(super) struct SearchWork<'a> {
    pub(super) transaction: &'a Transaction,
    /// The newest change that is visible; `None` if nothing that is read may be cached.
    pub(super) version: Option<i64>,
    /// The approximate number of memories of all owners.
    pub(super) all: i64,
}

impl<'a> SearchWork<'a> {
    pub(super) async fn new(transaction: &'a Transaction) -> Result<Self> {
        let version = change_log::version(transaction).await?;
        let sql = "SELECT coalesce(max(memory), 0) FROM memory_postings";
        let all = transaction.one(sql, values![], |row| number(row, 0)).await?;
        Ok(Self { transaction, version, all })
    }
}
