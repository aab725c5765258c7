//! The paths of a store: the database and the files next to it, each named after it.
//!
//! Opening, backup and restore use it. All of these files are readable by their owner only.

use hobnob_disk::private;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// The suffixes of files next to the database: SQLite's log (WAL) and its index, our opening lock
/// and our open mark, and the rollback journal that SQLite uses before there is a WAL.
pub(super) const SUFFIXES: [&str; 5] = ["-wal", "-shm", "-lock", "-open", "-journal"];

/// The path of a store with all links resolved: SQLite keeps the log next to the file itself, not
/// next to a link to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StoreFiles(PathBuf);

impl StoreFiles {
    /// Resolves the path of an existing file, or of a future file in an existing folder.
    pub(super) fn find(file: &Path) -> io::Result<Self> {
        match fs::canonicalize(file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && !file.is_symlink() => {}
            found => return found.map(Self),
        }
        let name = file.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
        Ok(Self(fs::canonicalize(folder_of(file))?.join(name)))
    }

    /// The database file itself.
    pub(super) fn file(&self) -> &Path {
        &self.0
    }

    /// SQLite's write-ahead log: the latest writes, until a checkpoint.
    pub(super) fn log(&self) -> PathBuf {
        beside(&self.0, "-wal")
    }

    /// SQLite's index of the log, created and removed with it.
    pub(super) fn log_index(&self) -> PathBuf {
        beside(&self.0, "-shm")
    }

    /// The file whose lock only one process can hold.
    pub(super) fn lock_file(&self) -> PathBuf {
        beside(&self.0, "-lock")
    }

    /// The file that exists while the store is not properly closed.
    pub(super) fn open_mark(&self) -> PathBuf {
        beside(&self.0, "-open")
    }

    /// Whether the log exists and is not empty.
    pub(super) fn has_log(&self) -> io::Result<bool> {
        Ok(size(&self.log())?.is_some_and(|size| 0 < size))
    }
}

/// The path with this suffix appended.
pub(super) fn beside(file: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(file);
    name.push(suffix);
    name.into()
}

/// The folder that contains a file.
pub(super) fn folder_of(file: &Path) -> &Path {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// The size of a file, if it exists.
pub(super) fn size(file: &Path) -> io::Result<Option<u64>> {
    match fs::metadata(file) {
        Ok(metadata) => Ok(Some(metadata.len())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Opens a file for writing; if the options create it, only its owner can read it.
pub(super) fn open_private(options: &mut OpenOptions, file: &Path) -> io::Result<File> {
    private(options).write(true).open(file)
}

/// Removes a file if it exists.
pub(super) fn remove(file: &Path) -> io::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
