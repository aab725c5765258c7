//! How many tokens a request used, counted the same way for every provider.
//!
//! What must stay true: no token is in two of the counts, so that their sum is the total usage.
//! Only `thinking` is a share of another count.

use serde::{Deserialize, Serialize};

/// The tokens of one request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenUsage {
    /// Prompt tokens outside the provider's cache.
    pub input: u64,
    /// Tokens that the model wrote, its thinking included.
    pub output: u64,
    /// Prompt tokens that the provider read from its cache.
    pub cache_read: u64,
    /// Prompt tokens that the provider cached for five minutes, or for its own default time.
    pub cache_write: u64,
    /// Prompt tokens that the provider cached for an hour.
    pub cache_write_hour: u64,
    /// How much of `output` was thinking, where the provider says so.
    pub thinking: Option<u64>,
}

impl TokenUsage {
    /// All tokens of the prompt, cached or not.
    pub fn prompt(&self) -> u64 {
        [self.cache_read, self.cache_write, self.cache_write_hour]
            .into_iter()
            .fold(self.input, u64::saturating_add)
    }

    /// The sum of the tokens of two requests.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let thinking = match (self.thinking, other.thinking) {
            (None, None) => None,
            (one, other) => Some(one.unwrap_or(0).saturating_add(other.unwrap_or(0))),
        };
        Self {
            input: self.input.saturating_add(other.input),
            output: self.output.saturating_add(other.output),
            cache_read: self.cache_read.saturating_add(other.cache_read),
            cache_write: self.cache_write.saturating_add(other.cache_write),
            cache_write_hour: self.cache_write_hour.saturating_add(other.cache_write_hour),
            thinking,
        }
    }

    /// All tokens of the prompt and the answer.
    pub fn total(&self) -> u64 {
        self.prompt().saturating_add(self.output)
    }
}
