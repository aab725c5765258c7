//! `cargo xtask coverage`: which lines of the product the tests run through.
//!
//! The workspace's own crates are compiled with counters, by this program as Cargo's wrapper around
//! the compiler; what they depend on is shared with every other build. The counters are read with
//! the toolchain's own LLVM tools, because another release of LLVM does not understand them.

mod command;
mod compiler;
mod report;
mod tools;

#[cfg(test)]
mod tests;

pub(crate) use command::{Args, run};
pub(crate) use compiler::as_compiler;
