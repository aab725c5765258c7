//! The libFuzzer entry point for `request_state`; the test kit checks the invariants.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| hobnob_mcp_testkit::fuzz::request_state(data));
