//! A folder for the temporary files of a runner's commands: theirs alone, and gone with the runner.
//!
//! The rules of a sandbox name the folder itself, so between two commands only what is in it goes.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// What the names of these folders begin with; the number of our process follows.
const PREFIX: &str = "runner-";

/// The folder. Dropping it removes it.
#[derive(Debug)]
pub(super) struct ScratchFolder(PathBuf);

impl ScratchFolder {
    /// Makes a new one beneath `parent`, which is made too if it is not there.
    pub(super) fn make(parent: &Path) -> io::Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let mut builder = DirBuilder::new();
        builder.mode(0o700).recursive(true).create(parent)?;
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = parent.join(format!("{PREFIX}{}-{number}", std::process::id()));
        // Left by a process that had our number and was killed.
        drop(fs::remove_dir_all(&path));
        builder.recursive(false).create(&path)?;
        Ok(Self(path))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// Removes what is in it.
    pub(super) fn clear(&self) -> io::Result<()> {
        for entry in fs::read_dir(&self.0)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                fs::remove_dir_all(entry.path())?;
            } else {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }

    /// Whether a command has left something in it.
    pub(super) fn is_used(&self) -> bool {
        fs::read_dir(&self.0).is_ok_and(|mut entries| entries.next().is_some())
    }
}

impl Drop for ScratchFolder {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            tracing::debug!(%error, "temporary files of a command could not be removed");
        }
    }
}

/// Removes the folders of processes that are gone.
pub(super) fn remove_left_over(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    for entry in entries.filter_map(Result::ok) {
        let name = entry.file_name();
        let number = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.split('-').next());
        let owner = number.and_then(|number| number.parse().ok());
        let Some(owner) = owner.and_then(rustix::process::Pid::from_raw) else { continue };
        if rustix::process::test_kill_process(owner) == Err(rustix::io::Errno::SRCH) {
            // Somebody else's, if it cannot be removed.
            drop(fs::remove_dir_all(entry.path()));
        }
    }
}
