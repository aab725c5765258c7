//! The bodies of the fuzz targets: they take bytes, and panic if a property does not hold.
//!
//! `fuzz/fuzz_targets` feeds them from libFuzzer, `tests/it` from a small mutator on the stable
//! toolchain, so both run the same code. A body runs millions of times, so it must be quick, and
//! its assertions must be deterministic.

mod cut;
mod headers;
mod json_cursor;
mod jsonrpc_decode;
mod line_framing;
mod request_state;
mod sse_decode;

pub use headers::headers;
pub use json_cursor::json_cursor;
pub use jsonrpc_decode::jsonrpc_decode;
pub use line_framing::line_framing;
pub use request_state::request_state;
pub use sse_decode::sse_decode;
