//! A path below some folder. It has only plain names, so its text cannot lead out of the folder.
//!
//! Grants parse the caller's text, effects walk the names one by one from the folder's handle. `..`
//! is resolved here, before any link is followed; where links lead is for the effects to check.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Component, Path, PathBuf};

/// Longest name in bytes: the limit of most file systems.
const MAX_NAME: usize = 255;
/// Longest path in bytes.
const MAX_PATH: usize = 4096;

/// Names below a folder. None is empty, `.` or `..`, or contains a separator or a NUL.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct RelativePath {
    names: Vec<OsString>,
}

/// Why a text is not a path beneath a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadRelativePath {
    /// It begins at the root of the file system.
    #[error("the path is absolute, where one below a folder is needed")]
    Absolute,
    /// A `..` leads above the folder it begins at.
    #[error("the path leads out of its folder with `..`")]
    Climbs,
    /// No file system has such a name.
    #[error("the path has a character that no name can have")]
    BadName,
    /// The path or a name is longer than any system accepts.
    #[error("the path is longer than {MAX_PATH} bytes, or a name longer than {MAX_NAME}")]
    TooLong,
}

impl RelativePath {
    /// The folder itself, without any name.
    #[must_use]
    pub fn root() -> Self {
        Self::default()
    }

    /// Parses a path that does not begin with a separator. Empty parts and `.` are dropped.
    ///
    /// # Errors
    /// When it is absolute, climbs out with `..`, or is no valid path.
    pub fn parse(text: impl AsRef<OsStr>) -> Result<Self, BadRelativePath> {
        let text = text.as_ref();
        if MAX_PATH < text.len() {
            return Err(BadRelativePath::TooLong);
        }
        let mut names: Vec<OsString> = Vec::new();
        for part in Path::new(text).components() {
            match part {
                Component::Normal(name) => names.push(checked(name)?),
                Component::CurDir => {}
                Component::ParentDir => drop(names.pop().ok_or(BadRelativePath::Climbs)?),
                Component::RootDir | Component::Prefix(_) => {
                    return Err(BadRelativePath::Absolute);
                }
            }
        }
        Ok(Self { names })
    }

    /// The path with one more name, as a folder lists it.
    ///
    /// # Errors
    /// When it is not exactly one name, or the path becomes too long.
    pub fn join(&self, name: impl AsRef<OsStr>) -> Result<Self, BadRelativePath> {
        let name = name.as_ref();
        let mut parts = Path::new(name).components();
        let only = matches!(parts.next(), Some(Component::Normal(part)) if part == name);
        if !only || parts.next().is_some() {
            return Err(BadRelativePath::BadName);
        }
        if MAX_PATH < self.length() + 1 + name.len() {
            return Err(BadRelativePath::TooLong);
        }
        let mut names = self.names.clone();
        names.push(checked(name)?);
        Ok(Self { names })
    }

    /// The names from the folder down.
    pub fn names(&self) -> impl DoubleEndedIterator<Item = &OsStr> + ExactSizeIterator {
        self.names.iter().map(OsString::as_os_str)
    }

    /// Whether this is the folder itself.
    #[must_use]
    pub fn is_root(&self) -> bool {
        self.names.is_empty()
    }

    /// The last name; the folder itself has none.
    #[must_use]
    pub fn leaf(&self) -> Option<&OsStr> {
        self.names.last().map(OsString::as_os_str)
    }

    /// The path without its last name; the folder itself has no parent.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        let (_, names) = self.names.split_last()?;
        Some(Self { names: names.to_vec() })
    }

    /// The part of the path below `folder`; `None` if it is not in it. Whole names are compared.
    #[must_use]
    pub fn strip_prefix(&self, folder: &Self) -> Option<Self> {
        let names = self.names.strip_prefix(folder.names.as_slice())?;
        Some(Self { names: names.to_vec() })
    }

    /// The path as the system writes it; `.` for the folder itself.
    #[must_use]
    pub fn to_path(&self) -> PathBuf {
        match self.is_root() {
            true => PathBuf::from("."),
            false => self.names.iter().collect(),
        }
    }

    /// The path from the root of the file system as text, if it is Unicode.
    pub(super) fn to_absolute(&self) -> Option<String> {
        let names: PathBuf = self.names.iter().collect();
        names.to_str().map(|text| format!("/{text}"))
    }

    fn length(&self) -> usize {
        self.names.iter().map(|name| name.len() + 1).sum()
    }
}

impl fmt::Display for RelativePath {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_path().display().fmt(out)
    }
}

fn checked(name: &OsStr) -> Result<OsString, BadRelativePath> {
    if MAX_NAME < name.len() {
        return Err(BadRelativePath::TooLong);
    }
    // On Windows a colon names a stream of a file, or another drive.
    let bad = |byte: &u8| *byte == 0 || (cfg!(windows) && *byte == b':');
    match name.as_encoded_bytes().iter().any(bad) {
        true => Err(BadRelativePath::BadName),
        false => Ok(name.to_owned()),
    }
}
