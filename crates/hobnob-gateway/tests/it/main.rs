//! The gateway with real upstream processes, asked directly: what no edge can show from outside.

#![cfg(unix)]
#![expect(
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test fails by panicking, and says aloud when it is skipped"
)]

mod envelopes;
mod first_starts;
mod harness;
mod histories;
mod isolation;
mod observed_calls;
mod owner_queue;
mod polls;
mod principals;
mod recording;
mod reloads;
mod tool_uses;
mod tool_vectors;
mod view_changes;
mod view_client;
mod views;
