//! Tests of the engine's rules, one file for each file of the crate.

mod given;

mod answers;
mod arrival;
mod change;
mod client_id;
mod dialogue;
mod downgrade;
mod era;
mod fault;
mod headers;
mod held;
mod inflight;
mod interest;
mod list_page;
mod notes;
mod question;
mod randomness;
mod round_trips;
mod seal;
mod share;
mod stream_event;
mod task;
mod wire_trace;
