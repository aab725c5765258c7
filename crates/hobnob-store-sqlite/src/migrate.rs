//! From an older format to the newest, in one transaction that only one process makes.
//!
//! A step that was released is never changed; a new one is added behind it.

#[cfg(test)]
mod tests;

use super::convert::WorkError;
use hobnob_store::StoreOpenError;
use rusqlite::{Connection, TransactionBehavior};
use std::path::Path;

/// What turns format N into N + 1, at place N. Never edited once it has shipped.
pub(super) const STEPS: &[&str] = &[
    include_str!("migrations/1.sql"),
    include_str!("migrations/2.sql"),
    include_str!("migrations/3.sql"),
    include_str!("migrations/4.sql"),
    include_str!("migrations/5.sql"),
    include_str!("migrations/6.sql"),
    include_str!("migrations/7.sql"),
    include_str!("migrations/8.sql"),
];

/// The newest format that this Hobnob reads and writes.
pub const NEWEST: i64 = STEPS.len() as i64;

/// Marks our files: "HOBN".
const APPLICATION: i64 = 0x484F_424E;

/// What a file says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileFormat {
    /// How many steps were made; 0 is an empty file.
    pub(super) version: i64,
    /// Whose file it is; 0 is nobody's.
    pub(super) application: i64,
}

impl FileFormat {
    /// Of a file that has nothing in it.
    pub(super) const EMPTY: Self = Self { version: 0, application: 0 };

    /// What the file of a connection says.
    pub(super) fn of(connection: &Connection) -> Result<Self, WorkError> {
        let number = |name| connection.pragma_query_value(None, name, |row| row.get(0));
        Ok(Self { version: number("user_version")?, application: number("application_id")? })
    }

    /// Why a Hobnob that knows formats up to `newest` cannot use it.
    pub(super) fn misfit(self, newest: i64) -> Option<FormatMismatch> {
        match self {
            Self { application, .. } if application != APPLICATION => Some(FormatMismatch::Foreign),
            Self { version, .. } if version < 1 => Some(FormatMismatch::Unknown(version)),
            Self { version, .. } if newest < version => {
                Some(FormatMismatch::Newer { found: version, known: newest })
            }
            Self { .. } => None,
        }
    }

    /// Refuses to open a file that cannot be used.
    pub(super) fn judge(self, file: &Path, newest: i64) -> Result<(), StoreOpenError> {
        match self.misfit(newest) {
            None => Ok(()),
            Some(FormatMismatch::Newer { found, known }) => {
                Err(StoreOpenError::Newer { file: file.into(), found, known })
            }
            Some(misfit) => {
                Err(StoreOpenError::Unusable { file: file.into(), reason: misfit.to_string() })
            }
        }
    }
}

/// Why a file cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum FormatMismatch {
    #[error("it is a database of another program")]
    Foreign,
    #[error("its header is damaged (format {0})")]
    Unknown(i64),
    #[error("it was written by a newer Hobnob (format {found}, this one knows {known})")]
    Newer { found: i64, known: i64 },
}

/// Makes the steps that a file lacks. A process that is killed meanwhile leaves the old format.
pub(super) fn migrate(connection: &mut Connection, steps: &[&str]) -> Result<(), WorkError> {
    let newest = i64::try_from(steps.len()).unwrap_or(i64::MAX);
    if FileFormat::of(connection)?.version == newest {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have been faster.
    let made = usize::try_from(FileFormat::of(&transaction)?.version).unwrap_or_default();
    if made < steps.len() {
        // A new file has no older format that anybody has to hear of.
        if made > 0 {
            tracing::info!(from = made, to = newest, "bringing the store to a newer format");
        }
        for sql in &steps[made..] {
            transaction.execute_batch(sql)?;
        }
        transaction.pragma_update(None, "application_id", APPLICATION)?;
        transaction.pragma_update(None, "user_version", newest)?;
    }
    transaction.commit()?;
    Ok(())
}
