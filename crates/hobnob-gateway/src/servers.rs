//! Turns the configuration into upstreams and snapshots, at the start and after every change.
//!
//! `registry` holds everything behind one lock; other modules use only it. Below it, bottom up:
//! `rules` and `gate` decide purely, `lists_cache` is the disk, `prepare` and `installed` turn
//! configured servers into upstreams, `snapshots` builds what a view shows.

pub(crate) mod gate;
pub(crate) mod installed;
pub(crate) mod lists_cache;
mod prepare;
pub(crate) mod registry;
pub(crate) mod rules;
mod snapshots;
mod state;
