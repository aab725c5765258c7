//! Adds, removes and switches servers in a `.mcp.json`, and changes nothing else in it.
//!
//! `hobnob add`, `remove`, `enable`, `disable` and `import` call it. A file that cannot be parsed
//! as JSON is never written.

use std::io;
use std::path::{Path, PathBuf};

use hobnob_disk::{FileMode, write_atomic};
use jsonc_parser::cst::{CstObject, CstObjectProp};
use serde_json::{Map, Value};

use crate::disk::back_up_into;
use crate::edit_json::{json_tree, set_members};
use crate::entry::{SpecProblem, Switch, check_entry};
use crate::mcp_json::{SERVERS, read_mcp_json, read_root_text};
use crate::name::ServerName;
use crate::problem::Problem;

/// Whether a copy of the old file is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Backup {
    /// The old content is lost.
    Skip,
    /// The copy goes into this folder, `Places::backups`: beside a project's file it would end up
    /// in the project's repository.
    Into(PathBuf),
}

/// What happens to a server of the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// The existing server stays, and adding is an error.
    Refuse,
    /// The new server replaces it.
    Replace,
}

/// The result of an edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited {
    /// The copy of the old file, if one was made.
    pub backup: Option<PathBuf>,
}

/// Why nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    /// The file cannot be parsed, and stays unchanged.
    #[error("{0}; the file was not changed: repair it first")]
    Broken(#[from] Problem),
    /// The new entry is invalid.
    #[error(transparent)]
    Entry(#[from] SpecProblem),
    /// The file has a server of this name.
    #[error("server `{0}` is already in {file}: remove it first, or replace it", file = .1.display())]
    Taken(ServerName, PathBuf),
    /// There is no such server in the file.
    #[error("there is no server `{0}` in {file}", file = .1.display())]
    Unknown(ServerName, PathBuf),
    /// The system reported an error while the file was written.
    #[error("cannot write {}", .0.display())]
    Io(PathBuf, #[source] io::Error),
}

/// The servers of one file as written; empty if there is no file.
pub fn servers_in(file: &Path) -> Result<Map<String, Value>, Problem> {
    Ok(read_mcp_json(file)?.unwrap_or_default())
}

/// Adds a server, and creates the file if there is none.
pub fn add_server(
    file: &Path,
    name: &ServerName,
    entry: Value,
    existing: Existing,
    backup: Backup,
) -> Result<Edited, EditError> {
    check_entry(name, &entry)?;
    change(file, backup, |servers| match (servers.get(name.as_str()), existing) {
        (Some(_), Existing::Refuse) => Err(EditError::Taken(name.clone(), file.into())),
        _ => {
            set_members(servers, &Map::from_iter([(name.to_string(), entry)]));
            Ok(())
        }
    })
}

/// Removes a server; the others keep their order.
pub fn remove_server(file: &Path, name: &ServerName, backup: Backup) -> Result<Edited, EditError> {
    change(file, backup, |servers| {
        let unknown = || EditError::Unknown(name.clone(), file.into());
        servers.get(name.as_str()).ok_or_else(unknown)?.remove();
        Ok(())
    })
}

/// Switches a server on or off.
pub fn switch_server(
    file: &Path,
    name: &ServerName,
    switch: Switch,
    backup: Backup,
) -> Result<Edited, EditError> {
    change(file, backup, |servers| {
        let unknown = || EditError::Unknown(name.clone(), file.into());
        let written = servers.get(name.as_str()).ok_or_else(unknown)?;
        let entry = written.object_value().ok_or_else(|| not_an_object(file, name.as_str()))?;
        match switch {
            Switch::Off => set_members(&entry, &Map::from_iter([("disabled".into(), true.into())])),
            Switch::On => {
                // `"enabled": false` is another spelling of the same switch.
                let enabled = entry.get("enabled").filter(is_false);
                entry.get("disabled").into_iter().chain(enabled).for_each(CstObjectProp::remove);
            }
        }
        Ok(())
    })
}

/// Replaces the whole text of a file.
pub fn replace_file(file: &Path, text: &str, backup: Backup) -> Result<Edited, EditError> {
    let failed = |error| EditError::Io(file.into(), error);
    let backup = if file.exists() { copy_of(file, backup).map_err(failed)? } else { None };
    write_atomic(file, text.as_bytes(), FileMode::Keep).map_err(failed)?;
    Ok(Edited { backup })
}

fn change(
    file: &Path,
    backup: Backup,
    edit: impl FnOnce(&CstObject) -> Result<(), EditError>,
) -> Result<Edited, EditError> {
    let found = read_root_text(file)?;
    let backup = if found.is_some() { backup } else { Backup::Skip };
    let text = found.as_deref().unwrap_or("{}\n");
    let root = json_tree(text).map_err(|error| Problem::of_file(file, error.to_string()))?;
    let servers = root.object_value().and_then(|root| root.object_value_or_create(SERVERS));
    edit(&servers.ok_or_else(|| not_an_object(file, SERVERS))?)?;
    let failed = |error| EditError::Io(file.into(), error);
    let backup = copy_of(file, backup).map_err(failed)?;
    write_atomic(file, root.to_string().as_bytes(), FileMode::Keep).map_err(failed)?;
    Ok(Edited { backup })
}

fn copy_of(file: &Path, backup: Backup) -> io::Result<Option<PathBuf>> {
    match backup {
        Backup::Skip => Ok(None),
        Backup::Into(folder) => back_up_into(&folder, file).map(Some),
    }
}

fn is_false(member: &CstObjectProp) -> bool {
    let value = member.value().and_then(|it| it.as_boolean_lit());
    value.is_some_and(|it| !it.value())
}

fn not_an_object(file: &Path, name: &str) -> Problem {
    Problem::of_file(file, format!("`{name}` is not an object"))
}
