//! Model tests: loom runs shared structures through every interleaving of their threads.
//!
//! `cargo xtask loom` runs them. The queue is the product's own source file, compiled with loom's
//! locks: it takes them from `crate::sync`, which is another file here. The table has no lock of
//! its own; its owner keeps it in a mutex, and so do the tests.

#[path = "../../crates/hobnob-mcp-transport/src/frame_hold.rs"]
pub mod frame_hold;
#[cfg(test)]
mod in_flight;
#[path = "../../crates/hobnob-mcp-transport/src/outbox.rs"]
pub mod outbox;
#[cfg(test)]
mod queue;
mod sync;
