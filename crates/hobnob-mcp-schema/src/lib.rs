//! JSON Schema: schemas of bounded size that are compiled once, and the problems of values that do
//! not fit, in words.
//!
//! `hobnob-mcp-toolbox` checks arguments and structured results here. A crate of its own, because
//! the validator is generic: a caller that is compiled for speed would compile all of it a second
//! time, one that is compiled for size shares what the validator's crate has.

mod bounds;
mod compiled;
mod problems;

pub use bounds::check_bounds;
pub use compiled::CompiledSchema;
pub use problems::{ValueProblem, ValueProblems};
