//! What must hold of search, whatever searches.

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
