//! First starts: learning what a server offers that Hobnob has never seen, and who waits for that.
//!
//! The gateway starts servers here when a view opens or the configuration changes; lists and calls
//! wait here. `policy` says which servers are started, `awaited` which of them lists wait for.

pub(crate) mod awaited;
pub(crate) mod policy;
pub(crate) mod tasks;
