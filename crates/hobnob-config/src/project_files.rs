//! The `.mcp.json` files that count in a folder: its own, and those of the folders above it, as
//! Claude Code reads them.
//!
//! `places` asks for the project's folder, and for the files above it that count too. Nothing at or
//! above the user's home counts, since `~/.mcp.json` is the user's own file.

use std::fs;
use std::path::{Path, PathBuf};

/// The name of the file in every folder.
pub(crate) const FILE: &str = ".mcp.json";
/// Marks the root of the repository that a folder belongs to.
const REPOSITORY: &str = ".git";
/// How many folders above a project are searched; projects do not nest deeper.
const MAX_DEPTH: usize = 32;

/// The project's folder for a user who works in `here`: the nearest folder with a `.mcp.json`, but
/// not outside of the repository; `here` if there is none.
pub(crate) fn find_project(here: &Path, home: &Path) -> PathBuf {
    for folder in up_to_home(here, home) {
        if counts(folder, here, home) {
            return folder.into();
        }
        if folder.join(REPOSITORY).exists() {
            break;
        }
    }
    here.into()
}

/// The existing files in the folders above the project, the outermost first.
pub(crate) fn files_above(project: &Path, home: &Path) -> Vec<PathBuf> {
    let above = up_to_home(project, home).skip(1).filter(|folder| counts(folder, project, home));
    let mut files: Vec<PathBuf> = above.map(|folder| folder.join(FILE)).collect();
    files.reverse();
    files
}

/// The folder and its parents, up to but without the home and the root.
fn up_to_home<'a>(folder: &'a Path, home: &'a Path) -> impl Iterator<Item = &'a Path> {
    let home = home.canonicalize().unwrap_or_else(|_| home.into());
    let inside = move |it: &&Path| it.parent().is_some() && **it != *home;
    folder.ancestors().take_while(inside).take(MAX_DEPTH)
}

/// Whether a folder has a file that counts for a user who works in `here`. In a folder that all
/// users may write, such as one for temporary files, another user's file does not.
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
