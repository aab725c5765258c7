//! Why a record may not be on the disk. Callers that wait for their record get it.

use std::time::Duration;

/// How long a caller, or the drop of the log, waits for the disk.
pub(super) const TIMEOUT: Duration = Duration::from_secs(5);

/// Why records may not be on the disk.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AuditWriteError {
    /// The disk is slow or another process holds the file.
    #[error("the audit log did not reach the disk within {TIMEOUT:?}; look at the disk's load")]
    Late,
    /// More records wait for the disk than there is room for.
    #[error("too many records wait for the audit log; look at the disk's load and free space")]
    Full,
    /// The last write failed; holds the system's reason.
    #[error("the audit log cannot be written; look at free space and permissions: {0}")]
    Write(String),
}

impl AuditWriteError {
    /// How long a caller waits before it considers the log [`AuditWriteError::Late`].
    pub const PATIENCE: Duration = TIMEOUT;
}
