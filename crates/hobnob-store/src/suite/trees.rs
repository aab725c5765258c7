//! What must hold of trees, whatever keeps them. Tests of backends run it.
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
