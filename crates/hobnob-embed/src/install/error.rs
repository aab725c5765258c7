//! Why the model could not be installed.

use std::io;
use std::path::{Path, PathBuf};

use crate::checksum::Checksum;

/// Why the model could not be installed. Nothing is left behind.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// The source is not one of those that are understood.
    #[error("cannot install from `{text}`: {why}")]
    Source {
        /// What was given.
        text: Box<str>,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The source has not all of the model's files.
    #[error("there is no `{name}` in {place}")]
    Missing {
        /// The file's name.
        name: &'static str,
        /// Where it was looked for.
        place: Box<str>,
    },
    /// A file is cut short, or that of another model.
    #[error(
        "`{name}` is not the file it should be: it has {found} bytes, expected were {expected}"
    )]
    Size {
        /// The file's name.
        name: &'static str,
        /// How many bytes it has to have.
        expected: u64,
        /// How many it has, or where reading it was given up.
        found: u64,
    },
    /// A file is damaged, or that of another model.
    #[error(
        "`{name}` is not the file it should be: its sha256 is {found}, expected was {expected}"
    )]
    Checksum {
        /// The file's name.
        name: &'static str,
        /// The checksum it has to have.
        expected: Box<str>,
        /// The checksum it has.
        found: Box<str>,
    },
    /// The package cannot be unpacked.
    #[error("{place} is not a package that can be unpacked: {said}")]
    Archive {
        /// The package.
        place: Box<str>,
        /// What is wrong with it.
        said: Box<str>,
    },
    /// The package cannot be had from the network.
    #[error("the download failed: {0}")]
    Download(Box<str>),
    /// Somebody else is installing to the same folder.
    #[error("another installation to {0} is under way; wait for it to end")]
    Busy(PathBuf),
    /// A file or folder cannot be read or written.
    #[error("cannot {what} {path}")]
    Disk {
        /// What was tried.
        what: &'static str,
        /// With what.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Nobody waits for the installation any more, as when the process stops.
    #[error("the installation was given up")]
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
