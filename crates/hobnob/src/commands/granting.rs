//! What `grant`, `revoke`, `enable` and `disable` share: one change of the file of grants, written
//! down in the audit log.
//!
//! What must stay true: only a command that a person typed changes grants. A program that a hub
//! started is no person.

use super::person::require_person;
use anyhow::Context as _;
use hobnob_config::{GrantChange, GrantEntries, GrantsFile, Places, Settings};
use hobnob_hub::compose::open_audit;
use hobnob_policy::audit::{AuditDecision, AuditLog, AuditOutcome, AuditRecord, AuditTarget};
use hobnob_terminal::render;
use jiff::Timestamp;

/// What a command did to the grants, as the audit log names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GrantEvent {
    Grant,
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

/// Changes the file, records each text that says what was changed, and warns if a damaged file had to
/// make room.
pub(super) fn change_grants(
    places: &Places,
    event: GrantEvent,
    texts: impl FnOnce(&GrantChange) -> Vec<String>,
    change: impl FnOnce(&mut GrantEntries),
) -> anyhow::Result<GrantChange> {
    require_person("grants are")?;
    places.create().context("the folders for settings and state cannot be made")?;
    let settings = Settings::load(&places.settings()).map_err(anyhow::Error::from)?;
    // Opened first: what cannot be written down is not done.
    let audit = open_audit(places, &settings)?;
    let changed = GrantsFile::new(&places.grants()).change(change)?;
    if let Some(aside) = &changed.set_aside {
        render::warn(&format!(
            "the damaged file of grants was set aside as {}; what it granted no longer counts",
            aside.display()
        ));
    }
    let Some(audit) = audit.filter(|_| changed.before != changed.after) else {
        return Ok(changed);
    };
    for text in texts(&changed) {
        record_change(&audit, event.method(), &text);
    }
    audit.flush()?;
    Ok(changed)
}

/// Writes down what a person changed.
pub(super) fn record_change(audit: &AuditLog, method: &str, text: &str) {
    audit.record(&AuditRecord {
        at: Timestamp::now(),
        principal: "",
        client: None,
        via: None,
        revision: None,
        method,
        target: AuditTarget::Grant(text),
        server: None,
        original: None,
        decision: AuditDecision::agreed_in_settings(),
        duration_us: 0,
        outcome: AuditOutcome::Ok,
        request_bytes: 0,
        result_bytes: 0,
    });
}
