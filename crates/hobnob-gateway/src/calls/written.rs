//! Waits for the audit log without blocking a thread.
//!
//! Records of calls and the hub's records of logins use it; the log's own thread writes.

use hobnob_policy::audit::{AuditWriteError, WrittenCallback};
use tokio::sync::oneshot;
use tokio::time::timeout;

/// Waits until the log has written the record that `begin` hands to it.
///
/// # Errors
/// When the log cannot be written, or not in time.
pub async fn until_written(begin: impl FnOnce(WrittenCallback)) -> Result<(), AuditWriteError> {
    let (sender, receiver) = oneshot::channel();
    // The caller may have been cancelled.
    begin(Box::new(move |written| drop(sender.send(written))));
    match timeout(AuditWriteError::PATIENCE, receiver).await {
        Ok(Ok(written)) => written,
        Ok(Err(_)) | Err(_) => Err(AuditWriteError::Late),
    }
}
