//! From what the user wrote to upstreams and snapshots: at the beginning, and whenever it changes.
//!
//! `registry` holds everything behind one lock and is all that others use. Below it, bottom up:
//! `rules` and `gate` decide purely, `lists_cache` is the disk, `prepare` and `installed` make
//! upstreams of entries, `snapshots` makes of them what a view shows.

pub(crate) mod gate;
pub(crate) mod installed;
pub(crate) mod lists_cache;
mod prepare;
pub(crate) mod registry;
pub(crate) mod rules;
mod snapshots;
mod state;
