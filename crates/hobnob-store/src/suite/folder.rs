//! A temporary folder for a test, removed when the value is dropped. Tests of the store and of its
//! users create one each.
//!
//! What must stay true: two tests never share a folder.

use std::path::{Path, PathBuf};
use std::{fs, io};

/// An empty folder that is removed with its contents on drop.
#[derive(Debug)]
pub struct TemporaryFolder(PathBuf);

impl TemporaryFolder {
    /// Creates one in the system's folder for temporary files.
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

    /// The path of a file in it; the file may not exist.
    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}
