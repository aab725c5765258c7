//! JSON Schema: schemas of bounded size that are compiled once, and messages for values that do not
//! match.
//!
//! `hobnob-mcp-toolbox` checks arguments and structured results with it. It is a crate of its own
//! because the validator is generic: a calling crate that is optimised for speed would compile a
//! second copy, while one optimised for size shares the code in the validator's crate.

mod bounds;
mod compiled;
mod problems;

pub use bounds::check_bounds;
pub use compiled::CompiledSchema;
pub use problems::{ValueProblem, ValueProblems};
