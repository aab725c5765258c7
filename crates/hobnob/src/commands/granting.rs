//! Changes the file of grants and records the change in the audit log, for `grant`, `revoke`,
//! `enable` and `disable`.
//!
//! What must stay true: only a command that a person typed changes grants; a program that a hub
//! started cannot.

use super::change_log::ChangeLog;
use super::person::require_owner;
use anyhow::Context as _;
use hobnob_config::{GrantChange, GrantEntries, GrantsFile, Places};
use hobnob_terminal::render;

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

/// Records each of `texts` in the audit log, then changes the file. Warns if a damaged file was set
/// aside.
pub(super) fn change_grants(
    places: &Places,
    event: GrantEvent,
    texts: impl FnOnce(&GrantChange) -> Vec<String>,
    change: impl FnOnce(&mut GrantEntries),
) -> anyhow::Result<GrantChange> {
    require_owner("grants are", places)?;
    places.create().context("the folders for settings and state cannot be made")?;
    let log = ChangeLog::open(places)?;
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
    let changed = changed?;
    if let Some(aside) = &changed.set_aside {
        render::warn(&format!(
            "the damaged file of grants was set aside as {}; what it granted no longer counts",
            aside.display()
        ));
    }
    Ok(changed)
}
