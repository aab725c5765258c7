//! `cargo xtask conformance`: the official suites against our fixtures, held to a target.
//!
//! The suites' own exit codes are not trusted: a scenario that checked nothing also prints a tick.
//! What they wrote is read, counted and compared.

mod authorization;
mod client;
mod command;
mod floors;
mod results;
mod server;
mod suites;
mod table;
#[cfg(test)]
mod tests;

pub(crate) use command::{Args, run, run_built};
