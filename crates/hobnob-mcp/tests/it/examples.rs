//! Finds the examples of this crate: as programs, and as text.
#![expect(clippy::unwrap_used, reason = "a helper that fails must fail the test that uses it")]

use std::path::{Path, PathBuf};

/// The program of an example, which cargo builds along with the tests.
pub(crate) fn program(name: &str) -> PathBuf {
    let mut folder = std::env::current_exe().unwrap();
    folder.pop();
    folder.pop();
    let program = folder.join("examples").join(name);
    assert!(program.exists(), "{} is missing: cargo build --examples", program.display());
    program
}

/// The text of a file of this repository, by its path from the root.
pub(crate) fn text(path: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    std::fs::read_to_string(file).unwrap()
}
