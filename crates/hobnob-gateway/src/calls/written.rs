//! Waits for the audit log without blocking a thread.
//!
//! Records of calls and the hub's records of logins use it; the log's own thread does the writing.

use hobnob_policy::audit::{AuditWriteError, WrittenCallback};
use tokio::sync::oneshot;
use tokio::time::timeout;

/// Waits until the log has written what `begin` hands to it.
///
/// # Errors
/// When the log cannot be written, or not in time.
pub async fn until_written(begin: impl FnOnce(WrittenCallback)) -> Result<(), AuditWriteError> {
    let (tell, told) = oneshot::channel();
    // The caller may have been cancelled.
    begin(Box::new(move |written| drop(tell.send(written))));
    match timeout(AuditWriteError::PATIENCE, told).await {
        Ok(Ok(written)) => written,
        Ok(Err(_)) | Err(_) => Err(AuditWriteError::Late),
    }
}
