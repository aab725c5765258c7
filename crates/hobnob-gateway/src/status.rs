//! The truth about every server: its state, why, and what to do.
//!
//! `reader` puts together what the registry, the first starts and the upstreams say; `upstream`
//! says how one of them is. Both only read.

pub(crate) mod reader;
mod upstream;
