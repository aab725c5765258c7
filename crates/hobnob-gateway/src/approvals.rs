//! What people have approved of servers and tools, and which tools are held back because of it.
//!
//! `servers` asks for every list it takes in. `tools` compares with what was approved; `writer`
//! brings to the disk what a tool looked like when it was first seen.

pub(crate) mod sightings;
pub(crate) mod tools;
pub(crate) mod writer;
