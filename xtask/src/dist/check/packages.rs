//! The packages that are checked, as `cargo xtask dist` has just written them.

use std::path::PathBuf;

/// What was made, and what is to be found in it.
pub(crate) struct Packages {
    pub(crate) tarball: PathBuf,
    /// The folder that the tarball unpacks to.
    pub(crate) folder: String,
    pub(crate) debian: PathBuf,
    pub(crate) version: String,
}
