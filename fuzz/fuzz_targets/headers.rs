//! libFuzzer's way into `headers`; what must hold is in the test kit.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| hobnob_mcp_testkit::fuzz::headers(data));
