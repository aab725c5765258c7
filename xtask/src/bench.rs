//! `cargo xtask bench`: our server and gateway beside a bare loop and peers', and the built-in
//! services, in one run, some of them beside programs that do the same.
//!
//! Absolute figures belong to the machine; the ratios to the bare loop carry over.
//! Load and peers live in a workspace of their own, which this only builds and starts.

mod plan;

mod arguments;
mod artifact;
mod scratch;
mod start;

mod findings;

mod builtins;
mod compile;
mod gateways;
mod machine;
mod machine_material;

mod build;
mod server;

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
