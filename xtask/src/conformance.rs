//! `cargo xtask conformance`: runs the official suites against our fixtures, with targets.
//!
//! The suites' own exit codes are not trusted: a scenario that checked nothing also prints a tick.
//! This code reads and counts the results that the suites write.

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
