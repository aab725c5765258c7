//! Migrates a file from an older format to the newest, in one transaction that one process makes.
//!
//! A released step is never changed; a new step is appended.

#[cfg(test)]
mod tests;

use super::convert::WorkError;
use hobnob_store::StoreOpenError;
use rusqlite::{Connection, TransactionBehavior};
use std::path::Path;

/// The step from format N to N + 1, at index N. A released step is never edited.
pub(super) const STEPS: &[&str] = &[
    include_str!("migrations/1.sql"),
    include_str!("migrations/2.sql"),
    include_str!("migrations/3.sql"),
    include_str!("migrations/4.sql"),
    include_str!("migrations/5.sql"),
    include_str!("migrations/6.sql"),
    include_str!("migrations/7.sql"),
    include_str!("migrations/8.sql"),
    include_str!("migrations/9.sql"),
];

/// The newest format that this Hobnob reads and writes.
pub const NEWEST: i64 = STEPS.len() as i64;

/// The application id of our files: "HOBN".
const APPLICATION: i64 = 0x484F_424E;

/// The format that a file declares in its header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileFormat {
    /// How many steps were applied; 0 for an empty file.
    pub(super) version: i64,
    /// The application id; 0 if no program has set one.
    pub(super) application: i64,
}

impl FileFormat {
    /// The format of an empty file.
    pub(super) const EMPTY: Self = Self { version: 0, application: 0 };

    /// Reads the format of an open file.
    pub(super) fn of(connection: &Connection) -> Result<Self, WorkError> {
        let number = |name| connection.pragma_query_value(None, name, |row| row.get(0));
        Ok(Self { version: number("user_version")?, application: number("application_id")? })
    }

    /// Why a program that knows formats up to `newest` cannot use the file; `None` if it can.
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

    /// Refuses to open a file of an unusable format.
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

/// Why the format of a file is unusable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum FormatMismatch {
    #[error("it is a database of another program")]
    Foreign,
    #[error("its header is damaged (format {0})")]
    Unknown(i64),
    #[error("it was written by a newer Hobnob (format {found}, this one knows {known})")]
    Newer { found: i64, known: i64 },
}

/// Applies the missing steps. If the process is killed meanwhile, the file keeps its old format.
pub(super) fn migrate(connection: &mut Connection, steps: &[&str]) -> Result<(), WorkError> {
    let newest = i64::try_from(steps.len()).unwrap_or(i64::MAX);
    if FileFormat::of(connection)?.version == newest {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have migrated the file in the meantime.
    let made = usize::try_from(FileFormat::of(&transaction)?.version).unwrap_or_default();
    if made < steps.len() {
        // Creating a new file is no migration worth logging.
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
