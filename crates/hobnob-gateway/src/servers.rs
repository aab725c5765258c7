//! From what the user wrote to upstreams and snapshots: at the beginning, and whenever it changes.
//!
//! `config` is the one value behind the lock; the others change it and end with `publish`.

mod apply;
pub(crate) mod awaited;
pub(crate) mod config;
mod learn;
mod prepare;
pub(crate) mod publish;
mod reload;
mod remember;
pub(crate) mod sightings;
