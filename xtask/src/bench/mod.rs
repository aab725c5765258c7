//! `cargo xtask bench`: our echo server beside a bare loop and a peer's, in one run.
//!
//! Absolute figures belong to the machine; the ratios to the bare loop carry over.
//! Load and peers live in a workspace of their own, which this only builds and starts.

mod arguments;
mod command;
mod measure;
mod plan;
mod servers;
mod table;
#[cfg(test)]
mod tests;

pub use arguments::Args;
pub use command::run;
