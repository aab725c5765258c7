//! The packages to check, which `cargo xtask dist` has just written.

use std::path::PathBuf;

/// The files that were made, and what they should contain.
pub(crate) struct Packages {
    pub(crate) tarball: PathBuf,
    /// The folder that the tarball unpacks to.
    pub(crate) folder: String,
    pub(crate) debian: PathBuf,
    pub(crate) version: String,
}
