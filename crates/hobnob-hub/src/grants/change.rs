//! Changes the file of grants and records the change in the audit log.
//!
//! `hobnob grant`, `revoke`, `enable` and `disable` and the page use it. What must stay true: only a
//! person changes grants, and the audit log has a change before the file does.

use crate::change_log::ChangeLog;
use hobnob_config::{GrantChange, GrantEntries, GrantsFile, Places};

/// What a person did to the grants, as the audit log names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GrantEvent {
    /// A grant was added, or one about the same thing replaced.
    Grant,
    /// A grant was taken back.
    Revoke,
    /// The access of a whole service was set.
    Access,
}

impl GrantEvent {
    fn method(self) -> &'static str {
        match self {
            Self::Grant => "grants/grant",
            Self::Revoke => "grants/revoke",
            Self::Access => "grants/access",
        }
    }
}

/// Records each of `texts` in the audit log, then changes the file.
///
/// # Errors
/// When the change cannot be recorded or written; the file is then unchanged.
pub fn change_grants(
    places: &Places,
    log: &ChangeLog,
    event: GrantEvent,
    texts: impl FnOnce(&GrantChange) -> Vec<String>,
    change: impl FnOnce(&mut GrantEntries),
) -> anyhow::Result<GrantChange> {
    let mut recorded = Vec::new();
    let changed = GrantsFile::new(&places.grants()).change_after(change, |planned| {
        if planned.before == planned.after {
            return Ok(());
        }
        for text in texts(planned) {
            log.record(event.method(), &text)?;
            recorded.push(text);
        }
        anyhow::Ok(())
    });
    if changed.is_err() {
        recorded.iter().for_each(|text| log.not_done(event.method(), text));
    }
    changed
}
