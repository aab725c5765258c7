//! Helpers for the tests of several modules.

mod levels;
pub(crate) mod loopback;

pub(crate) use levels::levels;
