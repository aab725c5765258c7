//! The tools of the memory service, one file for each kind of work.
//!
//! Each group of tools is a type with what its handlers need; `kit` makes and lists them.

mod capture;
mod carry;
mod change;
mod consolidate;
mod enrich;
mod intent;
mod look;
mod model;
mod prompts;
mod recall;
mod replacing;

mod kit;

pub(super) use kit::{MemoryCall, MemoryTools, with_tools};
