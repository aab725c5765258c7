//! Test cases for tasks, run against every backend.
//!
//! What must stay true: only ports are used, so that every backend can run it.

mod list;
mod owned;

mod blocking;
mod claims;
mod life;
mod records;

mod model;
mod random;

pub use list::tasks;
pub use owned::new_task;
