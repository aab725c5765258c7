//! The files of a package: path, mode and bytes, sorted by path.
//!
//! `material` fills it, `archive` packs it. A path exists once: adding it again replaces the file.
//! The order does not depend on the order in which files were added. All files are in memory.

use std::collections::BTreeMap;

/// The files of one package. Paths are relative to the root of the package.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Contents(BTreeMap<String, PackagedFile>);

/// One file of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PackagedFile {
    pub(crate) mode: u32,
    pub(crate) bytes: Vec<u8>,
}

impl Contents {
    /// Adds a file that all users may read.
    pub(crate) fn add(&mut self, path: impl Into<String>, bytes: impl Into<Vec<u8>>) {
        self.0.insert(path.into(), PackagedFile { mode: 0o644, bytes: bytes.into() });
    }

    /// Adds a file that all users may run.
    pub(crate) fn add_program(&mut self, path: impl Into<String>, bytes: impl Into<Vec<u8>>) {
        self.0.insert(path.into(), PackagedFile { mode: 0o755, bytes: bytes.into() });
    }

    /// The files, sorted by path.
    pub(crate) fn files(&self) -> impl Iterator<Item = (&str, &PackagedFile)> {
        self.0.iter().map(|(path, file)| (path.as_str(), file))
    }
}
