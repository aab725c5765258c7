//! Test cases for trees, run against every backend.
//!
//! What must stay true: only ports are used, so that every backend can run it.

mod list;
mod owned;

mod life;
mod nodes;
mod records;

mod model;
mod walks;

pub use list::trees;
