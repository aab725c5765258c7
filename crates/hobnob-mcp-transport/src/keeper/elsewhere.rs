//! Systems without namespaces and subreapers: the process group is all there is.

use super::Level;
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

/// There is no keeper here, so nobody should ask for one.
pub fn run(_arguments: impl Iterator<Item = OsString>) -> ExitCode {
    ExitCode::FAILURE
}

/// What this machine allows.
pub fn detect(_keeper: &Path) -> Level {
    Level::Group
}
