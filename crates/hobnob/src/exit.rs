//! How commands end: the one place that knows exit codes.

use crate::render;
use std::fmt;
use std::process::ExitCode;

/// What `--help` says about them.
pub(crate) const HELP: &str = "\
Exit codes:
  0    done
  1    it failed
  2    it was asked for wrongly
  3    the tool reported an error
  4    it was denied, or nobody could be asked
  5    a server is unavailable
  124  it took too long
  130  it was interrupted";

/// The ways to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Code {
    /// Done.
    Done,
    /// It failed.
    Failed,
    /// It was asked for wrongly; clap ends the same way.
    Usage,
    /// The tool was called and reported an error.
    ToolError,
    /// A rule or a person said no, or nobody could be asked.
    Denied,
    /// A server cannot be reached or started.
    Unavailable,
    /// It took too long.
    Timeout,
    /// Ctrl-C.
    Interrupted,
}

impl Code {
    /// The number the shell sees.
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
        }
    }
}

/// An end with a code of its own. Commands return it as an error; other errors are `Failed`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ended {
    code: Code,
    /// Nothing, if everything was said already.
    message: Option<String>,
}

impl Ended {
    /// An end that is told on standard error.
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: Some(message.into()) }
    }

    /// An end without a word, because all was said.
    pub(crate) fn quietly(code: Code) -> Self {
        Self { code, message: None }
    }
}

impl fmt::Display for Ended {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.message.as_deref().unwrap_or_default())
    }
}

impl std::error::Error for Ended {}

/// How a failure is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Voice {
    /// To a person, as a plain line.
    Plain,
    /// As one more line of the log.
    Log,
}

/// Reports a failure and picks the code.
pub(crate) fn code(done: anyhow::Result<()>, voice: Voice) -> ExitCode {
    let Err(error) = done else { return ExitCode::SUCCESS };
    let ended = error.downcast_ref::<Ended>();
    if ended.is_none_or(|ended| ended.message.is_some()) {
        // `{:#}` tells the causes too, on one line.
        match voice {
            Voice::Plain => render::complain(&format!("{error:#}")),
            Voice::Log => tracing::error!("{error:#}"),
        }
    }
    ExitCode::from(ended.map_or(Code::Failed, |ended| ended.code).number())
}
