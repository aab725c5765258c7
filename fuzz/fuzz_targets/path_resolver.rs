//! The libFuzzer entry point for `path_resolver`; `hobnob-machine`'s tests check the invariants.
#![no_main]

#[path = "../../crates/hobnob-machine/tests/it/path_resolver.rs"]
mod path_resolver;

use path_resolver::PathResolver;
use std::sync::LazyLock;

static RESOLVER: LazyLock<PathResolver> = LazyLock::new(PathResolver::new);

libfuzzer_sys::fuzz_target!(|data: &[u8]| RESOLVER.check(data));
