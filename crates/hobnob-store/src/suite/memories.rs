//! What must hold of memories, whatever keeps them.

mod list;
mod sample;

mod captures;
mod changes;
mod filters;
mod pages;
mod places;
mod texts;
mod times;
mod words;

pub use list::memories;
