//! `cargo xtask trial`: runs many published servers behind one hub, like a demanding user.
//!
//! It is not part of `ci`, because it installs gigabytes and takes minutes. It installs exact
//! versions into `target/trial`; the hub starts with an empty home and an empty cache.

mod clients;
mod command;
mod faults;
mod home;
mod hub;
mod load;
mod looks;
mod prepared;
mod promises;
mod remains;
mod roster;
mod sandboxes;
mod stages;
mod storm;

pub(crate) use command::{Args, run};
pub(crate) use roster::{Entry, entries, install_all, read};
