//! Whether the program can be loaded at a random address and has full RELRO.
//!
//! `readelf` tells, as for `needs`. The compiler asks for both by default; this check notices a flag,
//! a linker or a `--binary` that takes them back, before the program is packaged.

use std::path::Path;
use std::process::Command;

use crate::process::quiet;

/// Fails for a program that lacks one of the protections, and names those it lacks.
pub(crate) fn check(program: &Path) -> anyhow::Result<()> {
    let mut readelf = Command::new("readelf");
    readelf.args(["--wide", "--file-header", "--program-headers", "--dynamic"]);
    let missing = missing(&quiet(readelf.arg(program).env("LC_ALL", "C"))?);
    anyhow::ensure!(missing.is_empty(), "the program is {}", missing.join(" and "));
    Ok(())
}

/// What the program lacks according to `readelf`. Full RELRO is a segment that becomes read-only after
/// loading, and relocations that are all done by then.
pub(super) fn missing(readelf: &str) -> Vec<&'static str> {
    let has_line = |test: &dyn Fn(&str) -> bool| readelf.lines().map(str::trim_start).any(test);
    let independent = has_line(&|line| line.starts_with("Type:") && line.contains("DYN"));
    let read_only = has_line(&|line| line.starts_with("GNU_RELRO"));
    let bound_at_start = has_line(&|line| {
        line.contains("(FLAGS)") && line.contains("BIND_NOW")
            || line.contains("(FLAGS_1)") && line.contains("NOW")
            || line.contains("(BIND_NOW)")
    });
    let mut missing = Vec::new();
    if !independent {
        missing.push("not position-independent");
    }
    if !(read_only && bound_at_start) {
        missing.push("without full RELRO");
    }
    missing
}
