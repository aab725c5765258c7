//! `cargo xtask dist`: builds what users download, and proves that it runs on a bare machine.
//!
//! A tarball and a Debian package with the program, its manual pages and completions, all licences
//! and a list of the components. The same commit and program give the same bytes.

mod archive;
mod build;
mod check;
mod command;
mod components;
mod contents;
mod debian;
mod documents;
mod hardening;
mod licences;
mod lock_file;
mod material;
mod needs;
mod platform;
mod release;
mod sbom;

#[cfg(test)]
mod tests;

pub(crate) use command::{Args, run};
