//! A database on its way to its name: beside the name it is to have, whole and on the disk before
//! it gets it, and gone without a trace if it never does.

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

/// A file under a name that nobody else uses.
#[derive(Debug)]
pub(super) struct DraftFile(PathBuf);

impl DraftFile {
    /// An empty one in the folder of its later name, for its owner only.
    pub(super) fn of(name: &Path) -> io::Result<Self> {
        let draft = beside(name, &format!(".{}.part", &random_hex()?[..8]));
        open_private(OpenOptions::new().create_new(true), &draft)?;
        Ok(Self(draft))
    }

    /// A copy of a database and of its log, beside `name`.
    pub(super) fn copy(from: &Path, name: &Path) -> io::Result<Self> {
        let draft = Self::of(name)?;
        copy_bytes(from, &draft.0)?;
        let log = beside(from, "-wal");
        if log.try_exists()? {
            copy_bytes(&log, &beside(&draft.0, "-wal"))?;
        }
        Ok(draft)
    }

    /// Where it is meanwhile.
    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// Opens it as what it is: a file without others who use it.
    pub(super) fn connect(&self) -> Result<Connection, WorkError> {
        let connection = Connection::open(&self.0)?;
        connection.pragma_update(None, "trusted_schema", false)?;
        Ok(connection)
    }

    /// Puts all of it into one file, so that it can be carried about without a log.
    pub(super) fn settle(&self, connection: &Connection) -> Result<(), WorkError> {
        match set_journal(connection, "DELETE")?.as_str() {
            "delete" => Ok(()),
            mode => Err(StoreError::Failed(format!("the log cannot be put away ({mode})")).into()),
        }
    }

    /// Gives it its name, in place of what had it.
    pub(super) fn publish(self, name: &Path) -> io::Result<()> {
        OpenOptions::new().write(true).open(&self.0)?.sync_all()?;
        fs::rename(&self.0, name)?;
        flush_folder(folder_of(name))
    }
}

impl Drop for DraftFile {
    fn drop(&mut self) {
        for file in SUFFIXES.iter().map(|suffix| beside(&self.0, suffix)).chain([self.0.clone()]) {
            // What cannot be removed is in nobody's way.
            drop(remove(&file));
        }
    }
}

/// Copies bytes, and waits until the disk has them.
pub(super) fn copy_bytes(from: &Path, to: &Path) -> io::Result<()> {
    let mut copy = open_private(OpenOptions::new().create(true).truncate(true), to)?;
    io::copy(&mut File::open(from)?, &mut copy)?;
    copy.sync_all()
}
