//! Follows the audit log. `audit --follow` prints each new record as it is written.

use crate::file_tail::FileTail;
use hobnob_policy::audit::AuditEntry;

/// Shows new records until an error or the end of the process; skips records already shown.
pub(super) fn follow(
    tails: Vec<FileTail>,
    shown: &[AuditEntry],
    mut show: impl FnMut(&AuditEntry) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    FileTail::follow_all(tails, |line| match serde_json::from_slice(line) {
        Ok(entry) if !shown.contains(&entry) => show(&entry),
        // A damaged line is skipped, as in the reader of the whole log.
        Ok(_) | Err(_) => Ok(()),
    })
}
