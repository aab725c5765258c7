//! Removes the walls around commands and people one by one, each in a build of its own, and checks
//! that an attack in the tests then gets through: an attack that never succeeds proves nothing.
//!
//! It works on a copy of the last commit. `ci` does not run it: each wall takes a build.

mod command;
mod table;

pub(crate) use command::{Args, run};
