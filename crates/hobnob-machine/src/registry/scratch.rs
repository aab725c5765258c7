//! A folder for what one run of `reg` writes, which nobody else can look into, gone with its value.

use std::fs::{self, DirBuilder};
use std::io;
use std::path::{Path, PathBuf};

/// How often another name is tried when one is taken.
const TRIES: usize = 16;

/// An empty folder of our own.
#[derive(Debug)]
pub(super) struct ScratchFolder(PathBuf);

impl ScratchFolder {
    pub(super) fn new() -> io::Result<Self> {
        let mut last = io::ErrorKind::AlreadyExists.into();
        for _ in 0..TRIES {
            // Making a folder fails if anything has its name, so nobody can have put one there.
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
        // What cannot be removed is left for the system, which empties its temporary folder.
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

/// The temporary folder is the user's own there.
#[cfg(not(unix))]
fn private() -> DirBuilder {
    DirBuilder::new()
}
