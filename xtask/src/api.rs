//! `cargo xtask api`: records every public item of the crates that authors use, as text.
//!
//! `ci` compares the record with the crates, so that no change of an author's API goes unnoticed.
//! rustdoc describes the crates as JSON and the library `public-api` reads that; both must use the
//! same version of the format, so both are pinned: the compiler by `rust-toolchain.toml`, the
//! library by an exact version.

mod command;
mod record;
mod rustdoc;

#[cfg(test)]
mod tests;

pub(crate) use command::{Args, check, run};
pub(crate) use rustdoc::as_rustdoc;
