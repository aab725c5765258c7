//! What people have approved of servers and tools, and which tools are held back because of it.
//!
//! `servers` passes every list it receives through `tools`, which compares it with what was
//! approved. `writer` stores what a tool looked like when it was first seen.

pub(crate) mod sightings;
pub(crate) mod tools;
pub(crate) mod writer;
