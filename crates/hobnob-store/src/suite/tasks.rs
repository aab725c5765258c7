//! What must hold of tasks, whatever keeps them.

mod desk;
mod list;

mod blocking;
mod claims;
mod life;
mod records;

mod model;
mod random;

pub use list::tasks;
