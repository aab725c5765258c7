//! libFuzzer's way into `jsonrpc_decode`; what must hold is in the test kit.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| hobnob_mcp_testkit::fuzz::jsonrpc_decode(data));
