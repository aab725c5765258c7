//! Changes the file of grants for `grant`, `revoke`, `enable` and `disable`.
//!
//! What must stay true: only a command that a person typed changes grants; a program that a hub
//! started cannot.

use super::person::require_owner;
use anyhow::Context as _;
use hobnob_config::{GrantChange, GrantEntries, Places};
use hobnob_hub::change_log::ChangeLog;
pub(super) use hobnob_hub::grants::GrantEvent;
use hobnob_terminal::render;

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
    let changed = hobnob_hub::grants::change_grants(places, &log, event, texts, change)?;
    if let Some(aside) = &changed.set_aside {
        render::warn(&format!(
            "the damaged file of grants was set aside as {}; what it granted no longer counts",
            aside.display()
        ));
    }
    Ok(changed)
}
