//! Tells running hubs that a command has changed users or ended logins, so that it counts at once.
//!
//! Commands write a file in the folder of state; a listener looks at its metadata on every request, as it
//! does for static tokens. What must stay true: a hub that misses the file notices within 15 seconds,
//! since the authorization server asks the store again that often.

use hobnob_config::Fingerprint;
use hobnob_disk::{FileMode, make_folder, write_atomic};
use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// The file by which commands tell of changes.
#[derive(Debug)]
pub struct LoginChanges {
    file: PathBuf,
    seen: Mutex<(Fingerprint, u64)>,
}

impl LoginChanges {
    /// Changes that this file tells of, which [`Places::login_changes`](hobnob_config::Places) names.
    pub fn new(file: PathBuf) -> Self {
        let seen = Mutex::new((Fingerprint::of([&file]), 0));
        Self { file, seen }
    }

    /// Tells every hub of a change that was made.
    pub fn announce(&self) -> io::Result<()> {
        if let Some(folder) = self.file.parent() {
            make_folder(folder)?;
        }
        // A file of the same size that took the place of another differs by its number and times.
        write_atomic(&self.file, b"", FileMode::Private)
    }

    /// How often this process has seen a change.
    pub(crate) fn count(&self) -> u64 {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Fingerprint::of([&self.file]);
        if seen.0 != now {
            *seen = (now, seen.1 + 1);
        }
        seen.1
    }
}
