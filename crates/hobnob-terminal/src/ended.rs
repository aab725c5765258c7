//! How a command ends, and the error that says so.
//!
//! Code that can end a command returns `Ended`; only `exit.rs` of the binary knows the numbers.

use std::fmt;

/// Every way in which a command can end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// Success, also if the reader of standard output has closed the pipe.
    Done,
    /// A failure that has no code of its own.
    Failed,
    /// The command line is wrong; clap uses the same number.
    Usage,
    /// The tool was called and reported an error.
    ToolError,
    /// A rule or a person refused, or no person was there to ask.
    Denied,
    /// A server cannot be reached or started.
    Unavailable,
    /// The call or the list did not finish in time.
    Timeout,
    /// The user pressed Ctrl-C.
    Interrupted,
    /// The exit code of the program that the command ran.
    Program(u8),
}

/// An error with an exit code of its own. Every other error ends with `Code::Failed`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    code: Code,
    /// `None` if the command has already printed everything.
    message: Option<String>,
}

impl Ended {
    /// Ends with a message on standard error.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: Some(message.into()) }
    }

    /// Ends with a usage error and its message.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Code::Usage, message)
    }

    /// Ends without a message.
    pub fn silently(code: Code) -> Self {
        Self { code, message: None }
    }

    /// The exit code that this error leads to.
    pub fn code(&self) -> Code {
        self.code
    }

    /// Whether there is a message to show.
    pub fn has_message(&self) -> bool {
        self.message.is_some()
    }
}

impl fmt::Display for Ended {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.message.as_deref().unwrap_or_default())
    }
}

impl std::error::Error for Ended {}
