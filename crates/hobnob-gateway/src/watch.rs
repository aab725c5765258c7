//! Changes of resources: told by their servers, or found by reading them again and again.
//!
//! `spread` tells servers what is watched; `polling` reads what they do not tell of. Either way the
//! change reaches whoever watches as an ordinary notification.

pub(crate) mod pace;
pub(crate) mod polled;
pub(crate) mod polling;
pub(crate) mod polls;
mod spread;
pub(crate) mod watches;
