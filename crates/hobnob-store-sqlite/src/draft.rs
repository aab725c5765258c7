//! A database file under construction: written next to its final path, complete and on disk before
//! it is renamed to it, and removed if it never is.

use super::connection::set_journal;
use super::convert::WorkError;
use super::files::{SUFFIXES, beside, folder_of, open_private, remove};
use hobnob_disk::flush_folder;
use hobnob_store::StoreError;
use hobnob_store::random::random_hex;
use rusqlite::Connection;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// A file under a unique temporary name.
#[derive(Debug)]
pub(super) struct DraftFile(PathBuf);

impl DraftFile {
    /// Creates an empty file in the folder of its final name, readable by its owner only.
    pub(super) fn of(name: &Path) -> io::Result<Self> {
        let draft = beside(name, &format!(".{}.part", &random_hex()?[..8]));
        open_private(OpenOptions::new().create_new(true), &draft)?;
        Ok(Self(draft))
    }

    /// Copies a database and its log to a draft next to `name`.
    pub(super) fn copy(from: &Path, name: &Path) -> io::Result<Self> {
        let draft = Self::of(name)?;
        copy_bytes(from, &draft.0)?;
        let log = beside(from, "-wal");
        if log.try_exists()? {
            copy_bytes(&log, &beside(&draft.0, "-wal"))?;
        }
        Ok(draft)
    }

    /// The temporary path of the draft.
    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// Opens the draft, which no other process uses.
    pub(super) fn connect(&self) -> Result<Connection, WorkError> {
        let connection = Connection::open(&self.0)?;
        connection.pragma_update(None, "trusted_schema", false)?;
        Ok(connection)
    }

    /// Moves the log's contents into the database file, so that it can be moved without a log.
    pub(super) fn settle(&self, connection: &Connection) -> Result<(), WorkError> {
        match set_journal(connection, "DELETE")?.as_str() {
            "delete" => Ok(()),
            mode => Err(StoreError::Failed(format!("the log cannot be put away ({mode})")).into()),
        }
    }

    /// Renames the draft to its final name, replacing any existing file.
    pub(super) fn publish(self, name: &Path) -> io::Result<()> {
        OpenOptions::new().write(true).open(&self.0)?.sync_all()?;
        fs::rename(&self.0, name)?;
        flush_folder(folder_of(name))
    }
}

impl Drop for DraftFile {
    fn drop(&mut self) {
        for file in SUFFIXES.iter().map(|suffix| beside(&self.0, suffix)).chain([self.0.clone()]) {
            // A file that cannot be removed does no harm.
            drop(remove(&file));
        }
    }
}

/// Copies a file and waits until the copy is on disk.
pub(super) fn copy_bytes(from: &Path, to: &Path) -> io::Result<()> {
    let mut copy = open_private(OpenOptions::new().create(true).truncate(true), to)?;
    io::copy(&mut File::open(from)?, &mut copy)?;
    copy.sync_all()
}
