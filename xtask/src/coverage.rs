//! `cargo xtask coverage`: which lines of the product the tests execute.
//!
//! The workspace's own crates are compiled with counters: this program is Cargo's wrapper around
//! the compiler. Dependencies are shared with every other build. The toolchain's own LLVM tools
//! read the counters, because another release of LLVM does not understand them.

mod command;
mod compiler;
mod report;
mod tools;

#[cfg(test)]
mod tests;

pub(crate) use command::{Args, run};
pub(crate) use compiler::as_compiler;
