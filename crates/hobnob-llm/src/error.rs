//! Why a model did not answer, or not to the end.
//!
//! Services show these texts to the caller. What must stay true: no text holds a key, an address or
//! a path; the text of a provider is cut to one short line.

use std::fmt;
use std::time::Duration;

/// Why there is no answer, or only a part of one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProviderError {
    /// The settings must be changed first.
    #[error("the settings of the model provider cannot be used: {0}")]
    Settings(Box<str>),
    /// The key is missing or cannot be read.
    #[error("the model provider's key cannot be read: {0}")]
    Key(Box<str>),
    /// The request contains something that the provider's API cannot express.
    #[error("this provider cannot be asked that: {0}")]
    Request(Box<str>),
    /// The caller's token budget is used up.
    #[error("the token budget is spent: {used} of {limit} tokens are used or reserved")]
    BudgetSpent {
        /// The tokens that were used, plus those reserved for answers under way.
        used: u64,
        /// How many tokens the budget has in all.
        limit: u64,
    },
    /// The provider refuses this request, and would refuse it again.
    #[error("the model provider refused the request (status {status}): {reason}")]
    Refused {
        /// The status of the HTTP answer.
        status: u16,
        /// What the provider said.
        reason: Box<str>,
    },
    /// The conversation is longer than the model's context; a shorter one may be answered.
    #[error("the conversation is too long for the model: {0}")]
    TooLong(Box<str>),
    /// The provider may answer later.
    #[error("the model provider cannot answer now: {reason}")]
    Unavailable {
        /// What the provider said, or why it is unreachable.
        reason: Box<str>,
        /// How long the provider asks callers to wait, if it says so.
        retry_after: Option<Duration>,
    },
    /// The provider exceeded a time limit.
    #[error("the model provider was too slow: {phase} took more than {limit:?}")]
    Late {
        /// What took too long.
        phase: WaitPhase,
        /// The time limit of this phase.
        limit: Duration,
    },
    /// The provider ended its answer with an error.
    #[error("the model provider reported an error while it answered: {0}")]
    Failed(Box<str>),
    /// The answer ended before it was complete.
    #[error("the answer of the model provider was cut off: {0}")]
    Cut(Box<str>),
    /// The answer does not follow the provider's documentation.
    #[error("the answer of the model provider cannot be read: {0}")]
    Garbled(Box<str>),
}

impl ProviderError {
    /// Applies `change` to every text of the error that is not a fixed message.
    pub(crate) fn map_text(self, change: impl Fn(&str) -> Box<str>) -> Self {
        match self {
            Self::Settings(text) => Self::Settings(change(&text)),
            Self::Key(text) => Self::Key(change(&text)),
            Self::Request(text) => Self::Request(change(&text)),
            Self::Refused { status, reason } => Self::Refused { status, reason: change(&reason) },
            Self::TooLong(text) => Self::TooLong(change(&text)),
            Self::Unavailable { reason, retry_after } => {
                Self::Unavailable { reason: change(&reason), retry_after }
            }
            Self::Failed(text) => Self::Failed(change(&text)),
            Self::Cut(text) => Self::Cut(change(&text)),
            Self::Garbled(text) => Self::Garbled(change(&text)),
            Self::BudgetSpent { .. } | Self::Late { .. } => self,
        }
    }
}

/// The phase of an exchange in which a provider was too slow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitPhase {
    /// From the request to the beginning of the answer.
    FirstByte,
    /// From one piece of the answer to the next.
    Silence,
    /// The whole exchange, including earlier attempts.
    Total,
}

impl fmt::Display for WaitPhase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::FirstByte => "the beginning of its answer",
            Self::Silence => "the next piece of its answer",
            Self::Total => "its answer",
        })
    }
}
