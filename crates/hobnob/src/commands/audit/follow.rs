//! New records of the audit log as they are written. `audit --follow` prints them.

use crate::file_tail::FileTail;
use hobnob_policy::audit::{AuditEntry, AuditFilter};

/// Passes on new records, for ever; skips those that were shown before.
pub(super) fn follow(
    tail: FileTail,
    shown: &[AuditEntry],
    mut show: impl FnMut(&AuditEntry) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    tail.follow(|line| match serde_json::from_slice(line) {
        Ok(entry) if !shown.contains(&entry) => show(&entry),
        // A damaged line is skipped, as in the reader of the whole log.
        Ok(_) | Err(_) => Ok(()),
    })
}

/// Whether a new record passes the filter; its time does not matter.
pub(super) fn matches(filter: &AuditFilter, entry: &AuditEntry) -> bool {
    let same = |wanted: Option<&str>, is: Option<&str>| wanted.is_none() || wanted == is;
    same(filter.server.as_deref(), entry.server.as_deref())
        && same(filter.outcome.as_deref(), entry.outcome.as_deref())
        && same(filter.decision.map(|it| it.as_str()), entry.decision.as_deref())
        && filter
            .tool
            .as_ref()
            .is_none_or(|glob| entry.tool.as_deref().is_some_and(|tool| glob.matches(tool)))
}
