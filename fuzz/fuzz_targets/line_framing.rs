//! The libFuzzer entry point for `line_framing`; the test kit checks the invariants.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| hobnob_mcp_testkit::fuzz::line_framing(data));
