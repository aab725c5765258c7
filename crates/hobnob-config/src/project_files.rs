//! The `.mcp.json` files that count in a folder: its own, and those of the folders above it, as
//! Claude Code reads them.
//!
//! `places` asks where the project begins, and which files above it count too. Nothing above the
//! user's home counts, since `~/.mcp.json` is the user's own file.

use std::fs;
use std::path::{Path, PathBuf};

/// The name of the file in every folder.
pub(crate) const FILE: &str = ".mcp.json";
/// The end of the repository that a folder belongs to.
const REPOSITORY: &str = ".git";
/// Folders above a project whose files are read; nobody nests deeper.
const MAX_DEPTH: usize = 32;

/// The folder of the project that somebody who works in `here` means: the nearest one with a
/// `.mcp.json`, but not beyond the repository; `here` if there is none.
pub(crate) fn find_project(here: &Path, home: &Path) -> PathBuf {
    for folder in below(here, home) {
        if counts(folder, here, home) {
            return folder.into();
        }
        if folder.join(REPOSITORY).exists() {
            break;
        }
    }
    here.into()
}

/// The files in the folders above the project that exist, the outermost first.
pub(crate) fn files_above(project: &Path, home: &Path) -> Vec<PathBuf> {
    let above = below(project, home).skip(1).filter(|folder| counts(folder, project, home));
    let mut files: Vec<PathBuf> = above.map(|folder| folder.join(FILE)).collect();
    files.reverse();
    files
}

/// The folder and those above it, as far as neither the home nor the root.
fn below<'a>(folder: &'a Path, home: &'a Path) -> impl Iterator<Item = &'a Path> {
    let home = home.canonicalize().unwrap_or_else(|_| home.into());
    let inside = move |it: &&Path| it.parent().is_some() && **it != *home;
    folder.ancestors().take_while(inside).take(MAX_DEPTH)
}

/// Whether a folder has a file that counts for somebody who works in `here`. Where everyone may
/// write, such as in a folder for temporary files, somebody else's file does not.
fn counts(folder: &Path, here: &Path, home: &Path) -> bool {
    let Ok(about) = fs::metadata(folder.join(FILE)) else { return false };
    about.is_file() && (folder == here || is_of_same_owner(&about, here, home))
}

#[cfg(unix)]
fn is_of_same_owner(about: &fs::Metadata, here: &Path, home: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let owns = |folder: &Path| fs::metadata(folder).is_ok_and(|it| it.uid() == about.uid());
    owns(home) || owns(here)
}

#[cfg(not(unix))]
fn is_of_same_owner(_about: &fs::Metadata, _here: &Path, _home: &Path) -> bool {
    true
}
