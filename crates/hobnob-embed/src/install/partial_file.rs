//! What an interrupted download has left, for the next one to go on with.
//!
//! `staging` says where it is, `download` reads and writes it.

use std::path::PathBuf;
use std::{fs, io};

use super::error::InstallError;

/// The beginning of a file that an interrupted download has left, and the entity tag it belongs to.
pub(super) struct PartialFile {
    /// The file with the bytes that have arrived.
    pub(super) data: PathBuf,
    /// Where the server's `ETag` is.
    pub(super) tag: PathBuf,
}

impl PartialFile {
    /// How many bytes are there, and the tag of the file that they begin.
    pub(super) fn known(&self) -> Option<(u64, String)> {
        let bytes = self.data.metadata().ok()?.len();
        let tag = fs::read_to_string(&self.tag).ok()?;
        (0 < bytes).then_some((bytes, tag))
    }

    pub(super) fn remove(&self) -> Result<(), InstallError> {
        for path in [&self.tag, &self.data] {
            match fs::remove_file(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(InstallError::disk("remove", path)(error));
                }
                _ => {}
            }
        }
        Ok(())
    }
}
