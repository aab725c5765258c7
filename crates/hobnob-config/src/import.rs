//! Imports other clients' servers: where their files are, what is in them, what would be added.
//!
//! `hobnob import` calls it: first `sources` and `read`, then `plan`, and `edit` writes. Other
//! clients' files are never written.

mod forms;
mod plan;
mod source;
mod translate;

pub(crate) use forms::{to_our_form_of_any, to_our_form_of_codex};
pub use plan::{PlanStep, plan};
pub use source::{Imported, Source, read, sources};
