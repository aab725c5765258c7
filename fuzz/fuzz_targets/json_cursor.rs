//! The libFuzzer entry point for `json_cursor`; the test kit checks the invariants.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| hobnob_mcp_testkit::fuzz::json_cursor(data));
