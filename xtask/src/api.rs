//! `cargo xtask api`: every public item of the crates that authors use, recorded as text.
//!
//! `ci` compares the record with what the crates offer, so that nobody changes an author's API
//! without noticing. rustdoc describes the crates as JSON and the library `public-api` reads that;
//! the two must speak the same version of the format, so both are pinned: the compiler by
//! `rust-toolchain.toml`, the library by an exact version.

mod command;
mod record;
mod rustdoc;

#[cfg(test)]
mod tests;

pub(crate) use command::{Args, check, run};
pub(crate) use rustdoc::as_rustdoc;
