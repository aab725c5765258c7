//! Transcripts of the protocol over the in-memory transport: lines in, lines out, clock paused.
//!
//! One file per area. A script is the test; `support` only shortens what all of them need.
#![cfg(test)]

mod support;

mod calls;
mod cancellation;
mod features;
mod folding;
mod handshake;
mod notes;
