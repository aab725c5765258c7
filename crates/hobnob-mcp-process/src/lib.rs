//! Processes that we start, and the guarantee that nothing of them survives.
//!
//! The client and the gateway start servers as a [`child::Child`]. Nothing here knows the protocol:
//! a process is a program, its pipes and its end.

#[cfg(unix)]
pub mod child;
#[cfg(unix)]
mod descriptor_limit;
pub mod supervisor;

#[cfg(unix)]
pub use descriptor_limit::raise_descriptor_limit;
