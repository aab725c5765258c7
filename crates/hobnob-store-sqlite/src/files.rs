//! Where a store is: the database and the files beside it, each named after it.
//!
//! Opening, backup and restore use it. All of them are private to their owner.

use hobnob_disk::private;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// What is put behind the name of a database: SQLite's log and the index of it, our gate, our
/// mark, and the journal that SQLite needs while there is no log yet.
pub(super) const SUFFIXES: [&str; 5] = ["-wal", "-shm", "-lock", "-open", "-journal"];

/// Where a store is, with all links followed: SQLite keeps the log beside the file itself, not
/// beside a link to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StoreFiles(PathBuf);

impl StoreFiles {
    /// Finds a file that is there, or the place in its folder where it would be.
    pub(super) fn find(file: &Path) -> io::Result<Self> {
        match fs::canonicalize(file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && !file.is_symlink() => {}
            found => return found.map(Self),
        }
        let name = file.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
        Ok(Self(fs::canonicalize(folder_of(file))?.join(name)))
    }

    /// The database, without the files beside it.
    pub(super) fn file(&self) -> &Path {
        &self.0
    }

    /// SQLite's log: what was written last, until it is put into the database.
    pub(super) fn log(&self) -> PathBuf {
        beside(&self.0, "-wal")
    }

    /// SQLite's index of the log; it comes and goes with the log.
    pub(super) fn log_index(&self) -> PathBuf {
        beside(&self.0, "-shm")
    }

    /// Whose lock only one process has.
    pub(super) fn lock_file(&self) -> PathBuf {
        beside(&self.0, "-lock")
    }

    /// What is there as long as the store is not closed in order.
    pub(super) fn open_mark(&self) -> PathBuf {
        beside(&self.0, "-open")
    }

    /// Whether the log is there and has something in it.
    pub(super) fn has_log(&self) -> io::Result<bool> {
        Ok(size(&self.log())?.is_some_and(|size| 0 < size))
    }
}

/// The file of this name and suffix.
pub(super) fn beside(file: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(file);
    name.push(suffix);
    name.into()
}

/// The folder a file is in.
pub(super) fn folder_of(file: &Path) -> &Path {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// How long a file is, if it is there.
pub(super) fn size(file: &Path) -> io::Result<Option<u64>> {
    match fs::metadata(file) {
        Ok(metadata) => Ok(Some(metadata.len())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Opens a file for writing that only its owner can read, if these options make one.
pub(super) fn open_private(options: &mut OpenOptions, file: &Path) -> io::Result<File> {
    private(options).write(true).open(file)
}

/// Removes a file, if it is there.
pub(super) fn remove(file: &Path) -> io::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
