//! libFuzzer's way into `line_framing`; what must hold is in the test kit.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| hobnob_mcp_testkit::fuzz::line_framing(data));
