//! What must hold of tasks, whatever keeps them.

mod list;
mod owned;

mod blocking;
mod claims;
mod life;
mod records;

mod model;
mod random;

pub use list::tasks;
