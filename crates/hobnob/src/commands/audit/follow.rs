//! New records of the audit log as they are written. `audit --follow` prints them.

use crate::file_tail::FileTail;
use hobnob_policy::audit::AuditEntry;

/// Passes on new records, for ever; skips those that were shown before.
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
