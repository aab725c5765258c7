//! Why a model did not answer, or not to the end.
//!
//! Services show these texts to whoever asked. What must stay true: no text holds a key, an address
//! or a path; what a provider said is one short line.

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
    /// The request has something that this provider has no form for.
    #[error("this provider cannot be asked that: {0}")]
    Request(Box<str>),
    /// What the caller may use is used up.
    #[error("the token budget is spent: {used} of {limit} tokens are used or reserved")]
    BudgetSpent {
        /// Tokens that were used, and those that answers under way may still use.
        used: u64,
        /// How many tokens the budget has.
        limit: u64,
    },
    /// The provider will not answer this request; the same one again has the same end.
    #[error("the model provider refused the request (status {status}): {reason}")]
    Refused {
        /// The status of the HTTP answer.
        status: u16,
        /// What the provider said.
        reason: Box<str>,
    },
    /// The conversation is longer than the model takes; a shorter one may have an answer.
    #[error("the conversation is too long for the model: {0}")]
    TooLong(Box<str>),
    /// The provider may answer later.
    #[error("the model provider cannot answer now: {reason}")]
    Unavailable {
        /// What the provider said, or why it cannot be reached.
        reason: Box<str>,
        /// How long it asks to be left alone, if it says.
        retry_after: Option<Duration>,
    },
    /// The provider took longer than it may.
    #[error("the model provider was too slow: {phase} took more than {limit:?}")]
    Late {
        /// What took too long.
        phase: WaitPhase,
        /// How long it may take.
        limit: Duration,
    },
    /// The provider ended its answer with an error.
    #[error("the model provider reported an error while it answered: {0}")]
    Failed(Box<str>),
    /// The answer ended before it was complete.
    #[error("the answer of the model provider was cut off: {0}")]
    Cut(Box<str>),
    /// What came is not what the provider's documentation says.
    #[error("the answer of the model provider cannot be read: {0}")]
    Garbled(Box<str>),
}

impl ProviderError {
    /// The same error with other words, where it has words that are not our own.
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

/// What a provider may be too slow with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitPhase {
    /// From the request to the beginning of the answer.
    FirstByte,
    /// From one piece of the answer to the next.
    Silence,
    /// All of it, with the tries before.
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
