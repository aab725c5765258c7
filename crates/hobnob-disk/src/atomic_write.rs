//! Atomic replacement of a file: a reader sees the old bytes or the new ones, never a mix.

use std::fs::{self, File};
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::{self, Write as _};
use std::path::Path;

use crate::private::{create_private, make_folder};

#[cfg(test)]
mod tests;

/// The permissions that a written file gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileMode {
    /// Only its owner may read the file, even if others could read it before.
    Private,
    /// The file keeps its permissions; a new file is private.
    Keep,
}

/// Replaces a file atomically, and creates the folders above it. A symbolic link stays a link, and
/// the file it points to is replaced.
pub fn write_atomic(file: &Path, bytes: &[u8], mode: FileMode) -> io::Result<()> {
    // People keep these files in a repository of their own, and link to them from here.
    let target = fs::canonicalize(file).unwrap_or_else(|_| file.into());
    make_folder(folder_of(&target))?;
    let kept = match mode {
        FileMode::Private => None,
        FileMode::Keep => fs::metadata(&target).ok().map(|it| it.permissions()),
    };
    replace(&target, bytes, kept)
}

/// Replaces exactly this path by a private file, atomically; a symbolic link is replaced like a
/// file. Its folder must exist.
pub fn replace_file(file: &Path, bytes: &[u8]) -> io::Result<()> {
    replace(file, bytes, None)
}

/// Writes a scratch file beside the file, flushes it to the disk, and renames it over the file.
fn replace(file: &Path, bytes: &[u8], kept: Option<fs::Permissions>) -> io::Result<()> {
    let Some(name) = file.file_name() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not the name of a file"));
    };
    let folder = folder_of(file);
    let scratch = folder.join(scratch_name(&name.to_string_lossy()));
    let written = write_scratch(&scratch, bytes, kept).and_then(|()| fs::rename(&scratch, file));
    if let Err(error) = written {
        // Report the first error; a leftover scratch file does no harm.
        let _ = fs::remove_file(&scratch);
        return Err(error);
    }
    flush_folder(folder)
}

/// Tests whether a file can be written into this file's folder: creates the folder if it is missing,
/// writes an empty scratch file and removes it again.
pub fn check_folder(file: &Path) -> io::Result<()> {
    let target = fs::canonicalize(file).unwrap_or_else(|_| file.into());
    let folder = folder_of(&target);
    make_folder(folder)?;
    let scratch = folder.join(scratch_name("check"));
    let written = write_scratch(&scratch, b"", None);
    let _ = fs::remove_file(&scratch);
    written
}

fn folder_of(file: &Path) -> &Path {
    match file.parent() {
        Some(folder) if folder.as_os_str().is_empty() => Path::new("."),
        Some(folder) => folder,
        None => Path::new("/"),
    }
}

/// A name that no other writer uses. A process id would not do: processes in two containers may
/// have the same one.
fn scratch_name(name: &str) -> String {
    format!(".{name}.{:016x}.tmp", RandomState::new().build_hasher().finish())
}

fn write_scratch(scratch: &Path, bytes: &[u8], kept: Option<fs::Permissions>) -> io::Result<()> {
    let mut file = create_private(scratch)?;
    if let Some(permissions) = kept {
        file.set_permissions(permissions)?;
    }
    file.write_all(bytes)?;
    file.sync_all()
}

/// Flushes a folder's entries to the disk. Without this, a power failure may undo a rename.
#[cfg(unix)]
pub fn flush_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Other systems flush a folder's entries with its files.
#[cfg(not(unix))]
pub fn flush_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}
