//! Providers against test servers on this machine, which stream in awkward pieces and fail in every
//! way that providers do.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking, as the tests do")]

mod answers;
mod budgets;
mod cancelling;
mod documentation;
mod faults;
mod keys;
mod probes;
mod retries;
mod server;
mod streams;
mod waits;
