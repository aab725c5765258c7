//! Why an action on a file failed, as data. Every other file of this folder uses it.
//!
//! An error names the path as the caller gave it, and no path outside of that; of the system's
//! error text it keeps only the kind.

use std::io;
use std::path::Path;

use hobnob_policy::RelativePath;
use rustix::io::Errno;

/// An action on a file that was refused or failed, with the path as the caller gave it.
#[derive(Debug, thiserror::Error)]
#[error("`{path}` {refusal}")]
pub struct FileError {
    path: String,
    refusal: FileRefusal,
}

impl FileError {
    pub(crate) fn new(path: &RelativePath, refusal: impl Into<FileRefusal>) -> Self {
        Self { path: path.to_string(), refusal: refusal.into() }
    }

    /// An error about a granted folder itself, by the path under which it was granted.
    pub(crate) fn of_root(path: &Path, refusal: FileRefusal) -> Self {
        Self { path: path.display().to_string(), refusal }
    }

    /// The path as the caller gave it, relative to the granted folder.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// What was wrong with it.
    pub fn refusal(&self) -> &FileRefusal {
        &self.refusal
    }
}

/// The reason of a [`FileError`]; its text continues a sentence that begins with the path.
#[derive(Debug, thiserror::Error)]
pub enum FileRefusal {
    /// No entry has that name, or the entry is hidden.
    #[error("does not exist")]
    Missing,
    /// An entry of that name exists already.
    #[error("exists already")]
    Exists,
    /// A link or a name would leave the granted folder.
    #[error("leads out of the granted folder")]
    Outside,
    /// The links on the way form a cycle, or are too many to follow.
    #[error("leads through too many links")]
    TooManyLinks,
    /// The folders are nested more deeply than are opened at once.
    #[error("is too deep inside other folders")]
    TooDeep,
    /// A folder was expected, at the end or on the way.
    #[error("is not a folder")]
    NotFolder,
    /// A regular file was expected.
    #[error("is not a file")]
    NotFile,
    /// A pipe, a socket or a device: opening one may block for ever or act on hardware.
    #[error("is a pipe, a socket or a device, which are never opened")]
    Special,
    /// The file has other names, and one of them may be outside of the granted folder.
    #[error("has more than one name (hard links), which its grant does not allow")]
    HardLinked,
    /// A folder of `/proc` or another virtual file system of the kernel.
    #[error("is on a file system of the kernel, which is never opened")]
    KernelFileSystem,
    /// The entry is on another mount, where a rename cannot reach it.
    #[error("is on another file system than the place it should go to")]
    OtherFileSystem,
    /// The granted folder is no longer the one that was granted.
    #[error("was replaced since it was granted: grant it again")]
    RootReplaced,
    /// The granted folder itself cannot be moved, deleted or written to as a file.
    #[error("is the granted folder itself")]
    IsRoot,
    /// Hobnob's own files are inside, and moving or deleting the folder would take them along.
    #[error("contains files of Hobnob itself")]
    ContainsHidden,
    /// More bytes than this action accepts.
    #[error("has {size} bytes, the limit is {limit}")]
    TooLarge {
        /// How many bytes there are.
        size: u64,
        /// How many there may be.
        limit: u64,
    },
    /// The action needs UTF-8 text.
    #[error("is not UTF-8 text")]
    NotText,
    /// The content is not the version that the caller has read.
    #[error("has changed since it was read: read it again")]
    Changed,
    /// The text that an edit should replace does not occur. Edits are counted from 1.
    #[error("does not contain the text of edit {0}")]
    NoMatch(usize),
    /// The text that an edit should replace occurs more than once.
    #[error(
        "contains the text of edit {edit} {times} times: give more of its surroundings, or replace all"
    )]
    ManyMatches {
        /// The number of the edit, from 1.
        edit: usize,
        /// How often its text was found.
        times: usize,
    },
    /// An edit that replaces an empty text, or a text by itself.
    #[error("would not be changed by edit {0}")]
    EmptyEdit(usize),
    /// The caller cancelled the action.
    #[error("was not finished: the action was cancelled")]
    Cancelled,
    /// Any other error of the system, without its text.
    #[error("cannot be used: {}", .0.kind())]
    System(io::Error),
}

impl From<Errno> for FileRefusal {
    fn from(errno: Errno) -> Self {
        match errno {
            Errno::NOENT => Self::Missing,
            Errno::EXIST | Errno::NOTEMPTY => Self::Exists,
            Errno::NOTDIR => Self::NotFolder,
            Errno::ISDIR => Self::NotFile,
            Errno::LOOP => Self::TooManyLinks,
            Errno::XDEV => Self::OtherFileSystem,
            other => Self::System(other.into()),
        }
    }
}

impl From<io::Error> for FileRefusal {
    fn from(error: io::Error) -> Self {
        match Errno::from_io_error(&error) {
            Some(errno) => errno.into(),
            None => Self::System(error),
        }
    }
}
