//! Replacing a file at once: a reader sees the old bytes or the new ones, never a part of either.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::private::{make_folder, private};

/// The permissions of a file that is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileMode {
    /// Only its owner may read it, whatever its permissions were before.
    Private,
    /// Its permissions stay; a new file is private.
    Keep,
}

/// Replaces a file atomically: writes beside it, flushes to the disk, renames over it.
pub fn write_atomic(file: &Path, bytes: &[u8], mode: FileMode) -> io::Result<()> {
    // A link stays a link: people keep these files in a repository of their own.
    let target = fs::canonicalize(file).unwrap_or_else(|_| file.into());
    let (Some(folder), Some(name)) = (target.parent(), target.file_name()) else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not the name of a file"));
    };
    make_folder(folder)?;
    let kept = match mode {
        FileMode::Private => None,
        FileMode::Keep => fs::metadata(&target).ok().map(|it| it.permissions()),
    };
    let scratch = folder.join(scratch_name(&name.to_string_lossy()));
    let written = write_scratch(&scratch, bytes, kept).and_then(|()| fs::rename(&scratch, &target));
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
    let folder = target.parent().unwrap_or(Path::new("/"));
    make_folder(folder)?;
    let scratch = folder.join(scratch_name("check"));
    let written = write_scratch(&scratch, b"", None);
    let _ = fs::remove_file(&scratch);
    written
}

/// A name that no other process or thread uses while it writes into the same folder.
fn scratch_name(name: &str) -> String {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let count = COUNTER.fetch_add(1, Ordering::Relaxed);
    format!(".{name}.{}-{count}.tmp", std::process::id())
}

fn write_scratch(scratch: &Path, bytes: &[u8], kept: Option<fs::Permissions>) -> io::Result<()> {
    // A process with our id may have died here before; nobody alive has this name.
    let _ = fs::remove_file(scratch);
    let mut file = private(OpenOptions::new().write(true).create_new(true)).open(scratch)?;
    if let Some(permissions) = kept {
        file.set_permissions(permissions)?;
    }
    file.write_all(bytes)?;
    file.sync_all()
}

/// Without this, a power failure may undo the rename.
#[cfg(unix)]
fn flush_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn flush_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}
