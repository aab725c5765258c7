//! Notifies running hubs that a command has changed users or ended logins: it counts at once.
//!
//! Commands write a file in the state folder; a listener checks its metadata on every request, as
//! for static tokens. What must stay true: a hub that misses the file notices within 15 seconds,
//! since the authorization server reads the store again that often.

use hobnob_config::Fingerprint;
use hobnob_disk::{FileMode, make_folder, write_atomic};
use parking_lot::Mutex;
use std::io;
use std::path::PathBuf;

/// The file through which commands announce changes.
#[derive(Debug)]
pub struct LoginChanges {
    file: PathBuf,
    seen: Mutex<(Fingerprint, u64)>,
}

impl LoginChanges {
    /// Uses this file, which [`Places::login_changes`](hobnob_config::Places) names.
    pub fn new(file: PathBuf) -> Self {
        let seen = Mutex::new((Fingerprint::of([&file]), 0));
        Self { file, seen }
    }

    /// Announces a change to every hub.
    pub fn announce(&self) -> io::Result<()> {
        if let Some(folder) = self.file.parent() {
            make_folder(folder)?;
        }
        // A replaced file of the same size differs by its inode number and times.
        write_atomic(&self.file, b"", FileMode::Private)
    }

    /// How many changes this process has seen.
    pub(crate) fn count(&self) -> u64 {
        let mut seen = self.seen.lock();
        let now = Fingerprint::of([&self.file]);
        if seen.0 != now {
            *seen = (now, seen.1 + 1);
        }
        seen.1
    }
}
