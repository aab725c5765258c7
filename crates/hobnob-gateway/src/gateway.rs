//! The gateway: the owner of all parts, and the events that upstreams send to them.
//!
//! The binary starts one, opens views on it and shuts it down.

mod events;
pub(crate) mod lasting_consents;
pub(crate) mod owner;
pub(crate) mod owner_controls;
