//! A private folder for the output of one run of `reg`, deleted when its value is dropped.

use std::fs::{self, DirBuilder};
use std::io;
use std::path::{Path, PathBuf};

/// How many names are tried if names are taken.
const MAX_TRIES: usize = 16;

#[derive(Debug)]
pub(super) struct ScratchFolder(PathBuf);

impl ScratchFolder {
    pub(super) fn new() -> io::Result<Self> {
        let mut last = io::ErrorKind::AlreadyExists.into();
        for _ in 0..MAX_TRIES {
            // `create` fails if the name is taken, so no other user can have put a folder there.
            let name = format!("hobnob-registry-{:016x}", fastrand::u64(..));
            let path = std::env::temp_dir().join(name);
            match private().create(&path) {
                Ok(()) => return Ok(Self(path)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => last = error,
                Err(error) => return Err(error),
            }
        }
        Err(last)
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for ScratchFolder {
    fn drop(&mut self) {
        // If the folder cannot be removed, the system's cleaning of its temporary folder removes
        // it.
        fs::remove_dir_all(&self.0).ok();
    }
}

#[cfg(unix)]
fn private() -> DirBuilder {
    use std::os::unix::fs::DirBuilderExt as _;
    let mut builder = DirBuilder::new();
    builder.mode(0o700);
    builder
}

/// On these systems the temporary folder is the user's own.
#[cfg(not(unix))]
fn private() -> DirBuilder {
    DirBuilder::new()
}
