//! Installs the packages on bare systems, and uses them there.
//!
//! `command` calls in. If this machine cannot make such a system, the error says what is missing;
//! nothing counts as checked that was not.

mod answer;
mod command;
mod debian_root;
mod empty_root;
mod packages;
mod root;

pub(crate) use command::{CheckScope, RELEASES, run};
pub(crate) use packages::Packages;
