//! Runs each target over its seeds, and over many mutations of them.

use super::mutator::Mutator;
use hobnob_mcp_testkit::fuzz;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::{fs, io};

/// The seed of the mutator in every run.
const SEED: u64 = 0x0005_EED0_FA11_F00D;
/// Mutated inputs per target: enough to find a mistake, few enough to wait for.
const ROUNDS: usize = 20_000;

/// The committed seeds of a target, in the order of their names.
fn seeds(target: &str) -> io::Result<Vec<Vec<u8>>> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds").join(target);
    let files: io::Result<Vec<_>> = fs::read_dir(&folder)?.collect();
    let mut paths: Vec<PathBuf> = files?.iter().map(|file| file.path()).collect();
    assert!(!paths.is_empty(), "no seeds in {}", folder.display());
    paths.sort();
    paths.iter().map(fs::read).collect()
}

fn check(target: &str, body: fn(&[u8])) -> io::Result<()> {
    let known = seeds(target)?;
    let mut mutator = Mutator::new(SEED);
    let changed = std::iter::repeat_with(|| mutator.next(&known)).take(ROUNDS);
    for input in known.clone().into_iter().chain([Vec::new()]).chain(changed) {
        let outcome = catch_unwind(AssertUnwindSafe(|| body(&input)));
        assert!(outcome.is_ok(), "{target} broke on b\"{}\"", input.escape_ascii());
    }
    Ok(())
}

#[test]
fn line_framing() -> io::Result<()> {
    check("line_framing", fuzz::line_framing)
}

#[test]
fn jsonrpc_decode() -> io::Result<()> {
    check("jsonrpc_decode", fuzz::jsonrpc_decode)
}

#[test]
fn sse_decode() -> io::Result<()> {
    check("sse_decode", fuzz::sse_decode)
}

#[test]
fn headers() -> io::Result<()> {
    check("headers", fuzz::headers)
}

#[test]
fn request_state() -> io::Result<()> {
    check("request_state", fuzz::request_state)
}

#[test]
fn json_cursor() -> io::Result<()> {
    check("json_cursor", fuzz::json_cursor)
}
