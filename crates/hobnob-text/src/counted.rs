//! Numbers with their nouns, so that no message says "1 servers". Commands and checks that count
//! use it.

use std::fmt::Display;

/// A number with its noun, which is given in the singular.
pub fn counted<N: Display + PartialEq + From<u8>>(count: N, thing: &str) -> String {
    match thing.strip_suffix('y') {
        _ if count == N::from(1) => format!("1 {thing}"),
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{count} {stem}ies"),
        _ => format!("{count} {thing}s"),
    }
}
