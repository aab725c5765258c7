//! `cargo xtask bench`: compares our server, gateway and built-in services with a bare loop, with
//! other projects' programs, and with programs that do the same, in one run.
//!
//! Absolute figures depend on the machine; the ratios to the bare loop carry over. To add a
//! measurement, describe it in `kinds`. The load generator and the peers are a workspace of their
//! own, which this code only builds and starts.

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
