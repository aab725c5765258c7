//! Covers the files of `/etc` that only root may read, for a command that runs as root: even
//! without capabilities, user 0 still owns `/etc/shadow` and private keys.
//! [`new_root`](super::new_root) calls it while it builds the root.

use super::root_builder::NewRoot;
use rustix::fs::FileType;
use std::fs;
use std::io;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

/// The folder of the system's settings.
const SETTINGS: &str = "/etc";
/// An empty folder and an empty file of the new root, which are mounted over secrets.
const EMPTY_FOLDER: &str = "/.hidden/folder";
const EMPTY_FILE: &str = "/.hidden/file";
/// Far more entries than any `/etc` has.
const MAX_ENTRIES: usize = 50_000;
/// The permissions for others on a file and on a folder that hold no secret.
const READ: u32 = 0o4;
const READ_AND_ENTER: u32 = 0o5;

/// Covers each file and folder that others may not read.
pub(super) fn hide(root: &NewRoot) -> io::Result<()> {
    drop(root.place(Path::new(EMPTY_FOLDER), FileType::Directory)?);
    drop(root.place(Path::new(EMPTY_FILE), FileType::RegularFile)?);
    let mut folders = vec![PathBuf::from(SETTINGS)];
    let mut seen = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            seen += 1;
            if MAX_ENTRIES < seen {
                return Err(io::Error::other("`/etc` has too many entries to look through"));
            }
            // Most entries are links, which hide nothing; the folder's entry itself says so.
            if entry.file_type().is_ok_and(|kind| kind.is_symlink()) {
                continue;
            }
            let path = entry.path();
            // It may have been removed in the meantime.
            let Ok(facts) = path.symlink_metadata() else { continue };
            let (kind, mode) = (facts.file_type(), facts.mode());
            if kind.is_dir() && mode & READ_AND_ENTER != READ_AND_ENTER {
                root.cover(Path::new(EMPTY_FOLDER), &path)?;
            } else if kind.is_dir() {
                folders.push(path);
            } else if !kind.is_symlink() && (mode & READ == 0 || kind.is_socket()) {
                root.cover(Path::new(EMPTY_FILE), &path)?;
            }
        }
    }
    Ok(())
}
