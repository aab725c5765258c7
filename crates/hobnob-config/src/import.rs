//! Servers that other clients have: where their files are, what is in them, what would be added.

mod plan;
mod source;
mod translate;

pub use plan::{PlanStep, plan};
pub use source::{Client, Imported, Source, read, sources};
