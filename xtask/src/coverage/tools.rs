//! The LLVM tools that read counters: the toolchain's own, or others of the same release.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process::quiet;

/// The paths of both programs.
pub(super) struct Tools {
    pub(super) profdata: PathBuf,
    pub(super) cov: PathBuf,
}

/// Finds the tools, or fails with how to install them.
pub(super) fn find() -> anyhow::Result<Tools> {
    let rustc = || Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    let sysroot = quiet(rustc().args(["--print", "sysroot"]))?;
    let version = quiet(rustc().arg("-vV"))?;
    let host = field(&version, "host: ").unwrap_or_default();
    let llvm = field(&version, "LLVM version: ").and_then(major).unwrap_or_default();
    let own = Path::new(sysroot.trim()).join("lib/rustlib").join(host).join("bin");
    let here = |folder: &Path| Tools {
        profdata: folder.join("llvm-profdata"),
        cov: folder.join("llvm-cov"),
    };
    let own = here(&own);
    if own.profdata.exists() && own.cov.exists() {
        return Ok(own);
    }
    let others = here(Path::new(""));
    let other = quiet(Command::new(&others.cov).arg("--version")).ok();
    let other =
        other.as_deref().and_then(|text| text.split("LLVM version ").nth(1)).and_then(major);
    match other {
        Some(other) if other == llvm => Ok(others),
        Some(other) => anyhow::bail!(
            "llvm-cov is of LLVM {other} and cannot read what LLVM {llvm} of this compiler writes: \
             run `rustup component add llvm-tools`"
        ),
        None => anyhow::bail!("llvm-cov is missing: run `rustup component add llvm-tools`"),
    }
}

pub(super) fn field<'text>(text: &'text str, name: &str) -> Option<&'text str> {
    text.lines().find_map(|line| line.strip_prefix(name))
}

/// The release on which the formats depend: `22` of `22.1.2`.
pub(super) fn major(version: &str) -> Option<u32> {
    version.split(|it: char| !it.is_ascii_digit()).next()?.parse().ok()
}
