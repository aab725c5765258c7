//! Why something was not done with a file, as data. Every other file of this folder uses it.
//!
//! An error names the path as the caller gave it and never one outside of that; text of the system is
//! reduced to the kind of the failure.

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

    /// About a granted folder itself, which the person who granted it named so.
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
    /// Nothing of that name is there, or it is hidden.
    #[error("does not exist")]
    Missing,
    /// Something of that name is there already.
    #[error("exists already")]
    Exists,
    /// A link or a name that would leave the granted folder.
    #[error("leads out of the granted folder")]
    Outside,
    /// The links on the way form a circle, or are too many to follow.
    #[error("leads through too many links")]
    TooManyLinks,
    /// More folders inside each other than are opened at once.
    #[error("is too deep inside other folders")]
    TooDeep,
    /// A folder was needed, here or on the way.
    #[error("is not a folder")]
    NotFolder,
    /// A regular file was needed.
    #[error("is not a file")]
    NotFile,
    /// A pipe, a socket or a device: opening one may wait for ever or act on hardware.
    #[error("is a pipe, a socket or a device, which are never opened")]
    Special,
    /// The file has other names, and one of them may be outside of the granted folder.
    #[error("has more than one name (hard links), which its grant does not allow")]
    HardLinked,
    /// A folder of `/proc` or another file system that the kernel makes up.
    #[error("is on a file system of the kernel, which is never opened")]
    KernelFileSystem,
    /// A rename cannot reach it: it is mounted from elsewhere.
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
    /// More bytes than this action takes.
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
    /// The content is not the one that the caller has seen.
    #[error("has changed since it was read: read it again")]
    Changed,
    /// The text that an edit should replace is not there, counted from 1.
    #[error("does not contain the text of edit {0}")]
    NoMatch(usize),
    /// The text that an edit should replace is there more than once.
    #[error(
        "contains the text of edit {edit} {times} times: give more of its surroundings, or replace all"
    )]
    ManyMatches {
        /// Which edit, counted from 1.
        edit: usize,
        /// How often its text was found.
        times: usize,
    },
    /// An edit that replaces nothing, or a text by itself.
    #[error("would not be changed by edit {0}")]
    EmptyEdit(usize),
    /// The caller has ended the action.
    #[error("was left before the end: the action was cancelled")]
    Cancelled,
    /// Anything else that the system refused, without its words.
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
