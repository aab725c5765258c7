//! What tests of several rooms need.

pub(crate) mod loopback;
