//! From an older format to the newest, in one transaction that only one process makes.

use crate::error::StoreError;
use rusqlite::{Connection, TransactionBehavior};

/// What turns format N into N + 1, at place N. Never edited once it has shipped.
const STEPS: &[&str] = &[include_str!("migrations/1.sql")];

/// The newest format.
pub const NEWEST: i64 = STEPS.len() as i64;

/// Marks our files: "HOBN".
pub(super) const APPLICATION: i64 = 0x484F_424E;

/// Brings the file to the newest format. A process that is killed meanwhile leaves the old one.
pub(super) fn migrate(connection: &mut Connection) -> Result<(), StoreError> {
    if version(connection)? == NEWEST {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have been faster.
    let from = version(&transaction)?;
    for (step, sql) in STEPS.iter().enumerate().skip(usize::try_from(from).unwrap_or_default()) {
        tracing::info!(step = step + 1, "bringing the store to a newer format");
        transaction.execute_batch(sql)?;
    }
    if from < NEWEST {
        transaction.pragma_update(None, "application_id", APPLICATION)?;
        transaction.pragma_update(None, "user_version", NEWEST)?;
    }
    transaction.commit()?;
    Ok(())
}

/// The file's format; 0 is an empty file.
pub(super) fn version(connection: &Connection) -> Result<i64, StoreError> {
    Ok(connection.pragma_query_value(None, "user_version", |row| row.get(0))?)
}

/// Whose file it is; 0 is nobody's.
pub(super) fn application(connection: &Connection) -> Result<i64, StoreError> {
    Ok(connection.pragma_query_value(None, "application_id", |row| row.get(0))?)
}
