//! Grants as they are stored, before they are understood.
//!
//! Whoever reads the file of grants fills these rows and hands them to
//! [`GrantSet::parse`](crate::GrantSet::parse), which understands all of them or none.

use std::path::PathBuf;

use crate::grants::root_identity::{HardLinks, RootIdentity};

/// All rows of all services. Without rows nothing is granted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GrantSources {
    /// A service and its access, such as `files` and `read-only`. A service without a row is off.
    pub services: Vec<(String, String)>,
    /// Folders that the service `files` works in.
    pub files: Vec<FileGrantSource>,
}

/// A folder as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderSource {
    /// The absolute path, without links in it.
    pub path: PathBuf,
    /// The word `read` or `write`.
    pub access: String,
    /// What it was when it was granted.
    pub identity: RootIdentity,
    /// What happens to files with more than one name.
    pub hard_links: HardLinks,
}

/// A row of the service `files`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileGrantSource {
    /// The folder and what may be done beneath it.
    pub folder: FolderSource,
    /// The principal it is for; without one, the callers on this machine.
    pub principal: Option<String>,
}
