//! Transcripts of the protocol over the in-memory transport: lines in, lines out, clock paused.
//!
//! One file per area. Each script is a test; `support` has the shared parts.
#![cfg(test)]

mod probe_service;
mod support;

mod batches;
mod bounds;
mod calls;
mod cancellation;
mod changes;
mod eras;
mod features;
mod handshake;
mod held;
mod hostile;
mod ids;
mod links;
mod listen;
mod memory_guide;
mod modern;
mod notes;
mod older_revisions;
mod other_methods;
mod questions;
mod refusals;
mod roots;
mod rounds;
mod task_guide;
mod tasks;
mod tasks_extension;
mod watching;
