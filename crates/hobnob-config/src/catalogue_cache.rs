//! The catalogues of servers when they last ran, one file each, so that a list starts no process.
//!
//! The gateway reads the cache at startup and writes it after each start of a server. It is only a
//! cache: a file that cannot be read counts as absent.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use hobnob_disk::{FileMode, write_atomic};
use serde::de::IgnoredAny;

use crate::digest::Digest;
use crate::disk::read_text;

/// A larger catalogue is neither stored nor read.
const MAX_BYTES: usize = 8 * 1024 * 1024;

/// A folder with one file for each server, named after its digest.
#[derive(Debug, Clone)]
pub struct CatalogueCache {
    folder: PathBuf,
}

/// Why a file of the cache, or of the accepted definitions, was not written.
#[derive(Debug, thiserror::Error)]
pub enum StateFileError {
    /// The file would have this many bytes, which is more than the limit.
    #[error("the file would have {0} bytes; the limit is {MAX_BYTES}")]
    TooLarge(usize),
    /// The system reported an error while the file was written.
    #[error("cannot write {}", .0.display())]
    Io(PathBuf, #[source] io::Error),
}

impl CatalogueCache {
    /// The cache in this folder, which need not exist yet.
    pub fn new(folder: &Path) -> Self {
        Self { folder: folder.into() }
    }

    /// The stored JSON text, if it is complete.
    pub fn load(&self, digest: &Digest) -> Option<String> {
        let text = read_text(&self.file(digest), MAX_BYTES as u64).ok()??;
        serde_json::from_str::<IgnoredAny>(&text).ok()?;
        Some(text)
    }

    /// Stores a JSON text, and replaces an older one for the same server.
    pub fn store(&self, digest: &Digest, text: &str) -> Result<(), StateFileError> {
        if MAX_BYTES < text.len() {
            return Err(StateFileError::TooLarge(text.len()));
        }
        let file = self.file(digest);
        write_atomic(&file, text.as_bytes(), FileMode::Private)
            .map_err(|error| StateFileError::Io(file, error))
    }

    /// Deletes all catalogues but these, and returns how many it deleted.
    pub fn prune<'a>(&self, keep: impl IntoIterator<Item = &'a Digest>) -> io::Result<usize> {
        let keep: BTreeSet<_> = keep.into_iter().map(file_name).collect();
        let mut gone = 0;
        let files = match fs::read_dir(&self.folder) {
            Ok(files) => files,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
            Err(error) => return Err(error),
        };
        for file in files {
            let file = file?;
            let name = file.file_name();
            // Another process may be writing its scratch file, and other programs' files stay.
            let ours = name.to_str().is_some_and(|it| is_ours(it) && !keep.contains(it));
            if ours && fs::remove_file(file.path()).is_ok() {
                gone += 1;
            }
        }
        Ok(gone)
    }

    fn file(&self, digest: &Digest) -> PathBuf {
        self.folder.join(file_name(digest))
    }
}

fn file_name(digest: &Digest) -> String {
    format!("{digest}.json")
}

fn is_ours(name: &str) -> bool {
    name.strip_suffix(".json").is_some_and(|stem| stem.parse::<Digest>().is_ok())
}
