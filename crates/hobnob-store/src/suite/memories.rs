//! Test cases for memories, run against every backend.
//!
//! What must stay true: only ports are used, so that every backend can run it.

mod list;
mod merging;
mod sample;

mod captures;
mod changes;
mod filters;
mod pages;
mod places;
mod replaced;
mod texts;
mod times;
mod words;

pub use list::memories;
