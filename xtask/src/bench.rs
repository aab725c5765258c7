//! `cargo xtask bench`: our server, gateway and built-in services beside a bare loop, other people's
//! programs and programs that do the same, in one run.
//!
//! Absolute figures belong to the machine; the ratios to the bare loop carry over.
//! To add a measurement, describe it in `kinds`. Load and peers live in a workspace of their own,
//! which this only builds and starts.

mod case;
mod effort;
mod kind;

mod kinds;

mod arguments;
mod artifact;
mod scratch;

mod programs;

mod findings;
mod measure;
mod table;

mod page;
mod stamp;

mod ceilings;
mod gate;

mod command;
#[cfg(test)]
mod tests;

pub use arguments::Args;
pub use command::run;
pub(crate) use gate::{build_servers, check};
