//! The libFuzzer entry point for `jsonrpc_decode`; the test kit checks the invariants.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| hobnob_mcp_testkit::fuzz::jsonrpc_decode(data));
