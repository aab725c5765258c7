//! Opens the audit log that the settings describe.
//!
//! `compose` opens it for a hub, `change_log` for a command that changes permissions. What must stay
//! true: a log that must be kept and cannot be opened is an error, never left out.

use anyhow::Context as _;
use hobnob_config::{Places, RecordingMode, Settings};
use hobnob_policy::audit::{AuditLog, AuditMode, AuditOptions, AuditRetention};
use std::sync::Arc;
use std::time::Duration;

/// Opens the audit log, unless the settings disable it.
pub(crate) fn open_audit(
    places: &Places,
    settings: &Settings,
) -> anyhow::Result<Option<Arc<AuditLog>>> {
    let audit = &settings.audit;
    let mode = match audit.mode {
        RecordingMode::BestEffort => AuditMode::BestEffort,
        RecordingMode::Strict => AuditMode::Strict,
    };
    match (audit.enabled, mode) {
        (true, _) => {}
        (false, AuditMode::BestEffort) => return Ok(None),
        (false, AuditMode::Strict) => anyhow::bail!(
            "`[audit]` in {} has mode = \"strict\", which refuses calls that are not recorded, and \
             enabled = false; remove one of the two",
            places.settings().display()
        ),
    }
    let file = places.audit();
    let options = AuditOptions {
        calls: AuditRetention::new(audit.keep, audit.max_bytes.get()),
        decisions: AuditRetention::by_age(audit.keep_decisions.unwrap_or(Duration::MAX)),
        mode,
    };
    // The first command in an empty home may be the one that changes permissions.
    let folder = hobnob_disk::make_folder(&places.state_dir);
    let opened = folder.and_then(|()| AuditLog::open(&file, options));
    let opened =
        opened.with_context(|| format!("the audit log {} cannot be opened", file.display()))?;
    Ok(Some(Arc::new(opened)))
}
