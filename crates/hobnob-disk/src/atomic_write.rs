//! Replacing a file at once: a reader sees the old bytes or the new ones, never a part of either.

use std::fs::{self, File};
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::{self, Write as _};
use std::path::Path;

use crate::private::{create_private, make_folder};

#[cfg(test)]
mod tests;

/// The permissions of a file that is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileMode {
    /// Only its owner may read it, whatever its permissions were before.
    Private,
    /// Its permissions stay; a new file is private.
    Keep,
}

/// Replaces a file atomically, and creates the folders above it. A link stays a link, and the file
/// that it names is replaced.
pub fn write_atomic(file: &Path, bytes: &[u8], mode: FileMode) -> io::Result<()> {
    // People keep these files in a repository of their own, and link to them.
    let target = fs::canonicalize(file).unwrap_or_else(|_| file.into());
    make_folder(folder_of(&target))?;
    let kept = match mode {
        FileMode::Private => None,
        FileMode::Keep => fs::metadata(&target).ok().map(|it| it.permissions()),
    };
    replace(&target, bytes, kept)
}

/// Replaces exactly this file by a private one, atomically; a link is replaced like a file. Its
/// folder must exist.
pub fn replace_file(file: &Path, bytes: &[u8]) -> io::Result<()> {
    replace(file, bytes, None)
}

/// Writes beside the file, flushes to the disk, renames over it.
fn replace(file: &Path, bytes: &[u8], kept: Option<fs::Permissions>) -> io::Result<()> {
    let Some(name) = file.file_name() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not the name of a file"));
    };
    let folder = folder_of(file);
    let scratch = folder.join(scratch_name(&name.to_string_lossy()));
    let written = write_scratch(&scratch, bytes, kept).and_then(|()| fs::rename(&scratch, file));
    if let Err(error) = written {
        // Report the first error; a leftover scratch file harms nobody.
        let _ = fs::remove_file(&scratch);
        return Err(error);
    }
    flush_folder(folder)
}

/// Fails if no file can be written into the folder of this one.
pub fn check_folder(file: &Path) -> io::Result<()> {
    let target = fs::canonicalize(file).unwrap_or_else(|_| file.into());
    let folder = folder_of(&target);
    make_folder(folder)?;
    let scratch = folder.join(scratch_name("check"));
    let written = write_scratch(&scratch, b"", None);
    let _ = fs::remove_file(&scratch);
    written
}

/// The folder that a file is in.
fn folder_of(file: &Path) -> &Path {
    match file.parent() {
        Some(folder) if folder.as_os_str().is_empty() => Path::new("."),
        Some(folder) => folder,
        None => Path::new("/"),
    }
}

/// A name that no other writer uses: processes in two containers may have the same id.
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

/// Brings the names in a folder to the disk. Without this, a power failure may undo a rename.
#[cfg(unix)]
pub fn flush_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Other systems flush the names with their files.
#[cfg(not(unix))]
pub fn flush_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}
