//! Removes a server's entry from the file that is used, as `hobnob remove` does, after the page has
//! shown what goes.
//!
//! `server_changes` calls it. What must stay true: the entry that was shown is removed and no other,
//! a copy of the file is kept, and the removal is in the audit log before it is made.

use super::entry_text::masked_entry;
use super::server_switch::file_in_use;
use crate::change_log::ChangeLog;
use hobnob_config::{Backup, Digest, Places, ServerName, remove_server, servers_in};
use hobnob_ui::{NotDone, ShownEntry};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The entry that a removal removes.
pub(super) fn shown_entry(places: &Places, name: &str) -> Result<ShownEntry, NotDone> {
    let found = find(places, name)?;
    let all =
        [places.project_mcp_json(), Some(places.own_mcp_json()), Some(places.user_mcp_json())];
    let others = all.into_iter().flatten().filter(|file| *file != found.file);
    let having = others.filter(|file| {
        servers_in(file).is_ok_and(|servers| servers.contains_key(found.name.as_str()))
    });
    Ok(ShownEntry {
        also_in: having.map(|file| file.display().to_string()).collect(),
        file: found.file.display().to_string(),
        entry: format!("{:#}", masked_entry(Some(&found.name), &found.entry)),
        backups: places.backups().display().to_string(),
        digest: found.digest().to_string(),
    })
}

/// Removes the entry with this digest.
pub(super) fn remove(
    places: &Places,
    log: &ChangeLog,
    name: &str,
    digest: &str,
) -> Result<(), NotDone> {
    let found = find(places, name)?;
    if found.digest().to_string() != digest {
        let why = "the entry is not as it was shown; look at it again";
        return Err(NotDone::Failed(why.to_owned()));
    }
    let FoundEntry { name, file, .. } = found;
    let text = format!("{name} {digest}");
    let removed = log.recorded("servers/remove", &text, || {
        remove_server(&file, &name, Backup::Into(places.backups()))
    });
    removed.map(drop).map_err(|error| NotDone::Failed(format!("{error:#}")))
}

/// An entry and its place.
struct FoundEntry {
    name: ServerName,
    file: PathBuf,
    entry: Value,
}

impl FoundEntry {
    fn digest(&self) -> Digest {
        let file = path_text(&self.file);
        Digest::of_parts(["server entry", self.name.as_str(), &file, &self.entry.to_string()])
    }
}

fn find(places: &Places, name: &str) -> Result<FoundEntry, NotDone> {
    let name = ServerName::parse(name).map_err(|_| NotDone::Unknown)?;
    let file = file_in_use(places, &name).map_err(NotDone::Failed)?.ok_or(NotDone::Unknown)?;
    let servers = servers_in(&file).map_err(|problem| NotDone::Failed(problem.to_string()))?;
    let entry = servers.get(name.as_str()).cloned().ok_or(NotDone::Unknown)?;
    Ok(FoundEntry { name, file, entry })
}

fn path_text(file: &Path) -> String {
    file.display().to_string()
}
