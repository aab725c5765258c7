//! A folder of its own for a test, gone with its value. Tests of the store and of its users make
//! one each.
//!
//! What must stay true: two tests never share one.

use std::path::{Path, PathBuf};
use std::{fs, io};

/// An empty folder that is removed with everything in it.
#[derive(Debug)]
pub struct TemporaryFolder(PathBuf);

impl TemporaryFolder {
    /// Makes one where the system keeps what is not needed for long.
    pub fn new() -> io::Result<Self> {
        let name = format!("hobnob-store-{}", crate::random::random_hex()?);
        let path = std::env::temp_dir().join(name);
        fs::create_dir(&path)?;
        Ok(Self(path))
    }

    /// The folder, which exists until this is dropped.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// A file in it, whether it is there or not.
    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}
