//! The end of a command: its error is shown, and becomes the exit code of the process.
//!
//! `main` calls it last. Nothing else ends the process with a code of its own.

use crate::exit;
use hobnob_terminal::ended::{Code, Ended};
use hobnob_terminal::render;
use std::process::ExitCode;

/// Where the error of a command is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ErrorReporting {
    /// As a plain line on standard error, for the person who typed the command.
    Plain,
    /// As one more line of the log.
    Log,
}

/// Shows the error, if there is one, and returns the exit code.
pub(crate) fn exit_code(done: anyhow::Result<()>, reporting: ErrorReporting) -> ExitCode {
    let Err(error) = done else { return ExitCode::SUCCESS };
    let ended = error.downcast_ref::<Ended>();
    if ended.is_none_or(Ended::has_message) {
        // `{:#}` includes the causes, on one line.
        match reporting {
            ErrorReporting::Plain => render::error(&format!("{error:#}")),
            ErrorReporting::Log => tracing::error!("{error:#}"),
        }
    }
    ExitCode::from(exit::number(ended.map_or(Code::Failed, Ended::code)))
}
