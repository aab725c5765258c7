//! Systems without namespaces and subreapers: only the process group is available, so nothing here
//! ever starts a supervisor.

use super::level::Level;
use crate::sandbox::{SandboxLevel, SandboxSupport};
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

/// Fails: there are no supervisors on this system, and [`detect`] never suggests one.
pub fn run(_arguments: impl Iterator<Item = OsString>) -> ExitCode {
    ExitCode::FAILURE
}

/// Always the process group, on every machine of this kind.
pub fn detect(_supervisor: &Path) -> Level {
    Level::Group
}

/// Commands cannot be confined here.
pub fn sandbox_support(_supervisor: &Path) -> SandboxSupport {
    let obstacle = Some("only Linux has what a sandbox needs".to_owned());
    SandboxSupport { level: SandboxLevel::Weak, obstacle }
}
