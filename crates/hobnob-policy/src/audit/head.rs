//! The head record beside a log: the number and the hash of its last line.
//!
//! With it, `verify` notices that the end of the log was cut off. It is written after the lines it
//! names are on the disk, so after a crash it is behind the log, never ahead of it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use hobnob_disk::{flush_folder, private};
use serde::Deserialize;

use super::chain::{ChainEnd, LineHash};
use super::files::folder_of;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Head {
    /// The last line that was on the disk when the record was written.
    pub(super) end: ChainEnd,
    /// The oldest line that was kept when old files were removed.
    pub(super) first: u64,
}

/// The head record as it was found on the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StoredHead {
    Missing,
    Damaged,
    Known(Head),
}

#[derive(Deserialize)]
struct HeadLine {
    seq: u64,
    hash: LineHash,
    first: u64,
}

pub(super) fn head_path(log: &Path) -> PathBuf {
    let mut name = log.as_os_str().to_owned();
    name.push(".head");
    name.into()
}

pub(super) fn read_head(log: &Path) -> io::Result<StoredHead> {
    let text = match fs::read(head_path(log)) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(StoredHead::Missing),
        Err(error) => return Err(error),
    };
    Ok(match serde_json::from_slice(&text) {
        Ok(HeadLine { seq, hash, first }) => {
            StoredHead::Known(Head { end: ChainEnd { seq, hash }, first })
        }
        Err(_) => StoredHead::Damaged,
    })
}

/// Overwrites the record in place: its length never changes, so a crash leaves the old record or
/// the new one. Only a new file is synced at once; an old record after a crash does no harm.
pub(super) fn write_head(log: &Path, head: &Head) -> io::Result<()> {
    let path = head_path(log);
    let Head { end: ChainEnd { seq, hash }, first } = head;
    let text = format!("{{\"seq\":{seq:>20},\"first\":{first:>20},\"hash\":\"{hash}\"}}\n");
    let is_new = !path.exists();
    let mut options = OpenOptions::new();
    let mut file: File = private(options.write(true).create(true).truncate(false)).open(&path)?;
    file.write_all(text.as_bytes())?;
    // Cut off the rest of a damaged record that was longer.
    file.set_len(text.len() as u64)?;
    if is_new {
        file.sync_all()?;
        flush_folder(folder_of(&path))?;
    }
    Ok(())
}
