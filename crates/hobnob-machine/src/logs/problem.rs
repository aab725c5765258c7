//! Why a log was not read, in words for the caller: names that it gave or was granted, no text of the
//! system.

use std::io;

#[cfg(target_os = "linux")]
use crate::files::FileError;

/// An action on logs that failed.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// Neither the system nor a granted folder has it.
    #[error("there is no log `{0}`: list the logs to see their names")]
    Missing(String),
    /// This system has no program that reads its logs, and no file is named so.
    #[error("there is no log file `{0}`, and this system has no log program that Hobnob knows")]
    NoSystemLogs(String),
    /// It cannot be reached through its granted folder.
    #[cfg(target_os = "linux")]
    #[error("the log {0}")]
    File(#[from] FileError),
    /// Not made by an earlier page of this log, or the file behind it is gone.
    #[error("the cursor does not fit this log any more: ask for the first page again")]
    BadCursor,
    /// Too far back for a log that is read from its beginning.
    #[error("at most {0} entries can be passed over here: narrow it down with times")]
    TooFar(u64),
    /// The system's program does not run or does not say what it should.
    #[error("`{program}` {problem}")]
    Program {
        /// The name of its file, without folders.
        program: String,
        /// What it did, to be read after its name.
        problem: &'static str,
    },
    /// Nobody waits for it any more.
    #[error("the log was left before the end: the call was cancelled")]
    Cancelled,
    /// The system refused to read on.
    #[error("the log cannot be read: {}", .0.kind())]
    Read(#[from] io::Error),
}
