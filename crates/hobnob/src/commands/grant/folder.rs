//! Resolves a folder to grant: its real path, and its identity. `row` calls it.
//!
//! What must stay true: Hobnob's own folders are never granted, and a command's folders do not even
//! contain them.

use anyhow::Context as _;
use hobnob_config::{GrantedFolderEntry, Places};
use hobnob_terminal::ended::Ended;
use std::path::{Path, PathBuf};

/// Who works in the folder, which decides what it may contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FolderUse {
    /// Our own code, which keeps Hobnob's folders invisible.
    Effects,
    /// A program. No sandbox can hide a folder inside one that the program may use.
    Program,
}

/// Whether the folder's contents may be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FolderAccess {
    Read,
    Write,
}

/// The entry for a folder, which must exist.
pub(super) fn folder(
    typed: &Path,
    access: FolderAccess,
    used_by: FolderUse,
    places: &Places,
) -> anyhow::Result<GrantedFolderEntry> {
    let shown = typed.display();
    let path = typed.canonicalize().with_context(|| format!("the folder {shown}"))?;
    if !path.is_dir() {
        return Err(Ended::usage(format!("{shown} is not a folder")).into());
    }
    refuse_own_folders(&path, used_by, places)?;
    let Some(text) = path.to_str() else {
        return Err(Ended::usage(format!("the path of {shown} is not valid UTF-8")).into());
    };
    Ok(GrantedFolderEntry {
        path: text.to_owned(),
        access: match access {
            FolderAccess::Read => "read".into(),
            FolderAccess::Write => "write".into(),
        },
        identity: identity(&path)?,
        hard_links: false,
    })
}

fn refuse_own_folders(path: &Path, used_by: FolderUse, places: &Places) -> anyhow::Result<()> {
    let refuse = |why: &str| Err(Ended::usage(format!("{} {why}", path.display())).into());
    let real = |folder: &PathBuf| folder.canonicalize().unwrap_or_else(|_| folder.clone());
    let own: Vec<PathBuf> = places.own_folders().iter().map(real).collect();
    if own.iter().any(|own| path.starts_with(own)) {
        return refuse("belongs to Hobnob itself and cannot be granted");
    }
    if used_by == FolderUse::Effects {
        return Ok(());
    }
    if own.iter().any(|own| own.starts_with(path)) {
        return refuse(
            "contains Hobnob's own folders, and a command in it could grant itself anything; \
             grant a folder below it",
        );
    }
    match path.parent().is_none() || real(&places.home).starts_with(path) {
        true => refuse("is too much for a command: grant the folder of a project"),
        false => Ok(()),
    }
}

/// The identity of the folder, so that another folder in its place is not granted.
#[cfg(target_os = "linux")]
fn identity(path: &Path) -> anyhow::Result<String> {
    let found = hobnob_machine::files::RootIdentity::of_path(path);
    let found = found.map_err(|why| Ended::usage(format!("{} {why}", path.display())))?;
    Ok(found.to_string())
}

#[cfg(not(target_os = "linux"))]
fn identity(_path: &Path) -> anyhow::Result<String> {
    anyhow::bail!("folders can be granted on Linux only, so far")
}
