//! The status of every server: its state, the reason for it, and what to do.
//!
//! `reader` combines what the registry, the first starts and the upstreams report; `upstream`
//! reports one server. Both only read.

pub(crate) mod reader;
mod upstream;
