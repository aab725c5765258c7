//! Checks that the program is position-independent and has full RELRO.
//!
//! It reads the output of `readelf`, like `needs`. The compiler enables both by default; this check
//! notices a flag, a linker or a `--binary` that disables them, before the program is packaged.

use std::path::Path;
use std::process::Command;

use crate::process::quiet;

/// Fails if the program lacks a protection, and names what it lacks.
pub(crate) fn check(program: &Path) -> anyhow::Result<()> {
    let mut readelf = Command::new("readelf");
    readelf.args(["--wide", "--file-header", "--program-headers", "--dynamic"]);
    let missing = missing(&quiet(readelf.arg(program).env("LC_ALL", "C"))?);
    anyhow::ensure!(missing.is_empty(), "the program is {}", missing.join(" and "));
    Ok(())
}

/// The missing protections, from the output of `readelf`. Full RELRO needs a segment that becomes
/// read-only after loading, and relocations that are all resolved by then.
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
