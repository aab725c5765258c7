//! Exit codes, and the error that carries one.
//!
//! Commands return `Ended`; `report.rs` turns it into the exit code of the process. No other file
//! knows the numbers.

use std::fmt;

/// The section on exit codes that `--help` ends with.
pub(crate) const HELP: &str = "\
Exit codes:
  0    success
  1    failure
  2    usage error
  3    the tool reported an error
  4    a rule or a person denied the call, or nobody could be asked
  5    a server is unavailable
  N    with `run`: the exit code of the program that the method ran
  124  timeout
  130  interrupted";

/// Every way in which a command can end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Code {
    Done,
    Failed,
    /// The command line is wrong; clap uses the same number.
    Usage,
    /// The tool was called and reported an error.
    ToolError,
    /// A rule or a person said no, or nobody could be asked.
    Denied,
    /// A server cannot be reached or started.
    Unavailable,
    /// The call or the list did not finish in time.
    Timeout,
    /// The user pressed Ctrl-C.
    Interrupted,
    /// What the program ended with that the command ran.
    Program(u8),
}

impl Code {
    /// The number that the shell sees.
    pub(crate) fn number(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::ToolError => 3,
            Self::Denied => 4,
            Self::Unavailable => 5,
            Self::Timeout => 124,
            Self::Interrupted => 130,
            Self::Program(code) => code,
        }
    }
}

/// An error with an exit code of its own. Every other error ends with `Code::Failed`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ended {
    code: Code,
    /// `None` if the command has already printed everything.
    message: Option<String>,
}

impl Ended {
    /// Ends with a message on standard error.
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: Some(message.into()) }
    }

    /// Ends with a usage error and its message.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Code::Usage, message)
    }

    /// Ends without a message.
    pub(crate) fn silently(code: Code) -> Self {
        Self { code, message: None }
    }

    /// The exit code that this error leads to.
    pub(crate) fn code(&self) -> Code {
        self.code
    }

    /// Whether there is a message to show.
    pub(crate) fn has_message(&self) -> bool {
        self.message.is_some()
    }
}

impl fmt::Display for Ended {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.message.as_deref().unwrap_or_default())
    }
}

impl std::error::Error for Ended {}
