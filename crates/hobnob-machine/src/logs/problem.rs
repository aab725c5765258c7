//! Why a log was not read, for the caller: an error has names that the caller gave or was granted,
//! and no text of the system.

use std::io;

/// An action on logs that failed.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// Neither the system nor a granted folder has the log.
    #[error("there is no log `{0}`: list the logs to see their names")]
    Missing(String),
    /// This system has no program that reads its logs, and no file has this name.
    #[error("there is no log file `{0}`, and this system has no log program that Hobnob knows")]
    NoSystemLogs(String),
    /// The log cannot be reached through its granted folder: its path, and why.
    #[error("the log {0}")]
    File(String),
    /// The cursor is not from an earlier page of this log, or the file behind it is gone.
    #[error("the cursor does not fit this log any more: ask for the first page again")]
    BadCursor,
    /// The offset is too large for a log that is read from its beginning.
    #[error("at most {0} entries can be skipped in this log: narrow the query down by time")]
    TooFar(u64),
    /// The system's program does not run, or its output is wrong.
    #[error("`{program}` {problem}")]
    Program {
        /// The program's file name, without folders.
        program: String,
        /// What is wrong, to be read after its name.
        problem: &'static str,
    },
    /// The caller cancelled the action.
    #[error("reading the log was cancelled")]
    Cancelled,
    /// The system reported an error while reading.
    #[error("the log cannot be read: {}", .0.kind())]
    Read(#[from] io::Error),
}
