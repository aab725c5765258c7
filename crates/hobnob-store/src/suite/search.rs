//! Test cases for search, run against every backend.
//!
//! What must stay true: only ports are used, so that every backend can run it.

mod list;
mod sample;

mod changes;
mod filters;
mod hostile;
mod models;
mod neighbours;
mod words;

pub use list::search;
pub use sample::SearchableStore;
