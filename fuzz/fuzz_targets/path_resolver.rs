//! libFuzzer's way into `path_resolver`; what must hold is in the tests of `hobnob-machine`.
#![no_main]

#[path = "../../crates/hobnob-machine/tests/it/path_resolver.rs"]
mod path_resolver;

use path_resolver::PathResolver;
use std::sync::LazyLock;

static RESOLVER: LazyLock<PathResolver> = LazyLock::new(PathResolver::new);

libfuzzer_sys::fuzz_target!(|data: &[u8]| RESOLVER.check(data));
