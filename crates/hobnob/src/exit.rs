//! How commands end: the one place that knows exit codes.
//!
//! 0: done. 1: it failed. 2: it was asked for wrongly (clap uses the same).

use std::process::ExitCode;

/// Reports a failure and picks the code.
pub(crate) fn code(done: anyhow::Result<()>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // `{:#}` tells the causes too, on one line.
            tracing::error!("{error:#}");
            ExitCode::FAILURE
        }
    }
}
