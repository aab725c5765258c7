//! A granted folder, and a place in it.
//!
//! The folder is known by its path and by its identity at the time of the grant, as another folder
//! could take its path. Effects open it, compare its identity, and use its handle.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::grants::hard_links::HardLinks;
use crate::grants::relative_path::RelativePath;
use crate::grants::source::FolderSource;

/// Longest record of a folder's identity, in bytes.
const MAX_IDENTITY_BYTES: usize = 256;

/// What may be done in a granted folder; writing includes reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RootAccess {
    /// Contents and names may be read.
    Read,
    /// Contents and names may be changed too.
    Write,
}

impl RootAccess {
    /// The word in the file of grants.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
        }
    }

    pub(super) fn parse(word: &str) -> Result<Self, String> {
        [Self::Read, Self::Write]
            .into_iter()
            .find(|access| access.as_str() == word)
            .ok_or_else(|| format!("`{word}` is no access: write `read` or `write`"))
    }
}

/// A folder that was granted. It permits nothing by itself.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FileRoot {
    path: PathBuf,
    /// The path as names from the root of the file system.
    names: RelativePath,
    access: RootAccess,
    identity: Box<str>,
    hard_links: HardLinks,
}

impl FileRoot {
    pub(super) fn parse(source: &FolderSource) -> Result<Self, String> {
        let path = &source.path;
        let relative = path.strip_prefix("/").ok().filter(|_| path.is_absolute());
        let relative = relative.ok_or("the folder is not an absolute path")?;
        let names = RelativePath::parse(relative).map_err(|problem| problem.to_string())?;
        let folded = Path::new("/").join(names.names().collect::<PathBuf>());
        if folded.as_os_str() != path.as_os_str() {
            return Err("the folder is written with `.`, `..` or empty parts".into());
        }
        let access = RootAccess::parse(&source.access)?;
        if source.identity.is_empty() || MAX_IDENTITY_BYTES < source.identity.len() {
            return Err("it is not recorded which folder it was: grant it again".into());
        }
        let identity = source.identity.as_str().into();
        Ok(Self { path: folded, names, access, identity, hard_links: source.hard_links })
    }

    /// The absolute path under which it was granted.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What may be done in it.
    #[must_use]
    pub fn access(&self) -> RootAccess {
        self.access
    }

    /// Its identity when it was granted. The effect that recorded it compares it with the folder
    /// that is there now, and refuses another folder or a record that it cannot parse.
    #[must_use]
    pub fn identity(&self) -> &str {
        &self.identity
    }

    /// What happens to files with more than one name.
    #[must_use]
    pub fn hard_links(&self) -> HardLinks {
        self.hard_links
    }

    /// The last name of its path, by which callers may refer to it.
    #[must_use]
    pub fn name(&self) -> Option<&OsStr> {
        self.names.leaf()
    }

    /// The part of an absolute path that is below this folder, if the path is in it.
    pub(super) fn below(&self, absolute: &RelativePath) -> Option<RelativePath> {
        absolute.strip_prefix(&self.names)
    }

    /// How many names its path has: of two folders that cover a file, the deeper one counts.
    pub(super) fn depth(&self) -> usize {
        self.names.names().len()
    }
}

/// A place in a granted folder.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct GrantedPath {
    root: Arc<FileRoot>,
    below: RelativePath,
}

impl GrantedPath {
    pub(super) fn new(root: &Arc<FileRoot>, below: RelativePath) -> Self {
        Self { root: Arc::clone(root), below }
    }

    /// The folder that was granted.
    #[must_use]
    pub fn root(&self) -> &Arc<FileRoot> {
        &self.root
    }

    /// The path from that folder to the place.
    #[must_use]
    pub fn below(&self) -> &RelativePath {
        &self.below
    }

    /// Its absolute path, for messages; effects walk down from the folder's handle instead.
    #[must_use]
    pub fn to_path(&self) -> PathBuf {
        self.below.names().fold(self.root.path.clone(), |path, name| path.join(name))
    }
}
