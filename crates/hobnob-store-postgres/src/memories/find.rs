//! Finds one memory: by its id within an access, or by its digest.
//!
//! Reads use it, and writes in their transaction. What must stay true: a memory that is about to be
//! changed is locked before it is read.

use super::filter::MemoryClause;
use super::row::{COLUMNS, WIDTH, memory};
use crate::columns::{get, number};
use crate::error::{Result, TransactionFailure};
use crate::transaction::Transaction;
use crate::value::values;
use hobnob_store::Time;
use hobnob_store::memory::{
    Memory, MemoryAccess, MemoryError, MemoryId, MemoryScope, MissingRole, OrgRole,
};
use tokio_postgres::Row;

/// The result of work on memories.
pub(super) type Worked<T> = std::result::Result<T, TransactionFailure<MemoryError>>;

/// A memory and its row number.
#[derive(Debug, Clone)]
pub(super) struct NumberedMemory {
    pub(super) number: i64,
    pub(super) memory: Memory,
}

/// Whether a row is locked until the transaction ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RowLock {
    None,
    Update,
}

/// The memory of this id, if the caller can see it.
pub(super) async fn find(
    transaction: &Transaction,
    access: &MemoryAccess,
    id: &MemoryId,
) -> Worked<NumberedMemory> {
    find_by(transaction, MemoryClause::within(access), id, RowLock::None).await
}

async fn find_by(
    transaction: &Transaction,
    MemoryClause(mut clause): MemoryClause,
    id: &MemoryId,
    lock: RowLock,
) -> Worked<NumberedMemory> {
    clause.and("m.id = ?", values![id.as_str()]);
    let lock = match lock {
        RowLock::None => "",
        RowLock::Update => " FOR UPDATE OF m",
    };
    let sql = format!("SELECT {COLUMNS}, m.number FROM memories AS m WHERE {}{lock}", clause.sql);
    let found = transaction.first(&sql, &clause.values, numbered).await?;
    Ok(found.ok_or_else(|| MemoryError::NotFound(id.clone()))?)
}

/// The same, if the caller may also change it.
pub(super) async fn find_to_change(
    transaction: &Transaction,
    access: &MemoryAccess,
    id: &MemoryId,
) -> Worked<NumberedMemory> {
    let clause = MemoryClause::within(access);
    changeable(find_by(transaction, clause, id, RowLock::Update).await?, access)
}

/// The same, even if it has expired.
pub(super) async fn find_expired_to_change(
    transaction: &Transaction,
    access: &MemoryAccess,
    id: &MemoryId,
) -> Worked<NumberedMemory> {
    let clause = MemoryClause::within_or_expired(access);
    changeable(find_by(transaction, clause, id, RowLock::Update).await?, access)
}

fn changeable(numbered: NumberedMemory, access: &MemoryAccess) -> Worked<NumberedMemory> {
    // Everything else within reach belongs to the caller.
    if numbered.memory.scope == MemoryScope::Org {
        let own = numbered.memory.owner == access.owner;
        let needed = if own { OrgRole::Writer } else { OrgRole::Admin };
        if access.org < Some(needed) {
            return Err(MissingRole { needed }.into());
        }
    }
    Ok(numbered)
}

/// The memory of this row number, of any owner.
pub(super) async fn find_number(transaction: &Transaction, number: i64) -> Result<NumberedMemory> {
    let sql = format!("SELECT {COLUMNS}, m.number FROM memories AS m WHERE m.number = $1");
    transaction.one(&sql, values![number], numbered).await
}

/// An active duplicate, other than the memory of this row number.
pub(super) async fn find_same(
    transaction: &Transaction,
    digest: &[u8],
    other_than: Option<i64>,
    now: Time,
) -> Result<Option<NumberedMemory>> {
    let sql = format!(
        "SELECT {COLUMNS}, m.number FROM memories AS m \
         WHERE m.digest = $1 AND m.status = 'active' AND m.number IS DISTINCT FROM $2 \
         AND (m.expires IS NULL OR $3 < m.expires) ORDER BY m.number LIMIT 1"
    );
    transaction.first(&sql, values![digest, other_than, now], numbered).await
}

/// Whether any owner has a memory of this id.
pub(super) async fn is_taken(transaction: &Transaction, id: &MemoryId) -> Result<bool> {
    let sql = "SELECT memory_exists($1)";
    transaction.one(sql, values![id.as_str()], |row| get(row, 0)).await
}

fn numbered(row: &Row) -> Result<NumberedMemory> {
    Ok(NumberedMemory { number: number(row, WIDTH)?, memory: memory(row)? })
}
