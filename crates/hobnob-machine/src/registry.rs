//! A Windows registry, reached through the system's own program `reg` or through Wine's.
//!
//! The service `registry` calls [`Registry::perform`] with a permit. Nothing here uses an async
//! runtime: every run of a program blocks, has a deadline, and its output is limited.

mod problem;
mod stored;

mod export_text;
mod query_text;
mod words;

mod scratch;

mod run;

mod program;

mod perform;

pub use perform::{KeyOutcome, Registry, WriteDurability};
pub use problem::RegistryError;
pub use stored::{KeyContents, NamedValue, ReadFidelity, StoredData};
