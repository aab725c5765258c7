//! First starts: learning what a server offers that Hobnob has never seen, and who waits for that.
//!
//! The gateway starts servers here when a view opens or the configuration changes; lists and calls
//! wait here. `policy` says which servers are started, `under_way` which of them lists wait for,
//! `to_learn` whether any server is left to learn.

pub(crate) mod policy;
pub(crate) mod tasks;
pub(crate) mod to_learn;
mod under_way;
