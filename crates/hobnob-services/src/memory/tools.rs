//! The tools of the memory service, one file for each kind of work.
//!
//! Handlers get a `PresentedMemory` and answer in the terms of its presentation.

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

mod kit;

pub(super) use kit::with_tools;
