//! A wrapper around the compiler for the crates of the workspace: this program takes its place.
//!
//! Cargo keeps the output of a wrapped compiler apart from everything else, so nothing has to be
//! rebuilt afterwards, and dependencies are never instrumented.

use std::path::Path;
use std::process::{Command, ExitCode};

/// Set where Cargo starts this program as the compiler.
const WRAPPER_VAR: &str = "XTASK_COVERAGE";

/// Makes Cargo compile through this program, and every program write its counters to that folder.
pub(super) fn instrument(cargo: &mut Command, profiles: &Path) -> anyhow::Result<()> {
    // `%m` and `%p`: one file per program and process, so that none overwrites another's.
    cargo.env("LLVM_PROFILE_FILE", profiles.join("%m-%p.profraw"));
    cargo.env("RUSTC_WORKSPACE_WRAPPER", std::env::current_exe()?).env(WRAPPER_VAR, "1");
    Ok(())
}

/// Compiles, if Cargo started this program as the compiler.
pub(crate) fn as_compiler() -> Option<ExitCode> {
    std::env::var_os(WRAPPER_VAR)?;
    let mut arguments = std::env::args_os().skip(1);
    let rustc = arguments.next()?;
    let status = Command::new(rustc).args(arguments).arg("-Cinstrument-coverage").status();
    Some(if status.is_ok_and(|it| it.success()) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
