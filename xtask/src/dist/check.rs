//! The packages, installed where nothing else is, and used there.
//!
//! `command` calls in. A machine that cannot make such a place gets a report of what it lacks; nothing
//! is counted as checked that was not.

mod answer;
mod command;
mod debian_root;
mod empty_root;
mod packages;
mod root;

pub(crate) use command::{CheckScope, RELEASES, run};
pub(crate) use packages::Packages;
