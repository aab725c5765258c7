//! This program in the place of the compiler, for the crates of the workspace only.
//!
//! Cargo keeps what a wrapper compiles apart from everything else, so nothing has to be built
//! again afterwards, and dependencies are never instrumented.

use std::path::Path;
use std::process::{Command, ExitCode};

/// Set where Cargo starts us as the compiler.
const MARK: &str = "XTASK_COVERAGE";

/// Makes Cargo compile through us, and every program write its counters to that folder.
pub(super) fn instrument(cargo: &mut Command, profiles: &Path) -> anyhow::Result<()> {
    // `%m` and `%p`: one file for each program and process, so that none overwrites another's.
    cargo.env("LLVM_PROFILE_FILE", profiles.join("%m-%p.profraw"));
    cargo.env("RUSTC_WORKSPACE_WRAPPER", std::env::current_exe()?).env(MARK, "1");
    Ok(())
}

/// Compiles, if that is what we were started for.
pub(crate) fn as_compiler() -> Option<ExitCode> {
    std::env::var_os(MARK)?;
    let mut arguments = std::env::args_os().skip(1);
    let rustc = arguments.next()?;
    let status = Command::new(rustc).args(arguments).arg("-Cinstrument-coverage").status();
    Some(if status.is_ok_and(|it| it.success()) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
