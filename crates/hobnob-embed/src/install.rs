//! Having the model here: from a folder, a package or the network, checked to the last byte.

mod error;
mod progress;
mod source;

mod command;

mod download;
mod origin;
mod place;
mod transfer;

#[cfg(test)]
mod tests;

pub use command::{Installed, Outcome, install};
pub use error::InstallError;
pub use progress::{Progress, Stage};
pub use source::Source;
