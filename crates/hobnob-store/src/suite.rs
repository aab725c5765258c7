//! The behaviour that every backend must have, as named cases. Each case gets a store of its own,
//! and the first that fails ends the run with its name.

mod case;
mod folder;
mod verdict;

mod memories;
mod prompts;
mod search;
mod tasks;

pub use folder::Folder;
pub use memories::memories;
pub use prompts::prompts;
pub use search::{Searched, search};
pub use tasks::tasks;
pub use verdict::{Failed, Verdict};
