//! Tells the program which commit it is built from, for `--version`.
//!
//! Only optimised builds ask git: each commit would otherwise rebuild the program and its tests.
//! The answer depends on the sources and the commit alone, so that builds stay reproducible.

mod commit;

use std::env;
use std::path::PathBuf;

#[expect(clippy::print_stdout, reason = "this is how Cargo is told")]
fn main() {
    println!("cargo:rerun-if-changed=build");
    let variable = |name: &str| env::var(name).unwrap_or_default();
    // Profiles that inherit from `release` have this value, too.
    if variable("PROFILE") != "release" {
        return;
    }
    let root: PathBuf = [&variable("CARGO_MANIFEST_DIR"), "..", ".."].iter().collect();
    for path in commit::watched(&root) {
        println!("cargo:rerun-if-changed={}", path.display());
    }
    if let Some(commit) = commit::describe(&root) {
        println!("cargo:rustc-env=HOBNOB_BUILD={} ({commit})", variable("CARGO_PKG_VERSION"));
    }
}
